/** Calls to a server under check: bounded in time and bytes, never redirected, and what it says made safe to show. */
import type { StreamUsage } from "../../shared/agent/stream/read-usage.ts";
import type { StreamEnd } from "../../shared/agent/stream/chat-stream.ts";
import { readChatStream } from "../../shared/agent/stream/read-chat-stream.ts";
import { SseParser } from "../../shared/agent/stream/sse-parser.ts";
import type { RequestedToolCall } from "../../shared/agent/stream/tool-call-collector.ts";
import { parseJson } from "../../shared/core/json.ts";
import { fail, ok, type Result } from "../../shared/core/result.ts";
import { systemClock, systemTime, systemTimer } from "../platform/system-clock.ts";

/** Calls in flight at once: a check must not crowd out the turns that the server may be serving. */
const PROBES_AT_ONCE = 3;

/** Bytes that are read of one answer. vLLM's `/metrics`, the longest, has some 200 KB. */
const ANSWER_BYTES_MAX = 1_000_000;

/** Characters of the server's own words in one reason. */
const QUOTE_CHARS_MAX = 200;

/** Why a call gave nothing to look at. Whatever the server said is a quote already. */
export type CallFailure =
  | { readonly kind: "unreachable"; readonly why: string }
  | { readonly kind: "timed-out"; readonly limitMs: number }
  /** The time of the whole check was up. */
  | { readonly kind: "cut-short" }
  | { readonly kind: "redirect"; readonly status: number; readonly to: string }
  | { readonly kind: "status"; readonly status: number; readonly says: string }
  | { readonly kind: "web-page" }
  /** The answer came in one piece, or as no server-sent events. */
  | { readonly kind: "no-stream" }
  /** An error came inside the stream. */
  | { readonly kind: "stream-error"; readonly says: string };

export type ChatAnswer = {
  /** The content as it came, thoughts and tags included. */
  readonly content: string;
  /** What a turn would speak of it. */
  readonly text: string;
  /** Thoughts that came in a field of their own. */
  readonly reasoning: string;
  readonly toolCalls: readonly RequestedToolCall[];
  /** As the server counted; `null` if it did not. */
  readonly usage: StreamUsage | null;
  /** Usage came before the engine's finish. */
  readonly hasEarlyUsage: boolean;
  /** From the request to the response's headers, ms. */
  readonly headersMs: number;
  /** From the request to the first text, thought or tool call, ms. */
  readonly firstTokenMs: number | null;
  /** True when the model stopped by itself, not at a limit of tokens or time. */
  readonly isWhole: boolean;
};

export type ServerProbe = {
  /** Reads a text; a status other than 200 is a failure. */
  get(url: string, limitMs: number): Promise<Result<string, CallFailure>>;
  /** One streamed chat call, to its end or to the limit: what came until then is the answer. */
  chat(body: object, limitMs: number): Promise<Result<ChatAnswer, CallFailure>>;
  /** The server's words on one line, cut, and without the key. */
  quote(text: string): string;
};

export type ServerProbeOptions = {
  readonly baseUrl: string;
  /** Empty for a server without a key. Goes to the origin of `baseUrl` alone. */
  readonly apiKey: string;
  readonly opensThinking: boolean;
  /** Ends every call as `cut-short`. */
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
};

/** Never throws from its calls: every failure is a value. At most three run, the others wait. */
export function createServerProbe(options: ServerProbeOptions): ServerProbe {
  const takeTurn = createQueue(PROBES_AT_ONCE);
  const quote = (text: string) => quoteWithout(options.apiKey, text);
  const limited = <Value>(limitMs: number, run: (signal: AbortSignal) => Promise<Result<Value, CallFailure>>) =>
    takeTurn(() => runLimited(options.signal, limitMs, run));
  return {
    quote,
    get: (url, limitMs) =>
      limited(limitMs, async (signal) => {
        const opened = await open(options, { url, signal });
        if (!opened.ok) return opened;
        return isWebPage(opened.value) ? fail({ kind: "web-page" }) : ok(await readText(opened.value, signal));
      }),
    chat: (body, limitMs) =>
      limited(limitMs, async (signal) => {
        const startedAtMs = systemClock.nowMs();
        const opened = await open(options, { url: `${options.baseUrl}/chat/completions`, signal, body });
        if (!opened.ok) return opened;
        const headersMs = systemClock.nowMs() - startedAtMs;
        const type = opened.value.headers.get("content-type") ?? "";
        if (isWebPage(opened.value)) return fail({ kind: "web-page" });
        if (opened.value.body === null || type.includes("application/json")) return fail({ kind: "no-stream" });
        const { signal: whole, opensThinking } = options;
        const read = await readChat(opened.value.body, { signal, opensThinking, startedAtMs });
        if (whole.aborted) return fail({ kind: "cut-short" });
        if (!read.ok) return read.error === null ? fail({ kind: "no-stream" }) : failInStream(quote(read.error));
        const hasNothing = signal.aborted && read.value.firstTokenMs === null;
        return hasNothing ? fail({ kind: "timed-out", limitMs }) : ok({ ...read.value, headersMs });
      }),
  };
}

function failInStream(says: string): Result<never, CallFailure> {
  return fail({ kind: "stream-error", says });
}

/** Runs a task at once while fewer than `atOnce` run, else after those before it. */
function createQueue(atOnce: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <Value>(run: () => Promise<Value>): Promise<Value> => {
    if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await run();
    } finally {
      // The place goes over to the next one, or is free.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** The outcome of a call, or why there is none. The call's signal is aborted afterwards, which closes what it left open. */
async function runLimited<Value>(
  whole: AbortSignal,
  limitMs: number,
  run: (signal: AbortSignal) => Promise<Result<Value, CallFailure>>,
): Promise<Result<Value, CallFailure>> {
  if (whole.aborted) return fail({ kind: "cut-short" });
  const limit = new AbortController();
  const cancel = systemTimer.after(limitMs, () => limit.abort());
  try {
    return await run(AbortSignal.any([whole, limit.signal]));
  } catch (thrown) {
    if (whole.aborted) return fail({ kind: "cut-short" });
    return fail(limit.signal.aborted ? { kind: "timed-out", limitMs } : { kind: "unreachable", why: reasonOf(thrown) });
  } finally {
    cancel();
    limit.abort();
  }
}

type Call = { readonly url: string; readonly signal: AbortSignal; readonly body?: object };

/** Sends a request. A good answer's body has not been read. */
async function open(options: ServerProbeOptions, { url, signal, body }: Call): Promise<Result<Response, CallFailure>> {
  const { apiKey, fetch: send } = options;
  const isHome = new URL(url).origin === new URL(options.baseUrl).origin;
  const sent = send(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(apiKey !== "" && isHome && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: "manual",
    signal,
  });
  const response = await untilAborted(signal, sent);
  const { status } = response;
  if (status >= 300 && status < 400) {
    return fail({ kind: "redirect", status, to: quoteWithout(apiKey, response.headers.get("location") ?? "") });
  }
  if (status === 200) return ok(response);
  const text = isWebPage(response) ? "" : await readText(response, signal);
  return fail({ kind: "status", status, says: quoteWithout(apiKey, errorText(text)) });
}

/** Settles with the work, or rejects when the signal fires, also for work that does not heed it. */
async function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function readText(response: Response, signal: AbortSignal): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes < ANSWER_BYTES_MAX) {
    const { done, value } = await untilAborted(signal, reader.read());
    if (done) break;
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  // What is beyond is of no interest, and the connection closes with the call's signal.
  return text;
}

/** What the filters of a turn take away, noted beside them. */
type Seen = {
  content: string;
  reasoning: string;
  hasFinish: boolean;
  hasEarlyUsage: boolean;
  firstTokenMs: number | null;
  /** The server's error as it came: the filters cut it, and half of a key could no longer be told. */
  error: string | null;
};

type ReadOptions = { readonly signal: AbortSignal; readonly opensThinking: boolean; readonly startedAtMs: number };

/** Ends of an answer that the model itself made. */
const WHOLE: ReadonlySet<StreamEnd["finish"]> = new Set(["stop", "tool-calls"]);

/** The answer; or an error that came in the stream; or `null` for a body without any event. */
async function readChat(
  body: ReadableStream<Uint8Array>,
  { signal, opensThinking, startedAtMs }: ReadOptions,
): Promise<Result<Omit<ChatAnswer, "headersMs">, string | null>> {
  const seen: Seen = {
    content: "",
    reasoning: "",
    hasFinish: false,
    hasEarlyUsage: false,
    firstTokenMs: null,
    error: null,
  };
  const watched = body.pipeThrough(watch(seen, startedAtMs));
  const toolCalls: RequestedToolCall[] = [];
  let text = "";
  let usage: StreamUsage | null = null;
  let end: StreamEnd = { finish: "incomplete", code: null };
  // Read as if thoughts were wanted: an answer that came only as reasoning is told apart here, not spoken.
  const parts = readChatStream(watched, {
    thinking: true,
    startsInsideThinking: opensThinking,
    callIdPrefix: "check",
    signal,
    timer: systemTime,
  });
  for await (const list of parts) {
    for (const part of list) {
      if (part.type === "text-delta") text += part.text;
      else if (part.type === "tool-call") toolCalls.push(part.toolCall);
      else if (part.type === "usage") usage = part.usage.estimated ? null : part.usage;
      else end = part;
    }
  }
  if (end.code === "model_empty_stream") return fail(null);
  if (end.finish === "error") return fail(seen.error ?? end.detail ?? "the stream broke");
  const isWhole = WHOLE.has(end.finish);
  const { content, reasoning, hasEarlyUsage, firstTokenMs } = seen;
  return ok({ content, text, reasoning, toolCalls, usage, hasEarlyUsage, firstTokenMs, isWhole });
}

/** Passes the bytes on and notes what they say; fails the stream above {@link ANSWER_BYTES_MAX}. */
function watch(seen: Seen, startedAtMs: number): TransformStream<Uint8Array, Uint8Array> {
  const parser = new SseParser();
  let bytes = 0;
  const noteAll = (payloads: readonly string[]) => {
    for (const payload of payloads) note(seen, payload, systemClock.nowMs() - startedAtMs);
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > ANSWER_BYTES_MAX) throw new Error("The answer is too long");
      noteAll(parser.push(chunk));
      controller.enqueue(chunk);
    },
    flush: () => noteAll(parser.end()),
  });
}

function note(seen: Seen, payload: string, atMs: number): void {
  const chunk = parseJson(payload);
  if (isError(chunk)) seen.error ??= errorText(payload);
  const choices = readField(chunk, "choices");
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (choice === undefined) return;
  noteDelta(seen, readField(choice, "delta"), atMs);
  if (typeof readField(choice, "finish_reason") === "string") seen.hasFinish = true;
  const hasUsage = typeof readField(readField(chunk, "usage"), "prompt_tokens") === "number";
  if (hasUsage && !seen.hasFinish) seen.hasEarlyUsage = true;
}

function noteDelta(seen: Seen, delta: unknown, atMs: number): void {
  const content = textOf(readField(delta, "content"));
  const reasoning = textOf(readField(delta, "reasoning") ?? readField(delta, "reasoning_content"));
  seen.content += content;
  seen.reasoning += reasoning;
  const hasToken = content !== "" || reasoning !== "" || Array.isArray(readField(delta, "tool_calls"));
  if (hasToken) seen.firstTokenMs ??= atMs;
}

/** `{"error":…}`, or older vLLM's flat `{"object":"error",…}`. */
function isError(chunk: unknown): boolean {
  return (readField(chunk, "error") ?? null) !== null || readField(chunk, "object") === "error";
}

function isWebPage(response: Response): boolean {
  return (response.headers.get("content-type") ?? "").includes("text/html");
}

/** The message of an error body: OpenAI's and vLLM's `error.message`, older vLLM's `message`, FastAPI's `detail`; else all of it. */
function errorText(body: string): string {
  const parsed = parseJson(body);
  const error = readField(parsed, "error");
  const found = [readField(error, "message"), error, readField(parsed, "message"), readField(parsed, "detail")];
  return found.find((value): value is string => typeof value === "string") ?? body;
}

/** The key is taken out before and after white space is: a server may have folded it. */
function quoteWithout(apiKey: string, text: string): string {
  const hide = (from: string) => (apiKey === "" ? from : from.replaceAll(apiKey, "[key]"));
  const line = hide(hide(text).replace(/[\s\p{Cc}\p{Cf}]+/gu, " "))
    .trim()
    .toWellFormed();
  return line.length <= QUOTE_CHARS_MAX ? line : `${line.slice(0, QUOTE_CHARS_MAX - 1).toWellFormed()}…`;
}

/** Words of Node's and the platform's network errors, with what a person can do. The errors' own text is not shown. */
const NETWORK_FAILURES: readonly { readonly words: RegExp; readonly why: string }[] = [
  {
    words: /ENOTFOUND|EAI_AGAIN|\bDNS\b/i,
    why: "its name is not known: check the spelling, and that the name is public",
  },
  {
    words: /ECONNREFUSED|refused/i,
    why: "nothing listens there: check the port, and that the server is up and started with --host 0.0.0.0",
  },
  {
    words: /\b(TLS|SSL|certificate)\b|CERT_|ERR_SSL|ERR_TLS|EPROTO|self.signed/i,
    why: "TLS failed: check http against https, and that the certificate is valid for this name",
  },
  {
    words: /ETIMEDOUT|TIMEOUT|EHOSTUNREACH|ENETUNREACH/i,
    why: "no route leads there: check the host and the firewall",
  },
  // workerd says no more than this: the first for a port that is shut or a failed handshake, the second for an unknown name.
  {
    words: /Network connection lost/i,
    why: "the connection was refused or lost: check the port, http against https, and that the server is up",
  },
  { words: /internal error/i, why: "no connection came about: check the spelling of the name, and http against https" },
];

function reasonOf(thrown: unknown): string {
  const words = wordsOf(thrown);
  const known = NETWORK_FAILURES.find((failure) => failure.words.test(words));
  return known?.why ?? "the connection failed: check host, port and firewall";
}

/** Codes and messages of an error and of its causes. */
function wordsOf(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error) || depth > 4) return "";
  return `${textOf(readField(thrown, "code"))} ${thrown.message} ${wordsOf(thrown.cause, depth + 1)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readField(value: unknown, key: string): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
