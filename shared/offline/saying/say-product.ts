/** Spoken sentences about products. Every number is copied from a fact; nothing is added up, rounded or converted. */
import { countCodePoints, normaliseForMatch } from "../../core/text.ts";
import { findAttributes, findMention } from "../reading/find-attribute.ts";
import { findSkus, specLabel } from "../reading/find-skus.ts";
import type { KnownProduct, KnownSku, Quote } from "../reading/read-request.ts";
import type { Subject } from "../reading/read-question.ts";
import { isInjection } from "../reading/spot-injection.ts";

/** SKUs that are named one by one; more give a range or a summary. */
const SKUS_NAMED_MAX = 4;
const PRICES_NAMED_MAX = 3;

/** Characters of a promotion that is read out beside a price. */
const PROMOTION_CHARS_MAX = 45;

/** The price of what was asked for. Null when the facts hold none. */
export function sayPrice({ product, name }: Subject, question: string): string[] | null {
  if (product.skus === undefined) return sayRange(name, product.priceFrom, product.priceTo);
  const { skus, missing, named } = findSkus(product, question);
  const lines = missing === null ? [] : [sayMissing(product, missing)];
  const byPrice = Map.groupBy(skus, (sku) => sku.price);
  const prices = [...byPrice.keys()].toSorted((a, b) => a - b);
  if (prices.length === 0) return null;
  const label = named.length > 0 && missing === null ? `${named.join(" ")}的` : "";
  const gone = skus.every((sku) => sku.stock === 0) ? sayNone("", skus, product) : [];
  if (prices.length === 1) return [...lines, `${name}${label}直播间现在${prices[0]}元。`, ...gone];
  if (prices.length <= PRICES_NAMED_MAX) {
    const parts = prices.map((price) => `${labelOf(byPrice.get(price) ?? [], skus)}是${price}元`);
    return [...lines, ...cutList(`${name}现在`, parts)];
  }
  return [...lines, `${name}现在${prices[0]}元到${prices.at(-1)}元，看您选哪个规格。`];
}

/** The price before the live room's, when it is known. */
export function sayListPrice({ product, name }: Subject): string[] | null {
  return product.listPrice === undefined ? null : [`${name}划线价${product.listPrice}元。`];
}

/** One sentence for all SKUs. */
export function sayPriceRange({ product, name }: Subject): string[] | null {
  const prices = (product.skus ?? []).map((sku) => sku.price);
  if (prices.length === 0) return sayRange(name, product.priceFrom, product.priceTo);
  return sayRange(name, Math.min(...prices), Math.max(...prices));
}

function sayRange(name: string, from: number | undefined, to: number | undefined): string[] | null {
  if (from === undefined || to === undefined) return null;
  return [from === to ? `${name}直播间现在${from}元。` : `${name}现在${from}元到${to}元，看您选哪个规格。`];
}

/** What a tool worked out for several pieces or with a coupon. */
export function sayQuote(quote: Quote, name: string, question: string): string[] | null {
  const totals = quote.skus.filter((sku) => sku.total !== undefined);
  const first = totals[0];
  if (first === undefined) return null;
  const isUniform = totals.every((sku) => sku.total === first.total && sku.totalWithCoupon === first.totalWithCoupon);
  const named = isUniform ? [first] : totals.slice(0, PRICES_NAMED_MAX);
  const count = quote.quantity === undefined || quote.quantity === 1 ? "" : `${quote.quantity}件`;
  return named.flatMap((sku) => {
    const label = isUniform ? "" : `${specLabel(sku, totals)}的`;
    const start = `${name}${label}${count === "" ? "现在" : `${count}一共`}${sku.total}元`;
    const best = bestCoupon(sku, question);
    if (best === null) return [`${start}。`];
    const { min, off, name: coupon, condition, totalWithCoupon } = best;
    const how = condition === undefined ? "" : `，${condition}`;
    return [`${start}，用券后${totalWithCoupon}元。`, `用的是满${min}减${off}元的${coupon}${how}。`];
  });
}

/** Conditions that only some viewers meet: a price after such a coupon is told to those who say that they do. */
const RESTRICTED = /新(?:用户|人|客)|兑换码|会员|粉丝|老客/gu;

/** The coupon that takes most off for this viewer: one for those who the question says they are, else one for everybody. */
function bestCoupon(sku: Quote["skus"][number], question: string) {
  const single =
    sku.coupon === undefined || sku.totalWithCoupon === undefined
      ? []
      : [{ ...sku.coupon, totalWithCoupon: sku.totalWithCoupon }];
  const mine = /新(用户|人|客)/u.test(question) ? /新/u : /兑换码|会员|粉丝|老客/u;
  const fitting = [...single, ...(sku.coupons ?? [])].filter(({ name, condition }) => {
    const groups = `${name}，${condition ?? ""}`.match(RESTRICTED) ?? [];
    return groups.every((group) => mine.test(group) && (/新/u.test(group) || question.includes(group)));
  });
  return fitting.toSorted((a, b) => b.off - a.off)[0] ?? null;
}

/** What the product's own text says with one of these words. */
export function sayMention({ product, name }: Subject, words: readonly string[], withBrief = false): string[] | null {
  const text = findMention(product, words, withBrief);
  return text === null ? null : [`${name}${text}。`];
}

/** Offers on this product alone. */
export function sayPromotions({ product, name }: Subject, words: RegExp | null = null): string[] | null {
  const offers = (product.promotions ?? []).filter(
    (offer) => !isInjection(offer) && (words === null || words.test(offer)),
  );
  return offers.length === 0 ? null : [`${name}的活动是：${offers.slice(0, 3).join("；")}。`];
}

/** One short offer, to go with a price. */
export function sayBestPromotion({ product }: Subject): string[] {
  const offer = product.promotions?.find((text) => !isInjection(text) && countCodePoints(text) <= PROMOTION_CHARS_MAX);
  return offer === undefined ? [] : [`${offer.replace(/[。！!]+$/u, "")}。`];
}

/** Stock of what was asked for, by specification. `withCount`: false where a rule keeps the numbers back. */
export function sayStock({ product, name }: Subject, question: string, withCount: boolean): string[] | null {
  if (product.skus === undefined) return null;
  const { skus, missing } = findSkus(product, question);
  if (missing !== null) return [sayMissing(product, missing)];
  const out = skus.filter((sku) => sku.stock === 0);
  const left = skus.filter((sku) => sku.stock > 0);
  const unit = product.unit ?? "件";
  if (left.length === 0) return sayNone(name, skus, product);
  if (skus.length === 1) {
    const label = specLabel(left[0] ?? { specs: {} }, product.skus);
    return [`${name}${label}有货${withCount ? `，现在还有${left[0]?.stock}${unit}` : ""}。`];
  }
  const gone = out.length === 0 ? [] : [`${labelOf(out, skus)}没货了。`];
  if (!withCount) return [`${name}有货。`, ...gone];
  if (left.length > SKUS_NAMED_MAX) return [...gone, `${name}其余规格都有货，您要哪一个，我给您报数。`];
  return [
    ...cutList(
      `${name}有货，`,
      left.map((sku) => `${specLabel(sku, skus)}还有${sku.stock}${unit}`),
    ),
    ...gone,
  ];
}

function sayNone(name: string, skus: readonly KnownSku[], product: KnownProduct): string[] {
  const all = product.skus ?? [];
  const others = all.filter((sku) => sku.stock > 0 && !skus.includes(sku)).slice(0, 3);
  const label = skus.length < all.length ? labelOf(skus, all) : "";
  const rest = others.length === 0 ? [] : [`还有货的是${others.map((sku) => specLabel(sku, all)).join("、")}。`];
  return [`${name}${label}现在没货了。`, ...rest];
}

/** Whether a colour or size is offered; null when the question names none that the SKUs could have. */
export function saySpec({ product, name }: Subject, question: string): string[] | null {
  const { skus, named, missing } = findSkus(product, question);
  if (missing !== null) return [sayMissing(product, missing)];
  if (named.length === 0) return null;
  const left = skus.filter((sku) => sku.stock > 0);
  if (skus.length === 0) return null;
  if (left.length === 0) return sayNone(name, skus, product);
  const only = left.length === 1 ? left[0] : undefined;
  const count = only === undefined ? "" : `，还有${only.stock}${product.unit ?? "件"}`;
  return [`有的，${name}有${named.join("、")}，现在有货${count}。`];
}

/** "有1.8的吗" where the size is an attribute: quotes the attribute that holds the measure. */
export function sayMeasured({ product, name }: Subject, question: string): string[] | null {
  const measure = /(?<![\d.])(\d+\.\d+|\d{2,4})(?=m|米|的|cm|厘米|公分|寸|款)/u.exec(normaliseForMatch(question))?.[1];
  if (measure === undefined) return null;
  const entry = Object.entries(product.attributes ?? {}).find(
    ([attribute, value]) => /尺寸|规格|适用/u.test(attribute) && value.includes(measure) && !isInjection(value),
  );
  return entry === undefined ? null : [`${name}${entry[0]}是${entry[1].replace(/\s*\n\s*/gu, "，")}。`];
}

/** The values of a specification, or of all of them: "有哪些颜色". `unit`: only those that measure in it. */
export function listSpecs({ product, name }: Subject, wanted: RegExp, unit = ""): string[] | null {
  const skus = product.skus ?? [];
  const names = [...new Set(skus.flatMap((sku) => Object.keys(sku.specs)))];
  const lists = names
    .map((spec) => ({
      spec,
      values: [...new Set(skus.map((sku) => sku.specs[spec] ?? ""))].filter((value) => value !== ""),
    }))
    .filter(
      ({ spec, values }) => values.some((value) => value !== "标准" && value.includes(unit)) && wanted.test(spec),
    );
  return lists.length === 0 ? null : lists.flatMap(({ spec, values }) => cutList(`${name}的${spec}有`, values, "、"));
}

function sayMissing(product: KnownProduct, missing: string): string {
  const skus = product.skus ?? [];
  const isColour = /^[\u4e00-\u9fff]$/u.test(missing);
  const wanted = isColour ? /色/u : /尺|码|号|规格|大小|床/u;
  const values = [
    ...new Set(
      skus.flatMap((sku) =>
        Object.entries(sku.specs)
          .filter(([spec]) => wanted.test(spec))
          .map(([, value]) => value),
      ),
    ),
  ];
  return `没有${missing}${isColour ? "色" : ""}的，现在有${values.slice(0, 6).join("、")}。`;
}

/** What the facts say about the properties that were asked for. `isKnown` is false when all of it is an admission. */
export function sayAttributes(
  { product, name }: Subject,
  question: string,
  whole: string,
): { readonly lines: string[]; readonly isKnown: boolean } | null {
  const answers = findAttributes(product, question, whole);
  if (answers.length === 0) return null;
  const known = answers.filter((answer) => answer.text !== null);
  if (known.length > 0) return { lines: known.map(({ text }) => `${name}${text}。`), isKnown: true };
  return { lines: [`${answers[0]?.label}我这边的资料里没有写，不敢乱说，您可以看一下商品页面哈。`], isKnown: false };
}

/** The product in one or two sentences. */
export function sayIntro({ product, name }: Subject): string[] | null {
  const text = product.brief;
  const start = name.includes(product.name) ? `${name}：` : `${name}是${product.name}，`;
  const brief = text === undefined || isInjection(text) ? [] : [`${start}${text.replace(/[。！!]+$/u, "")}。`];
  const price = sayPriceRange({ product, name: "" }) ?? [];
  return brief.length + price.length === 0 ? null : [...brief, ...price];
}

/** Joins parts to sentences short enough to be heard: a comma list of up to about 50 characters each. */
export function cutList(start: string, parts: readonly string[], separator = "，"): string[] {
  const sentences: string[] = [];
  let current = start;
  for (const part of parts) {
    const isFirst = current === start || current === "";
    if (!isFirst && current.length + part.length > 50) {
      sentences.push(`${current}。`);
      current = part;
    } else current += isFirst ? part : `${separator}${part}`;
  }
  return [...sentences, `${current}。`];
}

function labelOf(skus: readonly KnownSku[], siblings: readonly KnownSku[]): string {
  const label = skus.map((sku) => specLabel(sku, siblings)).filter((text) => text !== "");
  return label.length > SKUS_NAMED_MAX ? `${label.slice(0, SKUS_NAMED_MAX).join("、")}等` : label.join("、");
}
