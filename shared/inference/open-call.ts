/** One call at one endpoint, opened and watched until it says its first words, and measured to its end. */
import type { Clock } from "../core/clock.ts";
import type { CallReport } from "../contract/admission.ts";
import type { ChatStreamPart } from "../agent/stream/chat-stream.ts";
import type { StreamUsage } from "../agent/stream/read-usage.ts";
import type { EndpointCall, EndpointClient } from "./endpoint-client.ts";

type Parts = readonly ChatStreamPart[];
type End = Extract<ChatStreamPart, { type: "end" }>;

export class OpenCall {
  readonly client: EndpointClient;
  readonly startedAtMs: number;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #parts: AsyncIterator<Parts>;
  #firstTokenAtMs: number | null = null;
  #usage: StreamUsage | null = null;
  #end: End | null = null;
  #endedAtMs = 0;
  /** The first list of parts, which tells whether the call serves the turn. */
  readonly first: Promise<Parts>;

  constructor(client: EndpointClient, call: EndpointCall, clock: Clock) {
    this.client = client;
    this.#clock = clock;
    this.startedAtMs = clock.nowMs();
    const signal = AbortSignal.any([call.signal, this.#stop.signal]);
    this.#parts = client.stream({ ...call, signal })[Symbol.asyncIterator]();
    this.first = this.#read();
  }

  /** How the call ended; `null` while it goes on. */
  get end(): End | null {
    return this.#end;
  }

  get firstTokenMs(): number | null {
    return this.#firstTokenAtMs === null ? null : this.#firstTokenAtMs - this.startedAtMs;
  }

  get acceptanceLength(): number | null {
    return this.#usage?.meanAcceptanceLength ?? null;
  }

  get inputTokens(): number {
    return this.#usage?.inputTokens ?? 0;
  }

  /** What follows the first list. Leaving early closes the connection. */
  async *rest(): AsyncGenerator<Parts> {
    try {
      while (this.#end === null) yield await this.#read();
    } finally {
      await this.close();
    }
  }

  /** Closes the connection at once, so that the engine stops. Also when the call has ended: then it does nothing. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#end === null) this.#take([{ type: "end", finish: "aborted", code: null }]);
    await this.#parts.return?.();
  }

  report(expectsCache: boolean): CallReport {
    const endedAtMs = this.#end === null ? this.#clock.nowMs() : this.#endedAtMs;
    return {
      failure: toFailure(this.#end),
      startedAtMs: this.startedAtMs,
      firstTokenMs: this.firstTokenMs,
      totalMs: endedAtMs - this.startedAtMs,
      inputTokens: this.inputTokens,
      cachedTokens: this.#usage?.cachedTokens ?? null,
      outputTokens: this.#usage?.outputTokens ?? 0,
      acceptanceLength: this.acceptanceLength,
      expectsCache,
    };
  }

  async #read(): Promise<Parts> {
    const { value, done } = await this.#parts.next();
    return this.#take(done === true ? [{ type: "end", finish: "incomplete", code: null }] : value);
  }

  #take(parts: Parts): Parts {
    const last = parts.at(-1);
    if (this.#firstTokenAtMs === null && parts.some(isContent)) this.#firstTokenAtMs = this.#clock.nowMs();
    if (last?.type !== "end" || this.#end !== null) return parts;
    this.#end = last;
    this.#endedAtMs = this.#clock.nowMs();
    for (const part of parts) if (part.type === "usage") this.#usage = part.usage;
    return parts;
  }
}

/** Words or a tool call: after them a call is not tried again elsewhere, and a hedge has won. */
export function isContent(part: ChatStreamPart): boolean {
  return part.type === "text-delta" || part.type === "tool-call";
}

function toFailure(end: End | null): CallReport["failure"] {
  if (end === null || end.finish === "aborted") return { code: "aborted", retryAfterMs: null };
  if (end.finish !== "error" && end.finish !== "incomplete") return null;
  return { code: end.code ?? "model_stream_broken", retryAfterMs: end.retryAfterMs ?? null };
}
