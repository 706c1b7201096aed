/** What is known by the word before it or by its signs: e-mail, orders and waybills, accounts of messengers. */
import type { PlainText, Span } from "./plain-text.ts";
import type { RedactionKind } from "./redaction-kind.ts";
import { REDACTION_PATTERNS } from "./redaction-patterns.ts";

type Found = Span & { readonly kind: RedactionKind };

export function findEmails({ text }: PlainText): Found[] {
  return [...text.matchAll(REDACTION_PATTERNS.email)].map((match) => ({
    kind: "email",
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Digits that make a number of an order; its tail (尾号1234) names nobody. */
const ORDER_DIGITS_MIN = 6;

/** Digits of a carrier's number, by the shortest in use. */
const WAYBILL_DIGITS_MIN = 10;

export function findOrders({ digits }: PlainText): Found[] {
  return [
    ...findInGroups(digits, REDACTION_PATTERNS.order, ORDER_DIGITS_MIN),
    ...findInGroups(digits, REDACTION_PATTERNS.waybill, WAYBILL_DIGITS_MIN),
    ...[REDACTION_PATTERNS.bareOrder, REDACTION_PATTERNS.postal]
      .flatMap((pattern) => [...digits.matchAll(pattern)])
      .map((match): Found => ({ kind: "order", start: startOfId(match), end: match.index + match[0].length })),
  ];
}

function findInGroups(text: string, pattern: RegExp, digitsMin: number): Found[] {
  return [...text.matchAll(pattern)]
    .map((match): Found => {
      const end = endOfGroups(text, match.index + match[0].length);
      return { kind: "order", start: startOfId(match), end };
    })
    .filter(({ start, end }) => text.slice(start, end).replaceAll(/\D/gu, "").length >= digitsMin);
}

/** The id is the end of its match. */
function startOfId(match: RegExpExecArray): number {
  return match.index + match[0].length - (match.groups?.["id"]?.length ?? 0);
}

/** Groups that one number is written in at most, after its first. */
const NEXT_GROUPS_MAX = 6;

function endOfGroups(text: string, from: number): number {
  let end = from;
  for (let count = 0; count < NEXT_GROUPS_MAX; count += 1) {
    const length = matchLengthAt(REDACTION_PATTERNS.nextGroup, text, end);
    if (length === 0) break;
    end += length;
  }
  return end;
}

/** Characters that a sticky pattern takes at a place; 0: it does not match there. */
export function matchLengthAt(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0].length ?? 0;
}

/** Phones under such a word are left to the numbers, which tell them apart. */
export function findAccounts({ digits }: PlainText): Found[] {
  return [REDACTION_PATTERNS.account, REDACTION_PATTERNS.hiddenAccount]
    .flatMap((pattern) => [...digits.matchAll(pattern)])
    .filter((match) => isAccount(match.groups?.["link"] ?? "", match.groups?.["id"] ?? ""))
    .map((match) => ({ kind: "account", start: startOfId(match), end: match.index + match[0].length }));
}

/** A word alone (wechat payment) is an account only where the link says so: 微信号abcdef. */
function isAccount(link: string, id: string): boolean {
  if (/^1[3-9]\d{9}$/u.test(id)) return false;
  return /[\d_-]/u.test(id) || /号|账|id|:|是|为|is/u.test(link);
}
