/** Symbols between words and numbers: said, turned into a pause, or left out. */
import type { SpokenSpan } from "./spoken-quantity.ts";
import { findUnitSymbol, takesTwo } from "./spoken-units.ts";

type Connector = { readonly pattern: RegExp; readonly spoken: string };

/** Between two numbers. */
const CONNECTORS: readonly Connector[] = [
  { pattern: /\s?[*xX×✕]\s?(?=[\d¥$])/uy, spoken: "乘" },
  { pattern: /\s?(?:[-~～–−]|—{1,2})\s?(?=[\d¥$])/uy, spoken: "到" },
  { pattern: /#(?!\d)/uy, spoken: "号" },
];

/** Said between words or numbers on both sides, spaces allowed; anywhere else left out. */
const BETWEEN: ReadonlyMap<string, string> = new Map([
  ["<", "小于"],
  [">", "大于"],
  ["=", "等于"],
  ["*", "乘"],
  ["×", "乘"],
  ["÷", "除以"],
  ["/", "、"],
]);
/** Said wherever they stand. */
const ALWAYS: ReadonlyMap<string, string> = new Map([
  ["≥", "大于等于"],
  ["≤", "小于等于"],
  ["≈", "约等于"],
  ["±", "正负"],
  ["→", "到"],
  ["℃", "摄氏度"],
  ["½", "二分之一"],
  ["¼", "四分之一"],
  ["²", "平方"],
  ["³", "立方"],
  ["—", "，"],
  ["|", "，"],
  ["｜", "，"],
  ["_", " "],
]);
/** Seen, not heard. */
const SILENT: ReadonlySet<string> = new Set('()（）[]［］【】「」『』《》〈〉{}｛｝“”‘’"`^\\~～·•●▪¥$€£%‰°#@√★☆♪♥');
const WORD_CHAR = /[\p{L}\p{N}]/u;
const ASCII_WORD_CHAR = /[A-Za-z0-9]/;
const COLD = /^[-−]\d{1,3}(?:\.\d)?\s?(?:℃|°|摄氏)/u;
/** `30支/盒`, `8点-10点`: a number with its measure word. */
const COUNTED = /\d\p{Script=Han}{1,2}\s?$/u;
const RANGE_MARKS: ReadonlySet<string> = new Set("-~～–−—");
const CIRCLED_FIRST = "①".charCodeAt(0);
const CIRCLED = /[①-⑩]/u;

/** What is said for the symbol at a position; `null` for characters that are no symbols. */
export function readSymbol(text: string, at: number, afterNumber: boolean): SpokenSpan | null {
  const char = text.charAt(at);
  const connector = afterNumber ? readConnector(text, at) : readAfterMeasure(text, at);
  if (connector !== null) return connector;
  const spoken = sayMark(char, text, at);
  return spoken === null ? null : { spoken, end: at + 1 };
}

function readConnector(text: string, at: number): SpokenSpan | null {
  for (const { pattern, spoken } of CONNECTORS) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return { spoken, end: pattern.lastIndex };
  }
  if (text.charAt(at) !== "/") return null;
  const unit = findUnitSymbol(text, at + 1);
  if (unit !== null) return { spoken: `每${unit.spoken}`, end: at + 1 + unit.chars };
  return takesTwo(text.slice(at + 1, at + 3)) ? { spoken: "每", end: at + 1 } : null;
}

/** What joins `8点` to `10点`, and `30支` to `盒`. */
function readAfterMeasure(text: string, at: number): SpokenSpan | null {
  const char = text.charAt(at);
  const isRange = RANGE_MARKS.has(char) && /^\s?\d/.test(text.slice(at + 1, at + 3));
  const isPer = char === "/" && takesTwo(text.slice(at + 1, at + 3));
  if (!(isRange || isPer) || !COUNTED.test(text.slice(Math.max(0, at - 4), at))) return null;
  return { spoken: isRange ? "到" : "每", end: at + 1 };
}

function sayMark(char: string, text: string, at: number): string | null {
  const always = ALWAYS.get(char);
  if (always !== undefined) return always;
  if (SILENT.has(char)) return "";
  if (CIRCLED.test(char)) return `${"一二三四五六七八九十".charAt(char.charCodeAt(0) - CIRCLED_FIRST)}，`;
  const between = BETWEEN.get(char);
  if (between !== undefined) return stands(text, at) ? between : "";
  return SPEAKERS.get(char)?.(text, at) ?? null;
}

/** Symbols whose neighbours decide. */
const SPEAKERS: ReadonlyMap<string, (text: string, at: number) => string> = new Map([
  ["+", sayPlus],
  ["&", sayAnd],
  ["-", sayDash],
  ["–", sayDash],
  ["−", sayDash],
]);

/** Words on both sides, with a space at most between. */
function stands(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at).trimEnd();
  const after = text.slice(at + 1, at + 3).trimStart();
  return WORD_CHAR.test(before.slice(-1)) && WORD_CHAR.test(after.slice(0, 1));
}

/** `100+款` is 一百多款. */
function sayPlus(text: string, at: number): string {
  if (/^[\dw]$/.test(text.charAt(at - 1)) && takesTwo(text.slice(at + 1, at + 3))) return "多";
  const [before, after] = neighbours(text, at);
  return WORD_CHAR.test(before) || before === "+" || /[\d¥]/.test(after) ? "加" : "";
}

/** The characters on both sides, past one space; empty at the text's ends. */
function neighbours(text: string, at: number): [before: string, after: string] {
  const before = text.slice(Math.max(0, at - 2), at).trimEnd();
  const after = text.slice(at + 1, at + 3).trimStart();
  return [before.slice(-1), after.slice(0, 1)];
}

function sayAnd(text: string, at: number): string {
  if (!stands(text, at)) return "";
  const [before, after] = neighbours(text, at);
  return ASCII_WORD_CHAR.test(before) && ASCII_WORD_CHAR.test(after) ? " and " : "和";
}

/** Below zero; a minus sign where no word touches it; a hyphen inside a Latin word; else nothing. */
function sayDash(text: string, at: number): string {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + 1);
  if (COLD.test(text.slice(at, at + 8)) && !ASCII_WORD_CHAR.test(before)) return "零下";
  if (/\d/.test(after) && !WORD_CHAR.test(before)) return "负";
  return ASCII_WORD_CHAR.test(before) && ASCII_WORD_CHAR.test(after) ? "-" : "";
}
