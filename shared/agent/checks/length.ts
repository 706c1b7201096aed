import type { HookCheck } from "../../contract/harness-bundle.ts";
import { countCodePoints } from "../../core/text.ts";
import { findingOf, type CompiledCheck } from "./finding.ts";

type Length = Extract<HookCheck, { type: "length" }>;

const SENTENCE_ENDS = /[。！？!?…]+|(?<=\p{L}{2})\.(?=\s|$)/u;
const CLAUSES = /(?<=[，,；;。！？!?、])/u;

/**
 * Finds a text of more than `charsMax` characters (code points) or `sentencesMax` sentences. Corrects a text that is too
 * long by leaving out whole clauses from its end; never cuts inside one.
 */
export function length(options: Pick<Length, "charsMax" | "sentencesMax">): CompiledCheck {
  return (_input, subject) => {
    const chars = countCodePoints(subject);
    if (chars > options.charsMax)
      return findingOf(`${chars} > ${options.charsMax}`, shorten(subject, options.charsMax));
    if (options.sentencesMax === undefined) return null;
    const sentences = subject.split(SENTENCE_ENDS).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence)).length;
    return sentences > options.sentencesMax ? findingOf(`${sentences} > ${options.sentencesMax}`) : null;
  };
}

function shorten(text: string, charsMax: number): string | undefined {
  let kept = "";
  for (const clause of text.split(CLAUSES)) {
    if (countCodePoints(kept + clause) > charsMax) break;
    kept += clause;
  }
  return kept === "" ? undefined : kept;
}
