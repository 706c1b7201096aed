/** The two forms of an answer on the wire: a stream of events, or one object at the end. */
import type { Answer, Piece } from "./answers.ts";
import {
  toChunk,
  toCompletion,
  toDeltas,
  toErrorBody,
  toErrorEvent,
  toMessage,
  toRoleDelta,
  toRunningUsage,
  toUsageChunk,
  type ChatHead,
  type Finish,
  type UsageCounts,
} from "./dialects.ts";
import type { Line } from "./line.ts";

export const SSE_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
export const JSON_HEADERS = { "content-type": "application/json" };

export type ChatBodyParts = {
  readonly line: Line;
  readonly head: ChatHead;
  readonly answer: Answer;
  readonly pieces: readonly Piece[];
  /** Usage in every chunk. */
  readonly hasRunningUsage: boolean;
  /** Counts when so many pieces are out. */
  readonly counts: (sent: number) => UsageCounts;
  /** Usage object of the end; `null`: none is given. */
  readonly usage: (sent: number) => object | null;
  readonly metrics: () => object | null;
};

/** What an answer and its faults can do to the response. */
export type ChatBodyWriter = {
  open(): void;
  /** Pieces from `from` to before `to`. */
  pieces(from: number, to: number): void;
  finish(reason: Finish): void;
  /** What comes after the finish. The line is still to be ended. */
  close(): void;
  errorEvent(): void;
  garbage(): void;
  truncated(): void;
};

export class StreamBody implements ChatBodyWriter {
  readonly #parts: ChatBodyParts;
  #hasRole = false;
  #sent = 0;

  constructor(parts: ChatBodyParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#parts.line.head(200, SSE_HEADERS);
  }

  pieces(from: number, to: number): void {
    const { head, pieces, answer } = this.#parts;
    this.#sent = to;
    const deltas = toDeltas(head.kind, pieces.slice(from, to), answer);
    this.#write([...this.#roleDelta(), ...deltas].map((delta) => this.#event(delta)));
  }

  finish(reason: Finish): void {
    this.#write([...this.#roleDelta().map((delta) => this.#event(delta)), this.#event({}, reason)]);
  }

  close(): void {
    const { head, usage, metrics } = this.#parts;
    const last = usage(this.#sent);
    this.#write([...(last === null ? [] : [toData(toUsageChunk(head, last, metrics()))]), "data: [DONE]\n\n"]);
  }

  errorEvent(): void {
    this.#write([toData(toErrorEvent(this.#parts.head.kind)), "data: [DONE]\n\n"]);
  }

  garbage(): void {
    this.#write(["data: <html><body>502 Bad Gateway</body></html>\n\n", "data: {not json\n\n"]);
  }

  truncated(): void {
    const event = this.#event({ content: "这一段只来了一半" });
    this.#write([event.slice(0, Math.floor(event.length / 2))]);
  }

  /** The role comes with the first token, alone. */
  #roleDelta(): object[] {
    if (this.#hasRole) return [];
    this.#hasRole = true;
    return [toRoleDelta(this.#parts.head.kind)];
  }

  #event(delta: object, finish: Finish | null = null): string {
    const { head, hasRunningUsage, counts } = this.#parts;
    const chunk = toChunk(head, delta, finish);
    return toData(hasRunningUsage ? { ...chunk, usage: toRunningUsage(counts(this.#sent)) } : chunk);
  }

  #write(events: readonly string[]): void {
    if (events.length > 0) this.#parts.line.write(events.join(""));
  }
}

/** Nothing is written before the end, so a fault on the way shows only in what comes then. */
export class WholeBody implements ChatBodyWriter {
  readonly #parts: ChatBodyParts;
  #sent = 0;
  #finish: Finish = "stop";
  #isGarbage = false;

  constructor(parts: ChatBodyParts) {
    this.#parts = parts;
  }

  open(): void {}

  pieces(_: number, to: number): void {
    this.#sent = to;
  }

  finish(reason: Finish): void {
    this.#finish = reason;
  }

  close(): void {
    this.#write(200, this.#isGarbage ? "<html><body>502 Bad Gateway</body></html>" : this.#text());
  }

  errorEvent(): void {
    const { kind } = this.#parts.head;
    const error = toErrorBody(kind, { status: 500, message: "EngineCore encountered an issue" });
    this.#write(500, JSON.stringify(error));
  }

  garbage(): void {
    this.#isGarbage = true;
  }

  truncated(): void {
    const text = this.#text();
    this.#write(200, text.slice(0, Math.floor(text.length / 2)));
  }

  #text(): string {
    const { head, pieces, answer, usage, metrics } = this.#parts;
    const message = toMessage(head.kind, pieces.slice(0, this.#sent), answer);
    const [counted, measured] = [usage(this.#sent), metrics()];
    return JSON.stringify({
      ...toCompletion(head, message, this.#finish),
      ...(counted !== null && { usage: counted }),
      ...(measured !== null && { metrics: measured }),
    });
  }

  #write(status: number, text: string): void {
    this.#parts.line.head(status, JSON_HEADERS);
    this.#parts.line.write(text);
  }
}

function toData(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
