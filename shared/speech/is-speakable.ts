import { removeKaomoji } from "./silent-marks.ts";

const KEYCAP = /[0-9#*]\ufe0f?\u20e3/gu;
const SAYABLE = /[\p{L}\p{N}]/u;

/**
 * True when speech synthesis would have something to say: a letter, a character of any script, or a digit.
 * Punctuation, emoji, kaomoji and white space alone are silence, and several engines answer them with an error.
 */
export function isSpeakable(text: string): boolean {
  return SAYABLE.test(text) && SAYABLE.test(removeKaomoji(text.replace(KEYCAP, "")));
}
