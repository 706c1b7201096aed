/** Which of a product's SKUs a question is about, and whether it asks for one that does not exist. */
import { countCodePoints, normaliseForMatch } from "../../core/text.ts";
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
const COLOUR = /(红|橙|黄|绿|青|蓝|紫|粉|黑|白|灰|棕|咖|杏|驼|褐|[米金银](?=色))(?:色|的|款|有|还|没|吗|$|[?？,，])/gu;
const KIND = /(男|女)(?=款|生|士|式|宝|孩|的|童|装|婴|娃)/gu;
const SIZE_WORD = /(特大号|加大号|大号|中号|小号|双人|单人|加厚|均码)/gu;
const LETTER_SIZE = /(?<![a-z])(xxxl|xxl|xl|[2345]xl|s|m|l)(?=码|号|的|还|有|没|吗|多少|$|[?？,，])/gu;
/** A measure: a decimal, or digits with a unit. Bare integers are link numbers, ages or counts. */
const MEASURE =
  /(\d+\.\d+)(?:m|米|cm)?|(\d+(?:\.\d+)?)(m|米|cm|厘米|公分|寸|码|ml|l|升|kg|公斤|克|g|斤|w|瓦)(?![a-z])/gu;

/** "有床笠的吗，不要床单". */
const NOT_WANTED = /(?:不要|不是|除了)[^，,。？?\s]{1,6}/gu;

/** "104和112差价多少". */
const BARE_NUMBER = /(?<![\d.])\d{2,4}(?=和|跟|与|的|还|差|$|哪)(?![\d.])/gu;

/** Reads specification words out of a question. Values of one specification are alternatives; of several, all must fit. */
export function findSkus(product: KnownProduct, question: string): SkuChoice {
  const all = product.skus ?? [];
  const text = normaliseForMatch(question).replace(NOT_WANTED, "");
  const whole = wholeValues(all, text);
  const words = clippedWords(text).filter((word) => !whole.some((value) => value.includes(word)));
  const hits = words.map((word) => ({ word, values: valuesWith(all, word) }));
  const values = allValues(all);
  const named = values.filter(
    (value) => whole.includes(normaliseForMatch(value)) || hits.some((hit) => hit.values.includes(value)),
  );
  const wanted = new Set(named);
  const isAsked = (spec: string) => all.some((sku) => wanted.has(sku.specs[spec] ?? ""));
  const skus = all.filter((sku) =>
    Object.entries(sku.specs).every(([spec, value]) => !isAsked(spec) || wanted.has(value)),
  );
  const missing = hits.find((hit) => hit.values.length === 0 && isListed(all, hit.word))?.word ?? null;
  // A value that all SKUs have names none of them.
  return { skus, named: skus.length < all.length ? named : [], missing };
}

/** What of an SKU to say: its values, without those that all SKUs share. */
export function specLabel(sku: Pick<KnownSku, "specs">, siblings: readonly Pick<KnownSku, "specs">[]): string {
  const values = Object.entries(sku.specs)
    .filter(([name, value]) => siblings.some((other) => other.specs[name] !== value))
    .map(([, value]) => value);
  return values.join(" ");
}

/** Values that stand in the text whole, or without measures and endings such as 款. */
function wholeValues(skus: readonly KnownSku[], text: string): string[] {
  const forms = allValues(skus).map((value) => ({
    value: normaliseForMatch(value),
    core: coreOf(normaliseForMatch(value)),
  }));
  const hits = forms.filter(
    ({ value, core }) => (isWord(value) && text.includes(value)) || (isWord(core) && text.includes(core)),
  );
  const exact = hits.filter(({ value }) => text.includes(value));
  const kept = exact.length > 0 ? exact : hits.length > 0 ? hits : forms.filter(({ core }) => isEndOf(core, text));
  // 灰 stands in 浅灰: the longer value is meant.
  return kept
    .map(({ value }) => value)
    .filter((value, _index, values) => !values.some((other) => other !== value && other.includes(value)));
}

/** 间粉 for 条纹间粉. */
function isEndOf(core: string, text: string): boolean {
  return core.length >= 4 && text.includes(core.slice(-2)) && !/^.色$/u.test(core.slice(-2));
}

function isWord(text: string): boolean {
  return countCodePoints(text) >= 2;
}

/** A value without its measure and ending: 炒锅30cm → 炒锅, 加翼款 → 加翼, 马卡龙系列 → 马卡龙. */
export function coreOf(value: string): string {
  const core = value
    .replace(/\d+(?:\.\d+)?(?:[*x×]\d+(?:\.\d+)?)*(?:mm|cm|m|米|寸|升|l|ml|kg|克|g|斤|枚|颗|片|只)?/gu, "")
    .replace(/(款|系列|型|版|装|色)$/u, "");
  return /^\p{Script=Han}+$/u.test(core) && core !== "标准" ? core : "";
}

function allValues(skus: readonly KnownSku[]): string[] {
  return [...new Set(skus.flatMap((sku) => Object.values(sku.specs)))];
}

function clippedWords(text: string): string[] {
  const words = [COLOUR, KIND, SIZE_WORD, LETTER_SIZE].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, word = ""]) => word),
  );
  const measures = [...text.matchAll(MEASURE)].map(([, decimal, number]) => decimal ?? number ?? "");
  const numbers = [...text.matchAll(BARE_NUMBER)].map(([number]) => number);
  return [...new Set([...words, ...measures, ...numbers])];
}

function valuesWith(skus: readonly KnownSku[], word: string): string[] {
  const values = allValues(skus);
  const direct = values.filter((value) => hasWord(normaliseForMatch(value), word));
  const letter = LETTER_OF.get(word);
  if (letter !== undefined && skus.some(hasLetterSize))
    return values.filter((value) => hasWord(normaliseForMatch(value), letter));
  if (direct.length > 0 || !/^[12]\.\d$/u.test(word)) return direct;
  // "1.8的" for a mat of 180x200cm.
  const centimetres = String(Math.round(Number(word) * 100));
  return values.filter((value) => normaliseForMatch(value).startsWith(centimetres));
}

const LETTER_OF = new Map([
  ["大号", "l"],
  ["中号", "m"],
  ["小号", "s"],
]);

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
  if (LETTER_OF.has(word)) return skus.some(hasLetterSize);
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
  return Object.values(sku.specs).some((value) => /^(x{0,3}[sml]|[2345]xl)[码号]?$/iu.test(value.trim()));
}
