import type { HookCheck } from "../../contract/harness-bundle.ts";
import { compileWordList, type WordList } from "./find-words.ts";
import { findingOf, type CompiledCheck } from "./finding.ts";

type ForbiddenWords = Extract<HookCheck, { type: "forbidden-words" }>;

/** Finds the listed words, folded as {@link compileWordList} says. Corrects where every word found has a replacement. */
export function forbiddenWords(options: Pick<ForbiddenWords, "words" | "replacements" | "exceptions">): CompiledCheck {
  return toCheck(compileWordList(options));
}

/** A word list as a check. */
export function toCheck(list: WordList): CompiledCheck {
  return (_input, subject) => {
    const hits = list.find(subject);
    if (hits.length === 0) return null;
    const found = [...new Set(hits.map((hit) => hit.written))].join("、");
    return findingOf(found, list.correct(subject));
  };
}
