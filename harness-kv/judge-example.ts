/** Whether a reply does what a skill's example asks. */
import { normaliseForMatch } from "../shared/core/text.ts";

/** What an example asks of a reply. */
type ExampleWish = { readonly mustContain: readonly string[]; readonly mustNotContain: readonly string[] };

export type ExampleReply = {
  /** All that was said. */
  readonly reply: string;
  /** `answered`, or how the turn ended instead. */
  readonly outcome: string;
};

/** What is wrong with a reply, in words; empty for a good one. A host that says nothing, or its fallback line, fails. */
export function judgeReply({ mustContain, mustNotContain }: ExampleWish, { reply, outcome }: ExampleReply): string[] {
  const lacks = mustContain.filter((wording) => !says(reply, wording)).map((wording) => `does not say 「${wording}」`);
  const heard = mustNotContain.filter((wording) => says(reply, wording)).map((wording) => `says 「${wording}」`);
  if (reply.trim() === "") return ["says nothing"];
  return [...(outcome === "answered" ? [] : [`the turn ended as ${outcome}`]), ...lacks, ...heard];
}

/** Whole numbers only: 39 is neither in 139 nor in 39.9. */
function says(reply: string, wording: string): boolean {
  const [text, wanted] = [normaliseForMatch(reply), normaliseForMatch(wording)];
  if (wanted === "") return false;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const isCutBefore = /^\d/.test(wanted) && /[\d.]$/.test(text.slice(0, at));
    const isCutAfter = /\d$/.test(wanted) && /^\.?\d/.test(text.slice(at + wanted.length));
    if (!isCutBefore && !isCutAfter) return true;
  }
  return false;
}
