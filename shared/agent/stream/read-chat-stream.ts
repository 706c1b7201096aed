import type { Clock } from "../../core/clock.ts";
import type { Timer } from "../../core/timer.ts";
import { isAppError } from "../../errors/app-error.ts";
import { ChatStreamAssembler, type ChatStreamOptions, type ChatStreamPart, type StreamEnd } from "./chat-stream.ts";
import { SseParser } from "./sse-parser.ts";

/** Time for the limits. Injected, so that tests choose when it passes. */
type StreamTimer = Timer & Clock;

export type ReadChatStreamOptions = ChatStreamOptions & {
  /** Ends the reading with `aborted`. */
  readonly signal: AbortSignal;
  /** Without it, no limit on time is kept. */
  readonly timer?: StreamTimer;
  /** Longest wait for the body's first byte; then `model_timed_out`. */
  readonly firstByteTimeoutMs?: number;
  /** Longest wait for each later chunk; then `model_stalled`. Comments that keep the line alive count as chunks. */
  readonly betweenChunksTimeoutMs?: number;
};

/**
 * Reads a chat-completions body to its end, `[DONE]`, an error, a time limit or the signal.
 *
 * Yields the parts of each network chunk in one list, so that a chunk costs the reader one wake-up; empty lists are
 * left out. The last list ends with the one `end` part; failures are told there, nothing is thrown. The body is
 * cancelled when reading stops, also when the reader leaves early: that is how the engine learns to stop generating.
 */
export async function* readChatStream(
  body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  options: ReadChatStreamOptions,
): AsyncGenerator<ChatStreamPart[], void, undefined> {
  const parser = new SseParser();
  const assembler = new ChatStreamAssembler(options);
  const chunks = new ChunkReader(body, options);
  try {
    while (!assembler.isEnded) {
      const chunk = await chunks.next();
      const parts = takeChunk(parser, assembler, chunk);
      if (parts.length > 0) yield parts;
    }
  } finally {
    chunks.close();
  }
}

/** Parts of one chunk, or the last parts after the last chunk. */
function takeChunk(parser: SseParser, assembler: ChatStreamAssembler, chunk: Chunk): ChatStreamPart[] {
  try {
    if (chunk instanceof Uint8Array) return pushAll(assembler, parser.push(chunk));
    return [...pushAll(assembler, parser.end()), ...assembler.end(chunk ?? undefined)];
  } catch (thrown) {
    return assembler.end(toBrokenEnd(thrown));
  }
}

function pushAll(assembler: ChatStreamAssembler, payloads: readonly string[]): ChatStreamPart[] {
  if (payloads.length === 1) return assembler.push(payloads[0] ?? "");
  const parts: ChatStreamPart[] = [];
  for (const payload of payloads) for (const part of assembler.push(payload)) parts.push(part);
  return parts;
}

function toBrokenEnd(thrown: unknown): StreamEnd {
  return {
    finish: "error",
    code: isAppError(thrown) ? thrown.code : "model_stream_broken",
    ...(thrown instanceof Error && { detail: thrown.message.slice(0, 200).toWellFormed() }),
  };
}

/** Bytes; `null` at the body's end; or why no more are read. */
type Chunk = Uint8Array | StreamEnd | null;

type ByteSource = {
  read(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
};

/** Reads chunks under the signal and the time limits, also from a body that heeds neither. */
class ChunkReader {
  readonly #source: ByteSource;
  readonly #options: ReadChatStreamOptions;
  #hasBytes = false;
  /** When the wait for the next chunk began; `null` while the reader is busy with the last one, which is nobody's fault. */
  #waitingSinceMs: number | null = null;
  #cancelTimer: (() => void) | null = null;
  #interruption: StreamEnd | null = null;
  #settle: ((chunk: Chunk) => void) | null = null;

  constructor(body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>, options: ReadChatStreamOptions) {
    this.#source = toByteSource(body);
    this.#options = options;
    if (options.signal.aborted) this.#onAbort();
    else options.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  async next(): Promise<Chunk> {
    if (this.#interruption !== null) return this.#interruption;
    this.#waitingSinceMs = this.#options.timer?.nowMs() ?? null;
    if (this.#cancelTimer === null) this.#watch(this.#limitMs());
    // One promise per wait, not `Promise.race` with a promise that lives as long as the stream: that would collect
    // a reaction per chunk.
    const chunk = await new Promise<Chunk>((resolve) => {
      this.#settle = resolve;
      this.#source.read().then(
        (read) => resolve(read.done === true ? null : (read.value ?? new Uint8Array(0))),
        (thrown: unknown) => resolve(toBrokenEnd(thrown)),
      );
    });
    this.#settle = null;
    this.#waitingSinceMs = null;
    if (chunk instanceof Uint8Array && chunk.length > 0 && !this.#hasBytes) {
      this.#hasBytes = true;
      // Another limit holds from here.
      this.#unwatch();
    }
    // A body that fails because of the signal is an abort, not a failure.
    return chunk instanceof Uint8Array ? chunk : (this.#interruption ?? chunk);
  }

  close(): void {
    this.#unwatch();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    // Not awaited: a body that never confirms must not hold the turn. Its failure has no one left to tell.
    this.#source.cancel().catch(() => undefined);
  }

  #limitMs(): number | undefined {
    return this.#hasBytes ? this.#options.betweenChunksTimeoutMs : this.#options.firstByteTimeoutMs;
  }

  /** One timer for many chunks: it looks how long the wait has been, and comes again. Setting one a chunk costs more than parsing it. */
  #watch(delayMs: number | undefined): void {
    const { timer } = this.#options;
    if (timer === undefined || delayMs === undefined) return;
    this.#cancelTimer = timer.after(delayMs, () => {
      const limitMs = this.#limitMs() ?? delayMs;
      const waitedMs = this.#waitingSinceMs === null ? 0 : timer.nowMs() - this.#waitingSinceMs;
      if (waitedMs < limitMs) return this.#watch(limitMs - waitedMs);
      this.#interrupt({ finish: "error", code: this.#hasBytes ? "model_stalled" : "model_timed_out" });
    });
  }

  #unwatch(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #onAbort = (): void => this.#interrupt({ finish: "aborted", code: null });

  #interrupt(end: StreamEnd): void {
    this.#interruption ??= end;
    this.#settle?.(this.#interruption);
  }
}

function toByteSource(body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): ByteSource {
  if ("getReader" in body) {
    const reader = body.getReader();
    return { read: () => reader.read(), cancel: () => reader.cancel() };
  }
  const iterator = body[Symbol.asyncIterator]();
  return { read: () => iterator.next(), cancel: async () => iterator.return?.() };
}
