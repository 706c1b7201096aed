/**
 * The numbers that evidence holds, sorted by what they count and by whose they are. Read once per text: the room's part
 * of the evidence is the same string in every turn.
 */
import { BoundedCache } from "../../core/bounded-cache.ts";
import { parseJson } from "../../core/json.ts";
import { normaliseForMatch } from "../../core/text.ts";
import { parseEvidence } from "../evidence.ts";
import { extractNumbers, type FoundNumber } from "./extract-numbers.ts";
import { OFFER, type DealRole, type NumberKind } from "./number-units.ts";
import { findInjection } from "./prompt-injection.ts";

/**
 * `bare` are facts without unit, `any` is all that is not a price, a link or an id. `asked`, `given` and `limit` are an
 * offer's (买二送一), `deal` the numbers of an offer whose part is not clear.
 */
type NumberKey = NumberKind | DealRole | "deal" | "bare" | "any" | "stock";
/** Values by kind. */
export type NumberSet = ReadonlyMap<NumberKey, ReadonlySet<number>>;
type Numbers = Map<NumberKey, Set<number>>;

export type EvidenceNumbers = {
  /** Of no product in particular: coupons, questions and answers, results of tools; and figures without money of all. */
  readonly general: readonly NumberSet[];
  /** By link number: prices, stock and amounts that are told of the product. */
  readonly products: ReadonlyMap<number, readonly NumberSet[]>;
  /** Normalised names and aliases with the links that bear them, longest first. */
  readonly names: readonly (readonly [name: string, link: number])[];
};

/** Sources that are no facts: what people said, and what was refused. */
const NO_FACTS = /^(?:messages|heard|state|hook:)/;
/** Sources that state a product's values as they are now; they replace the catalogue's. */
const LIVE = /^(?:facts|changes)$/;

const PRICE_KEY = /price|off$|^off|^min$|total|amount|fee|freight|discount|cost|pay|价|元|金额|运费|优惠|到手/iu;
const STOCK_KEY = /stock|inventory|remain|left|库存|余量|现货/iu;
/** Numbers of a tool's answer that are no amount of money. */
const NO_PRICE_KEY =
  /id$|^link$|count|quantity|index|page|days?$|hours?$|percent|rate|version|code|size|num|数量|天|日|编号/iu;
/** Numbers with a field that are a part of an offer: how many are bought, and what comes with them. */
const ASKED_KEY = /quantity|数量|件数/iu;
const DEAL_KEY = /gift|bonus|free|limit|赠|送|限/iu;
/** Praise in a name or a line of advertising sets no price: "9块9包邮袜子" costs what its price says. */
const NO_PRICE_TEXT = /^(?:name|aliases|brief|category|brand|title|merchant|question|similar|unit|id|specs?)$/u;

/** Texts kept read: one room has about five, and an isolate serves some rooms at a time. */
const TEXTS_MAX = 64;
const readTexts = new BoundedCache<string, readonly ReadBlock[]>(TEXTS_MAX);
const indexes = new WeakMap<readonly string[], EvidenceNumbers>();

/** The index of a list of evidence texts; the same list is read once. */
export function evidenceNumbers(evidence: readonly string[]): EvidenceNumbers {
  const known = indexes.get(evidence);
  if (known !== undefined) return known;
  const index = combine(evidence.flatMap(readText));
  indexes.set(evidence, index);
  return index;
}

type OwnNumbers = {
  readonly names: Set<string>;
  /** From fields with a number. */
  readonly typed: Numbers;
  /** From texts about the product. */
  readonly told: Numbers;
  isLive: boolean;
};
type ReadBlock = {
  readonly source: string;
  readonly general: Numbers;
  readonly products: ReadonlyMap<number, OwnNumbers>;
};

/** Nothing is copied: a turn adds a text or two to the room's, and asks again. */
function combine(blocks: readonly ReadBlock[]): EvidenceNumbers {
  const live = new Set(
    blocks.flatMap(({ products }) => [...products].flatMap(([link, own]) => (own.isLive ? [link] : []))),
  );
  const products = new Map<number, NumberSet[]>();
  const names = new Map<string, Set<number>>();
  for (const block of blocks) {
    for (const [link, own] of block.products) {
      const sets = products.get(link) ?? [];
      products.set(link, sets);
      sets.push(own.told);
      // A price of the catalogue that has changed since is no fact any more.
      if (block.source !== "catalogue" || !live.has(link)) sets.push(own.typed);
      for (const name of own.names) names.set(name, (names.get(name) ?? new Set()).add(link));
    }
  }
  const pairs = [...names].flatMap(([name, links]) => [...links].map((link) => [name, link] as const));
  return {
    general: blocks.map((block) => block.general),
    products,
    names: pairs.toSorted((a, b) => b[0].length - a[0].length),
  };
}

function add(numbers: Numbers, kind: NumberKey, value: number): void {
  const values = numbers.get(kind);
  if (values === undefined) numbers.set(kind, new Set([toKey(value)]));
  else values.add(toKey(value));
}

/** Values are compared to a thousandth: 39.9, 39.90 and 三十九块九 are one number. */
export function toKey(value: number): number {
  return Math.round(value * 1_000);
}

function readText(text: string): readonly ReadBlock[] {
  const known = readTexts.get(text);
  if (known !== undefined) return known;
  const parsed = parseEvidence(text);
  // Text without a fence, as a test or a hook may give it: JSON, or words.
  const blocks = parsed.length > 0 ? parsed : [{ source: "text", records: [parseJson(text) ?? text] }];
  const read = blocks
    .filter(({ source }) => !NO_FACTS.test(source))
    .map(({ source, records }) => readBlock(source, records));
  readTexts.set(text, read);
  return read;
}

/** What one block is read into. */
type Reading = {
  readonly source: string;
  readonly general: Numbers;
  readonly products: Map<number, OwnNumbers>;
  /** What each field's name says of its value, asked once a name. */
  readonly meanings: Map<string, Meaning>;
};

type Meaning = {
  readonly isPrice: boolean;
  readonly isStock: boolean;
  readonly isNoPrice: boolean;
  readonly pricesNothing: boolean;
  readonly deal: "asked" | "deal" | null;
};

function readBlock(source: string, records: readonly unknown[]): ReadBlock {
  const reading: Reading = { source, general: new Map(), products: new Map(), meanings: new Map() };
  for (const record of records) readValue(record, "", null, reading);
  return reading;
}

/** `own`: the product that the value is about; `null` for none. */
function readValue(value: unknown, key: string, own: OwnNumbers | null, reading: Reading): void {
  if (typeof value === "number") readNumber(value, key, own, reading);
  else if (typeof value === "string") readString(value, key, own, reading);
  else if (Array.isArray(value)) for (const item of value) readValue(item, key, own, reading);
  else if (typeof value === "object" && value !== null) {
    const owner = productOf(value, reading) ?? own;
    for (const [name, part] of Object.entries(value)) readValue(part, name, owner, reading);
  }
}

function meaningOf(key: string, { meanings }: Reading): Meaning {
  const known = meanings.get(key);
  if (known !== undefined) return known;
  const meaning = {
    isPrice: PRICE_KEY.test(key),
    isStock: STOCK_KEY.test(key),
    isNoPrice: NO_PRICE_KEY.test(key),
    pricesNothing: NO_PRICE_TEXT.test(key),
    deal: dealOfKey(key),
  };
  meanings.set(key, meaning);
  return meaning;
}

function dealOfKey(key: string): Meaning["deal"] {
  if (ASKED_KEY.test(key)) return "asked";
  return DEAL_KEY.test(key) ? "deal" : null;
}

/** An object with a link number and a name, or a range of prices, is about that product, wherever it stands. */
function productOf(value: object, { source, products }: Reading): OwnNumbers | null {
  if (!isProduct(value)) return null;
  const own = products.get(value.link) ?? { names: new Set(), typed: new Map(), told: new Map(), isLive: false };
  products.set(value.link, own);
  own.isLive ||= LIVE.test(source) && ("skus" in value || "priceFrom" in value);
  const aliases: readonly unknown[] = Array.isArray(value.aliases) ? value.aliases : [];
  for (const name of [value.name, ...aliases]) {
    const plain = typeof name === "string" ? normaliseForMatch(name) : "";
    if (plain.length >= 2) own.names.add(plain);
  }
  return own;
}

function isProduct(value: object): value is { link: number; name?: unknown; aliases?: unknown } {
  if (!("link" in value) || typeof value.link !== "number") return false;
  return ("name" in value && typeof value.name === "string") || ("priceFrom" in value && "priceTo" in value);
}

function readNumber(value: number, key: string, own: OwnNumbers | null, reading: Reading): void {
  if (key === "link") {
    add(reading.general, "link", value);
    return;
  }
  const meaning = meaningOf(key, reading);
  if (meaning.isStock) addStock(value, own?.typed ?? reading.general);
  else addAmount(value, meaning, own, reading);
}

/** "有12件" without 还 is a count: it holds for this product while its stock does. */
function addStock(value: number, numbers: Numbers): void {
  add(numbers, "stock", value);
  add(numbers, "any", value);
}

function addAmount(value: number, meaning: Meaning, own: OwnNumbers | null, { general, source }: Reading): void {
  const isTool = source.startsWith("tool:");
  const isPrice = meaning.isPrice || (isTool && !meaning.isNoPrice);
  if (isPrice) add(own?.typed ?? general, "price", value);
  if (isPrice && !isTool) return;
  const told = own?.told ?? general;
  add(told, "bare", value);
  add(general, "any", value);
  if (meaning.deal !== null) add(told, meaning.deal, value);
}

function readString(value: string, key: string, own: OwnNumbers | null, reading: Reading): void {
  if (key === "id") return;
  const numbers = extractNumbers(value);
  // Text that gives orders is somebody's attack, whoever's field it stands in: it makes no fact.
  if (numbers.length === 0 || findInjection(value) !== null) return;
  const { general } = reading;
  const told = own?.told ?? general;
  if (!isPraise(key, own, reading)) addOffer(numbers, OFFER.test(value), told);
  for (const number of numbers) {
    if (!isPriceLike(number)) addFigure(number, told, general);
    else if (!meaningOf(key, reading).pricesNothing) add(told, number.kind, number.value);
  }
}

/** Figures count for the whole room: one product's size is rarely another one's lie, and sentences seldom name both. */
function addFigure(number: FoundNumber, told: Numbers, general: Numbers): void {
  if (number.kind !== "link") add(general, number.kind, number.value);
  if (number.upTo !== number.value) add(general, number.kind, number.upTo);
  add(general, "any", number.bare);
  if (number.isUnitless) add(general, "bare", number.bare);
  if (number.isStock) add(told, "stock", number.value);
}

/** A coupon's name tells its offer; a product's does not, and no question does. */
function isPraise(key: string, own: OwnNumbers | null, reading: Reading): boolean {
  return meaningOf(key, reading).pricesNothing && (own !== null || key !== "name");
}

/** An offer holds for what it is told of: a product, or the whole room. */
function addOffer(numbers: readonly FoundNumber[], isOffer: boolean, told: Numbers): void {
  for (const { deal, kind, isRank, bare } of numbers) {
    if (deal !== null) add(told, deal, bare);
    else if (isOffer && kind === "count" && !isRank) add(told, "deal", bare);
  }
}

function isPriceLike({ kind }: FoundNumber): boolean {
  return kind === "price" || kind === "discount";
}
