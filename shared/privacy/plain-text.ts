/** Text as a person reads it, with the way back: what is hidden between digits or written in full width is found too. */
import { digitValueOf } from "../core/chinese-digits.ts";

export type PlainText = {
  /** NFKC, lower case, each white space a blank (a line end stays one), without marks and pictures. */
  readonly text: string;
  /** `text` with every digit in Arabic. Same length. */
  readonly digits: string;
  /** For each code unit of `text`: where its character starts in the source. */
  readonly starts: readonly number[];
  /** For each code unit of `text`: where its character ends in the source. */
  readonly ends: readonly number[];
};

/** A place in the plain text, or in the source. */
export type Span = { readonly start: number; readonly end: number };

/** In place of what is found already, so that nothing is found in it or across it. No pattern takes it. */
const TAKEN = "\u0000";

/** Signs on the character before, or not seen at all. */
const MARK = /^[\p{Cf}\p{M}]$/u;

/** Left out: marks, and pictures, which people put between the parts of what they hide (微❤信). */
const UNREAD = /[\p{Cf}\p{M}\p{Extended_Pictographic}]/u;

export function toPlainText(source: string): PlainText {
  const starts: number[] = [];
  const ends: number[] = [];
  let text = "";
  let digits = "";
  let at = 0;
  for (const char of source) {
    const end = at + char.length;
    const parts = plainPartsOf(char);
    // A mark belongs to the character before it: 8️⃣ is one find with its marks.
    if (MARK.test(char) && ends.length > 0) ends[ends.length - 1] = end;
    for (const part of parts) {
      text += part;
      digits += digitOf(part);
      for (let unit = 0; unit < part.length; unit += 1) {
        starts.push(at);
        ends.push(end);
      }
    }
    at = end;
  }
  return { text, digits, starts, ends };
}

function plainPartsOf(char: string): string | readonly string[] {
  const code = char.charCodeAt(0);
  if (code >= 0x4e00 && code <= 0x9fff) return char;
  if (code < 0x7f) return char === "\n" ? char : /\s/u.test(char) ? " " : char.toLowerCase();
  const plain = char.normalize("NFKC").toLowerCase();
  return Array.from(plain)
    .filter((part) => !UNREAD.test(part))
    .map((part) => (/\s/u.test(part) ? " " : part));
}

function digitOf(char: string): string {
  return digitValueOf(char)?.toString() ?? char;
}

/** The plain text with these spans taken. Same length, same places. */
export function takeSpans(plain: PlainText, spans: readonly Span[]): PlainText {
  return { ...plain, text: blank(plain.text, spans), digits: blank(plain.digits, spans) };
}

function blank(text: string, spans: readonly Span[]): string {
  let result = "";
  let from = 0;
  for (const { start, end } of spans) {
    result += text.slice(from, start) + TAKEN.repeat(end - start);
    from = end;
  }
  return result + text.slice(from);
}

/** The place in the source of a place in the plain text. */
export function toSourceSpan(plain: PlainText, { start, end }: Span): Span {
  return { start: plain.starts[start] ?? 0, end: plain.ends[end - 1] ?? 0 };
}
