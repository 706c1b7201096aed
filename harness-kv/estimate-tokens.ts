import { countCodePoints } from "../shared/core/text.ts";

/** Chinese, Japanese and Korean letters and their punctuation. */
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{20000}-\u{3ffff}]/gu;

/**
 * Tokens that a text may cost, on the safe side for any tokenizer: 1.5 a wide character, one a quarter of the others.
 * A quarter for all, the usual rule, counts Chinese text at a third of its cost or less.
 */
export function estimateTokens(text: string): number {
  const codePoints = countCodePoints(text);
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.ceil(wide * 1.5 + (codePoints - wide) / 4);
}
