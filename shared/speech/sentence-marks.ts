/** Which characters end, part, open and close sentences. One code point each. */

/** Ends a sentence wherever it stands outside quotes. */
export const STOPS: ReadonlySet<string> = new Set("。｡！？!?；");
/** Ends a line, and with it the sentence, inside quotes too. */
export const LINE_ENDS: ReadonlySet<string> = new Set("\n\r\u2028\u2029");
/** Parts clauses: where a long sentence may be cut. */
export const CLAUSE_MARKS: ReadonlySet<string> = new Set("，、；：");
/** Parts clauses only before white space or a character outside ASCII: `1,000`, `10:30`. */
export const ASCII_CLAUSE_MARKS: ReadonlySet<string> = new Set(",;:");

/** Opening mark → the mark that closes it. */
export const BRACKETS: ReadonlyMap<string, string> = new Map([
  ["“", "”"],
  ["‘", "’"],
  ["「", "」"],
  ["『", "』"],
  ["（", "）"],
  ["(", ")"],
  ["《", "》"],
  ["〈", "〉"],
  ["【", "】"],
  ["[", "]"],
]);
/** Speech in these ends with the sentence that it holds: `他说：“快拍！”`. A title or a remark in brackets does not. */
export const QUOTE_ENDS: ReadonlySet<string> = new Set('”’」』"');
export const CLOSERS: ReadonlySet<string> = new Set(BRACKETS.values());

const HAN_NUMERALS: ReadonlySet<string> = new Set("零〇一二三四五六七八九十百千万亿两点");
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const MODIFIER = /[\p{M}\p{Emoji_Modifier}\u200d]/u;

/** Words whose full stop ends no sentence, lower case, without the last stop. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  (
    "mr mrs ms dr prof st jr sr vs etc e.g i.e eg ie inc ltd co corp vol fig approx dept est ver tel ext " +
    "a.m p.m u.s u.k ph.d"
  ).split(" "),
);

export function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= "0" && char <= "9" && char.length === 1;
}

export function isAsciiLetter(char: string | undefined): boolean {
  return char !== undefined && /^[A-Za-z]$/.test(char);
}

/** Printable ASCII without the space: what words, numbers and addresses are made of. */
export function isAsciiGraph(char: string | undefined): boolean {
  return char !== undefined && char > " " && char < "\u007f" && char.length === 1;
}

export function isSpace(char: string | undefined): boolean {
  return char !== undefined && /^\s$/u.test(char);
}

/** A character of a script that is written without spaces. */
export function isIdeograph(char: string | undefined): boolean {
  return char !== undefined && char > "\u00ff" && IDEOGRAPH.test(char);
}

export function isHanNumeral(char: string | undefined): boolean {
  return char !== undefined && HAN_NUMERALS.has(char);
}

/** Belongs to the character before it: a combining mark, a skin tone, a joiner. */
export function isModifier(char: string | undefined): boolean {
  return char !== undefined && char > "\u00ff" && MODIFIER.test(char);
}

/** True for `Dr`, `e.g`, and one letter alone (`J. Smith`, `A.纯棉`). */
export function isAbbreviation(word: string): boolean {
  return word.length === 1 || ABBREVIATIONS.has(word.toLowerCase());
}
