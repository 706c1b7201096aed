/** How much two Chinese texts share, by pairs of neighbouring characters: there are no spaces to cut words at. */
import { charPairs, normaliseForMatch } from "../../core/text.ts";

/** Punctuation and symbols: they part words and carry none. `.` and `%` stay inside numbers. */
const SEPARATOR = /[^\p{L}\p{N}]+/gu;

/** Letters and digits only, in one spelling. */
export function toPlain(text: string): string {
  return normaliseForMatch(text).replace(SEPARATOR, "");
}

/** One spelling with one space where the text had any: viewers part words with them. */
export function normaliseWords(text: string): string {
  return text
    .split(/\s+/u)
    .map(normaliseForMatch)
    .filter((word) => word !== "")
    .join(" ");
}

/** The set of neighbouring character pairs; a text of one character gives that character. */
export function pairsOf(plain: string): Set<string> {
  const pairs = charPairs(plain);
  return new Set(pairs.length === 0 && plain !== "" ? [plain] : pairs);
}

/** Pairs of `wanted` that `pairs` has too. */
export function countShared(wanted: ReadonlySet<string>, pairs: ReadonlySet<string>): number {
  let count = 0;
  for (const pair of wanted) if (pairs.has(pair)) count += 1;
  return count;
}

/** Dice coefficient, 0 to 1. */
export function diceOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return a.size + b.size === 0 ? 0 : (2 * countShared(a, b)) / (a.size + b.size);
}

/** The longest run of characters that stands in both texts; the first of equals. */
export function longestRun(a: string, b: string): string {
  let best = "";
  let previous = new Uint16Array(b.length + 1);
  for (let i = 1; i <= a.length; i += 1) {
    const row = new Uint16Array(b.length + 1);
    for (let j = 1; j <= b.length; j += 1) {
      if (a[i - 1] !== b[j - 1]) continue;
      row[j] = (previous[j - 1] ?? 0) + 1;
      if ((row[j] ?? 0) > best.length) best = a.slice(i - (row[j] ?? 0), i);
    }
    previous = row;
  }
  return best;
}

/** Sentences and clauses of a prose value: cut at stops, semicolons and line ends, list numbers taken off. */
export function splitSentences(text: string): string[] {
  return text
    .split(/[。！？；;\n\r]+|(?<=\D)\s{2,}/u)
    .map((sentence) => sentence.replace(/^\s*[*•-]?\s*(?:\d{1,2}\s*[.、：:）)](?!\d))?\s*/u, "").trim())
    .filter((sentence) => sentence !== "");
}
