import { breakKind, type BreakKind } from "./break-kind.ts";
import { isSpeakable } from "./is-speakable.ts";
import { judgeStop, type OpenStop, type StopKind } from "./judge-stop.ts";
import {
  BRACKETS,
  CLAUSE_MARKS,
  CLOSERS,
  LINE_ENDS,
  QUOTE_ENDS,
  STOPS,
  isAsciiGraph,
  isAsciiLetter,
  isDigit,
  isModifier,
  isSpace,
} from "./sentence-marks.ts";

const CHARS_MAX_DEFAULT = 60;
/** Characters beyond `charsMax` that a word or an address without any break may have before it is cut all the same. */
const UNBROKEN_CHARS_MAX = 256;
/** Characters that a quote or bracket may be open before it counts as never closed: stops inside it cut again. */
const QUOTE_CHARS_MAX = 30;
/** A soft cut before this part of `charsMax` would leave a scrap; a later, worse place is taken instead. */
const SCRAP_PART = 4;

export type SentenceCutterOptions = {
  /** Characters (code points) of one piece; longer sentences are cut at a clause mark. A piece may end in one stop more. */
  readonly charsMax?: number;
  /**
   * Lets the first piece of a reply end at a `，` once it has this many characters, so that the first sound leaves
   * early. Off when absent: half a sentence cannot be checked as well as a whole one. 12 is a good value.
   */
  readonly firstClauseCharsMin?: number;
};

/**
 * Cuts a stream of text into sentences as soon as each is certainly complete. The pieces depend on the text only,
 * never on how it arrived: the text is read one character at a time, and a decision looks back, never at the delta.
 *
 * - `。！？!?；` and line ends cut at once. What follows of the same stop (the second `！` of `！！`, a stray `”`) has left
 *   its sentence behind and is dropped; waiting for it would delay every sentence by a token. Emoji go with what follows.
 * - `…` and `.` wait for one character more: `……` stays whole, `3.5折`, `v2.0`, `No.1`, `a.com` and `e.g. this` are not cut.
 * - Nothing is cut in quotes and brackets while they are short; `。”` ends the sentence with the quote.
 * - Pieces without anything to say are dropped; pieces are trimmed; every letter and digit comes out, in order.
 *
 * Work per character is bounded by `charsMax`, and so is memory.
 */
export class SentenceCutter {
  readonly #charsMax: number;
  readonly #firstClauseCharsMin: number;
  /** The sentence so far, a code point an entry. */
  #chars: string[] = [];
  /** Half a surrogate pair that waits for the other half. */
  #highHalf = "";
  /** Characters to read again after a cut in the middle; the next one is last. */
  readonly #again: string[] = [];
  #output: string[] = [];
  #emittedCount = 0;

  /** The stop at the end of the buffer that the next character decides about. */
  #openStop: OpenStop | null = null;
  /** Closing marks that are awaited, the innermost last, and where the outermost was opened. */
  #awaited: string[] = [];
  #openedAt = 0;
  #quotesGivenUp = false;
  /** The run of printable ASCII that the buffer ends in. */
  #tokenAt = 0;
  #tokenIsUrl = false;
  #tokenHasDomain = false;
  /** Lengths of the longest heads that end in a break, by its kind; 0 for none. */
  #breaks: Record<BreakKind, number> = { clause: 0, space: 0, ideograph: 0 };

  constructor(options: SentenceCutterOptions = {}) {
    this.#charsMax = Math.max(1, options.charsMax ?? CHARS_MAX_DEFAULT);
    this.#firstClauseCharsMin = options.firstClauseCharsMin ?? Number.POSITIVE_INFINITY;
  }

  /** The pieces that `delta` completes, in order; none are empty. */
  push(delta: string): string[] {
    for (let at = 0; at < delta.length; at += 1) this.#readUnit(delta.charAt(at));
    return this.#takeOutput();
  }

  /** Ends the text: the rest is a piece, if there is anything to say in it. The cutter is then as new. */
  flush(): string[] {
    if (this.#highHalf !== "") this.#read(this.#highHalf);
    this.#highHalf = "";
    this.#emit();
    this.#emittedCount = 0;
    return this.#takeOutput();
  }

  #takeOutput(): string[] {
    const output = this.#output;
    this.#output = [];
    return output;
  }

  /** Joins surrogate pairs, which a delta may part. */
  #readUnit(unit: string): void {
    const high = this.#highHalf;
    if (high !== "") {
      this.#highHalf = "";
      if (/^[\udc00-\udfff]$/.test(unit)) return this.#read(high + unit);
      this.#read(high);
    }
    if (unit >= "\ud800" && unit <= "\udbff") this.#highHalf = unit;
    else this.#read(unit);
  }

  #read(char: string): void {
    this.#again.push(char);
    for (let next = this.#again.pop(); next !== undefined; next = this.#again.pop()) this.#step(next);
  }

  #step(char: string): void {
    if (LINE_ENDS.has(char)) return this.#emit();
    if (this.#openStop !== null && this.#settleStop(this.#openStop, char)) return;
    if (this.#chars.length === 0 && isLeftover(char)) return;
    this.#append(char);
    if (this.#trackQuotes(char)) return;
    if (this.#isStop(char) || this.#endsFirstClause(char)) return this.#emit();
    if (this.#chars.length > this.#charsMax) this.#cutLongText();
  }

  /** Acts on what `char` makes of the stop before it. True when that used the character up. */
  #settleStop(stop: OpenStop, char: string): boolean {
    const verdict = judgeStop(stop, this.#chars, char);
    this.#openStop = typeof verdict === "string" ? null : verdict;
    if (verdict === "cut") this.#emit();
    if (verdict === "cut" || verdict === "no-stop") return false;
    this.#append(char);
    if (verdict === "close") this.#emit();
    else if (this.#chars.length > this.#charsMax + UNBROKEN_CHARS_MAX) this.#emit();
    return true;
  }

  #append(char: string): void {
    this.#noteBreaks(char);
    this.#noteToken(char);
    this.#chars.push(char);
  }

  /** Remembers where the text before `char` could be cut if it grows too long. */
  #noteBreaks(char: string): void {
    if (this.#awaited.length > 0) return;
    const kind = breakKind(this.#chars.at(-2), this.#chars.at(-1), char);
    if (kind !== null) this.#breaks[kind] = this.#chars.length;
  }

  #noteToken(char: string): void {
    const end = this.#chars.length;
    if (!isAsciiGraph(char)) {
      this.#tokenAt = end + 1;
      this.#tokenIsUrl = false;
      this.#tokenHasDomain = false;
      return;
    }
    if (char === "/") {
      const isScheme = this.#chars[end - 1] === "/" && this.#chars[end - 2] === ":";
      this.#tokenIsUrl ||= this.#tokenHasDomain || isScheme;
    }
    if (isAsciiLetter(char) && this.#chars[end - 1] === "." && end - 1 > this.#tokenAt) this.#tokenHasDomain = true;
  }

  /** Keeps account of quotes and brackets. True while inside one, and at its end: no stop cuts there. */
  #trackQuotes(char: string): boolean {
    if (this.#quotesGivenUp) return false;
    const end = this.#chars.length;
    const closer = this.#awaited.lastIndexOf(char);
    if (closer >= 0) {
      this.#awaited.length = closer;
      if (closer === 0) this.#endQuote(char);
      return true;
    }
    const opens = this.#closingMarkOf(char);
    if (opens !== undefined) {
      if (this.#awaited.length === 0) this.#openedAt = end;
      this.#awaited.push(opens);
    }
    if (this.#awaited.length === 0) return false;
    if (end - this.#openedAt > QUOTE_CHARS_MAX) this.#giveUpQuotes();
    else if (end > this.#charsMax) this.#cutLongText();
    return true;
  }

  #closingMarkOf(char: string): string | undefined {
    // `5"` is a length in inches.
    if (char === '"') return isDigit(this.#chars.at(-2)) ? undefined : '"';
    return BRACKETS.get(char);
  }

  #endQuote(char: string): void {
    const last = this.#chars.at(-2);
    if (last === undefined || !QUOTE_ENDS.has(char)) return;
    if (STOPS.has(last) || last === "…" || last === ".") this.#open("quote-end");
  }

  /** The quote never closed: reads the sentence again as if it had no quotes. */
  #giveUpQuotes(): void {
    this.#readAgainFrom(0);
    this.#quotesGivenUp = true;
  }

  /** True for a certain stop; one that the next character decides about is left open. */
  #isStop(char: string): boolean {
    if (STOPS.has(char)) {
      if (!this.#tokenIsUrl || !isAsciiGraph(char)) return true;
      this.#open("url-stop");
    }
    if (char === "…") this.#open("ellipsis");
    if (char === "." && this.#chars.length > 1) this.#open("dot");
    return false;
  }

  #open(kind: StopKind): void {
    this.#openStop = { kind, at: this.#chars.length - 1 };
  }

  #endsFirstClause(char: string): boolean {
    if (char !== "，" || this.#emittedCount > 0 || isDigit(this.#chars.at(-2))) return false;
    return this.#chars.length >= this.#firstClauseCharsMin;
  }

  /** Cuts at the best place before the limit; text without any waits, up to a limit that always cuts. */
  #cutLongText(): void {
    const isNoScrap = (end: number) => end * SCRAP_PART >= this.#charsMax;
    const places = [this.#breaks.clause, this.#breaks.space, this.#breaks.ideograph];
    const end = places.find(isNoScrap) ?? Math.max(...places);
    if (end > 0) return this.#cutAt(end);
    if (this.#awaited.length > 0) return this.#giveUpQuotes();
    if (this.#chars.length >= this.#charsMax + UNBROKEN_CHARS_MAX) this.#emit();
  }

  #cutAt(end: number): void {
    const head = this.#chars.slice(0, end);
    this.#readAgainFrom(end);
    this.#chars = head;
    this.#emit();
  }

  #readAgainFrom(start: number): void {
    for (let at = this.#chars.length - 1; at >= start; at -= 1) this.#again.push(this.#chars[at] ?? "");
    this.#reset();
  }

  #emit(): void {
    const piece = this.#chars.join("").trim();
    this.#reset();
    if (!isSpeakable(piece)) return;
    this.#output.push(piece);
    this.#emittedCount += 1;
  }

  #reset(): void {
    this.#chars = [];
    this.#openStop = null;
    this.#awaited = [];
    this.#quotesGivenUp = false;
    this.#tokenAt = 0;
    this.#tokenIsUrl = false;
    this.#tokenHasDomain = false;
    this.#breaks = { clause: 0, space: 0, ideograph: 0 };
  }
}

/** What is left of the sentence before, and starts none: spaces, clause marks, closing marks, joiners. */
function isLeftover(char: string): boolean {
  return isSpace(char) || CLAUSE_MARKS.has(char) || CLOSERS.has(char) || isModifier(char);
}
