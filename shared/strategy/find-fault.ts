/**
 * What may not stand in a strategy. It is evidence for turns to come, so what a model invents or repeats here would be
 * believed there.
 */
import { contactDetails } from "../agent/checks/contact-details.ts";
import { numberGrounding } from "../agent/checks/number-grounding.ts";
import { findInjection } from "../agent/checks/prompt-injection.ts";
import { withoutPeopleCounts } from "../agent/facts/people-counts.ts";
import type { HookInput } from "../contract/hook-io.ts";
import { splitSentences } from "../speech/whole-sentences.ts";

export type StrategyFault = {
  /**
   * `contact`: a way off the platform, addresses included. `order`: words that give a model orders. `ungrounded`: a price, a
   * stock or another figure that no evidence has.
   */
  readonly reason: "contact" | "order" | "ungrounded";
  /** As written. Text of a viewer may be in it. */
  readonly found: string;
};

/** What figures are compared with. */
export type Grounds = {
  /** Texts of evidence blocks. */
  readonly evidence: readonly string[];
  /** What viewers asked: their own height and weight are no invention. */
  readonly questions: readonly string[];
};

/** How long ago: the strategist's own time, and no fact of goods. */
const LATELY = /(?:最近|近|过去|刚才|前|这)\s*\d+\s*(?:多|来|几)?\s*(?:分钟|秒钟?)/gu;

const findContact = contactDetails();
const findUngrounded = numberGrounding({ kinds: ["price", "number"] });

/** The first fault of a text; `null` for one that may stand. */
export function findFault(text: string, grounds: Grounds): StrategyFault | null {
  const input = toHookInput(text, grounds);
  const contact = findContact(input, text);
  if (contact !== null) return { reason: "contact", found: contact.found };
  const order = findInjection(text);
  if (order !== null) return { reason: "order", found: order };
  // One by one: the products that a sentence names say whose prices count.
  for (const sentence of splitSentences(text)) {
    const figures = withoutPeopleCounts(sentence).replaceAll(LATELY, "");
    const ungrounded = findUngrounded(input, figures);
    if (ungrounded !== null) return { reason: "ungrounded", found: ungrounded.found };
  }
  return null;
}

/** The checks are those of a sentence that a host is about to say. */
function toHookInput(text: string, { evidence, questions }: Grounds): HookInput {
  return {
    session_id: "",
    turn_id: "",
    retry_active: false,
    question: questions.join("\n"),
    evidence,
    hook_event_name: "PreUtterance",
    text,
    seq: 0,
    said: [],
    tools_used: [],
  };
}
