/** Whether a stop that has been read ends its sentence: the character after it tells. */
import {
  ASCII_CLAUSE_MARKS,
  CLAUSE_MARKS,
  CLOSERS,
  STOPS,
  isAbbreviation,
  isAsciiGraph,
  isAsciiLetter,
  isDigit,
  isModifier,
  isSpace,
} from "./sentence-marks.ts";

/**
 * What stands open: a `.`; the `.` of a spaced `No. 1`; a run of `…` or `...`; a `?` in a web address; the end of a quote
 * that ends in a stop.
 */
export type StopKind = "dot" | "number-dot" | "ellipsis" | "url-stop" | "quote-end";
export type OpenStop = { readonly kind: StopKind; readonly at: number };

/**
 * `cut`: the sentence ended before the character. `close`: it ends with the character. `no-stop`: it goes on.
 * A stop: the character belongs to it, and the question stays open.
 */
export type StopVerdict = "cut" | "close" | "no-stop" | OpenStop;

/** Characters of an abbreviation that are looked back over. */
const WORD_CHARS_MAX = 12;
const LIST_DIGITS_MAX = 3;

/** @param chars - The sentence so far, the stop included, a code point an entry. */
export function judgeStop(stop: OpenStop, chars: readonly string[], char: string): StopVerdict {
  return isModifier(char) ? stop : JUDGES[stop.kind](char, chars, stop);
}

type Judge = (char: string, chars: readonly string[], stop: OpenStop) => StopVerdict;

const JUDGES: Readonly<Record<StopKind, Judge>> = {
  dot: judgeDot,
  "number-dot": (char, _, stop) => {
    if (isSpace(char)) return stop;
    return isDigit(char) ? "no-stop" : "cut";
  },
  ellipsis: judgeEllipsis,
  "url-stop": (char) => (isAsciiGraph(char) ? "no-stop" : "cut"),
  "quote-end": (char, _, stop) => {
    if (STOPS.has(char)) return "close";
    if (CLOSERS.has(char)) return stop;
    return CLAUSE_MARKS.has(char) || ASCII_CLAUSE_MARKS.has(char) ? "no-stop" : "cut";
  },
};

function judgeDot(char: string, chars: readonly string[], stop: OpenStop): StopVerdict {
  if (char === "." || char === "…") return { kind: "ellipsis", at: stop.at };
  if (CLOSERS.has(char)) return stop;
  if (isAsciiGraph(char) || STOPS.has(char) || CLAUSE_MARKS.has(char)) return "no-stop";
  if (isDigit(chars[stop.at - 1])) return isSpace(char) && !isListNumber(chars, stop.at) ? "cut" : "no-stop";
  return judgeWord(wordBefore(chars, stop.at), char, stop);
}

function judgeWord(word: string, char: string, stop: OpenStop): StopVerdict {
  if (word.toLowerCase() === "no") return isSpace(char) ? { kind: "number-dot", at: stop.at } : "no-stop";
  return isAbbreviation(word) ? "no-stop" : "cut";
}

/** Two `…` are a whole ellipsis; of `.` there may be any number. */
function judgeEllipsis(char: string, chars: readonly string[], stop: OpenStop): StopVerdict {
  if (char === "…") return chars.at(-1) === "…" ? "close" : stop;
  if (char === "." || CLOSERS.has(char)) return stop;
  if (STOPS.has(char)) return "close";
  if (isDigit(char) && isDigit(chars[stop.at - 1])) return "no-stop";
  return CLAUSE_MARKS.has(char) ? "no-stop" : "cut";
}

/** `1. 面膜`: nothing but the number stands before the stop. */
function isListNumber(chars: readonly string[], stopAt: number): boolean {
  return stopAt <= LIST_DIGITS_MAX && chars.slice(0, stopAt).every(isDigit);
}

function wordBefore(chars: readonly string[], stopAt: number): string {
  const isWordChar = (char: string | undefined) => isAsciiLetter(char) || char === ".";
  let start = stopAt;
  while (stopAt - start < WORD_CHARS_MAX && isWordChar(chars[start - 1])) start -= 1;
  return chars.slice(start, stopAt).join("");
}
