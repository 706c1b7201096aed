import { AppError } from "../../errors/app-error.ts";

/**
 * Bytes of one event: its data lines, and the line that is still open. A whole answer with its tool arguments is
 * far below this; above it, the sender is broken and would fill the isolate's memory.
 */
export const SSE_EVENT_BYTES_MAX = 4 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const DATA = [0x64, 0x61, 0x74, 0x61] as const;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/** First buffer for a line that is cut by a chunk's end. It doubles from here, so that single bytes cost constant time. */
const LINE_BUFFER_BYTES_MIN = 1024;

/**
 * Cuts a byte stream into the data of server-sent events, whatever the chunks' borders.
 *
 * Works on bytes: line ends are never inside a UTF-8 character, so each data line is decoded once, whole, and
 * comments and other fields are never decoded at all. An event's name is ignored: engines put errors and
 * keep-alives under many names, and the data says what it is.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseParser {
  /** Bytes that are no UTF-8 become U+FFFD: one broken character must not end a turn. */
  readonly #decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  /** The open line, when a chunk ended inside it. Only the first `#lineBytes` count. */
  #line = new Uint8Array(0);
  #lineBytes = 0;
  #data: string | null = null;
  #dataBytes = 0;
  /** The last byte was a carriage return: a line feed that comes next belongs to it. */
  #isAfterCr = false;
  #isAtStart = true;

  /**
   * Takes the next bytes. Does not keep `bytes`.
   *
   * @returns The data of each event that these bytes complete, in order; lines of one event are joined by a line feed.
   * @throws AppError `model_stream_broken` - one event is above {@link SSE_EVENT_BYTES_MAX}.
   */
  push(bytes: Uint8Array): string[] {
    const events: string[] = [];
    let start = 0;
    // Each search runs on from the last hit of its own kind, so a chunk is searched once per kind, not once per line.
    let nextLf = bytes.indexOf(LF);
    let nextCr = bytes.indexOf(CR);
    while (nextLf !== -1 || nextCr !== -1) {
      const endsInCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const end = endsInCr ? nextCr : nextLf;
      const isSecondHalf = !endsInCr && this.#isAfterCr && end === start;
      if (!isSecondHalf) this.#closeLine(bytes, start, end, events);
      this.#isAfterCr = endsInCr;
      start = end + 1;
      if (endsInCr) nextCr = bytes.indexOf(CR, start);
      else nextLf = bytes.indexOf(LF, start);
    }
    if (start < bytes.length) {
      this.#isAfterCr = false;
      this.#holdLine(bytes.subarray(start));
    }
    return events;
  }

  /** The event that the stream's end completes, if any: some servers leave out the last line ends. */
  end(): string[] {
    const events: string[] = [];
    const nothing = new Uint8Array(0);
    if (this.#lineBytes > 0) this.#closeLine(nothing, 0, 0, events);
    this.#takeLine(nothing, 0, 0, events);
    return events;
  }

  /** Ends the open line with `bytes[start..end)`. A line that lies inside one chunk is read in place. */
  #closeLine(bytes: Uint8Array, start: number, end: number, events: string[]): void {
    if (this.#lineBytes === 0) {
      this.#takeLine(bytes, start, end, events);
      return;
    }
    this.#holdLine(bytes.subarray(start, end));
    const lineBytes = this.#lineBytes;
    this.#lineBytes = 0;
    this.#takeLine(this.#line, 0, lineBytes, events);
  }

  #holdLine(bytes: Uint8Array): void {
    const needed = this.#lineBytes + bytes.length;
    this.#refuseAbove(this.#dataBytes + needed);
    if (needed > this.#line.length) {
      const grown = new Uint8Array(Math.max(LINE_BUFFER_BYTES_MIN, needed, this.#line.length * 2));
      grown.set(this.#line.subarray(0, this.#lineBytes));
      this.#line = grown;
    }
    this.#line.set(bytes, this.#lineBytes);
    this.#lineBytes = needed;
  }

  /** Reads one whole line, without its end. An empty line completes the event. */
  #takeLine(line: Uint8Array, start: number, end: number, events: string[]): void {
    let from = start;
    if (this.#isAtStart) {
      this.#isAtStart = false;
      if (hasBytes(line, from, end, BYTE_ORDER_MARK)) from += BYTE_ORDER_MARK.length;
    }
    if (from === end) {
      if (this.#data !== null) events.push(this.#data);
      this.#data = null;
      this.#dataBytes = 0;
      return;
    }
    if (!hasBytes(line, from, end, DATA)) return;
    from += DATA.length;
    if (from < end) {
      if (line[from] !== COLON) return;
      from += 1;
      if (from < end && line[from] === SPACE) from += 1;
    }
    // One more for the line feed that joins lines: an event of empty data lines has a size too.
    this.#dataBytes += end - from + 1;
    this.#refuseAbove(this.#dataBytes);
    const value = this.#decoder.decode(line.subarray(from, end));
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
  }

  #refuseAbove(eventBytes: number): void {
    if (eventBytes <= SSE_EVENT_BYTES_MAX) return;
    throw new AppError("model_stream_broken", "One event is above the limit", {
      details: { eventBytesMax: SSE_EVENT_BYTES_MAX },
    });
  }
}

function hasBytes(line: Uint8Array, start: number, end: number, wanted: readonly number[]): boolean {
  if (end - start < wanted.length) return false;
  for (let at = 0; at < wanted.length; at += 1) if (line[start + at] !== wanted[at]) return false;
  return true;
}
