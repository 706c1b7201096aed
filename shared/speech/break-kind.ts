/** Where a sentence that grows too long may be cut. */
import {
  ASCII_CLAUSE_MARKS,
  CLAUSE_MARKS,
  isAsciiGraph,
  isDigit,
  isHanNumeral,
  isIdeograph,
  isModifier,
  isSpace,
} from "./sentence-marks.ts";

/** After a clause mark; after white space; between two characters of a script without spaces. From best to worst. */
export type BreakKind = "clause" | "space" | "ideograph";

/**
 * The kind of break between `last` and `char`; `null` inside words, numbers, prices, times and addresses.
 * @param beforeLast - The character before `last`: a number reaches over its unit, `3件`, and over a mark, `10：30`.
 */
export function breakKind(beforeLast: string | undefined, last: string | undefined, char: string): BreakKind | null {
  if (last === undefined || isModifier(char)) return null;
  if (CLAUSE_MARKS.has(last)) return areBothDigits(beforeLast, char) ? null : "clause";
  if (ASCII_CLAUSE_MARKS.has(last)) return isAsciiGraph(char) ? null : "clause";
  if (isSpace(last)) return /^[\s\d]$/u.test(char) || isDigit(beforeLast) ? null : "space";
  return isBetweenIdeographs(last, char) && !isDigit(beforeLast) ? "ideograph" : null;
}

/** Numbers written as characters are numbers too: `三百五十`. */
function isBetweenIdeographs(last: string, char: string): boolean {
  return isIdeograph(last) && isIdeograph(char) && !isHanNumeral(last) && !isHanNumeral(char);
}

function areBothDigits(left: string | undefined, right: string): boolean {
  return isDigit(left) && isDigit(right);
}
