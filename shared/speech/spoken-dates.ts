/** Numbers that are no amounts: dates, times, telephone numbers, fractions, festivals. Tried before quantities, in order. */
import { readCardinal, readDigits, readNumber } from "./spoken-numbers.ts";
import type { SpokenSpan } from "./spoken-quantity.ts";
import { takesTwo } from "./spoken-units.ts";

type Read = (match: RegExpExecArray, text: string, end: number) => string | null;
type Rule = { readonly pattern: RegExp; readonly read: Read };

const SHORT_DATE_AFTER = /^\s?(?:[元块折%％万亿倍瓶只个件毫厘公]|[A-Za-z])/u;

/** Sticky patterns with bounded quantifiers; the first that matches and does not answer `null` is said. */
const RULES: readonly Rule[] = [
  { pattern: /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)[日号]?/uy, read: readDate },
  {
    pattern: /(20\d\d)[-/](0?[1-9]|1[0-2])(?![\d./-])/uy,
    read: ([, year = "", month = ""]) => `${readDigits(year)}年${readCardinal(month)}月`,
  },
  { pattern: /(1[3-9]\d)([- ]?)(\d{4})\2(\d{4})(?!\d|[.-]\d)/uy, read: readTelephone },
  { pattern: /0\d{2,3}-\d{7,8}(?!\d)/uy, read: readTelephone },
  { pattern: /[48]00-?\d{3,4}-?\d{3,4}(?!\d)/uy, read: readTelephone },
  { pattern: /(?:12315|12345|12306|95\d{3})(?![\d.,]|\s?[元块件个])/uy, read: readTelephone },
  {
    pattern:
      /(?<=(?:单号|编号|货号|型号|款号|尾号|批号|电话|手机号?|热线|微信|QQ群?|群号|房间号|验证码|邮编)[是为：: ]{0,3})\d{3,32}(?!\d|\.\d)/uy,
    read: ([digits = ""]) => readDigits(digits),
  },
  {
    pattern: /(\d{1,2})[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?![\d:：])(?:\s?([AaPp])[Mm](?![A-Za-z]))?/uy,
    read: readTime,
  },
  {
    pattern: /(\d{1,4})\s?[:：]\s?(\d{1,4})(?![\d.:：])/uy,
    read: ([, a = "", b = ""]) => `${readCardinal(a)}比${readCardinal(b)}`,
  },
  {
    pattern: /(20\d\d)([-~～—至到])(20\d\d)(?=年|款)/uy,
    read: ([, a = "", , b = ""]) => `${readDigits(a)}到${readDigits(b)}`,
  },
  {
    pattern: /(?:1[6-9]|2[01])\d\d(?=年|(?:新|最新)?款|春|夏|秋|冬|全新|新品|版|双)/uy,
    read: ([year = ""]) => readDigits(year),
  },
  { pattern: /(\d{1,3})\/(\d{1,3})(?![\d/.])/uy, read: readFraction },
  { pattern: /(11\.11|12\.12|6\.18|618)(?![\d.,])/uy, read: readFestival },
  {
    pattern:
      /(?:3[.·]8|38)(?=节|女神|女王|妇女)|520(?=礼|告白|表白|情人)|[5-9][05](?=后(?!天))|[01]0(?=后(?:的?[宝朋妹姐]|都|们|，))/uy,
    read: ([digits = ""]) => readDigits(digits),
  },
  {
    pattern: /\d{1,4}(?:\.\d{1,4}){2,6}(?!\d)/uy,
    read: ([digits = ""]) => digits.split(".").map(readCardinal).join("点"),
  },
];

/** Reads what starts at `at` if it is one of the kinds above; `null` leaves it to the quantities. */
export function readDateOrCode(text: string, at: number): SpokenSpan | null {
  for (const { pattern, read } of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const end = at + match[0].length;
    const spoken = read(match, text, end);
    if (spoken !== null) return { spoken, end };
  }
  return null;
}

function readDate([, year = "", , month = "", day = ""]: RegExpExecArray): string | null {
  if (!isWithin(month, 1, 12) || !isWithin(day, 1, 31)) return null;
  return `${readDigits(year)}年${readCardinal(month)}月${readCardinal(day)}日`;
}

function readTelephone([number = ""]: RegExpExecArray): string {
  return readDigits(number.replace(/\D/g, ""), "幺");
}

/** `10:30` → 十点半, `8:05pm` → 晚上八点零五分. */
function readTime([, hour = "", minute = "", second, half]: RegExpExecArray): string | null {
  if (!isWithin(hour, 0, 24)) return null;
  const hours = Number(hour);
  const words = `${dayPart(hours, half)}${hours === 2 ? "两" : readCardinal(hour)}点`;
  if (second !== undefined) return `${words}${readSixtieth(minute)}分${readSixtieth(second)}秒`;
  if (minute === "00") return words;
  return minute === "30" ? `${words}半` : `${words}${readSixtieth(minute)}分`;
}

function readSixtieth(digits: string): string {
  return digits.startsWith("0") && digits !== "00" ? readDigits(digits) : readCardinal(digits);
}

function dayPart(hours: number, half: string | undefined): string {
  if (half === undefined) return "";
  if (half.toLowerCase() === "a") return hours < 6 ? "凌晨" : "上午";
  if (hours === 12) return "中午";
  return hours < 6 ? "下午" : "晚上";
}

/** `1/3` → 三分之一; `12/12`, which is no part of anything, is a day of the year. */
function readFraction([, part = "", whole = ""]: RegExpExecArray, text: string, end: number): string | null {
  if (Number(part) < Number(whole)) return `${readCardinal(whole)}分之${readNumber(part)}`;
  if (!isWithin(part, 1, 12) || !isWithin(whole, 1, 31) || SHORT_DATE_AFTER.test(text.slice(end, end + 3))) return null;
  return `${readCardinal(part)}月${readCardinal(whole)}日`;
}

/** The shopping festivals are named by their day; with a unit after it the number is an amount. */
function readFestival([digits = ""]: RegExpExecArray, text: string, end: number): string | null {
  const after = text.slice(end, end + 3);
  if (SHORT_DATE_AFTER.test(after) || takesTwo(after.trimStart())) return null;
  if (digits.endsWith("18")) return "六一八";
  const name = digits === "11.11" ? "十一" : "十二";
  return text.charAt(end - digits.length - 1) === "双" ? name : `双${name}`;
}

function isWithin(digits: string, min: number, max: number): boolean {
  const value = Number(digits);
  return value >= min && value <= max;
}
