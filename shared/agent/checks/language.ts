import type { HookCheck } from "../../contract/harness-bundle.ts";
import { findingOf, type CompiledCheck } from "./finding.ts";

type Language = Extract<HookCheck, { type: "language" }>;

/** A Chinese, Japanese or Korean character is a word of its own; of other scripts, a run of letters is. */
const WORDS =
  /\p{Script=Han}|[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\P{L}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** Fewer words are a name, a size or an OK in any language. */
const WORDS_MIN = 3;

const IS_OF: Readonly<Record<Language["language"], RegExp>> = { zh: /^\p{Script=Han}$/u, en: /^\p{Script=Latin}+$/u };

/** Finds a text whose share of words in other languages is above `otherShareMax`. Digits and signs are of no language. */
export function language(options: Pick<Language, "language" | "otherShareMax">): CompiledCheck {
  const isOf = IS_OF[options.language];
  return (_input, subject) => {
    const words = subject.normalize("NFKC").match(WORDS) ?? [];
    if (words.length < WORDS_MIN) return null;
    const others = words.filter((word) => !isOf.test(word));
    return others.length / words.length > options.otherShareMax ? findingOf(others.join(" ")) : null;
  };
}
