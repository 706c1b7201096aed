import type { HookCheck } from "../../contract/harness-bundle.ts";
import type { HookInput } from "../../contract/hook-io.ts";
import { findingOf, type CompiledCheck } from "./finding.ts";
import { foldText } from "./fold-text.ts";

type Repetition = Extract<HookCheck, { type: "repetition" }>;

/** Longest phrase whose repetition in a row is looked for. */
const PHRASE_CHARS_MAX = 12;

/** One character in a row may stand more often: 哈哈哈哈 is laughter, 喵喵喵喵喵喵 is not. */
const SINGLE_CHAR_EXTRA = 2;

/** Folded characters below which a sentence may come again: 好的, 嗯嗯. */
const SENTENCE_CHARS_MIN = 5;

const MARKS = /[,!?;:、。…\n]+/u;

/**
 * Finds what is said over and over: a phrase more than `timesMax` times in a row (a single letter `timesMax` + 2 times;
 * digits never count: 8888 is a number), a clause more than `timesMax` times in the text, or a whole sentence of five
 * characters or more that was said before in this turn.
 */
export function repetition({ timesMax }: Pick<Repetition, "timesMax">): CompiledCheck {
  return (input, subject) => {
    const text = foldText(subject).text;
    const found = inARow(text, timesMax) ?? clauseTooOften(text, timesMax) ?? saidBefore(text, input);
    return found === null ? null : findingOf(found);
  };
}

function inARow(text: string, timesMax: number): string | null {
  for (let length = 1; length <= Math.min(PHRASE_CHARS_MAX, text.length / 2); length += 1) {
    const limit = length === 1 ? timesMax + SINGLE_CHAR_EXTRA : timesMax;
    // Equal characters at this distance, counted without a break: the phrase stands once more for each `length` of them.
    let equal = 0;
    for (let at = length; at < text.length; at += 1) {
      equal = text.charCodeAt(at) === text.charCodeAt(at - length) ? equal + 1 : 0;
      const phrase = text.slice(at - length + 1, at + 1);
      if (equal >= length * limit && !/^[\d.%,!?;:、。…\n]+$/u.test(phrase)) return phrase;
    }
  }
  return null;
}

function clauseTooOften(text: string, timesMax: number): string | null {
  const counts = new Map<string, number>();
  for (const clause of text.split(MARKS)) {
    if (clause === "" || /^\d+$/.test(clause)) continue;
    const count = (counts.get(clause) ?? 0) + 1;
    if (count > timesMax) return clause;
    counts.set(clause, count);
  }
  return null;
}

function saidBefore(text: string, input: HookInput): string | null {
  if (input.hook_event_name !== "PreUtterance") return null;
  const bare = text.replaceAll(new RegExp(MARKS, "gu"), "");
  if (bare.length < SENTENCE_CHARS_MIN) return null;
  const before = input.said.find(
    (sentence) => foldText(sentence).text.replaceAll(new RegExp(MARKS, "gu"), "") === bare,
  );
  return before ?? null;
}
