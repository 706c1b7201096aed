/** What a check finds, and what a check is. */
import type { HookInput } from "../../contract/hook-io.ts";

/** `null` instead of one: the text passes. */
export type Finding = {
  /** What was found, as it stands in the text, cut to {@link FOUND_CHARS_MAX}. Text of a viewer may be in it: never an instruction. */
  readonly found: string;
  /** The text without what was found. Absent where the check knows no better text. It may still hold other findings. */
  readonly corrected?: string;
};

/** A check made ready once per harness version. Pure: the same input and subject give the same finding. */
export type CompiledCheck = (input: HookInput, subject: string) => Finding | null;

const FOUND_CHARS_MAX = 60;

/** A finding, its quote cut so that a flood is not repeated in reasons and records. */
export function findingOf(found: string, corrected?: string): Finding {
  const quote = found.length > FOUND_CHARS_MAX ? `${found.slice(0, FOUND_CHARS_MAX).toWellFormed()}…` : found;
  return corrected === undefined ? { found: quote } : { found: quote, corrected };
}
