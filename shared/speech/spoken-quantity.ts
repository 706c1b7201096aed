/** A number with what belongs to it - currency, range, magnitude, unit - as one span, so that each part knows the others. */
import { readCardinal, readDigits, readMoney, readNumber, splitNumeral } from "./spoken-numbers.ts";
import { findUnitSymbol, takesTwo } from "./spoken-units.ts";

/** What is said for `text.slice(at, end)`. */
export type SpokenSpan = { readonly spoken: string; readonly end: number };

/** `1,000.00`, `39.9`, `12`. Not the beginning of a longer number, nor of `1.2.3`. */
const NUMERAL = String.raw`(?:\d{1,3}(?:,\d{3}){1,5}(?![\d,])|\d{1,20})(?:\.\d{1,10})?(?!\d|\.\d)`;
const QUANTITY = new RegExp(
  String.raw`(US\$|HK\$|[¥$€£])?\s?(${NUMERAL})(?:\s?([-~～–−至到]|—{1,2})\s?[¥$€£]?(${NUMERAL})(?![:：/]\d|-\d))?`,
  "uy",
);
const CURRENCIES: Readonly<Record<string, string>> = { $: "美元", US$: "美元", HK$: "港元", "€": "欧元", "£": "英镑" };
const MONEY_UNIT = /^\s?(元钱|元(?![素宝旦气宵])|块钱|块|圆)/u;
const MAGNITUDE = /^([万亿千百]|w(?![A-Za-z]))/u;
/** Characters before and after a number that tell what it counts. */
const CONTEXT_CHARS = 10;
const PRICE_BEFORE =
  /(?:只要|只需|仅需|到手价?|特价|售价|原价|现价|券后价?|直播价|活动价|秒杀价?|价格|一口价|卖|低至|立减|直降|每件)[是为到：: ]{0,2}$/u;
const PRICE_AFTER = /^(?:包邮|到手|秒杀|开抢|带走|上车|起拍|一[件瓶盒包袋支条双对套只台张片块箱罐])/u;
const NO_PRICE_AFTER = /^\s?(?:[折万亿千百成级星度号%％]|[A-Za-z])/u;
/** Letters that count: `256GB`, `3XL`, `4K`. Other capitals right after a number make it a name: `88VIP`. */
const COUNTING_LETTERS = /^(?:[KMGT]i?B?|X{0,4}[LS]|D)(?![A-Za-z])/;
const NAME_LETTERS = /^(?:[A-Z]{2,}|P(?![A-Za-z]))/;
/** Digits from which a number without unit is a code, unless it is round. */
const CODE_DIGITS_MIN = 9;

type Quantity = {
  readonly currency: string | undefined;
  readonly first: string;
  /** The other end of a range. */
  readonly last: string | undefined;
  readonly mark: string;
  readonly before: string;
  readonly after: string;
  readonly end: number;
};

/** Reads the quantity that starts at `at`; `null` if none does. */
export function readQuantity(text: string, at: number): SpokenSpan | null {
  QUANTITY.lastIndex = at;
  const match = QUANTITY.exec(text);
  if (match === null) return null;
  const end = QUANTITY.lastIndex;
  const [, currency, first = "", mark = "", last] = match;
  const before = text.slice(Math.max(0, at - CONTEXT_CHARS), at);
  const quantity = { currency, first, last, mark, before, after: text.slice(end, end + CONTEXT_CHARS), end };
  return readCurrency(quantity) ?? readWithUnit(quantity, text) ?? readBare(quantity);
}

/** `A到B`, or the one number. A subtraction keeps its sense: `满88-10`. */
function join(quantity: Quantity, read: (numeral: string) => string): string {
  if (quantity.last === undefined) return read(quantity.first);
  const isMinus = quantity.mark === "-" && quantity.before.endsWith("满");
  const isRange = quantity.mark !== "-" || Number(plainOf(quantity.first)) < Number(plainOf(quantity.last));
  return read(quantity.first) + (isMinus ? "减" : isRange ? "到" : "杠") + read(quantity.last);
}

function plainOf(numeral: string): string {
  return numeral.replaceAll(",", "");
}

function readCurrency(quantity: Quantity): SpokenSpan | null {
  const { currency, after, end } = quantity;
  if (currency === undefined) return null;
  const magnitude = readMagnitude(after);
  const rest = after.slice(magnitude.length);
  const chars = magnitude.length + (MONEY_UNIT.exec(rest)?.[0].length ?? 0);
  const foreign = CURRENCIES[currency];
  if (foreign === undefined && magnitude === "") return readPrice(quantity, "元", chars);
  return { spoken: join(quantity, readAmount(true)) + magnitude + (foreign ?? "元"), end: end + chars };
}

function readMagnitude(after: string): string {
  return (MAGNITUDE.exec(after)?.[1] ?? "").replace("w", "万");
}

/** `39-59元`: the unit is said once; a price with a fraction has its own. */
function readPrice(quantity: Quantity, unit: string, chars: number): SpokenSpan {
  const { last, end } = quantity;
  const read = (numeral: string) => readMoney(numeral, numeral === last || last === undefined ? unit : "");
  return { spoken: join(quantity, read), end: end + chars };
}

function readWithUnit(quantity: Quantity, text: string): SpokenSpan | null {
  const { after, end } = quantity;
  const money = MONEY_UNIT.exec(after);
  if (money !== null) return readPrice(quantity, money[1] ?? "元", money[0].length);
  const percent = /^\s?([%％‰])/u.exec(after);
  if (percent !== null) {
    const base = percent[1] === "‰" ? "千分之" : "百分之";
    return { spoken: join(quantity, (numeral) => base + readPercentage(numeral)), end: end + percent[0].length };
  }
  if (/^\s?折(?![叠扣])/u.test(after)) return { spoken: join(quantity, readDiscount), end };
  if (after.startsWith("w") && readMagnitude(after) !== "" && !isWatts(quantity)) {
    return { spoken: `${join(quantity, readAmount(true))}万`, end: end + 1 };
  }
  const gap = /^\s/.test(after) ? 1 : 0;
  const symbol = isWatts(quantity) ? { spoken: "瓦", chars: 1 } : findUnitSymbol(text, end + gap);
  if (symbol === null) return null;
  return { spoken: join(quantity, readAmount(true)) + symbol.spoken, end: end + gap + symbol.chars };
}

/** `w` is 万 in figures of sales (`10w+`, `3.5w件`) and watts on appliances (`1500w`, `67w快充`). */
function isWatts({ first, before, after }: Quantity): boolean {
  if (!/^w(?![A-Za-z+])/.test(after)) return false;
  return /^\d{3,4}$/.test(first) || /^w(?:快充|超级|闪充|充|无线|电机|大?功率)/u.test(after) || before.endsWith("功率");
}

function readPercentage(numeral: string): string {
  return numeral === "100" ? "百" : readNumber(numeral);
}

/** `85折` is 八五折. */
function readDiscount(numeral: string): string {
  return /^[1-9]{2}$/.test(numeral) ? readDigits(numeral) : readNumber(numeral);
}

function readBare(quantity: Quantity): SpokenSpan {
  const { before, after, end } = quantity;
  if (isPrice(quantity)) return readPrice(quantity, "", 0);
  if (isName(quantity)) return { spoken: join(quantity, readCode), end };
  const gap = /^\s/.test(after) && takesTwo(after.slice(1)) ? 1 : 0;
  const isCounted = takesTwo(after.slice(gap)) && !/[第初]$/u.test(before);
  return { spoken: join(quantity, readAmount(isCounted)), end: end + gap };
}

/** A number with a fraction and no unit, where a price is spoken of: `只要39.9`, `9.9包邮`. */
function isPrice({ first, last, before, after }: Quantity): boolean {
  const hasCents = [first, last ?? first].some((numeral) => /\.\d{1,2}$/.test(numeral));
  if (!hasCents) return false;
  return PRICE_AFTER.test(after) || (PRICE_BEFORE.test(before) && !NO_PRICE_AFTER.test(after) && !takesTwo(after));
}

function isName({ first, before, after }: Quantity): boolean {
  const { whole, fraction } = splitNumeral(first);
  if (fraction !== "" || first.includes(",")) return false;
  if (whole.length >= CODE_DIGITS_MIN && !whole.endsWith("0000") && !/^\s?\p{Script=Han}/u.test(after)) return true;
  if (before.endsWith("#")) return true;
  if (COUNTING_LETTERS.test(after)) return false;
  return whole.length >= 2 && NAME_LETTERS.test(after);
}

/** Numerals of a code or name: digit by digit. */
function readCode(numeral: string): string {
  return readDigits(numeral);
}

/** @param countsTwo - Says 两 for a plain 2. */
function readAmount(countsTwo: boolean): (numeral: string) => string {
  return (numeral) => {
    if (countsTwo && numeral === "2") return "两";
    return /^0\d/.test(numeral) && !numeral.includes(".") ? readDigits(numeral) : readNumber(numeral);
  };
}

/** A short number inside a name or model: `15` → `十五`, `18401` → digit by digit, `2.0` → `二点零`, `-` → 杠. */
export function readModelNumber(code: string): string {
  return code
    .split("-")
    .map((part) => {
      if (/^\d+\.\d+$/.test(part)) return readNumber(part);
      if (part.includes(".")) return part.split(".").map(readModelPart).join("点");
      return readModelPart(part);
    })
    .join("杠");
}

function readModelPart(digits: string): string {
  return digits.length <= 2 && !digits.startsWith("0") ? readCardinal(digits) : readDigits(digits);
}
