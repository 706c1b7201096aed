/** Spoken sentences about the shop: coupons, its own answers, notes and skills. */
import type { CouponFact } from "../../contract/fact.ts";
import type { FaqMatch } from "../reading/match-faq.ts";
import type { KnownProduct, KnownWorld, LoadedSkill } from "../reading/read-request.ts";
import { cutList } from "./say-product.ts";
import { isInjection } from "../reading/spot-injection.ts";
import { contentPairs } from "../reading/subject-words.ts";
import { countShared, pairsOf, splitSentences, toPlain } from "../reading/text-overlap.ts";

const COUPONS_MAX = 4;

/** Characters of a shop answer that are read out; the rest is on the page. */
const FAQ_CHARS_MAX = 160;

/** Notes that tell the host how to answer are followed, not read out. */
const GUIDANCE = /观众|被问|主播|弹幕|只说|只讲|只报|不说|不能说|不要|别说|不推荐|不算|照资料|提醒|婉拒|第一句|话术/u;

/** Coupons of the room, the question's own words first. */
export function sayCoupons(coupons: readonly CouponFact[]): string[] | null {
  const parts = coupons.slice(0, COUPONS_MAX).map(({ name, min, off, condition }) => {
    const how = condition === undefined || isInjection(condition) ? "" : `（${condition}）`;
    return `${min > 0 ? `满${min}减${off}元` : `立减${off}元`}的${name}${how}`;
  });
  return parts.length === 0 ? null : cutList("店铺的券有", parts).map((line) => line.replace(/（([^）]*)）/gu, "，$1"));
}

/** The shop's answer in its own words, as far as can be listened to. */
export function sayFaq({ entry }: FaqMatch): string[] {
  const lines: string[] = [];
  let chars = 0;
  for (const sentence of splitSentences(entry.answer)) {
    if (isInjection(sentence)) continue;
    chars += sentence.length;
    if (lines.length > 0 && chars > FAQ_CHARS_MAX) break;
    lines.push(`${sentence.replace(/[，,、：:]+$/u, "")}。`);
  }
  return lines;
}

/** Sentences of notes that share enough with the question and are facts, not directions. */
export function sayNotes(notes: readonly string[], question: string): string[] | null {
  const wanted = pairsOf(toPlain(question));
  const fitting = notes
    .flatMap(splitSentences)
    .filter((sentence) => !GUIDANCE.test(sentence) && !isInjection(sentence))
    .map((sentence) => ({ sentence, shared: countShared(wanted, pairsOf(toPlain(sentence))) }))
    .filter(({ shared }) => shared >= Math.max(2, wanted.size * 0.3))
    .toSorted((a, b) => b.shared - a.shared);
  return fitting.length === 0 ? null : fitting.slice(0, 2).map(({ sentence }) => `${sentence}。`);
}

/** "没有写，就说以结算页显示为准": what a skill gives to say where facts are silent. */
const SKILL_LINE =
  /(?:就说|说一句|直接说|只说|统一说|说)\s*[:：]?\s*(?:[“「"]([^”」"]{4,60})[”」"]|([^，。；：“”「」"]{6,40}))/gu;
const UNQUOTED = /^[^不没]{2,16}为准$/u;

/** The line of a loaded skill whose instruction is closest to the question, for questions that no fact answers. */
export function saySkillLine(skills: readonly LoadedSkill[], question: string): string[] | null {
  const wanted = contentPairs(question);
  const lines = skills
    .flatMap((skill) => skill.body.split("\n"))
    .flatMap((instruction) => {
      const shared = countShared(wanted, pairsOf(toPlain(instruction)));
      return [...instruction.matchAll(SKILL_LINE)].map(([, quoted, plain]) => ({ quoted, plain, shared }));
    })
    .filter(({ quoted, plain, shared }) => shared > 0 && (quoted !== undefined || UNQUOTED.test(plain ?? "")))
    .toSorted((a, b) => b.shared - a.shared);
  const best = lines[0];
  const text = best?.quoted ?? best?.plain;
  return text === undefined || /登记/u.test(text) ? null : [`${text.replace(/[。！!]+$/u, "")}。`];
}

/** Two or three products with link and price, for "有什么推荐". */
export function sayProducts(products: readonly KnownProduct[], start: string): string[] {
  const parts = products.slice(0, 3).map((product) => {
    const prices = (product.skus ?? []).map((sku) => sku.price);
    const from = product.priceFrom ?? (prices.length === 0 ? undefined : Math.min(...prices));
    const to = product.priceTo ?? (prices.length === 0 ? undefined : Math.max(...prices));
    return `${product.link}号${product.name}${from === undefined ? "" : `${from}元${from === to ? "" : "起"}`}`;
  });
  return cutList(start, parts);
}

/** Products in stock that fit a budget, the one on screen first, then by link. */
export function pickProducts(world: KnownWorld, budget: number | null, cheapestFirst: boolean): KnownProduct[] {
  const priced = world.products.map((product) => ({
    product,
    price: Math.min(product.priceFrom ?? Number.POSITIVE_INFINITY, ...(product.skus ?? []).map((sku) => sku.price)),
    stock: product.skus === undefined ? (product.stock ?? 1) : product.skus.reduce((sum, sku) => sum + sku.stock, 0),
  }));
  const fitting = priced.filter(({ price, stock }) => stock > 0 && (budget === null || price <= budget));
  const order = (entry: (typeof fitting)[number]) =>
    entry.product.link === world.onScreen?.link ? -1 : entry.product.link;
  return fitting
    .toSorted((a, b) => (cheapestFirst ? a.price - b.price : order(a) - order(b)))
    .map(({ product }) => product);
}
