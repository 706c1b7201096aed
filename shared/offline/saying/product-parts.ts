/** Answers about products: one handler an intent, in the order of answering. */
import type { CouponFact } from "../../contract/fact.ts";
import type { ToolNeed } from "../choose-tool.ts";
import type { Intent } from "../reading/classify-question.ts";
import { askedGroups } from "../reading/find-attribute.ts";
import { findSkus } from "../reading/find-skus.ts";
import { findProhibition } from "../reading/follow-rules.ts";
import type { Asked, Part, Subject } from "../reading/read-question.ts";
import type { KnownWorld } from "../reading/read-request.ts";
import { toPlain } from "../reading/text-overlap.ts";
import { isInjection } from "../reading/spot-injection.ts";
import { confirmedWord, subjectWords } from "../reading/subject-words.ts";
import { DECLINES, GREETING_LINE, PRAISE_LINE, TOTAL_ON_PAGE_LINE, WHICH_LINE } from "./fixed-lines.ts";
import {
  listSpecs,
  sayAttributes,
  sayBestPromotion,
  sayIntro,
  sayListPrice,
  sayPrice,
  sayPriceRange,
  sayPromotions,
  sayQuote,
  sayMeasured,
  sayMention,
  saySpec,
  sayStock,
} from "./say-product.ts";
import { pickProducts, sayCoupons, sayProducts } from "./say-shop.ts";
import { faqParts } from "./shop-parts.ts";

type Handler = (asked: Asked) => Part[];

const HANDLERS: readonly (readonly [Intent, Handler])[] = [
  ["compare", compareParts],
  ["total", totalParts],
  ["price-future", (asked) => [{ lines: [DECLINES["price-future"] ?? ""] }, ...priceParts(asked)]],
  ["list-price", listPriceParts],
  ["price", priceParts],
  ["bargain", (asked) => [...couponParts(asked), ...priceParts(asked, false)]],
  ["gift", giftParts],
  ["promotion", couponParts],
  ["restock", (asked) => [...stockParts(asked), { lines: [DECLINES.restock ?? ""] }]],
  ["stock", stockParts],
  ["link", linkParts],
  ["how-to-order", howToOrderParts],
  ["recommend", recommendParts],
];

/** Used where nothing narrower answered. */
const WIDE_HANDLERS: readonly (readonly [Intent, Handler])[] = [
  ["size-advice", sizeParts],
  ["sells", sellsParts],
  ["intro", introParts],
  ["praise", (asked) => [{ lines: [PRAISE_LINE, ...onScreenLine(asked.world)] }]],
  ["greeting", (asked) => [{ lines: [GREETING_LINE, ...onScreenLine(asked.world)] }]],
];

/** All that the question wants of its products; what is wanted vaguely only where nothing else answered. */
export function productParts(asked: Asked): Part[] {
  const { intents } = asked.reading;
  const narrow = HANDLERS.filter(([intent]) => intents.includes(intent)).flatMap(([, handler]) => handler(asked));
  const attributes = intents.includes("compare") ? [] : attributeParts(asked, narrow.length > 0);
  const parts = [...narrow, ...attributes];
  // An admission about what was asked is a better answer than something else that is known.
  if (parts.length > 0) return parts;
  const wide = WIDE_HANDLERS.filter(([intent]) => intents.includes(intent)).flatMap(([, handler]) => handler(asked));
  if (wide.length > 0) return wide.slice(0, 1);
  // "2号" alone.
  const isNamedOnly = toPlain(asked.rest) === "" && ["link", "name"].includes(asked.reference.how);
  return isNamedOnly ? introParts(asked) : [];
}

/** Not for "轮子好不好": that asks of a part. */
function introParts(asked: Asked): Part[] {
  if (subjectWords(asked.rest).length > 0) return [];
  return asked.subjects.flatMap((subject) => toPart(sayIntro(subject), subject));
}

/** @param isSecond - Another intent was answered: then an admission would only confuse. */
function attributeParts(asked: Asked, isSecond: boolean): Part[] {
  return asked.subjects.flatMap((subject) => {
    const specs = isSecond ? null : specLines(subject, asked);
    if (specs !== null) return [{ lines: specs }];
    if (subject.product.attributes === undefined && subject.product.skus === undefined) {
      return isSecond ? [] : toPart(null, subject);
    }
    if (isSecond && isSpecification(subject, asked)) return [];
    const said = sayAttributes(subject, asked.rest, asked.whole);
    if (said?.isKnown === true) return [said];
    return isSecond ? [] : unlistedParts(subject, asked, said);
  });
}

/** "黑红的有货吗": the colour picks what was answered and is no question of its own. */
function isSpecification({ product }: Subject, { rest, whole }: Asked): boolean {
  const groups = askedGroups(rest).map((group) => group.key);
  return groups.every((key) => ["colour", "size", "bed"].includes(key)) && findSkus(product, whole).named.length > 0;
}

/** A property that has no attribute of its own: what the product's text says with the question's words, or what can be chosen. */
function unlistedParts(subject: Subject, asked: Asked, admission: Part | null): Part[] {
  const mentioned = sayMention(subject, mentionWords(asked, admission !== null), /吗|么|嘛|不|[?？]/u.test(asked.rest));
  if (mentioned !== null) return [{ lines: mentioned }];
  const isChoice = admission !== null ? /颜色|尺寸/u.test(admission.lines.join("")) : hasMeasure(asked.rest);
  const choices = isChoice ? listSpecs(subject, /./u) : null;
  if (choices !== null) return [{ lines: ["这个规格资料里没有写。", ...choices] }];
  return admission === null ? [] : [admission];
}

function hasMeasure(text: string): boolean {
  return /\d(寸|码|升|米|m|cm|克|斤)/u.test(text);
}

/** Words of the question that the product's own text may hold. Of a known property, only those that are asked to be confirmed. */
function mentionWords({ rest, whole }: Asked, isProperty: boolean): string[] {
  const confirmed = confirmedWord(whole);
  const certain = [...(confirmed === undefined ? [] : [confirmed]), ...namedColours(whole)];
  if (isProperty) return certain;
  const latin = rest.match(/[0-9]*[a-z]{1,8}(?![a-z])/gu) ?? [];
  return [...certain, ...subjectWords(rest), ...latin.filter((word) => word.length >= 2)];
}

function namedColours(text: string): string[] {
  return text.match(/原木色|[\p{Script=Han}]色(?=的|是)/gu)?.slice(0, 2) ?? [];
}

/** Asks for the colours, or for all that can be chosen. */
const COLOURS = /(哪些|什么|啥|几个|几种|有几|多少个|别的|其他|其它)(颜色|色)|颜色(有|都)/u;
const CHOICES =
  /(哪些|什么|啥|几个|几种|别的|其他|其它)(规格|尺寸|尺码|码|款式?|型号|口味|大小|系列|花色)|(规格|尺寸|尺码|款式)(有|都)|哪几(款|种|个)|几款|分(厚薄|大小|男女|几|什么|哪|款)/u;
const IN_UNITS = /(?:多少|几)(升|寸|毫升|ml|枚|片)/u;

function specLines(subject: Subject, { rest, whole, reading }: Asked): string[] | null {
  if (COLOURS.test(rest)) return listSpecs(subject, /色/u);
  if (CHOICES.test(rest)) return listSpecs(subject, /./u);
  const unit = IN_UNITS.exec(rest)?.[1];
  if (unit !== undefined) return listSpecs(subject, /./u, unit);
  const isBare = reading.intents.length === 0 && askedGroups(rest).length === 0;
  if (!isBare && !reading.intents.includes("sells") && !/有|要|想|可以/u.test(rest)) return null;
  return saySpec(subject, whole) ?? sayMeasured(subject, rest);
}

/** Prices of what was asked for, with one short offer where one product is meant. */
export function priceParts(asked: Asked, withOffer = true): Part[] {
  return asked.subjects.flatMap((subject, index) => {
    const lines = sayPrice(subject, asked.whole);
    const extra =
      !withOffer || lines === null || index > 0 || asked.subjects.length > 1 ? [] : sayBestPromotion(subject);
    return toPart(lines === null ? null : [...lines, ...extra], subject);
  });
}

function listPriceParts(asked: Asked): Part[] {
  return asked.subjects.flatMap((subject) => [
    ...toPart(sayListPrice(subject), subject),
    ...toPart(sayPrice(subject, asked.whole), subject),
  ]);
}

/** Offers that make a sum differ from pieces times price. */
const CHANGES_TOTAL = /半价|折|立减|减\d|买.{0,4}送|满\d+(?!支送|件送)/u;

/** Sums are the tool's: without one, the unit price and the coupons are said, and nothing is added up. */
function totalParts(asked: Asked): Part[] {
  return asked.subjects.map((subject) => totalPart(subject, asked));
}

function totalPart(subject: Subject, { world, reading, whole }: Asked): Part {
  const price = sayPrice(subject, whole) ?? [];
  const offers = sayPromotions(subject, CHANGES_TOTAL);
  // "第2件半价" changes the sum, and no tool works it out.
  if (offers !== null) return { lines: [...price, ...offers, TOTAL_ON_PAGE_LINE] };
  const quote = world.quotes.findLast(
    (candidate) => candidate.link === subject.product.link && (candidate.quantity ?? 1) === reading.quantity,
  );
  const said = quote === undefined ? null : sayQuote(quote, subject.name, whole);
  const coupons = [...(sayCoupons(world.coupons) ?? []), TOTAL_ON_PAGE_LINE];
  if (said !== null) {
    const isCouponAsked = /券|到手/u.test(whole) && !said.join("").includes("用券后");
    return { lines: isCouponAsked ? [...said, ...coupons] : said };
  }
  const lines = [...price, ...coupons];
  if (quote !== undefined) return { lines };
  const spec = findSkus(subject.product, whole).named.join(" ");
  return { lines, needs: [{ kind: "price", product: subject.product, spec, quantity: reading.quantity }] };
}

/** "减15的券": the one with that number; all when none has it. */
function couponsAsked(coupons: readonly CouponFact[], question: string): readonly CouponFact[] {
  const numbers = (question.match(/\d+(?:\.\d+)?/gu) ?? []).map(Number);
  const named = coupons.filter(
    ({ off, min }) => numbers.includes(off) || (numbers.includes(min) && numbers.includes(off)),
  );
  return named.length > 0 ? named : coupons;
}

/** Offers and coupons. */
export function couponParts(asked: Asked): Part[] {
  const { world } = asked;
  const offers = asked.subjects.flatMap((subject) => sayPromotions(subject) ?? []);
  const coupons = sayCoupons(couponsAsked(world.coupons, asked.whole)) ?? [];
  const lines = [...offers, ...coupons];
  if (lines.length > 0) return [{ lines }];
  const tried = world.toolUses.length > 0;
  const none = "目前没有查到别的优惠，按直播间现在的价来。";
  return [{ lines: [none], ...(!tried && { needs: [{ kind: "promotions" }] }), isKnown: tried }];
}

function giftParts(asked: Asked): Part[] {
  const offers = asked.subjects.flatMap((subject) => sayPromotions(subject, /赠|送/u) ?? []);
  if (offers.length > 0) return [{ lines: offers }];
  const elsewhere = asked.subjects.length === 0 ? promotionsLike(asked) : [];
  if (elsewhere.length > 0) return [{ lines: elsewhere }];
  const faq = faqParts(asked);
  if (faq.length > 0) return faq;
  return [{ lines: ["赠品这块资料里没有查到，以商品页面为准哈。"], isKnown: asked.subjects.length > 0 }];
}

/** "买锅送铲子吗" with nothing on screen: the offer that speaks of it, with its product. */
function promotionsLike({ world, rest }: Asked): string[] {
  const words = subjectWords(rest.replaceAll(/[买送赠]/gu, " "));
  return world.products
    .flatMap((product) =>
      (product.promotions ?? [])
        .filter((offer) => /赠|送/u.test(offer) && words.some((word) => sharesGift(word, `${product.name}${offer}`)))
        .flatMap((offer) => (isInjection(offer) ? [] : [`${product.link}号${product.name}：${offer}。`])),
    )
    .slice(0, 2);
}

/** 铲子 in 木铲, 笔袋 in 笔袋. */
function sharesGift(word: string, offer: string): boolean {
  const core = word.replace(/[子头儿]$/u, "");
  return core !== "" && offer.includes(core);
}

/** Stock of what was asked for, without numbers where a rule keeps them back. */
export function stockParts(asked: Asked): Part[] {
  const hidesCount = findProhibition(asked.whole, ["stock-count"], asked.world.rules) !== null;
  return asked.subjects.flatMap((subject) => {
    const lines = sayStock(subject, asked.whole, !hidesCount);
    if (lines !== null) return [{ lines }];
    const quote = asked.world.quotes.findLast((candidate) => candidate.link === subject.product.link);
    const skus = (quote?.skus ?? []).flatMap(({ specs, stock }) =>
      stock === undefined ? [] : [{ id: "", specs, stock, price: 0 }],
    );
    const quoted =
      skus.length === 0
        ? null
        : sayStock({ ...subject, product: { ...subject.product, skus } }, asked.whole, !hidesCount);
    return toPart(quoted, subject, { kind: "stock", product: subject.product, spec: "" });
  });
}

/** Each product's price and the property that was asked for, or its material: facts side by side, no verdict. */
function compareParts(asked: Asked): Part[] {
  const [first, second] = asked.subjects;
  if (first === undefined) return [{ lines: [WHICH_LINE] }];
  if (second === undefined && (first.product.skus ?? []).length > 1) {
    return /贵|便宜|价|差/u.test(asked.rest) ? priceParts(asked, false) : [];
  }
  if (second === undefined) return [{ lines: [`${first.name}和哪一款比呢，打一下另一款的几号链接。`], isKnown: false }];
  const products = asked.subjects.map(({ product }) => product);
  if (products.some(({ skus }) => skus === undefined)) {
    return [{ lines: [], needs: [{ kind: "compare", products }], isKnown: false }];
  }
  const wanted = asked.rest.replaceAll(/有?(什么|啥)?(区别|差别|不同|不一样)|哪一?(个|款|种)好?/gu, " ");
  const topic = sayAttributes(first, wanted, asked.whole) === null ? "什么材质" : wanted;
  const lines = asked.subjects.slice(0, 3).flatMap((subject) => {
    const property = sayAttributes(subject, topic, asked.whole);
    return [
      ...(sayPriceRange(subject) ?? []),
      ...(property?.isKnown === true
        ? property.lines.slice(0, 1).map((line) => line.replace(subject.name, `${subject.product.link}号`))
        : []),
    ];
  });
  return [{ lines: [...lines, "看您更看重哪一点，要细讲哪一款就说。"] }];
}

/** The shop's own advice where it gives some; a size is never guessed. */
function sizeParts(asked: Asked): Part[] {
  const fitting = asked.subjects.flatMap(
    (subject) => sayMention(subject, ["尺码表", "身高", "体重", "承重"]) ?? sayWindowSize(subject, asked.rest) ?? [],
  );
  if (fitting.length > 0) return [{ lines: fitting }];
  const faq = faqParts({ ...asked, rest: "尺码怎么选" });
  return faq.length > 0 ? faq : [{ lines: [DECLINES["size-advice"] ?? ""], isKnown: false }];
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

/** "3.2米的窗拍多大": the sizes with what each is for. */
function sayWindowSize(subject: Subject, question: string): string[] | null {
  return /\d/u.test(question) && !/斤|身高|岁/u.test(question) ? sayMention(subject, ["适用于"]) : null;
}

/** "有枕头吗": the product that was named is sold here. */
function sellsParts(asked: Asked): Part[] {
  if (asked.reference.how !== "name" && asked.reference.how !== "link") return [];
  if (subjectWords(asked.rest).length > 0 || hasMeasure(asked.rest)) return [];
  return asked.subjects.slice(0, 2).map(({ product }) => ({ lines: sayProducts([product], "有的，") }));
}

function toPart(lines: readonly string[] | null, { product }: Subject, need?: ToolNeed): Part[] {
  if (lines !== null) return lines.length === 0 ? [] : [{ lines }];
  if (product.skus !== undefined) return [];
  return [{ lines: [], needs: [need ?? { kind: "product", product }], isKnown: false }];
}

function onScreenLine({ onScreen }: KnownWorld): string[] {
  return onScreen === null ? [] : [`现在讲的是${onScreen.link}号链接${onScreen.name}。`];
}
