/** Answers one viewer's question from what is known: which sentences, and which tool calls would know more. */
import type { ToolNeed } from "./choose-tool.ts";
import { classifyQuestion, type Intent } from "./reading/classify-question.ts";
import type { ProductReference } from "./reading/find-product.ts";
import { findProhibition } from "./reading/follow-rules.ts";
import { topicsOf } from "./reading/match-faq.ts";
import { readQuestion, type Asked, type Part } from "./reading/read-question.ts";
import type { KnownWorld } from "./reading/read-request.ts";
import { wantsSomething } from "./reading/subject-words.ts";
import { toStandardWords } from "./reading/spoken-forms.ts";
import { withoutOrders } from "./reading/spot-injection.ts";
import {
  DECLINES,
  HUMAN_LINE,
  INJECTION_LINE,
  NOT_FOUND_LINES,
  RULE_DECLINE_LINE,
  SMALL_TALK_LINE,
  UNKNOWN_LINES,
  UNKNOWN_PRODUCT_LINE,
  WHICH_LINE,
} from "./saying/fixed-lines.ts";
import { couponParts, priceParts, productParts, stockParts } from "./saying/product-parts.ts";
import { sayAttributes } from "./saying/say-product.ts";
import { sayNotes, sayProducts, saySkillLine } from "./saying/say-shop.ts";
import { faqParts, shopParts } from "./saying/shop-parts.ts";

export type Answer = {
  readonly lines: readonly string[];
  /** False where the lines only admit that nothing is known. */
  readonly isKnown: boolean;
  /** Calls that would know more than the lines do, in order of use. */
  readonly needs: readonly ToolNeed[];
  /** Words to find a skill by, when a skill could help. */
  readonly skillWords: string | null;
};

/** Intents that end the matter: nothing else of the question is answered. */
const CLOSING: readonly Intent[] = ["contact", "private-life", "off-topic", "experience"];

/** Facts do not bear on these: they are answered without a product. */
const WITHOUT_PRODUCT: readonly Intent[] = [
  "human",
  "greeting",
  "praise",
  "complaint",
  "own-order",
  "recommend",
  "how-to-order",
];

/** @param inherited - The product of the viewer's sentence before, where this one names none. */
export function answerQuestion(world: KnownWorld, text: string, inherited: ProductReference | null): Answer {
  const cleaned = withoutOrders(toStandardWords(text));
  if (cleaned !== null && isSmallTalk(cleaned)) return only(INJECTION_LINE);
  const asked = readQuestion(world, cleaned ?? toStandardWords(text), inherited);
  const parts = declined(asked) ?? closing(asked) ?? answered(asked);
  const lines = [...new Set(parts.flatMap((part) => part.lines))].map((line, index) => nameOnce(line, index, asked));
  const isKnown = parts.some((part) => part.isKnown !== false && part.lines.length > 0);
  return {
    lines,
    isKnown,
    needs: parts.flatMap((part) => part.needs ?? []),
    skillWords: isKnown && !asked.reading.intents.includes("complaint") ? null : asked.whole,
  };
}

function isSmallTalk(text: string): boolean {
  const { intents } = classifyQuestion(text);
  return intents.every((intent) => ["greeting", "praise", "intro", "sells", "off-topic", "human"].includes(intent));
}

/** Said aloud, a long name is enough once. */
function nameOnce(line: string, index: number, { subjects }: Asked): string {
  const [first, second] = subjects;
  const isRepeat = index > 0 && first !== undefined && second === undefined && line.startsWith(first.name);
  return isRepeat && first.name !== "这款" ? line.slice(first.name.length).replace(/^的/u, "") : line;
}

function only(line: string): Answer {
  return { lines: [line], isKnown: true, needs: [], skillWords: null };
}

/** What a rule of the merchant's forbids. A price stays sayable where only bargaining is forbidden. */
function declined(asked: Asked): Part[] | null {
  const prohibition = findProhibition(asked.whole, asked.topics, asked.world.rules);
  if (prohibition === null || prohibition.topic === "stock-count") return null;
  const { rule, topic } = prohibition;
  const line =
    rule.line === null
      ? ((topic === null ? undefined : DECLINES[topic]) ?? RULE_DECLINE_LINE)
      : `${rule.line.replace(/[。！!]+$/u, "")}。`;
  const parts: Part[] = [{ lines: [line] }];
  if (topic === "bargain" || topic === "price-future") parts.push(...priceParts(asked, false));
  if (topic === "bargain") parts.push(...couponParts(asked));
  if (topic === "restock") parts.unshift(...stockParts(asked));
  // The merchant's own words on times in general promise no day.
  if (topic === "arrival")
    parts.push(...(faqParts(asked)[0] === undefined ? faqParts({ ...asked, rest: "什么时候发货" }) : faqParts(asked)));
  return parts;
}

function closing(asked: Asked): Part[] | null {
  const { intents } = asked.reading;
  if (intents.includes("medical") && !isAttributeKnown(asked))
    return [{ lines: [DECLINES.medical ?? ""], isKnown: false }];
  const intent = CLOSING.find((candidate) => intents.includes(candidate));
  if (intent !== undefined) return [{ lines: [DECLINES[intent] ?? RULE_DECLINE_LINE] }];
  if (intents.includes("other-shop")) return [{ lines: [DECLINES["other-shop"] ?? ""] }, ...priceParts(asked)];
  return null;
}

function isAttributeKnown(asked: Asked): boolean {
  return asked.subjects.some((subject) => sayAttributes(subject, asked.rest, asked.whole)?.isKnown === true);
}

function answered(asked: Asked): Part[] {
  const direct = [...shopParts(asked), ...(asked.reading.intents.includes("human") ? [{ lines: [HUMAN_LINE] }] : [])];
  if (direct.some((part) => part.isKnown !== false)) {
    return [...direct, ...productParts(withoutTaken(asked)).filter((part) => part.isKnown !== false)];
  }
  const unclear = unclearPart(asked);
  if (unclear !== null) return [unclear];
  const parts = productParts(asked);
  if (parts.some((part) => part.isKnown !== false && (part.lines.length > 0 || part.needs !== undefined))) return parts;
  return [fallbackPart(asked, parts)];
}

/** Wants that an answer of the shop's has met: after how coupons work, not the list of them too. */
const TAKEN: Readonly<Record<string, readonly Intent[]>> = {
  "coupon-ways": ["promotion", "bargain"],
  "price-guard": ["price-future", "bargain", "promotion"],
  "return-freight": ["gift", "price", "amount"],
  "gift-ways": ["gift", "promotion"],
  "refund-time": ["price", "amount"],
};

function withoutTaken(asked: Asked): Asked {
  // "减15的券咋领" asks of one coupon: its own condition may be the answer.
  const topics = topicsOf(asked.rest).filter((topic) => topic !== "coupon-ways" || !/\d/u.test(asked.rest));
  const taken = new Set(topics.flatMap((topic) => TAKEN[topic] ?? []));
  const intents = asked.reading.intents.filter((intent) => !taken.has(intent));
  return { ...asked, reading: { ...asked.reading, intents } };
}

/** Candidates are named, never answered for: a price of the wrong one is worse than a question back. */
function unclearPart(asked: Asked): Part | null {
  const { reference, reading, world } = asked;
  if (reference.how === "unknown-link") return { lines: ["直播间现在没有这个号的链接，您看一下是不是记错了。"] };
  if (reference.how === "unknown-name") return unknownPart(asked);
  if (reference.how !== "unclear") return null;
  const candidates = reference.products.filter((product) => world.products.includes(product));
  if (reading.intents.some((intent) => intent === "recommend" || intent === "sells" || intent === "link")) {
    return { lines: sayProducts(candidates, "有的，") };
  }
  if (reading.intents.includes("compare") && candidates.length > 0) return { lines: sayProducts(candidates, "") };
  if (reading.intents.some((intent) => WITHOUT_PRODUCT.includes(intent))) return null;
  if (candidates.length === 0) return { lines: [WHICH_LINE] };
  const names = candidates.slice(0, 3).map((product) => `${product.link}号${product.name}`);
  return { lines: [`您说的是${names.join("，还是")}呢？`, "打一下几号链接，我马上给您说。"] };
}

/** Only a catalogue in short form can hide an alias: then a search may know more. */
function unknownPart({ world, whole }: Asked): Part {
  const isShort = world.products.some((product) => product.skus === undefined);
  return {
    lines: [UNKNOWN_PRODUCT_LINE],
    isKnown: false,
    ...(isShort && { needs: [{ kind: "search", query: whole }] }),
  };
}

/** The last resorts in order: the shop's answers by likeness, notes, a skill's line, an admission. */
function fallbackPart(asked: Asked, parts: readonly Part[]): Part {
  const { world, whole } = asked;
  const faq = parts.every((part) => part.lines.length === 0) ? faqParts({ ...asked, rest: whole })[0] : undefined;
  if (faq !== undefined) return faq;
  const notes = sayNotes(world.notes, whole);
  if (notes !== null) return { lines: notes };
  const needs = parts.flatMap((part) => part.needs ?? []);
  const hasFailed = world.toolUses.some((use) => use.failed === true);
  const admissions = parts.flatMap((part) => part.lines);
  if (parts.length === 0 && !wantsSomething(whole)) return { lines: [SMALL_TALK_LINE] };
  const skill = saySkillLine(world.loadedSkills, whole);
  const lines = hasFailed
    ? NOT_FOUND_LINES.slice(0, 1)
    : admissions.length > 0
      ? admissions
      : (skill ?? UNKNOWN_LINES.slice(0, 1));
  return { lines, isKnown: false, needs };
}
