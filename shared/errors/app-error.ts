import { ERROR_RULES, type ErrorCode } from "./error-codes.ts";

/** Facts that are safe in logs and in API answers: ids, counts, limits. Never shopper text, prompts or secrets. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>;

/**
 * The only error class that modules throw on purpose.
 *
 * Identify it with {@link isAppError}, never with `instanceof`: Durable Object RPC rebuilds a plain `Error`
 * and keeps own properties such as `code` only from compatibility date 2026-04-21 on.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details ?? {};
  }
}

export function isAppError(value: unknown): value is AppError {
  return (
    value instanceof Error &&
    "code" in value &&
    typeof value.code === "string" &&
    Object.hasOwn(ERROR_RULES, value.code)
  );
}

/** Turns anything thrown into an `AppError`. An unknown failure becomes `internal`; its text stays in `cause`, for logs only. */
export function toAppError(thrown: unknown): AppError {
  return isAppError(thrown) ? thrown : new AppError("internal", "Unexpected failure", { cause: thrown });
}
