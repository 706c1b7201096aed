/** Which of a product's SKUs a question is about, and whether it asks for one that does not exist. */
import { countCodePoints, normaliseForMatch } from "../core/text.ts";
import type { KnownProduct, KnownSku } from "./read-request.ts";

export type SkuChoice = {
  /** SKUs that fit all that was named; all of them when nothing was. */
  readonly skus: readonly KnownSku[];
  /** Values that the question named, for a tool's `spec` argument and for the answer. */
  readonly named: readonly string[];
  /** A colour or size that was asked for and that no SKU has. */
  readonly missing: string | null;
};

/** Colours by the character that viewers clip them to. */
const COLOUR = /(红|橙|黄|绿|青|蓝|紫|粉|黑|白|灰|棕|咖|米|杏|驼|褐|金|银)(?:色|的|款|有|还|没|吗|$|[?？,，])/gu;
const SIZE_WORD = /(特大号|加大号|大号|中号|小号|双人|单人|加厚|均码)/gu;
const LETTER_SIZE = /(?<![a-z])(xxxl|xxl|xl|[2345]xl|s|m|l)(?=码|号|的|还|有|没|吗|多少|$|[?？,，])/gu;
/** A measure: a decimal, or digits with a unit. Bare integers are link numbers, ages or counts. */
const MEASURE =
  /(\d+\.\d+)(?:m|米|cm)?|(\d+(?:\.\d+)?)(m|米|cm|厘米|公分|寸|码|ml|l|升|kg|公斤|克|g|斤|w|瓦)(?![a-z])/gu;

/** Reads specification words out of a question. */
export function findSkus(product: KnownProduct, question: string): SkuChoice {
  const all = product.skus ?? [];
  const text = normaliseForMatch(question);
  const whole = wholeValues(all, text);
  const words = whole.length > 0 ? whole : clippedWords(text);
  const hits = words.map((word) => ({ word, values: valuesWith(all, word) }));
  const known = hits.filter(({ values }) => values.length > 0);
  const skus = all.filter((sku) =>
    known.every(({ values }) => Object.values(sku.specs).some((value) => values.includes(value))),
  );
  const missing = hits.find(({ word, values }) => values.length === 0 && isListed(all, word))?.word ?? null;
  return { skus, named: [...new Set(known.flatMap(({ values }) => values))], missing };
}

/** What of an SKU to say: its values, without those that all SKUs share. */
export function specLabel(sku: Pick<KnownSku, "specs">, siblings: readonly Pick<KnownSku, "specs">[]): string {
  const values = Object.entries(sku.specs)
    .filter(([name, value]) => siblings.some((other) => other.specs[name] !== value))
    .map(([, value]) => value);
  return values.join(" ");
}

function wholeValues(skus: readonly KnownSku[], text: string): string[] {
  const values = new Set(skus.flatMap((sku) => Object.values(sku.specs).map(normaliseForMatch)));
  const inText = [...values].filter((value) => countCodePoints(value) >= 2 && text.includes(value));
  // 灰 stands in 浅灰: the longer value is meant.
  return inText.filter((value) => !inText.some((other) => other !== value && other.includes(value)));
}

function clippedWords(text: string): string[] {
  const words = [COLOUR, SIZE_WORD, LETTER_SIZE].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, word = ""]) => word),
  );
  const measures = [...text.matchAll(MEASURE)].map(([, decimal, number]) => decimal ?? number ?? "");
  return [...new Set([...words, ...measures])];
}

function valuesWith(skus: readonly KnownSku[], word: string): string[] {
  const values = [...new Set(skus.flatMap((sku) => Object.values(sku.specs)))];
  return values.filter((value) => hasWord(normaliseForMatch(value), word));
}

function hasWord(value: string, word: string): boolean {
  if (/^[a-z0-9.]+$/u.test(word)) {
    const at = value.indexOf(word);
    const around = `${value[at - 1] ?? ""}${value[at + word.length] ?? ""}`;
    return at >= 0 && !/[\d.]/u.test(around) && !(/[a-z]/u.test(word) && /[a-z]/u.test(around));
  }
  return value.includes(word);
}

/** Whether the SKUs list values of the word's kind at all, so that its absence means "not offered". */
function isListed(skus: readonly KnownSku[], word: string): boolean {
  const names = skus.flatMap((sku) => Object.keys(sku.specs)).join(" ");
  if (skus.length < 2) return false;
  if (/^[\u4e00-\u9fff]$/u.test(word)) return /色/u.test(names);
  if (/^(xxxl|xxl|xl|[2345]xl|s|m|l)$/u.test(word))
    return /码|号|尺寸|大小/u.test(names) && skus.some((sku) => hasLetterSize(sku));
  return (
    /^[\d.]+$/u.test(word) &&
    /尺寸|规格|大小|床/u.test(names) &&
    skus.some((sku) => Object.values(sku.specs).some((value) => /\d/u.test(value)))
  );
}

function hasLetterSize(sku: KnownSku): boolean {
  return Object.values(sku.specs).some((value) => /^(x{0,3}[sml]|[2345]xl)$/iu.test(value.trim()));
}
