/** Answers one viewer's question from what is known: which sentences, and which tool calls would know more. */
import type { ToolNeed } from "./choose-tool.ts";
import { classifyQuestion, type Intent, type QuestionReading } from "./classify-question.ts";
import { findProducts, type ProductReference } from "./find-product.ts";
import { findSkus } from "./find-skus.ts";
import {
  COMPLAINT_LINE,
  DECLINES,
  GREETING_LINE,
  HANDED_OVER_LINE,
  HUMAN_LINE,
  INJECTION_LINE,
  NOT_FOUND_LINES,
  NOT_HANDED_OVER_LINE,
  OWN_ORDER_LINE,
  PRAISE_LINE,
  RULE_DECLINE_LINE,
  UNKNOWN_LINES,
  WHICH_LINE,
} from "./fixed-lines.ts";
import { findProhibition, type Topic } from "./follow-rules.ts";
import { matchFaq, topicsOf } from "./match-faq.ts";
import type { KnownProduct, KnownWorld } from "./read-request.ts";
import {
  listSpecs,
  sayAttributes,
  sayBestPromotion,
  sayIntro,
  sayListPrice,
  sayPrice,
  sayPromotions,
  sayQuote,
  saySpec,
  sayStock,
  toSubject,
  type Subject,
} from "./say-product.ts";
import { pickProducts, sayCoupons, sayFaq, sayNotes, sayProducts, saySkillLine } from "./say-shop.ts";
import { withoutOrders } from "./spot-injection.ts";

export type Answer = {
  readonly lines: readonly string[];
  /** False where the lines only admit that nothing is known. */
  readonly isKnown: boolean;
  /** Calls that would know more than the lines do, in order of use. */
  readonly needs: readonly ToolNeed[];
  /** Words to find a skill by, when a skill could help. */
  readonly skillWords: string | null;
};

type Asked = {
  readonly world: KnownWorld;
  readonly whole: string;
  /** Without link numbers and product names. */
  readonly rest: string;
  readonly reference: ProductReference;
  readonly reading: QuestionReading;
  readonly topics: readonly Topic[];
  readonly subjects: readonly Subject[];
};

type Part = { readonly lines: readonly string[]; readonly needs?: readonly ToolNeed[]; readonly isKnown?: boolean };

/** Intents that end the matter: nothing else of the question is answered. */
const CLOSING: readonly Intent[] = ["contact", "private-life", "off-topic", "medical"];

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
  const cleaned = withoutOrders(text);
  if (cleaned !== null && isSmallTalk(cleaned)) return only(INJECTION_LINE);
  const asked = readQuestion(world, cleaned ?? text, inherited);
  const parts = declined(asked) ?? closing(asked) ?? answered(asked);
  const lines = [...new Set(parts.flatMap((part) => part.lines))];
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

function readQuestion(world: KnownWorld, whole: string, inherited: ProductReference | null): Asked {
  const found = findProducts(whole, world);
  const isBare = found.how === "screen" || found.how === "none";
  const reference = isBare && inherited !== null ? { ...inherited, rest: found.rest } : found;
  const reading = classifyQuestion(reference.rest);
  const topics: Topic[] = [...reading.intents];
  if (topicsOf(reference.rest).includes("arrival")) topics.push("arrival");
  if (/(退款|退钱|钱).{0,6}(多久|几天|什么时候|啥时候|到账)|赔/u.test(whole)) topics.push("return");
  const products = reference.how === "unclear" ? [] : comparedProducts(world, reference, reading);
  return {
    world,
    whole,
    rest: reference.rest,
    reference,
    reading,
    topics,
    subjects: products.map((product) =>
      toSubject(product, products.length === 1 && product.link === world.onScreen?.link),
    ),
  };
}

/** "和蚕丝被比哪个好" names one of two: the other is on screen. */
function comparedProducts(
  world: KnownWorld,
  reference: ProductReference,
  reading: QuestionReading,
): readonly KnownProduct[] {
  const { products, how } = reference;
  const screen = world.onScreen;
  if (!reading.intents.includes("compare") || how === "screen" || products.length !== 1 || screen === null)
    return products;
  return products[0]?.link === screen.link ? products : [screen, ...products];
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
  if (topic === "bargain" || topic === "price-future") parts.push(...priceParts(asked), ...couponParts(asked));
  if (topic === "arrival") parts.push(...faqParts({ ...asked, rest: "什么时候发货" }));
  return parts;
}

function closing(asked: Asked): Part[] | null {
  const { intents } = asked.reading;
  if (intents.includes("medical") && !isAttributeKnown(asked))
    return [{ lines: [DECLINES.medical ?? ""], isKnown: false }];
  const intent = CLOSING.find((candidate) => candidate !== "medical" && intents.includes(candidate));
  if (intent !== undefined) return [{ lines: [DECLINES[intent] ?? RULE_DECLINE_LINE] }];
  if (intents.includes("other-shop")) return [{ lines: [DECLINES["other-shop"] ?? ""] }, ...priceParts(asked)];
  return null;
}

function isAttributeKnown(asked: Asked): boolean {
  return asked.subjects.some((subject) => sayAttributes(subject, asked.rest, asked.whole)?.isKnown === true);
}

function answered(asked: Asked): Part[] {
  const direct = [...shopParts(asked), ...(asked.reading.intents.includes("human") ? [{ lines: [HUMAN_LINE] }] : [])];
  if (direct.some((part) => part.isKnown !== false)) return [...direct, ...productParts(asked)];
  const unclear = unclearPart(asked);
  if (unclear !== null) return [unclear];
  const parts = productParts(asked);
  if (parts.some((part) => part.isKnown !== false && (part.lines.length > 0 || part.needs !== undefined))) return parts;
  return [fallbackPart(asked, parts)];
}

/** FAQ answers come first where the question is about the shop's ways; they are the merchant's own words. */
function shopParts(asked: Asked): Part[] {
  const { intents } = asked.reading;
  const parts: Part[] = [];
  if (intents.includes("complaint")) return complaintParts(asked);
  if (topicsOf(asked.rest).length > 0) parts.push(...faqParts(asked));
  if (parts.length > 0) return parts;
  if (intents.includes("own-order")) return [{ lines: [OWN_ORDER_LINE] }];
  if (asked.topics.includes("arrival"))
    return [{ lines: [DECLINES.arrival ?? ""] }, ...faqParts({ ...asked, rest: "什么时候发货" })];
  if (topicsOf(asked.rest).length > 0 && asked.world.faq.length === 0) {
    return [{ lines: [], needs: [{ kind: "faq", query: asked.whole }], isKnown: false }];
  }
  return [];
}

function faqParts(asked: Asked): Part[] {
  const match = matchFaq(asked.rest, asked.world.faq);
  return match === null ? [] : [{ lines: sayFaq(match) }];
}

function complaintParts({ world, whole }: Asked): Part[] {
  const handed = world.toolUses.find((use) => use.accepted);
  const failed = world.toolUses.some((use) => use.failed === true);
  const end = handed !== undefined ? HANDED_OVER_LINE : NOT_HANDED_OVER_LINE;
  const need: ToolNeed = { kind: "human", reasons: ["投诉", "complaint"], message: Array.from(whole).slice(0, 100).join("") };
  return [{ lines: [COMPLAINT_LINE, end], ...(handed === undefined && !failed && { needs: [need] }) }];
}

/** Candidates are named, never answered for: a price of the wrong one is worse than a question back. */
function unclearPart(asked: Asked): Part | null {
  const { reference, reading, world } = asked;
  if (reference.how === "unknown-link") return { lines: ["直播间现在没有这个号的链接，您看一下是不是记错了。"] };
  if (reference.how !== "unclear") return null;
  const candidates = reference.products.filter((product) => world.products.includes(product));
  if (reading.intents.some((intent) => intent === "recommend" || intent === "sells" || intent === "link")) {
    return { lines: sayProducts(candidates, "有的，") };
  }
  if (reading.intents.some((intent) => WITHOUT_PRODUCT.includes(intent))) return null;
  if (candidates.length === 0) return { lines: [WHICH_LINE] };
  const names = candidates.slice(0, 3).map((product) => `${product.link}号${product.name}`);
  return { lines: [`您说的是${names.join("，还是")}呢？`, "打一下几号链接，我马上给您说。"] };
}

type Handler = (asked: Asked) => Part[];

const HANDLERS: readonly (readonly [Intent, Handler])[] = [
  ["compare", compareParts],
  ["total", totalParts],
  ["price-future", (asked) => [{ lines: [DECLINES["price-future"] ?? ""] }, ...priceParts(asked)]],
  ["list-price", listPriceParts],
  ["price", priceParts],
  ["bargain", (asked) => [...couponParts(asked), ...priceParts(asked)]],
  ["gift", giftParts],
  ["promotion", couponParts],
  ["restock", () => [{ lines: [DECLINES.restock ?? ""] }]],
  ["stock", stockParts],
  ["link", linkParts],
  ["how-to-order", howToOrderParts],
  ["recommend", recommendParts],
];

/** Used where nothing narrower answered. */
const WIDE_HANDLERS: readonly (readonly [Intent, Handler])[] = [
  ["size-advice", () => [{ lines: [DECLINES["size-advice"] ?? ""], isKnown: false }]],
  ["sells", sellsParts],
  ["intro", (asked) => asked.subjects.flatMap((subject) => toPart(sayIntro(subject), subject))],
  ["praise", (asked) => [{ lines: [PRAISE_LINE, ...onScreenLine(asked.world)] }]],
  ["greeting", (asked) => [{ lines: [GREETING_LINE, ...onScreenLine(asked.world)] }]],
];

function productParts(asked: Asked): Part[] {
  const { intents } = asked.reading;
  const narrow = HANDLERS.filter(([intent]) => intents.includes(intent)).flatMap(([, handler]) => handler(asked));
  const attributes =
    intents.includes("compare") || intents.includes("recommend") ? [] : attributeParts(asked, narrow.length > 0);
  const parts = [...narrow, ...attributes];
  if (parts.some((part) => part.isKnown !== false)) return parts;
  const wide = WIDE_HANDLERS.filter(([intent]) => intents.includes(intent)).flatMap(([, handler]) => handler(asked));
  return [...parts, ...wide.slice(0, 1)];
}

/** @param isSecond - Another intent was answered: then an admission would only confuse. */
function attributeParts(asked: Asked, isSecond: boolean): Part[] {
  return asked.subjects.flatMap((subject) => {
    const specs = isSecond ? null : specLines(subject, asked);
    if (specs !== null) return [{ lines: specs }];
    if (subject.product.attributes === undefined && subject.product.skus === undefined) {
      return isSecond ? [] : toPart(null, subject);
    }
    const said = sayAttributes(subject, asked.rest, asked.whole);
    if (said === null || (isSecond && !said.isKnown)) return [];
    return [{ lines: said.lines, isKnown: said.isKnown }];
  });
}

function specLines(subject: Subject, { rest, reading }: Asked): string[] | null {
  if (/(哪些|什么|啥|几个|几种|有几|多少个)(颜色|色)|颜色(有|都)/u.test(rest)) return listSpecs(subject, /色/u);
  if (/(哪些|什么|啥|几个|几种)(规格|尺寸|尺码|码|款式|型号|口味|大小|款)|(规格|尺寸|尺码)(有|都)/u.test(rest))
    return listSpecs(subject, /./u);
  return reading.intents.includes("sells") || /有|要|想|可以/u.test(rest) ? saySpec(subject, rest) : null;
}

function priceParts(asked: Asked): Part[] {
  return asked.subjects.flatMap((subject, index) => {
    const lines = sayPrice(subject, asked.rest);
    const extra = lines === null || index > 0 || asked.subjects.length > 1 ? [] : sayBestPromotion(subject);
    return toPart(lines === null ? null : [...lines, ...extra], subject);
  });
}

function listPriceParts(asked: Asked): Part[] {
  return asked.subjects.flatMap((subject) => [
    ...toPart(sayListPrice(subject), subject),
    ...toPart(sayPrice(subject, asked.rest), subject),
  ]);
}

/** Sums are the tool's: without one, the unit price and the coupons are said, and nothing is added up. */
function totalParts(asked: Asked): Part[] {
  const { world, reading } = asked;
  return asked.subjects.flatMap((subject): Part[] => {
    const quote = world.quotes.findLast(
      (candidate) => candidate.link === subject.product.link && (candidate.quantity ?? 1) === reading.quantity,
    );
    const said = quote === undefined ? null : sayQuote(quote, subject.name);
    if (said !== null) return [{ lines: said }];
    const choice = findSkus(subject.product, asked.rest);
    const need: ToolNeed = {
      kind: "price",
      product: subject.product,
      spec: choice.named.join(" "),
      quantity: reading.quantity,
    };
    const price = sayPrice(subject, asked.rest) ?? [];
    const end = "合计和券后价以下单页面显示的为准哈。";
    return [{ lines: [...price, ...(sayCoupons(world.coupons) ?? []), end], needs: [need] }];
  });
}

function couponParts(asked: Asked): Part[] {
  const { world } = asked;
  const offers = asked.subjects.flatMap((subject) => sayPromotions(subject) ?? []);
  const coupons = sayCoupons(world.coupons) ?? [];
  const lines = [...offers, ...coupons];
  if (lines.length > 0) return [{ lines }];
  const tried = world.toolUses.length > 0;
  const none = "目前没有查到别的优惠，按直播间现在的价来。";
  return [{ lines: [none], ...(!tried && { needs: [{ kind: "promotions" }] }), isKnown: tried }];
}

function giftParts(asked: Asked): Part[] {
  const offers = asked.subjects.flatMap((subject) => sayPromotions(subject, /赠|送/u) ?? []);
  if (offers.length > 0) return [{ lines: offers }];
  const faq = faqParts(asked);
  return faq.length > 0 ? faq : [{ lines: ["这款的资料里没有查到赠品，以商品页面为准哈。"] }];
}

function stockParts(asked: Asked): Part[] {
  const hidesCount = findProhibition(asked.whole, ["stock-count"], asked.world.rules) !== null;
  return asked.subjects.flatMap((subject) => {
    const lines = sayStock(subject, asked.rest, !hidesCount);
    if (lines !== null) return [{ lines }];
    const quote = asked.world.quotes.findLast((candidate) => candidate.link === subject.product.link);
    const skus = (quote?.skus ?? []).flatMap(({ specs, stock }) =>
      stock === undefined ? [] : [{ id: "", specs, stock, price: 0 }],
    );
    const quoted =
      skus.length === 0
        ? null
        : sayStock({ ...subject, product: { ...subject.product, skus } }, asked.rest, !hidesCount);
    return toPart(quoted, subject, { kind: "stock", product: subject.product, spec: "" });
  });
}

function compareParts(asked: Asked): Part[] {
  if (asked.subjects.length < 2) {
    const known = asked.subjects[0];
    return known === undefined
      ? [{ lines: [WHICH_LINE] }]
      : [{ lines: [`${known.name}和哪一款比呢，打一下另一款的几号链接。`], isKnown: false }];
  }
  if (asked.subjects.some(({ product }) => product.skus === undefined)) {
    return [
      {
        lines: [],
        needs: [{ kind: "compare", products: asked.subjects.map(({ product }) => product) }],
        isKnown: false,
      },
    ];
  }
  const wanted = sayAttributes(
    asked.subjects[0] ?? { product: asked.subjects[0]?.product ?? { link: 0, name: "" }, name: "" },
    asked.rest,
    asked.whole,
  );
  const lines = asked.subjects.slice(0, 3).flatMap((subject) => {
    const price = sayPrice(subject, "")?.slice(0, 1) ?? [];
    const property = sayAttributes({ ...subject, name: "" }, wanted === null ? "什么材质" : asked.rest, asked.whole);
    return [...price, ...(property?.isKnown === true ? property.lines.slice(0, 1) : [])];
  });
  return [{ lines: [...lines, "看您更看重哪一点，需要我再讲哪一款就说。"] }];
}

function linkParts(asked: Asked): Part[] {
  return asked.subjects.slice(0, 2).map(({ product }) => ({ lines: [`${product.name}是${product.link}号链接。`] }));
}

function howToOrderParts(asked: Asked): Part[] {
  const product = asked.subjects[0]?.product;
  return [
    {
      lines: [
        product === undefined
          ? "想要哪一款就点哪个链接进去，选好规格下单就行。"
          : `点${product.link}号链接进去，选好规格下单就行。`,
      ],
    },
  ];
}

function recommendParts(asked: Asked): Part[] {
  const { reading, world, reference } = asked;
  if (reference.how === "name" || reference.how === "link") return [];
  const picks = pickProducts(world, reading.budget, /便宜/u.test(asked.rest));
  if (picks.length === 0) return [{ lines: ["这个价位的直播间现在没有，您可以看看别的。"] }];
  return [{ lines: sayProducts(picks, "可以看看") }];
}

/** "有枕头吗": the product that was named is sold here. */
function sellsParts(asked: Asked): Part[] {
  if (asked.reference.how !== "name" && asked.reference.how !== "link") return [];
  return asked.subjects.slice(0, 2).map(({ product }) => ({ lines: sayProducts([product], "有的，") }));
}

function toPart(lines: readonly string[] | null, { product }: Subject, need?: ToolNeed): Part[] {
  if (lines !== null) return lines.length === 0 ? [] : [{ lines }];
  if (product.skus !== undefined) return [];
  return [{ lines: [], needs: [need ?? { kind: "product", product }], isKnown: false }];
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
  const skill = saySkillLine(world.loadedSkills, whole);
  const lines = hasFailed
    ? NOT_FOUND_LINES.slice(0, 1)
    : admissions.length > 0
      ? admissions
      : (skill ?? UNKNOWN_LINES.slice(0, 1));
  return { lines, isKnown: false, needs };
}

function onScreenLine({ onScreen }: KnownWorld): string[] {
  return onScreen === null ? [] : [`现在讲的是${onScreen.link}号链接${onScreen.name}。`];
}
