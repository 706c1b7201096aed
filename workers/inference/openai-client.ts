/** An OpenAI-compatible endpoint: request by the `openai` client, answer by our own assembler. */
import OpenAI from "openai";
import type { ChatStreamPart } from "../../shared/agent/stream/chat-stream.ts";
import { readChatStream } from "../../shared/agent/stream/read-chat-stream.ts";
import type { EndpointField } from "../../shared/contract/endpoint.ts";
import type { ErrorCode } from "../../shared/errors/error-codes.ts";
import type { EndpointCall, EndpointClient } from "../../shared/inference/endpoint-client.ts";
import { limitBytes } from "./limit-bytes.ts";
import { systemClock, systemTime, systemTimer } from "../platform/system-clock.ts";

export type OpenAiClientOptions = {
  readonly baseUrl: string;
  readonly model: string;
  /** Empty: none is needed. */
  readonly apiKey: string;
  /** Request fields that the server takes beyond OpenAI's own, which itself refuses what it does not know. */
  readonly fields: ReadonlySet<EndpointField>;
  /** The answer begins inside a thought that only a closing tag shows: nothing before it is spoken. */
  readonly opensThinking: boolean;
  /** Longest wait for the response's headers, ms. */
  readonly connectTimeoutMs: number;
  /** Replaces the network: the offline policy answers in this isolate. */
  readonly fetch?: typeof fetch;
};

/**
 * Bytes of one answer. The longest that a harness may ask for, 4,096 tokens, has about 500 bytes a token with usage in
 * every chunk; a server that never stops must not fill the isolate's 128 MB before the call's time is up.
 */
const ANSWER_BYTES_MAX = 8_000_000;

type Server = OpenAiClientOptions & { readonly client: OpenAI };
type End = Extract<ChatStreamPart, { type: "end" }>;

export function createOpenAiClient(options: OpenAiClientOptions): EndpointClient {
  const client = new OpenAI({ baseURL: options.baseUrl, apiKey: options.apiKey === "" ? "none" : options.apiKey });
  return { model: options.model, stream: (call) => streamChat({ ...options, client }, call) };
}

async function* streamChat(server: Server, call: EndpointCall): AsyncGenerator<readonly ChatStreamPart[]> {
  const startedAtMs = systemClock.nowMs();
  const total = new AbortController();
  const cancelTotal = systemTimer.after(call.totalTimeoutMs, () => total.abort());
  const signal = AbortSignal.any([call.signal, total.signal]);
  try {
    const opened = await open(server, call, signal);
    if (!("body" in opened)) {
      yield [toOwnFailure(opened, call, total.signal)];
      return;
    }
    const stream = readChatStream(limitBytes(opened.body, ANSWER_BYTES_MAX), {
      thinking: call.thinking,
      startsInsideThinking: server.opensThinking,
      callIdPrefix: call.callIdPrefix,
      signal,
      timer: systemTime,
      // One limit for both: the wait for headers has used some of it.
      firstByteTimeoutMs: Math.max(1, call.firstByteTimeoutMs - (systemClock.nowMs() - startedAtMs)),
      betweenChunksTimeoutMs: call.betweenChunksTimeoutMs,
    });
    for await (const parts of stream) {
      const last = parts.at(-1);
      if (last?.type !== "end") yield parts;
      else yield [...parts.slice(0, -1), withSafeCode(toOwnFailure(last, call, total.signal), server.apiKey)];
    }
  } finally {
    cancelTotal();
  }
}

/** An abort that the turn did not wish is a failure: our own limit on the whole call has made it, or the engine itself. */
function toOwnFailure(end: End, call: EndpointCall, total: AbortSignal): End {
  if (end.finish !== "aborted" || call.signal.aborted) return end;
  return failed(total.aborted ? "model_timed_out" : "model_stream_broken");
}

/** The server's own code goes into records, figures and spans: it is kept while it is a word, and not the key. */
function withSafeCode(end: End, apiKey: string): End {
  const { code } = end;
  if (code === null || (/^[\w.:-]+$/.test(code) && (apiKey === "" || !code.includes(apiKey)))) return end;
  return { ...end, code: "model_stream_broken" };
}

type Opened = { readonly body: ReadableStream<Uint8Array> } | End;

/**
 * Sends the request. Headers that do not come in time end the call like a stream that never starts.
 *
 * The client builds it and does not send it: its own sending logs each request in full before it looks whether anyone
 * listens, and sets limits and retries that are the turn's here.
 */
async function open(server: Server, call: EndpointCall, signal: AbortSignal): Promise<Opened> {
  const limit = new AbortController();
  const limitMs = Math.min(server.connectTimeoutMs, call.firstByteTimeoutMs);
  const cancel = systemTimer.after(limitMs, () => limit.abort());
  try {
    const body = toBody(server, call);
    const { req, url } = await server.client.buildRequest({ method: "post", path: "/chat/completions", body });
    // A key goes to the origin that it is for: a redirect is not followed.
    const init = { ...req, redirect: "manual", signal: AbortSignal.any([signal, limit.signal]) } as RequestInit;
    const send = server.fetch ?? fetch;
    const response = await send(url, init);
    if (response.ok && response.body !== null) return { body: response.body };
    // The answer may quote the prompt: only its status is looked at.
    await response.body?.cancel();
    return response.ok ? failed("model_empty_stream") : toRefusal(response);
  } catch {
    if (signal.aborted) return { type: "end", finish: "aborted", code: null };
    return failed(limit.signal.aborted ? "model_timed_out" : "model_unavailable");
  } finally {
    cancel();
  }
}

/**
 * Constant fields first, then tools, then messages, so that the bytes of one call are a prefix of the next call's
 * up to its newest message. `stream_options` asks for usage in every chunk: the only way to know an aborted turn's tokens.
 */
function toBody({ model, fields }: OpenAiClientOptions, call: EndpointCall) {
  return {
    model,
    stream: true as const,
    stream_options: {
      include_usage: true,
      ...(fields.has("continuous_usage_stats") && { continuous_usage_stats: true }),
    },
    temperature: call.temperature,
    ...(call.topP !== null && { top_p: call.topP }),
    max_tokens: call.maxOutputTokens,
    ...(fields.has("chat_template_kwargs") && { chat_template_kwargs: { enable_thinking: call.thinking } }),
    ...(fields.has("priority") && { priority: call.priority }),
    ...(fields.has("cache_salt") && call.cacheSalt !== null && { cache_salt: call.cacheSalt }),
    ...(call.tools.length > 0 && { tools: call.tools }),
    messages: call.messages,
  };
}

function failed(code: ErrorCode): End {
  return { type: "end", finish: "error", code };
}

function toRefusal(response: Response): End {
  const retryAfterMs = readRetryAfterMs(response.headers.get("retry-after"));
  return { ...failed(codeOf(response.status)), ...(retryAfterMs !== null && { retryAfterMs }) };
}

function codeOf(status: number): ErrorCode {
  if (status === 429) return "model_rate_limited";
  if (status === 401 || status === 403 || status === 404 || (status >= 300 && status < 400))
    return "model_misconfigured";
  return status >= 500 || status === 408 ? "model_unavailable" : "model_refused";
}

/** Seconds, as servers under load send it; a date is taken as none (RFC 9110, 10.2.3). */
function readRetryAfterMs(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}
