import { parseJson } from "../../core/json.ts";
import { readUsage, type StreamUsage } from "./read-usage.ts";
import { ThinkFilter } from "./think-filter.ts";
import { type RequestedToolCall, ToolCallCollector } from "./tool-call-collector.ts";

/** How a stream ended. Only `stop` and `tool-calls` are a completed step; after the others, what came is a fragment. */
export type StreamFinish = "stop" | "tool-calls" | "length" | "aborted" | "content-filter" | "incomplete" | "error";

/** Why a stream ended, as the last part says it. */
export type StreamEnd = {
  readonly finish: StreamFinish;
  /** One of our codes, or the provider's own for an error that it sent; `null` if there is none. */
  readonly code: string | null;
  /** For logs only: may hold the provider's words. */
  readonly detail?: string;
  /** How long the provider asked to be left alone, ms. */
  readonly retryAfterMs?: number;
};

/** What a chat-completions stream says, in this order: text, tool calls, at most one usage, exactly one end. */
export type ChatStreamPart =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolCall: RequestedToolCall }
  | { readonly type: "usage"; readonly usage: StreamUsage }
  | ({ readonly type: "end" } & StreamEnd);

export type ChatStreamOptions = {
  /** Whether the request asked for thoughts. If not, an answer that came only as reasoning is the answer. */
  readonly thinking: boolean;
  /** Unique in the turn; ids of calls that came without one start `call_{callIdPrefix}_`. */
  readonly callIdPrefix: string;
  /** For a chat template that ends the prompt in `<think>` on an engine without a reasoning parser. */
  readonly startsInsideThinking?: boolean;
};

/** Characters of a provider's error text that are kept. */
const DETAIL_CHARS_MAX = 300;
const CODE_CHARS_MAX = 64;
const OPENING_BRACKET = 0x5b;

/** Engines' words for the end of an answer. A word that is not here is no completed answer. */
const FINISHES: ReadonlyMap<string, StreamFinish> = new Map<string, StreamFinish>([
  ["stop", "stop"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  ["end_turn", "stop"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content-filter"],
  ["abort", "aborted"],
  ["error", "error"],
]);

/**
 * Turns the events of one chat-completions stream into parts, for engines that each bend the format their own way.
 * Never throws. One JSON parse and constant work per event.
 *
 * Tool calls come out only at the end and only from a completed answer: half a call must not run.
 */
export class ChatStreamAssembler {
  readonly #thinking: boolean;
  readonly #filter: ThinkFilter;
  readonly #toolCalls: ToolCallCollector;
  readonly #leakedToolCalls: string[] = [];
  #hasText = false;
  #hasChunk = false;
  #isEnded = false;
  #skippedCount = 0;
  #finishReason: string | null = null;
  #reasoning = "";
  #outputChars = 0;
  #usage: unknown = null;
  #metrics: unknown = null;

  constructor(options: ChatStreamOptions) {
    this.#thinking = options.thinking;
    this.#filter = new ThinkFilter({ startsInsideThinking: options.startsInsideThinking === true });
    this.#toolCalls = new ToolCallCollector(options.callIdPrefix);
  }

  /** True once the `end` part is out. What comes later is ignored. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Events that were no JSON object. They are skipped: a proxy's stray line must not end a turn. */
  get skippedCount(): number {
    return this.#skippedCount;
  }

  /** Inner text of tool calls that the model wrote into its text. Complete after the end; for the record only. */
  get leakedToolCalls(): readonly string[] {
    return [...this.#leakedToolCalls, ...this.#filter.leakedToolCalls];
  }

  /** Takes one event's data. `[DONE]` and an error object give the last parts. */
  push(payload: string): ChatStreamPart[] {
    if (this.#isEnded) return [];
    if (payload.charCodeAt(0) === OPENING_BRACKET && payload.trim() === "[DONE]") return this.end();
    const chunk = parseJson(payload);
    if (!isObject(chunk)) return this.#skip(payload);

    const error = readProviderError(chunk);
    // After the engine's finish an error is the line's: the answer was whole.
    if (error !== null) return this.end(error);
    this.#takeFigures(chunk);
    const choices = chunk["choices"];
    if (!Array.isArray(choices)) return [];
    this.#hasChunk = true;
    const text = this.#takeChoice(choices[0]);
    return text === "" ? [] : [{ type: "text-delta", text }];
  }

  /**
   * Ends the stream and gives the last parts; nothing if it has ended already.
   *
   * @param interruption - Why reading stopped before the engine's own end. An `error` after the engine's finish does
   * not count: the answer was whole, and only the line's end was lost.
   */
  end(interruption?: StreamEnd): ChatStreamPart[] {
    if (this.#isEnded) return [];
    if (interruption?.finish === "aborted") return this.#close(interruption);
    if (this.#finishReason !== null) return this.#close(this.#readFinish(this.#finishReason));
    if (interruption !== undefined) return this.#close(interruption);
    if (this.#hasChunk) return this.#close({ finish: "incomplete", code: null });
    return this.#close({
      finish: "error",
      code: "model_empty_stream",
      ...(this.#skippedCount > 0 && { detail: `${this.#skippedCount} events were no JSON object` }),
    });
  }

  #skip(payload: string): ChatStreamPart[] {
    const trimmed = payload.trim();
    if (trimmed === "[DONE]") return this.end();
    if (trimmed !== "") this.#skippedCount += 1;
    return [];
  }

  #takeFigures(chunk: Record<string, unknown>): void {
    const { usage, metrics } = chunk;
    if (isObject(usage)) {
      this.#usage = usage;
      this.#hasChunk = true;
    }
    if (isObject(metrics)) this.#metrics = metrics;
  }

  /** Returns the speakable text of the choice. We ask for one only. */
  #takeChoice(choice: unknown): string {
    if (!isObject(choice)) return "";
    const { delta, finish_reason: finishReason } = choice;
    // The first one counts: engines that send two have the true one first.
    if (typeof finishReason === "string" && finishReason !== "") this.#finishReason ??= finishReason;
    return isObject(delta) ? this.#takeDelta(delta) : "";
  }

  /** Returns the speakable text of one delta. */
  #takeDelta(delta: Record<string, unknown>): string {
    const { content, tool_calls: toolCalls } = delta;
    if (toolCalls !== undefined && toolCalls !== null) this.#toolCalls.push(toolCalls);
    const reasoning = delta["reasoning"] ?? delta["reasoning_content"];
    if (typeof reasoning === "string" && reasoning !== "") this.#takeReasoning(reasoning);
    if (typeof content !== "string" || content === "") return "";
    this.#outputChars += content.length;
    return this.#speakable(this.#filter.push(content));
  }

  #takeReasoning(reasoning: string): void {
    this.#outputChars += reasoning.length;
    if (!this.#thinking && !this.#hasText) this.#reasoning += reasoning;
  }

  /** Drops white space until the answer's first real character: engines send line ends before tool calls and after thoughts. */
  #speakable(text: string): string {
    if (this.#hasText) return text;
    const speakable = text.trimStart();
    this.#hasText = speakable !== "";
    return speakable;
  }

  /** Calls that are there count for more than the word: engines say `stop` with calls, and `tool_calls` without. */
  #readFinish(finishReason: string): StreamEnd {
    const finish = FINISHES.get(finishReason);
    const hasCalls = this.#toolCalls.calls().length > 0;
    if (finish === undefined) return { finish: "incomplete", code: null, detail: `finish ${toDetail(finishReason)}` };
    if (finish === "stop" && hasCalls) return { finish: "tool-calls", code: null };
    if (finish === "tool-calls" && !hasCalls) {
      return { finish: "incomplete", code: null, detail: `finish ${finishReason} without a call` };
    }
    return { finish, code: finish === "error" ? "model_stream_broken" : null };
  }

  #close(end: StreamEnd): ChatStreamPart[] {
    this.#isEnded = true;
    const parts: ChatStreamPart[] = [];
    const text = this.#speakable(this.#filter.flush()) + this.#answerInReasoning(end.finish);
    if (text !== "") parts.push({ type: "text-delta", text });
    if (end.finish === "tool-calls") {
      for (const toolCall of this.#toolCalls.calls()) parts.push({ type: "tool-call", toolCall });
    }
    const outputChars = this.#outputChars + this.#toolCalls.charCount;
    if (this.#usage !== null || outputChars > 0) {
      parts.push({ type: "usage", usage: readUsage(this.#usage, this.#metrics, outputChars) });
    }
    parts.push({ type: "end", ...end });
    return parts;
  }

  /**
   * With thoughts off, a reasoning parser may still take the whole answer for thoughts. An answer that came only as
   * reasoning is then said, without any tagged thoughts in it. Not after a failure: that step is tried again.
   */
  #answerInReasoning(finish: StreamFinish): string {
    if (this.#thinking || this.#hasText || this.#reasoning === "" || this.#toolCalls.calls().length > 0) return "";
    if (finish !== "stop" && finish !== "length" && finish !== "incomplete") return "";
    const filter = new ThinkFilter({ startsInsideThinking: this.#reasoning.includes("</think>") });
    const answer = filter.push(this.#reasoning) + filter.flush();
    this.#leakedToolCalls.push(...filter.leakedToolCalls);
    return this.#speakable(answer);
  }
}

/** The error that a provider sent in place of a chunk: `{"error":…}`, or older vLLM's flat `{"object":"error",…}`. */
function readProviderError(chunk: Record<string, unknown>): StreamEnd | null {
  const error = chunk["error"];
  if (typeof error === "string" && error !== "") return { finish: "error", code: null, detail: toDetail(error) };
  if (isObject(error)) return describeError(error);
  return chunk["object"] === "error" ? describeError(chunk) : null;
}

function describeError(error: Record<string, unknown>): StreamEnd {
  const { code, type, message } = error;
  return {
    finish: "error",
    code: toCode(code) ?? toCode(type),
    ...(typeof message === "string" && { detail: toDetail(message) }),
  };
}

function toCode(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value.slice(0, CODE_CHARS_MAX) : null;
}

function toDetail(text: string): string {
  return text.slice(0, DETAIL_CHARS_MAX).toWellFormed();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
