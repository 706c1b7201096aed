/** The policy behind an OpenAI-compatible endpoint: request by the `openai` client, answer by our own assembler. */
import OpenAI from "openai";
import type { ModelClient, ModelRequest } from "../../shared/agent/model-client.ts";
import type { ChatStreamPart } from "../../shared/agent/stream/chat-stream.ts";
import { readChatStream } from "../../shared/agent/stream/read-chat-stream.ts";
import type { ErrorCode } from "../../shared/errors/error-codes.ts";
import { systemClock, systemTime, systemTimer } from "./system-clock.ts";

export type EndpointOptions = {
  /** What records name: the endpoint's host, or `offline`. */
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
  /** Which request fields the server knows beyond OpenAI's own: OpenAI itself refuses what it does not know. */
  readonly kind: "vllm" | "sglang" | "openai";
  /** The answer begins inside a thought that only a closing tag shows: nothing before it is spoken. */
  readonly opensThinking: boolean;
  /** Replaces the network: the offline policy answers in this isolate. */
  readonly fetch?: typeof fetch;
};

type Endpoint = EndpointOptions & { readonly client: OpenAI };

export function createModelClient(options: EndpointOptions): ModelClient {
  const client = new OpenAI({
    baseURL: options.baseUrl,
    apiKey: options.apiKey === "" ? "none" : options.apiKey,
  });
  return {
    endpoint: options.name,
    model: options.model,
    stream: (request) => streamChat({ ...options, client }, request),
  };
}

async function* streamChat(endpoint: Endpoint, request: ModelRequest): AsyncGenerator<readonly ChatStreamPart[]> {
  const startedAtMs = systemClock.nowMs();
  const opened = await open(endpoint, request);
  if (!("body" in opened)) {
    yield [opened];
    return;
  }
  yield* readChatStream(opened.body, {
    thinking: request.thinking,
    startsInsideThinking: endpoint.opensThinking,
    callIdPrefix: request.callIdPrefix,
    signal: request.signal,
    timer: systemTime,
    // One limit for both: the wait for headers has used some of it.
    firstByteTimeoutMs: Math.max(1, request.firstByteTimeoutMs - (systemClock.nowMs() - startedAtMs)),
    betweenChunksTimeoutMs: request.betweenChunksTimeoutMs,
  });
}

type Opened = { readonly body: ReadableStream<Uint8Array> } | Extract<ChatStreamPart, { type: "end" }>;

/**
 * Sends the request. Headers that do not come within the first-byte limit end the call like a stream that never starts.
 *
 * The client builds it and does not send it: its own sending logs each request in full before it looks whether anyone
 * listens, and sets limits and retries that are the turn's here.
 */
async function open(endpoint: Endpoint, request: ModelRequest): Promise<Opened> {
  const limit = new AbortController();
  const cancel = systemTimer.after(request.firstByteTimeoutMs, () => limit.abort());
  try {
    const body = toBody(endpoint, request);
    const { req, url } = await endpoint.client.buildRequest({ method: "post", path: "/chat/completions", body });
    const init = { ...req, signal: AbortSignal.any([request.signal, limit.signal]) } as RequestInit;
    const send = endpoint.fetch ?? fetch;
    const response = await send(url, init);
    if (response.ok && response.body !== null) return { body: response.body };
    // The answer may quote the prompt: only its status is looked at.
    await response.body?.cancel();
    return failed(response.ok ? "model_empty_stream" : codeOf(response.status));
  } catch {
    if (request.signal.aborted) return { type: "end", finish: "aborted", code: null };
    return failed(limit.signal.aborted ? "model_timed_out" : "model_unavailable");
  } finally {
    cancel();
  }
}

/**
 * Constant fields first, then tools, then messages, so that the bytes of one call are a prefix of the next call's
 * up to its newest message. `stream_options` asks for usage in every chunk: the only way to know an aborted turn's tokens.
 */
function toBody({ model, kind }: EndpointOptions, request: ModelRequest) {
  return {
    model,
    stream: true as const,
    stream_options: { include_usage: true, ...(kind !== "openai" && { continuous_usage_stats: true }) },
    temperature: request.temperature,
    ...(request.topP !== null && { top_p: request.topP }),
    max_tokens: request.maxOutputTokens,
    ...(kind !== "openai" && { chat_template_kwargs: { enable_thinking: request.thinking } }),
    ...(request.tools.length > 0 && { tools: request.tools }),
    messages: request.messages,
  };
}

function failed(code: ErrorCode): Extract<ChatStreamPart, { type: "end" }> {
  return { type: "end", finish: "error", code };
}

function codeOf(status: number): ErrorCode {
  return status === 429 || status >= 500 ? "model_unavailable" : "model_refused";
}
