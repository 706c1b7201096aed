/** The policy behind an OpenAI-compatible endpoint: request by the `openai` client, answer by our own assembler. */
import OpenAI from "openai";
import type { ModelClient, ModelRequest } from "../../shared/agent/model-client.ts";
import type { ChatStreamPart } from "../../shared/agent/stream/chat-stream.ts";
import { readChatStream } from "../../shared/agent/stream/read-chat-stream.ts";
import type { ErrorCode } from "../../shared/errors/error-codes.ts";
import { systemClock, systemTimer } from "./system-clock.ts";

export type EndpointOptions = {
  /** What records name: the endpoint's host, or `offline`. */
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
  /** Which request fields the server knows beyond OpenAI's own: OpenAI itself refuses what it does not know. */
  readonly kind: "vllm" | "sglang" | "openai";
  /** Replaces the network: the offline policy answers in this isolate. */
  readonly fetch?: typeof fetch;
};

export function createModelClient(options: EndpointOptions): ModelClient {
  const client = new OpenAI({
    baseURL: options.baseUrl,
    apiKey: options.apiKey === "" ? "none" : options.apiKey,
    // Retries are the turn's: it knows what was said already and how much time is left.
    maxRetries: 0,
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  });
  return {
    endpoint: options.name,
    model: options.model,
    stream: (request) => streamChat(client, options, request),
  };
}

async function* streamChat(
  client: OpenAI,
  options: EndpointOptions,
  request: ModelRequest,
): AsyncGenerator<readonly ChatStreamPart[]> {
  const startedAtMs = systemClock.nowMs();
  const opened = await open(client, options, request);
  if (!("body" in opened)) {
    yield [opened];
    return;
  }
  yield* readChatStream(opened.body, {
    thinking: request.thinking,
    callIdPrefix: request.callIdPrefix,
    signal: request.signal,
    timer: systemTimer,
    // One limit for both: the wait for headers has used some of it.
    firstByteTimeoutMs: Math.max(1, request.firstByteTimeoutMs - (systemClock.nowMs() - startedAtMs)),
    betweenChunksTimeoutMs: request.betweenChunksTimeoutMs,
  });
}

type Opened = { readonly body: ReadableStream<Uint8Array> } | Extract<ChatStreamPart, { type: "end" }>;

/** Sends the request. Headers that do not come within the first-byte limit end the call like a stream that never starts. */
async function open(client: OpenAI, options: EndpointOptions, request: ModelRequest): Promise<Opened> {
  const limit = new AbortController();
  const cancel = systemTimer.after(request.firstByteTimeoutMs, () => limit.abort());
  try {
    const response = await client.chat.completions
      .create(toBody(options, request), { signal: AbortSignal.any([request.signal, limit.signal]) })
      .asResponse();
    if (response.body === null) return failed("model_empty_stream");
    return { body: response.body };
  } catch (thrown) {
    if (request.signal.aborted) return { type: "end", finish: "aborted", code: null };
    if (limit.signal.aborted) return failed("model_timed_out");
    return failed(codeOf(thrown));
  } finally {
    cancel();
  }
}

/**
 * Constant fields first, then tools, then messages, so that the bytes of one call are a prefix of the next call's
 * up to its newest message. `stream_options` asks for usage in every chunk: the only way to know an aborted turn's tokens.
 */
function toBody({ model, kind }: EndpointOptions, request: ModelRequest): OpenAI.ChatCompletionCreateParamsStreaming {
  const body = {
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
  // The client's types know OpenAI's fields alone; vLLM and SGLang take the two others.
  return body as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
}

function failed(code: ErrorCode): Extract<ChatStreamPart, { type: "end" }> {
  return { type: "end", finish: "error", code };
}

/** The provider's error object carries headers and may quote the prompt: only its status leaves this file. */
function codeOf(thrown: unknown): ErrorCode {
  const status = thrown instanceof OpenAI.APIError ? thrown.status : undefined;
  if (status === undefined || status === 429 || status >= 500) return "model_unavailable";
  return "model_refused";
}
