/**
 * Numbers that the host says must stand in the evidence.
 *
 * Kind `price`: amounts of money (39.9元, 39块9, 三十九块九, ¥39.9, 到手39, 满99减20) and discounts (八折, 85折, 半价).
 * A price must equal one that the evidence has as a price: a price field, a coupon, an amount of a tool's answer, an amount in a
 * promotion, attribute, question and answer, or piece of knowledge. Names and advertising lines set no price. Where the
 * talk is about certain products, prices of other products do not count.
 *
 * Kind `number`: all other figures: percent, days, months, sizes, weights, times, pieces, stock, link numbers. Each must
 * stand in the evidence with a unit of the same kind (两天 is 48小时, 1.5米 is 150cm) or without any; a count may stand
 * with any unit. "还有3件" must be a stock. Not figures: 一 to 三 in words before what everyone sees (这两款, 三种), 第N,
 * list numbers, idioms (四季, 百搭), names such as A4 or 5G.
 *
 * The numbers of an offer (买一送一, 假一赔三, 两件包邮, 前三名免单), however small, must stand in an offer of the evidence, in
 * the same part of it: 买二送一 grounds neither 买一送一 nor 买一送二. No words of a viewer and no name ground one.
 *
 * About so much: 30多块 needs a price from 30 to 40, 不到40 one from 30 to 40, 40左右 one within a tenth.
 *
 * The viewers' own words ground no price and no property of goods. They ground what is theirs: the height, weight, size
 * and age that they told, and the number of pieces that they want.
 */
import type { HookCheck } from "../../contract/harness-bundle.ts";
import type { HookInput } from "../../contract/hook-io.ts";
import { normaliseForMatch } from "../../core/text.ts";
import { evidenceNumbers, toKey, type EvidenceNumbers, type NumberSet } from "./evidence-numbers.ts";
import { extractNumbers, type FoundNumber } from "./extract-numbers.ts";
import { findingOf, type CompiledCheck } from "./finding.ts";

type NumberGrounding = Extract<HookCheck, { type: "number-grounding" }>;

/** Finds the first number that the evidence does not have. Corrects nothing: only the policy can say something else. */
export function numberGrounding({ kinds }: Pick<NumberGrounding, "kinds">): CompiledCheck {
  const [checksPrices, checksNumbers] = [kinds.includes("price"), kinds.includes("number")];
  return (input, subject) => {
    const relevant = extractNumbers(subject).filter(
      (number) => !number.isIdle && (isPrice(number) ? checksPrices : checksNumbers),
    );
    if (relevant.length === 0) return null;
    const evidence = evidenceNumbers(input.evidence);
    const plain = normaliseForMatch(subject);
    const scope = scopeOf(subject, input, evidence);
    const missing = relevant.find(
      (number) => !isGrounded(number, scope) && !isViewers(number, input) && !isPartOfName(number, plain, evidence),
    );
    return missing === undefined ? null : findingOf(missing.written);
  };
}

function isPrice({ kind }: FoundNumber): boolean {
  return kind === "price" || kind === "discount";
}

/** The sets that a sentence may take numbers from: the general ones and those of the products that it is about. */
type Scope = { readonly sets: readonly NumberSet[]; readonly general: readonly NumberSet[] };

function scopeOf(subject: string, input: HookInput, evidence: EvidenceNumbers): Scope {
  const links = productsInTalk(subject, input, evidence);
  const products =
    links === null ? [...evidence.products.values()] : links.map((link) => evidence.products.get(link) ?? []);
  return { sets: [...evidence.general, ...products.flat()], general: evidence.general };
}

/** Words that turn to other products than the one in talk. */
const OTHERS = /别的|其他|其它|另外|另一|还有一?款|也有|都是|分别|全场|所有|每款|对比|相比|哪款|套餐/u;

/**
 * The products that a sentence names, by link number or by whole name; where it names none, the one that was named last in
 * this turn and the one that the question names. `null`: it may be about any.
 */
function productsInTalk(subject: string, input: HookInput, evidence: EvidenceNumbers): readonly number[] | null {
  if (evidence.products.size === 0) return null;
  const named = productsNamed(subject, evidence);
  if (named.length > 0) return named;
  if (OTHERS.test(subject)) return null;
  const asked = productsNamed(input.question, evidence);
  const said = "said" in input ? input.said : [];
  for (let index = said.length - 1; index >= 0; index -= 1) {
    const before = productsNamed(said[index] ?? "", evidence);
    if (before.length > 1) return null;
    // An aside may name goods ("家具和床垫7天内发货") while the talk stays with what was asked about.
    if (before.length === 1) return [...new Set([...before, ...(asked.length === 1 ? asked : [])])];
  }
  return asked.length === 1 ? asked : null;
}

function productsNamed(text: string, evidence: EvidenceNumbers): readonly number[] {
  if (text === "") return [];
  const links = new Set<number>();
  for (const { kind, value } of extractNumbers(text))
    if (kind === "link" && evidence.products.has(value)) links.add(value);
  let rest = normaliseForMatch(text);
  for (const [name, link] of evidence.names) {
    if (rest.includes(name)) links.add(link);
    // A longer name hides the shorter ones inside it, but not the same name of another product.
    else continue;
    const next = evidence.names.find((entry) => entry[0] === name && !links.has(entry[1]));
    if (next === undefined) rest = rest.replaceAll(name, "\n");
  }
  return [...links];
}

type Lookup = (kind: Parameters<NumberSet["get"]>[0], value: number, from?: readonly NumberSet[]) => boolean;

function isGrounded(number: FoundNumber, { sets, general }: Scope): boolean {
  const inAny: Lookup = (kind, value, from = sets) => from.some((set) => hasValue(set, kind, number, value));
  const { kind, value, bare } = number;
  if (isPrice(number)) return inAny(kind, value);
  // 38号 may be a size.
  if (kind === "link") return inAny("link", value, general) || inAny("any", value, general);
  if (kind !== "count") return inAny(kind, value) || inAny("bare", bare);
  return isCountGrounded(number, inAny, general);
}

function isCountGrounded(number: FoundNumber, inAny: Lookup, general: readonly NumberSet[]): boolean {
  const { value, bare, deal } = number;
  if (deal !== null) return inAny(deal, bare) || inAny("deal", bare);
  if (number.isStock) return inAny("stock", value) || inAny("count", value, general);
  return inAny("any", bare) || inAny("bare", bare) || (number.isUnitless && inAny("price", bare));
}

/** How far a number that is said about may be from the fact: a tenth of it, or the rest of its leading place. */
function hasValue(set: NumberSet, kind: Parameters<NumberSet["get"]>[0], number: FoundNumber, value: number): boolean {
  const values = set.get(kind);
  if (values === undefined) return false;
  if (number.exact === "exactly") return values.has(toKey(value));
  const [low, high] = boundsOf(number, value);
  for (const fact of values) if (fact >= toKey(low) && fact <= toKey(high)) return true;
  return false;
}

function boundsOf(number: FoundNumber, value: number): readonly [low: number, high: number] {
  const place = placeOf(value);
  if (number.exact === "over") return [value, value + place];
  if (number.exact === "under") return [value - place, value];
  if (number.exact === "near") return [value * 0.9, value * 1.1];
  return [value, value + number.upTo - number.value];
}

/** The last place that a round number leaves open: 10 for 30, 100 for 200, 10 for 120, 1 for 7. */
function placeOf(value: number): number {
  let place = 1;
  while (place < 1e8 && value >= place * 10 && value % (place * 10) === 0) place *= 10;
  return place;
}

const ABOUT_VIEWER = /身高|体重|尺码|穿|腰围|脚长|三围|岁|多大|几码|多重|斤|cm|kg/iu;

function isViewers(number: FoundNumber, { question }: HookInput): boolean {
  if (question === "" || number.isStock || number.deal !== null) return false;
  const isOwnMeasure =
    (number.kind === "length" || number.kind === "weight" || number.kind === "count") && ABOUT_VIEWER.test(question);
  if (!isOwnMeasure && !(number.kind === "count" && number.isOrdered)) return false;
  return extractNumbers(question).some(
    (asked) =>
      !isPrice(asked) && (asked.bare === number.bare || (asked.kind === number.kind && asked.value === number.value)),
  );
}

/** 四件套 in 轻奢四件套: the name of a product quotes its numbers. */
function isPartOfName({ written, deal }: FoundNumber, plain: string, evidence: EvidenceNumbers): boolean {
  if (deal !== null) return false;
  const wanted = normaliseForMatch(written);
  return evidence.names.some(([name]) => name.includes(wanted) && plain.includes(name));
}
