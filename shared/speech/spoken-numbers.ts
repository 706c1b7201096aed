/** Numerals to the Chinese words for them. Arguments are numerals as text: `1,000.00` must not pass through a float. */

const DIGITS = "零一二三四五六七八九";
const PLACES = ["千", "百", "十", ""] as const;
const GROUP_DIGITS = 4;
/** Integers that are longer are codes, not amounts, and have no names above 万亿. */
const CARDINAL_DIGITS_MAX = 16;

export type NumeralParts = { readonly whole: string; readonly fraction: string };

/** Splits `1,000.50` into `1000` and `50`. */
export function splitNumeral(numeral: string): NumeralParts {
  const [whole = "", fraction = ""] = numeral.replaceAll(",", "").split(".");
  return { whole, fraction };
}

/** Digit by digit: `2025` → `二零二五`. With `one: "幺"` as telephone numbers are read. Other characters are left out. */
export function readDigits(digits: string, one: "一" | "幺" = "一"): string {
  let words = "";
  for (const digit of digits) words += digit === "1" ? one : (DIGITS[Number.parseInt(digit, 10)] ?? "");
  return words;
}

/** An integer as an amount: `1010` → `一千零一十`, `20000` → `两万`. More than 16 digits are read one by one. */
export function readCardinal(digits: string): string {
  const plain = digits.replace(/^0+(?=\d)/, "");
  if (plain.length > CARDINAL_DIGITS_MAX) return readDigits(plain);
  if (plain === "0" || plain === "") return "零";
  const padded = plain.padStart(CARDINAL_DIGITS_MAX, "0");
  const groups = [0, 4, 8, 12].map((start) => padded.slice(start, start + GROUP_DIGITS));
  const names = [isZero(groups[1]) ? "万亿" : "万", "亿", "万", ""];
  return readPlaces(groups, (group, index) => {
    const name = names[index] ?? "";
    return { isZero: isZero(group), isShort: group.startsWith("0"), words: readGroup(group, name) + name };
  }).replace(/^一十/u, "十");
}

/** An amount with or without a fraction: `39.90` → `三十九点九零`. */
export function readNumber(numeral: string): string {
  const { whole, fraction } = splitNumeral(numeral);
  return fraction === "" ? readCardinal(whole) : `${readCardinal(whole)}点${readDigits(fraction)}`;
}

/**
 * A price as it is said: `39.9` → `三十九块九`, `0.5` → `五毛`, `39.99` → `三十九块九毛九`, `199` → `一百九十九` and the unit.
 * @param unit - What follows a price without a fraction: `元`, `块`, `块钱`, or nothing inside a range.
 */
export function readMoney(numeral: string, unit: string): string {
  const { whole, fraction } = splitNumeral(numeral);
  const cents = fraction.replace(/0+$/, "");
  if (cents === "") return (isTwo(whole) ? "两" : readCardinal(whole)) + unit;
  if (cents.length > 2) return `${readNumber(numeral)}元`;
  const jiao = cents.charAt(0);
  const fen = cents.charAt(1);
  const yuan = isZero(whole) ? "" : `${isTwo(whole) ? "两" : readCardinal(whole)}块`;
  if (fen === "") return yuan === "" ? `${readPart(jiao)}毛` : yuan + readDigits(jiao);
  if (jiao === "0") return yuan === "" ? `${readPart(fen)}分` : `${yuan}零${readDigits(fen)}分`;
  return `${yuan}${yuan === "" ? readPart(jiao) : readDigits(jiao)}毛${readDigits(fen)}`;
}

function readPart(digit: string): string {
  return digit === "2" ? "两" : readDigits(digit);
}

/** Four digits: `0210` → `二百一十`; the zero before a group is the caller's. */
function readGroup(group: string, name: string): string {
  if (group === "0002" && name !== "") return "两";
  return readPlaces(group.split(""), (digit, index) => ({
    isZero: digit === "0",
    isShort: false,
    words: (digit === "2" && index === 0 ? "两" : readDigits(digit)) + (PLACES[index] ?? ""),
  }));
}

type Place = { readonly isZero: boolean; readonly isShort: boolean; readonly words: string };

/** Joins places from high to low. One 零 stands for all that are empty between two that are not, or begin with zeros. */
function readPlaces(parts: readonly string[], read: (part: string, index: number) => Place): string {
  let words = "";
  let hasGap = false;
  for (const place of parts.map(read)) {
    if (!place.isZero) words += (words !== "" && (hasGap || place.isShort) ? "零" : "") + place.words;
    hasGap = place.isZero;
  }
  return words;
}

function isZero(digits: string | undefined): boolean {
  return digits === undefined || /^0*$/.test(digits);
}

function isTwo(digits: string): boolean {
  return /^0*2$/.test(digits);
}
