import { isAppError } from "../../errors/app-error.ts";
import { ChatStreamAssembler, type ChatStreamOptions, type ChatStreamPart, type StreamEnd } from "./chat-stream.ts";
import { SseParser } from "./sse-parser.ts";

/** Calls back once after a while. Injected, so that tests choose when time passes. */
export interface StreamTimer {
  /** Calls `expire` after `delayMs`, unless the returned function is called first. */
  after(delayMs: number, expire: () => void): () => void;
}

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
    const cancelTimer = this.#startTimer();
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
    cancelTimer();
    if (chunk instanceof Uint8Array && chunk.length > 0) this.#hasBytes = true;
    // A body that fails because of the signal is an abort, not a failure.
    return chunk instanceof Uint8Array ? chunk : (this.#interruption ?? chunk);
  }

  close(): void {
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    // Not awaited: a body that never confirms must not hold the turn. Its failure has no one left to tell.
    this.#source.cancel().catch(() => undefined);
  }

  #startTimer(): () => void {
    const { timer, firstByteTimeoutMs, betweenChunksTimeoutMs } = this.#options;
    const limitMs = this.#hasBytes ? betweenChunksTimeoutMs : firstByteTimeoutMs;
    if (timer === undefined || limitMs === undefined) return () => undefined;
    const code = this.#hasBytes ? "model_stalled" : "model_timed_out";
    return timer.after(limitMs, () => this.#interrupt({ finish: "error", code }));
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
