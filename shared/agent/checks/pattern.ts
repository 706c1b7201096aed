import type { HookCheck } from "../../contract/harness-bundle.ts";
import { AppError } from "../../errors/app-error.ts";
import { findingOf, type CompiledCheck } from "./finding.ts";
import { compileLinearPattern } from "./linear-pattern.ts";

type Pattern = Extract<HookCheck, { type: "pattern" }>;

/** Characters of a text that a pattern reads; sentences and messages are far below. Of a longer tool's answer, the start. */
const TEXT_MAX = 8_000;

const INVISIBLE = /[\p{Cf}\u00ad]/gu;

/**
 * Finds the pattern in the text as it is read: NFKC and without invisible characters, so that １２３ is 123.
 * @throws AppError `harness_invalid` - the pattern is not of the linear-time subset.
 */
export function pattern(options: Pick<Pattern, "pattern" | "flags">): CompiledCheck {
  const compiled = compileLinearPattern(options.pattern, options.flags);
  if (!compiled.ok) throw new AppError("harness_invalid", `Pattern: ${compiled.error}`);
  return (_input, subject) => {
    const text = subject.slice(0, TEXT_MAX).normalize("NFKC").replace(INVISIBLE, "");
    const match = compiled.value.find(text);
    return match === null ? null : findingOf(match.text);
  };
}
