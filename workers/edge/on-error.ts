import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { toAppError } from "../../shared/errors/app-error.ts";
import { ERROR_RULES } from "../../shared/errors/error-codes.ts";
import type { EdgeEnv } from "./authenticate.ts";

/** The one place where a failure becomes an HTTP answer. Unknown failures answer 500 with no text of their own. */
export const onError: ErrorHandler<EdgeEnv> = (thrown, c) => {
  if (thrown instanceof HTTPException) return thrown.getResponse();
  const error = toAppError(thrown);
  const { status, retry } = ERROR_RULES[error.code];
  if (status >= 500) {
    // The code is a static label; the cause may hold anything, so only its name and stack go to the log.
    const cause = error.cause instanceof Error ? (error.cause.stack ?? error.cause.name) : "";
    // oxlint-disable-next-line no-console -- the platform's log is the only place where a failure's cause is kept
    console.error(JSON.stringify({ level: "error", code: error.code, path: c.req.routePath, cause }));
  }
  if (retry === "later") c.header("retry-after", "1");
  if (status === 401) c.header("www-authenticate", "Bearer");
  return c.json({ code: error.code, title: error.message, status, details: error.details }, status);
};
