/** Numbers that tell by themselves what they are: phones, identity numbers, bank cards, and what is too long for a count. */
import { isCardNumber, isIdNumber } from "./check-digits.ts";
import type { PlainText, Span } from "./plain-text.ts";
import type { RedactionKind } from "./redaction-kind.ts";
import { REDACTION_PATTERNS } from "./redaction-patterns.ts";

/** Digits written without a break and in one script. */
type Group = Span & { readonly isArabic: boolean };

/** Groups that may be one number. */
type Candidate = {
  readonly digits: string;
  /** Digits of each group; groups that touch count as one as well. */
  readonly shape: readonly number[];
  readonly hasComma: boolean;
  /** All its digits are Chinese. */
  readonly isSpoken: boolean;
  /** `+` stands before it. */
  readonly isInternational: boolean;
  /** What stands before it, enough for a word. */
  readonly before: string;
  readonly after: string;
};

/** Groups of one number: 19 digits of a card, said one by one. */
const GROUPS_MAX = 19;
const DIGITS_MAX = 24;
const WORD_CHARS_MAX = 24;

export function findNumbers(plain: PlainText): (Span & { readonly kind: RedactionKind })[] {
  const groups = readGroups(plain);
  const found: (Span & { readonly kind: RedactionKind })[] = [];
  for (let index = 0; index < groups.length;) {
    const match = longestFrom(plain, groups, index);
    if (match !== null) found.push({ kind: match.kind, start: match.start, end: match.end });
    index += match?.groups ?? 1;
  }
  return found;
}

function readGroups({ text, digits }: PlainText): Group[] {
  const groups: Group[] = [];
  let start = 0;
  while (start < digits.length) {
    if (!isDigit(digits, start)) {
      start += 1;
      continue;
    }
    const isArabic = isDigit(text, start);
    let end = start + 1;
    while (isDigit(digits, end) && isDigit(text, end) === isArabic) end += 1;
    groups.push({ start, end, isArabic });
    start = end;
  }
  return groups;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

type Match = Span & { readonly kind: RedactionKind; readonly groups: number };

function longestFrom(plain: PlainText, groups: readonly Group[], first: number): Match | null {
  const start = groups[first]?.start ?? 0;
  let longest: Match | null = null;
  let digits = "";
  let gaps = "";
  const shape: number[] = [];
  for (let index = first; index < Math.min(groups.length, first + GROUPS_MAX); index += 1) {
    const group = groups[index];
    if (group === undefined) break;
    const gap = index === first ? "" : plain.text.slice(groups[index - 1]?.end, group.start);
    if (!REDACTION_PATTERNS.gap.test(gap) || digits.length + group.end - group.start > DIGITS_MAX) break;
    digits += plain.digits.slice(group.start, group.end);
    gaps += gap;
    addToShape(shape, group.end - group.start, index === first || gap !== "");
    const match = matchOf(plain, { start, end: group.end }, { digits, shape, gaps });
    if (match !== null) longest = { ...match, groups: index - first + 1 };
  }
  return longest;
}

function addToShape(shape: number[], length: number, isApart: boolean): void {
  if (isApart) shape.push(length);
  else shape[shape.length - 1] = (shape.at(-1) ?? 0) + length;
}

function matchOf(
  { text }: PlainText,
  { start, end }: Span,
  { digits, shape, gaps }: { digits: string; shape: readonly number[]; gaps: string },
): Omit<Match, "groups"> | null {
  const isInternational = text.charAt(start - 1) === "+" && !isDigit(text, start - 2);
  const from = isInternational ? start - 1 : start;
  const endsInX = digits.length === 17 && text.charAt(end) === "x" && !/[a-z0-9]/u.test(text.charAt(end + 1));
  const kind = kindOf({
    digits: endsInX ? `${digits}x` : digits,
    shape,
    hasComma: /[,、/]/u.test(gaps),
    isSpoken: !/\d/u.test(text.slice(start, end)),
    isInternational,
    before: text.slice(Math.max(0, from - WORD_CHARS_MAX), from),
    after: text.slice(end, end + 2),
  });
  if (kind === null) return null;
  const isInBrackets = gaps.includes(")") && !gaps.includes("(") && text.charAt(from - 1) === "(";
  return { kind, start: isInBrackets ? from - 1 : from, end: endsInX ? end + 1 : end };
}

function kindOf(candidate: Candidate): RedactionKind | null {
  return KIND_RULES.find(({ holds }) => holds(candidate))?.kind ?? null;
}

/** The first that holds; `null` ends the search: the number stays. */
const KIND_RULES: readonly {
  readonly kind: RedactionKind | null;
  readonly holds: (candidate: Candidate) => boolean;
}[] = [
  { kind: "id-number", holds: ({ digits, shape }) => isIdNumber(digits) && isGrouped(shape) },
  { kind: "id-number", holds: isAfterIdWord },
  { kind: "card", holds: isAfterCardWord },
  { kind: null, holds: ({ after }) => REDACTION_PATTERNS.countedUnit.test(after) },
  { kind: "phone", holds: (candidate) => !isInsideCode(candidate) && isPhone(candidate) },
  { kind: null, holds: ({ before }) => REDACTION_PATTERNS.productWord.test(before) },
  { kind: "card", holds: ({ digits, shape, hasComma }) => isCardNumber(digits) && isGrouped(shape) && !hasComma },
  { kind: "order", holds: isTooLong },
];

/** Nothing that is counted, priced or coded in a live room is longer; codes of goods have 14 digits at most (GTIN). */
const LONG_DIGITS_MIN = 15;

function isTooLong({ digits, shape, before, after }: Candidate): boolean {
  const isApart = !/[a-z]$/u.test(before) && !/^[a-z]/u.test(after);
  return digits.length >= LONG_DIGITS_MIN && shape.length === 1 && isApart;
}

function isAfterCardWord({ digits, before }: Candidate): boolean {
  return /^\d{16,19}$/u.test(digits) && REDACTION_PATTERNS.cardWord.test(before);
}

function isAfterIdWord({ digits, before }: Candidate): boolean {
  return /^(?:\d{15}|\d{17}[\dx])$/u.test(digits) && REDACTION_PATTERNS.idWord.test(before);
}

/** Numbers are said one by one or in groups of three and more; 13.9、15.9、16.9 are prices. */
function isGrouped(shape: readonly number[]): boolean {
  return shape.every((length) => length >= 3) || shape.every((length) => length === 1);
}

/** Letters on both sides: eleven digits of a key or a hash. */
function isInsideCode({ shape, before, after }: Candidate): boolean {
  const hasLetters = /[a-z]$/u.test(before) && /^[a-z]/u.test(after);
  return hasLetters && shape.length === 1 && !/(?:tel|[vw]x|qq)$/u.test(before);
}

function isPhone(candidate: Candidate): boolean {
  const { digits, shape, hasComma } = candidate;
  const hasWord = REDACTION_PATTERNS.phoneWord.test(candidate.before);
  if (!hasComma && candidate.isInternational && /^[1-9]\d{8,14}$/u.test(digits)) return true;
  if (MOBILE.test(digits)) return hasWord || isMobileShape(candidate);
  if (hasComma) return false;
  if (LANDLINE.test(digits)) return isLandlineShape(shape);
  return hasWord && /^(?![48]00|9[56])\d{7,12}$/u.test(digits);
}

/** Mobile numbers of the mainland (1[3-9], eleven digits), with the country's code or without. */
const MOBILE = /^(?:0{0,2}86|0)?1[3-9]\d{9}$/u;

/** An area code of the mainland and seven or eight digits. */
const LANDLINE = /^(?:(?:00)?860?|0)(?:10|2\d|[3-9]\d{2})[2-9]\d{6,7}$/u;

/** Commas part prices (199、1299、3999), unless the digits are said: one by one, or in Chinese. */
function isMobileShape({ digits, shape, hasComma, isSpoken }: Candidate): boolean {
  const prefix = /^0{0,2}86/u.exec(digits)?.[0].length;
  const own = prefix !== undefined && shape[0] === prefix ? shape.slice(1) : shape;
  return own.every((length) => length === 1) || ((isSpoken || !hasComma) && own.every((length) => length >= 3));
}

/** The area, then groups of three and more. */
function isLandlineShape(shape: readonly number[]): boolean {
  return shape.every((length, index) => length >= 3 || (index === 0 && length === 2));
}
