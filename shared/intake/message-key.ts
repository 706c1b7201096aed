/** When two bullet comments ask the same. Careful: a wrong merge leaves a viewer without an answer, a missed one costs a turn. */
import { toArabicNumbers } from "./arabic-numbers.ts";
import {
  FILLERS,
  FUNCTION_CHARACTERS,
  HOMOPHONES,
  NEGATIONS,
  SAME_WORDS,
  YES_OR_NO,
  type Replacement,
} from "./question-words.ts";
import { spellMessage } from "./spell-message.ts";

/** One character again and again is one: 多少钱钱钱. Digits and letters stay: 11号 is not 1号, XXL is not XL; 奶奶 is no 奶. */
const RUNS = /([^\p{ASCII}奶])\1+/gu;

/** The whole said again: 1号多少钱1号多少钱. Not of digits alone: 1212 is a number. */
const AGAIN = /^(?!\d+$)(.{2,16}?)\1+$/u;

/** A link by its number; not a date (5月1号) and no size of a battery or garment. */
const LINK = /(?<![\d.,月])\d+号(?![码电])/gu;

/** 有 as a verb. It moves only where it is the one of its kind; 有几个 and 有多少 ask for a number and stay. */
const HAS = /(?<![没所只含拥享])有(?![点效限机用时关趣几]|多少)/gu;

const NUMBERS = /\d+(?:\.\d+)?/gu;

/** Shorter keys say too little to be alike and not equal. Characters. */
const ALIKE_CHARS_MIN = 3;

/** The shortest part of a question that may stand elsewhere, characters: 饭盒 and 盒饭 are two things. */
const MOVED_CHARS_MIN = 2;

/**
 * One of two parts that change places asks or specifies: 怎么领优惠券 and 优惠券怎么领, 大号奶锅 and 奶锅大号. Two names that
 * change places are two things: 牛奶巧克力 and 巧克力牛奶, 套装有面膜吗 and 面膜有套装吗.
 */
const MOVABLE = /什么|怎么|多少|多[大长高久重宽厚]|几|哪|能|适合|有|[色码号款]|\d/u;

/** What viewers send when the host asks for it: 1, 扣1, 111. 11 may be a link. */
const VOTE = /^(?:[扣口]([1-3])\1*|([1-3])\2{2,})$/u;

/**
 * One spelling for one question; "" when the text has neither letters nor digits. Two messages with equal keys ask the same.
 * Of a text of nothing but calls and particles (主播, 在吗) all stays, so that many who call are answered once.
 */
export function toMessageKey(text: string): string {
  const spelt = spellMessage(text);
  return questionKey(spelt) || spelt.replaceAll(" ", "").replaceAll(RUNS, "$1").replace(AGAIN, "$1");
}

function questionKey(spelt: string): string {
  const clauses = [HOMOPHONES, FILLERS, YES_OR_NO].reduce(replaceEach, spelt);
  const joined = joinClauses(toArabicNumbers(clauses));
  const key = replaceEach(joined.replaceAll(RUNS, "$1"), SAME_WORDS).replaceAll(RUNS, "$1").replace(AGAIN, "$1");
  return toFront(toFront(key, HAS), LINK).replace(VOTE, "$1$2");
}

/** Most patterns are not in most messages, and a search costs half of what a replacement does (measured). */
function replaceEach(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce(
    (rest, [pattern, by]) => (rest.search(pattern) === -1 ? rest : rest.replaceAll(pattern, by)),
    text,
  );
}

/** Without spaces. A comma parts numbers and words of letters that a space parted: "1 2号" is not 12号. */
function joinClauses(clauses: string): string {
  return clauses
    .trim()
    .replaceAll(/(?<=\d) +(?=\d)|(?<=[a-z]) +(?=[a-z])/gu, ",")
    .replaceAll(" ", "");
}

/** 多少钱1号 is 1号多少钱, 蓝色有 is 有蓝色. As it is when the pattern is found twice: then the order says something. */
function toFront(key: string, pattern: RegExp): string {
  const [found, second] = key.matchAll(pattern);
  if (found === undefined || second !== undefined || found.index === 0) return key;
  return found[0] + key.slice(0, found.index) + key.slice(found.index + found[0].length);
}

/**
 * Whether two keys ask the same though they are not equal: function characters aside, they have the same characters, and
 * one word or phrase stands elsewhere. Numbers and what is denied must be the same, in the same order; with two numbers
 * nothing may move, since it says which is which.
 */
export function isSameQuestion(a: string, b: string): boolean {
  if (a === b) return true;
  if (Math.min(a.length, b.length) < ALIKE_CHARS_MIN) return false;
  if (listOf(a, NEGATIONS) !== listOf(b, NEGATIONS) || listOf(a, NUMBERS) !== listOf(b, NUMBERS)) return false;
  const [contentA, contentB] = [toContent(a), toContent(b)];
  return contentA === contentB || (!listOf(a, NUMBERS).includes(" ") && isOnePartMoved(contentA, contentB));
}

/** The characters that decide, in an order of their own. Keys that ask the same have the same. */
export function toSignature(key: string): string {
  return Array.from(toContent(key)).toSorted().join("");
}

function toContent(key: string): string {
  return key.replaceAll(FUNCTION_CHARACTERS, "");
}

function listOf(key: string, pattern: RegExp): string {
  return (key.match(pattern) ?? []).join(" ");
}

function isOnePartMoved(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = a.length;
  while (end > start && a[end - 1] === b[end - 1]) end -= 1;
  const middle = a.slice(start, end);
  const shift = (middle + middle).indexOf(b.slice(start, end));
  if (shift < MOVED_CHARS_MIN || middle.length - shift < MOVED_CHARS_MIN) return false;
  return MOVABLE.test(middle.slice(0, shift)) || MOVABLE.test(middle.slice(shift));
}
