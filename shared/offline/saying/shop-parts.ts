/** Answers about the shop and not about one product: its own FAQ, orders, complaints. */
import type { ToolNeed } from "../choose-tool.ts";
import { findProse } from "../reading/find-attribute.ts";
import { matchFaq, topicsOf } from "../reading/match-faq.ts";
import type { Asked, Part } from "../reading/read-question.ts";
import { countShared, pairsOf, toPlain } from "../reading/text-overlap.ts";
import { COMPLAINT_LINE, DECLINES, HANDED_OVER_LINE, NOT_HANDED_OVER_LINE, OWN_ORDER_LINE } from "./fixed-lines.ts";
import { sayFaq } from "./say-shop.ts";

/** FAQ answers come first where the question is about the shop's ways; they are the merchant's own words. */
export function shopParts(asked: Asked): Part[] {
  const { intents } = asked.reading;
  const parts: Part[] = [];
  const topics = topicsOf(asked.rest);
  if (intents.includes("complaint")) return [...complaintParts(asked), ...(topics.length > 0 ? faqParts(asked) : [])];
  if (topics.length > 0 && !isToldByProduct(asked, topics)) parts.push(...faqParts(asked));
  if (intents.includes("own-order")) return [...parts, { lines: [OWN_ORDER_LINE] }];
  if (parts.length > 0) return parts;
  if (asked.topics.includes("arrival"))
    return [{ lines: [DECLINES.arrival ?? ""] }, ...faqParts({ ...asked, rest: "什么时候发货" })];
  if (topics.length > 0 && asked.world.faq.length === 0) {
    return [{ lines: [], needs: [{ kind: "faq", query: asked.whole }], isKnown: false }];
  }
  return [];
}

/** How to wash a thing is told by its own text, or by an answer of the shop's that speaks of its kind of goods. */
function isToldByProduct(asked: Asked, topics: readonly string[]): boolean {
  if (!topics.every((topic) => topic === "wash")) return false;
  const answer = matchFaq(asked.rest, asked.world.faq)?.entry;
  const spoken = pairsOf(toPlain(`${answer?.question ?? ""}${answer?.answer ?? ""}`));
  const kinds = asked.subjects.map(({ product }) => [
    product.name,
    ...(product.aliases ?? []),
    ...(product.category ?? []),
  ]);
  if (kinds.length > 0 && !kinds.some((names) => names.some((name) => countShared(pairsOf(toPlain(name)), spoken) > 0)))
    return true;
  return asked.subjects.some(({ product }) => findProse(product, asked.rest).some((answer) => answer.text !== null));
}

/** The entry that fits the question best, in its own words. */
export function faqParts(asked: Asked): Part[] {
  const match = matchFaq(asked.rest, asked.world.faq);
  return match === null ? [] : [{ lines: sayFaq(match) }];
}

function complaintParts({ world, whole }: Asked): Part[] {
  const handed = world.toolUses.find((use) => use.accepted);
  const failed = world.toolUses.some((use) => use.failed === true);
  const end = handed !== undefined ? HANDED_OVER_LINE : NOT_HANDED_OVER_LINE;
  const need: ToolNeed = {
    kind: "human",
    reasons: ["投诉", "complaint"],
    message: Array.from(whole).slice(0, 100).join(""),
  };
  return [{ lines: [COMPLAINT_LINE, end], ...(handed === undefined && !failed && { needs: [need] }) }];
}
