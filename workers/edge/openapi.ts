/** Pieces that every route's description shares. */
import { OpenAPIHono, z } from "@hono/zod-openapi";
import { errorBodySchema } from "../../shared/contract/http-api.ts";
import { harnessChannelSchema, harnessNameSchema, roomIdSchema, turnIdSchema } from "../../shared/contract/ids.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { ERROR_RULES, type ErrorCode } from "../../shared/errors/error-codes.ts";
import type { EdgeEnv } from "./authenticate.ts";

/** Characters of a validator's complaint that go into an answer; it names fields and limits, never values. */
const PROBLEM_CHARS_MAX = 500;

/** A router whose validators answer `invalid_request`, or `batch_too_large` where a list is too long. */
export function createRouter() {
  return new OpenAPIHono<EdgeEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const issues = result.error.issues.flatMap(explain);
      const isBatch = issues.some(({ code, path }) => code === "too_big" && path.join(".") === "messages");
      const code = isBatch ? "batch_too_large" : "invalid_request";
      const title = isBatch ? "Too many messages in one request" : "The request does not fit its schema";
      const problems = issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`).join("; ");
      throw new AppError(code, title, { details: { problems: problems.slice(0, PROBLEM_CHARS_MAX) } });
    },
  });
}

type Issue = z.core.$ZodIssue;

/**
 * A union that nothing fits says so and no more. What helps is the branch that the caller meant: the one that got furthest
 * into the value, or has the least to complain about.
 */
function explain(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const branches = issue.errors.map((branch) => branch.flatMap(explain));
  const depthOf = (branch: readonly Issue[]) => Math.max(0, ...branch.map(({ path }) => path.length));
  const unknownKeys = (branch: readonly Issue[]) => branch.filter(({ code }) => code === "unrecognized_keys").length;
  const [meant = []] = branches.toSorted(
    (a, b) => unknownKeys(a) - unknownKeys(b) || depthOf(b) - depthOf(a) || a.length - b.length,
  );
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { content: { "application/json": { schema } }, required: true as const };
}

export function jsonAnswer<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { "application/json": { schema } }, description };
}

/** Error answers by code, grouped by status, for the API's description. */
export function errorAnswers(...codes: readonly ErrorCode[]) {
  const all: readonly ErrorCode[] = [
    ...new Set<ErrorCode>(["unauthenticated", "token_expired", "forbidden", ...codes]),
  ];
  const statuses = [...new Set(all.map((code) => ERROR_RULES[code].status))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      jsonAnswer(errorBodySchema, all.filter((code) => ERROR_RULES[code].status === status).join(", ")),
    ]),
  );
}

/** What may be wrong with a JSON body, whatever it says. */
export const BODY_ERRORS = ["invalid_request", "invalid_json", "unsupported_media_type", "body_too_large"] as const;

/** Why a harness version that is there is not loaded. */
export const LOAD_ERRORS = [
  "harness_revoked",
  "harness_corrupt",
  "harness_unsigned",
  "harness_signature_invalid",
] as const;

export const BEARER = [{ bearer: [] }];

export const roomParams = z.object({
  room: roomIdSchema.openapi({ param: { name: "room", in: "path" }, example: "yanxuan-home" }),
});
export const turnParams = roomParams.extend({ turn: turnIdSchema });
export const harnessParams = z.object({ name: harnessNameSchema });
export const channelParams = harnessParams.extend({ channel: harnessChannelSchema });

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(200).optional(),
});
