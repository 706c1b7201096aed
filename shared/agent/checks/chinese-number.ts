/** Numbers as people say them: 三十九, 两百, 一百五, 三万五, 二点五, 二零二六. */

const DIGITS = "零一二三四五六七八九";
const SMALL_UNITS: ReadonlyMap<string, number> = new Map([
  ["十", 10],
  ["百", 100],
  ["千", 1_000],
]);
const LARGE_UNITS: ReadonlyMap<string, number> = new Map([
  ["万", 10_000],
  ["亿", 100_000_000],
]);
const FORMAL: ReadonlyMap<string, string> = new Map(
  Array.from("〇零壹一贰二叁三肆四伍五陆六柒七捌八玖九拾十佰百仟千两二幺一".matchAll(/(.)(.)/gu), (match) => [
    match[1] ?? "",
    match[2] ?? "",
  ]),
);

/** Characters that such a number is made of, for a regular expression's class. */
export const CHINESE_NUMBER_CHARS = "零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟幺";

/**
 * The value of a number in Chinese characters; `null` when the text is none.
 *
 * A last digit without unit counts in the next smaller one (一百五 is 150, 三万五 is 35000), unless 零 stands before it
 * (一百零五 is 105). Digits alone are read one by one (二零二六). Ten or more without a digit before (百, 万) is no number.
 */
export function parseChineseNumber(source: string): number | null {
  const [whole = "", fraction, ...more] = Array.from(source, (char) => FORMAL.get(char) ?? char)
    .join("")
    .split("点");
  if (more.length > 0 || whole === "") return null;
  const value = parseWhole(whole);
  if (value === null || fraction === undefined) return value;
  const digits = digitsOf(fraction);
  return digits === null || digits === "" ? null : Number(`${value}.${digits}`);
}

/** Two neighbouring digits that are said as a guess: 两三 is [2, 3], 七八 is [7, 8]; `null` for everything else. */
export function parseGuess(source: string): readonly [number, number] | null {
  const digits = digitsOf(Array.from(source, (char) => FORMAL.get(char) ?? char).join(""));
  if (digits?.length !== 2) return null;
  const [low, high] = [Number(digits[0]), Number(digits[1])];
  return high === low + 1 && low > 0 ? [low, high] : null;
}

function parseWhole(text: string): number | null {
  const digits = digitsOf(text);
  if (digits !== null) return Number(digits);
  if (!/^[一二三四五六七八九十]/u.test(text)) return null;
  const sum = { total: 0, section: 0, digit: null as number | null, unit: 1, zero: false };
  for (const char of text) if (!addChar(sum, char)) return null;
  const tail = sum.digit === null ? 0 : sum.digit * (sum.zero || sum.unit < 10 ? 1 : sum.unit / 10);
  return sum.total + sum.section + tail;
}

type Sum = { total: number; section: number; digit: number | null; unit: number; zero: boolean };

function addChar(sum: Sum, char: string): boolean {
  const digit = DIGITS.indexOf(char);
  if (digit === 0) {
    sum.zero = true;
    return true;
  }
  if (digit > 0) {
    if (sum.digit !== null) return false;
    sum.digit = digit;
    return true;
  }
  const small = SMALL_UNITS.get(char);
  if (small !== undefined) {
    sum.section += (sum.digit ?? 1) * small;
    Object.assign(sum, { digit: null, unit: small, zero: false });
    return true;
  }
  const large = LARGE_UNITS.get(char);
  if (large === undefined) return false;
  sum.total = (sum.total + sum.section + (sum.digit ?? 0)) * large;
  Object.assign(sum, { section: 0, digit: null, unit: large, zero: false });
  return true;
}

function digitsOf(text: string): string | null {
  let digits = "";
  for (const char of text) {
    const digit = DIGITS.indexOf(char);
    if (digit === -1) return null;
    digits += String(digit);
  }
  return digits;
}
