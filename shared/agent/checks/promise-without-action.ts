import type { HookCheck } from "../../contract/harness-bundle.ts";
import { findingOf, type CompiledCheck } from "./finding.ts";
import { foldText, foldWord, sourceSpan } from "./fold-text.ts";

type Promises = Extract<HookCheck, { type: "promise-without-action" }>;

/** Right before a phrase, these make it no promise: 还没帮您登记好, 不能帮您登记了. */
const DENIED = /(?:没有?|未|不能|无法|不会|别|不用|没法|没办法|不可以|如果|要是|等)(?:再|先|马上|办法|您)?$/u;

const DENIAL_CHARS = 5;

/**
 * Finds a phrase that says a thing is done while none of its tools has succeeded in this turn. Events that do not tell
 * which tools were used (all but PreUtterance, PostUtterance and Stop) find nothing.
 */
export function promiseWithoutAction({ promises }: Pick<Promises, "promises">): CompiledCheck {
  const phrases = Object.entries(promises).map(([phrase, tools]) => ({ phrase: foldWord(phrase), tools }));
  return (input, subject) => {
    if (!("tools_used" in input)) return null;
    const folded = foldText(subject);
    for (const { phrase, tools } of phrases) {
      if (tools.some((tool) => input.tools_used.includes(tool))) continue;
      const at = indexOfPromise(folded.text, phrase);
      if (at === -1) continue;
      const { start, end } = sourceSpan(folded, { start: at, end: at + phrase.length });
      return findingOf(subject.slice(start, end));
    }
    return null;
  };
}

function indexOfPromise(text: string, phrase: string): number {
  if (phrase === "") return -1;
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (!DENIED.test(text.slice(Math.max(0, at - DENIAL_CHARS), at))) return at;
  }
  return -1;
}
