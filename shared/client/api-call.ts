/** One call of the edge API over HTTP. Every failure comes back as a value. */
import { parseJson } from "../core/json.ts";
import { type Result, fail, ok } from "../core/result.ts";
import type { Timer } from "../core/timer.ts";
import { type ApiFailure, ownFailure } from "./client-error.ts";
import { isRecord } from "./wire.ts";

/** Longest wait for an answer, ms. */
export const ANSWER_MAX_MS = 15_000;

/** The part of `fetch` that is used here. */
export type SendRequest = (url: string, init: RequestParts) => Promise<HttpAnswer>;

export type RequestParts = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
};

export type ApiRequest = {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: unknown;
};

/** Gives the answer's body, which must pass the guard. */
export type ApiCall = <Value>(
  request: ApiRequest,
  isValue: (value: unknown) => value is Value,
) => Promise<Result<Value, ApiFailure>>;

export type ApiCallOptions = {
  /** `http://127.0.0.1:8787`, without a slash at the end. */
  readonly origin: string;
  readonly token: string;
  readonly request: SendRequest;
  readonly timer: Timer;
};

/** Builds the caller for one credential. */
export function createApiCall({ origin, token, request, timer }: ApiCallOptions): ApiCall {
  return async ({ method, path, body }, isValue) => {
    const headers: Record<string, string> = { accept: "application/json", authorization: `Bearer ${token}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    const late = new AbortController();
    const cancel = timer.after(ANSWER_MAX_MS, () => late.abort());
    try {
      const answer = await request(`${origin}${path}`, {
        method,
        headers,
        signal: late.signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return readAnswer(answer, parseJson(await answer.text()), isValue);
    } catch {
      return fail(ownFailure(late.signal.aborted ? "timed_out" : "network"));
    } finally {
      cancel();
    }
  };
}

function readAnswer<Value>(
  { status, headers }: HttpAnswer,
  body: unknown,
  isValue: (value: unknown) => value is Value,
): Result<Value, ApiFailure> {
  if (status >= 200 && status < 300) {
    return isValue(body) ? ok(body) : fail({ code: "not_an_answer", status, title: "", retryAfterMs: null });
  }
  const { code, title } = isRecord(body) ? body : {};
  return fail({
    code: typeof code === "string" ? code : "not_an_answer",
    status,
    title: typeof title === "string" ? title : "",
    retryAfterMs: readRetryAfterMs(headers.get("retry-after")),
  });
}

/** Seconds alone: the header's other form, a date, would need the server's clock. */
function readRetryAfterMs(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}

export function isAnything(_value: unknown): _value is unknown {
  return true;
}
