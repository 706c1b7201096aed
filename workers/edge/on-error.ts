import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { toAppError } from "../../shared/errors/app-error.ts";
import { ERROR_RULES } from "../../shared/errors/error-codes.ts";
import { reportFailure } from "../platform/report-failure.ts";
import type { EdgeEnv } from "./authenticate.ts";

/** The one place where a failure becomes an HTTP answer. Unknown failures answer 500 with no text of their own. */
export const onError: ErrorHandler<EdgeEnv> = (thrown, c) => {
  if (thrown instanceof HTTPException) return thrown.getResponse();
  const error = toAppError(thrown);
  const { status, retry } = ERROR_RULES[error.code];
  if (status >= 500) reportFailure(c.req.routePath, error.code, error.cause ?? error);
  if (retry === "later") c.header("retry-after", "1");
  if (status === 401) c.header("www-authenticate", "Bearer");
  return c.json({ code: error.code, title: error.message, status, details: error.details }, status);
};
