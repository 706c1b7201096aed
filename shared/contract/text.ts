import { z } from "zod";
import { countCodePoints, isCleanText } from "../core/text.ts";

/** Text from outside: well-formed, without control characters, 1 to `max` characters (code points), not blank. */
export function cleanText(max: number) {
  return z
    .string()
    .refine(isCleanText, "lone surrogates and control characters are refused")
    .refine((text) => text.trim() !== "", "blank text is refused")
    .refine((text) => text.length <= max || countCodePoints(text) <= max, `at most ${max} characters`);
}
