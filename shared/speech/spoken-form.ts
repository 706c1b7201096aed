/** From what subtitles show to what speech synthesis reads: numbers, prices, units and symbols as Chinese words. */
import { isAsciiLetter, isDigit } from "./sentence-marks.ts";
import { removeEmoji, removeKaomoji, removeUrls } from "./silent-marks.ts";
import { readDateOrCode } from "./spoken-dates.ts";
import { readDigits } from "./spoken-numbers.ts";
import { readModelNumber, readQuantity, type SpokenSpan } from "./spoken-quantity.ts";
import { readSymbol } from "./spoken-symbols.ts";
import { findUnitSymbol } from "./spoken-units.ts";
import { toPlainText } from "./plain-text.ts";

const NO_LEXICON: ReadonlyMap<string, string> = new Map();
const FULL_WIDTH = /[０-９Ａ-Ｚａ-ｚ％＋＊－／．＃＆＝＜＞￥＄＠]/gu;
const FULL_WIDTH_OFFSET = 0xfee0;
const WORD = /[A-Za-z]+(?:['’][A-Za-z]+)*/y;
const NUMBERED = /(?:No|NO|no)(?:\.\s?|(?=\d))(\d{1,4})(?!\d)/y;
const MODEL_NUMBER = /-?\d{1,12}(?:[-.]\d{1,8}){0,4}(?!\d)/y;
const DIGIT_RUN = /\d+/y;
const CURRENCY_MARKS: ReadonlySet<string> = new Set("¥$€£");
/** Words from which text without any Chinese is a foreign sentence, whose numbers are read in its own language. */
const FOREIGN_WORDS_MIN = 3;

/** A span, and whether a number has just been said: then `*` multiplies and `-` is a range. */
type Reading = SpokenSpan & { readonly isNumber: boolean };

/**
 * @param lexicon - Written form → spoken form, exact, the longest first: brand and product names. What it gives is said
 *   as it is. A name in Latin letters or digits fits whole words only: `AI` is not in `AIR`, nor `88VIP` in `188VIP`.
 * @returns Text without emoji, kaomoji, brackets and quotes; empty if there is nothing to say.
 */
export function toSpokenForm(text: string, lexicon: ReadonlyMap<string, string> = NO_LEXICON): string {
  const shown = removeKaomoji(removeEmoji(toPlainText(text)));
  if (isForeign(shown)) return tidy(shown);
  const written = removeUrls(foldWidth(shown));
  const names = indexNames(lexicon);
  let spoken = "";
  let afterNumber = false;
  for (let at = 0; at < written.length;) {
    const reading: Reading = readName(written, at, names) ?? readAt(written, at, afterNumber);
    spoken += reading.spoken;
    at = reading.end;
    afterNumber = reading.isNumber;
  }
  return tidy(spoken);
}

function readAt(text: string, at: number, afterNumber: boolean): Reading {
  const char = text.charAt(at);
  if (isDigit(char) || CURRENCY_MARKS.has(char)) {
    const span = readDateOrCode(text, at) ?? readQuantity(text, at) ?? readLongDigits(text, at);
    if (span !== null) return { ...span, isNumber: true };
  }
  if (isAsciiLetter(char) && !(afterNumber && /^x\s?\d/i.test(text.slice(at, at + 3)))) return readWord(text, at);
  const symbol = readSymbol(text, at, afterNumber);
  if (symbol !== null) return { ...symbol, isNumber: false };
  return { spoken: char, end: at + 1, isNumber: false };
}

/** Digits that are no amount: too many, or in no known form. */
function readLongDigits(text: string, at: number): SpokenSpan | null {
  DIGIT_RUN.lastIndex = at;
  const digits = DIGIT_RUN.exec(text)?.[0];
  return digits === undefined ? null : { spoken: readDigits(digits), end: at + digits.length };
}

/** A word in Latin letters with the number of its model: `iPhone15`, `GB18401-2010`, `No.1`. The letters stay. */
function readWord(text: string, at: number): Reading {
  NUMBERED.lastIndex = at;
  const numbered = NUMBERED.exec(text);
  if (numbered !== null) {
    return { spoken: `第${readModelNumber(numbered[1] ?? "")}`, end: NUMBERED.lastIndex, isNumber: true };
  }
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0] ?? text.charAt(at);
  const end = at + word.length;
  MODEL_NUMBER.lastIndex = end;
  const number = MODEL_NUMBER.exec(text)?.[0];
  const hasUnit = number !== undefined && (findUnitSymbol(text, end + number.length)?.chars ?? 0) > 1;
  if (number === undefined || hasUnit) return { spoken: word.replace("’", "'"), end, isNumber: false };
  return { spoken: word + readModelNumber(number.replace(/^-/, "")), end: end + number.length, isNumber: true };
}

/** First character → names that begin with it, the longest first. */
function indexNames(lexicon: ReadonlyMap<string, string>): ReadonlyMap<string, (readonly [string, string])[]> {
  const index = new Map<string, (readonly [string, string])[]>();
  for (const [name, spoken] of lexicon) {
    if (name === "") continue;
    const names = index.get(name.charAt(0)) ?? [];
    names.push([name, spoken]);
    index.set(name.charAt(0), names);
  }
  for (const names of index.values()) names.sort(([a], [b]) => b.length - a.length);
  return index;
}

function readName(text: string, at: number, names: ReturnType<typeof indexNames>): Reading | null {
  for (const [name, spoken] of names.get(text.charAt(at)) ?? []) {
    if (text.startsWith(name, at) && isWhole(text, at, at + name.length)) {
      return { spoken, end: at + name.length, isNumber: false };
    }
  }
  return null;
}

/** No letter or digit goes on across either end; a decimal point goes on too. */
function isWhole(text: string, at: number, end: number): boolean {
  const goesOn = (left: string, right: string) => /[A-Za-z0-9]/.test(left) && /[A-Za-z0-9]/.test(right);
  if (goesOn(text.charAt(at - 1), text.charAt(at)) || goesOn(text.charAt(end - 1), text.charAt(end))) return false;
  return !(isDigit(text.charAt(end - 1)) && /^[.,]\d/.test(text.slice(end, end + 2)));
}

function foldWidth(text: string): string {
  return text.replace(FULL_WIDTH, (char) =>
    char === "￥" ? "¥" : String.fromCharCode(char.charCodeAt(0) - FULL_WIDTH_OFFSET),
  );
}

function isForeign(text: string): boolean {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return false;
  return (text.match(/[A-Za-z]{2,}/g)?.length ?? 0) >= FOREIGN_WORDS_MIN;
}

/** One space at most, none at Chinese punctuation; no pause at the start, none twice. */
function tidy(text: string): string {
  return text
    .replace(/\s+/gu, " ")
    .replace(/ ?([，。！？；：、…]) ?/gu, "$1")
    .replace(/[，、]+(?=[，、。！？；])/gu, "")
    .replace(/^[，、。；：\s]+|\s+$/gu, "");
}
