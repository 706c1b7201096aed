/** What each kind of server writes: chunks, completions, usage and errors, as plain objects. */
import type { Answer, Piece } from "./answers.ts";
import type { GenerationReport } from "./engine.ts";
import type { EmulatorOptions, EngineKind } from "./options.ts";

export type ApiError = {
  readonly status: number;
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
};

/** Constant parts of one answer. */
export type ChatHead = {
  readonly kind: EngineKind;
  readonly id: string;
  readonly createdS: number;
  readonly model: string;
};

export type Finish = "stop" | "tool_calls" | "length" | "abort";

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "BadRequestError",
  401: "AuthenticationError",
  404: "NotFoundError",
  429: "RateLimitError",
  500: "InternalServerError",
  503: "ServiceUnavailableError",
};
const OPENAI_ERROR_TYPES: Readonly<Record<number, string>> = {
  429: "rate_limit_error",
  500: "server_error",
  503: "server_error",
};

/** Body of a refusal. Both engines answer a wrong key with one word: it comes from a layer before their API. */
export function toErrorBody(kind: EngineKind, { status, message, param, code }: ApiError): object {
  if (kind === "openai") {
    const type = OPENAI_ERROR_TYPES[status] ?? "invalid_request_error";
    return {
      error: { message, type, param: param ?? null, code: code ?? (status === 404 ? "model_not_found" : null) },
    };
  }
  if (status === 401) return { error: "Unauthorized" };
  const error = { message, type: ERROR_TYPES[status] ?? "APIError", param: param ?? null, code: status };
  return kind === "vllm" ? { error } : { object: "error", ...error };
}

/** Data of an error in the middle of a stream that began with 200. SGLang's has an `object` inside. */
export function toErrorEvent(kind: EngineKind): object {
  if (kind === "openai") {
    return { error: { message: "The server had an error", type: "server_error", param: null, code: null } };
  }
  if (kind === "vllm") {
    return {
      error: { message: "EngineCore encountered an issue", type: "InternalServerError", param: null, code: 500 },
    };
  }
  const message = "The request is aborted: scheduler is down";
  return { error: { object: "error", message, type: "SERVICE_UNAVAILABLE", param: null, code: 503 } };
}

export function toChunk(head: ChatHead, delta: object, finish: Finish | null = null): Record<string, unknown> {
  const extra = head.kind === "sglang" ? { matched_stop: null } : {};
  return {
    id: head.id,
    object: "chat.completion.chunk",
    created: head.createdS,
    model: head.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, ...extra }],
  };
}

/** The last chunk, which has no choice. */
export function toUsageChunk(head: ChatHead, usage: object, metrics: object | null): object {
  const { id, createdS, model } = head;
  const chunk = { id, object: "chat.completion.chunk", created: createdS, model, choices: [], usage };
  return metrics === null ? chunk : { ...chunk, metrics };
}

export function toCompletion(head: ChatHead, message: object, finish: Finish): Record<string, unknown> {
  return {
    id: head.id,
    object: "chat.completion",
    created: head.createdS,
    model: head.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
  };
}

/** Deltas for pieces that go out together: neighbours of one kind become one delta. */
export function toDeltas(kind: EngineKind, pieces: readonly Piece[], answer: Answer): object[] {
  const deltas: object[] = [];
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (piece === undefined || piece.kind === "silent") continue;
    let { text } = piece;
    for (let next = pieces[at + 1]; next?.kind === piece.kind && next.call === piece.call; next = pieces[at + 1]) {
      text += next.text;
      at += 1;
    }
    deltas.push(withNulls(kind, toDelta(kind, { ...piece, text }, answer)));
  }
  return deltas;
}

/** The first delta has only the role. */
export function toRoleDelta(kind: EngineKind): object {
  return withNulls(kind, { role: "assistant", content: "" });
}

function toDelta(kind: EngineKind, { kind: what, text, call }: Piece, answer: Answer): object {
  switch (what) {
    case "silent":
      return {};
    case "text":
      return { content: text };
    case "reasoning":
      return { [kind === "sglang" ? "reasoning_content" : "reasoning"]: text };
    case "arguments":
      return { tool_calls: [{ index: call, function: { arguments: text } }] };
    case "call": {
      const { id, name } = answer.toolCalls[call] ?? { id: "", name: "" };
      return { tool_calls: [{ id, type: "function", index: call, function: { name, arguments: "" } }] };
    }
  }
}

/** SGLang sends what it does not say as `null`, vLLM and OpenAI leave it out. */
function withNulls(kind: EngineKind, delta: object): object {
  if (kind !== "sglang") return delta;
  return { role: null, content: null, reasoning_content: null, tool_calls: null, ...delta };
}

/** The message of an answer in one piece. */
export function toMessage(kind: EngineKind, pieces: readonly Piece[], answer: Answer): object {
  const textOf = (what: Piece["kind"], call = -1) =>
    pieces
      .filter((piece) => piece.kind === what && (call < 0 || piece.call === call))
      .map(({ text }) => text)
      .join("");
  const calls = answer.toolCalls
    .filter((_, index) => pieces.some((piece) => piece.kind === "call" && piece.call === index))
    .map(({ id, name }, index) => ({
      id,
      type: "function",
      function: { name, arguments: textOf("arguments", index) },
    }));
  const reasoning = textOf("reasoning");
  return {
    role: "assistant",
    content: textOf("text") === "" && calls.length > 0 ? null : textOf("text"),
    ...(reasoning !== "" && { [kind === "sglang" ? "reasoning_content" : "reasoning"]: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

export type UsageCounts = {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
};

/** Usage so far, as it comes in every chunk: no engine gives details there. */
export function toRunningUsage({ promptTokens, outputTokens }: UsageCounts): object {
  return { prompt_tokens: promptTokens, completion_tokens: outputTokens, total_tokens: promptTokens + outputTokens };
}

export function toUsage(counts: UsageCounts, options: Pick<EmulatorOptions, "noCachedTokens">): object {
  const details = options.noCachedTokens ? {} : { prompt_tokens_details: { cached_tokens: counts.cachedTokens } };
  return { ...toRunningUsage(counts), ...details };
}

/** vLLM's figures of one request, beside its last usage. `totalMs` from arrival to the last token. */
export function toRequestMetrics(report: GenerationReport, totalMs: number): object {
  const { queuedMs, firstTokenMs, outputTokens, drafts, accepted } = report;
  const decodeMs = Math.max(0, totalMs - (firstTokenMs ?? 0));
  return {
    time_to_first_token_ms: firstTokenMs,
    queue_time_ms: queuedMs,
    mean_itl_ms: outputTokens > 1 ? decodeMs / (outputTokens - 1) : null,
    tokens_per_second: totalMs > 0 ? (outputTokens * 1_000) / totalMs : null,
    ...(drafts > 0 && { speculative_decoding: { mean_acceptance_length: 1 + accepted / drafts } }),
  };
}
