/**
 * Takes what names or reaches a person out of text that leaves the product: viewers write their phone, address and order
 * into the chat, and a recorded turn repeats them.
 *
 * Hotlines of shops (400-…, 800-…, 95…) stay: they are public and belong to no person. So do places without a door,
 * tails of numbers (尾号1234), and everything that a shop counts, prices or codes.
 */
import { findAddresses } from "./find-addresses.ts";
import { findAccounts, findEmails, findOrders } from "./find-named.ts";
import { findNumbers } from "./find-numbers.ts";
import { takeSpans, toPlainText, toSourceSpan, type PlainText, type Span } from "./plain-text.ts";
import type { RedactionKind } from "./redaction-kind.ts";

type Found = Span & { readonly kind: RedactionKind };

export type Redaction = {
  /** The text with `[phone]`, `[address]` … in the place of each find. The same string where nothing is found. */
  readonly text: string;
  /** Places in the text that was given, in order, without overlap. UTF-16 code units. */
  readonly found: readonly { readonly kind: RedactionKind; readonly start: number; readonly end: number }[];
};

/** A value as `JSON.parse` gives it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** In this order: what has a word or a sign is told before bare numbers; addresses last, for their numbers are short. */
const FINDERS: readonly ((plain: PlainText) => readonly Found[])[] = [
  findEmails,
  findOrders,
  findAccounts,
  findNumbers,
  findAddresses,
];

/**
 * A find can be what kept its neighbour from being read (an e-mail right before a phone), so the text is read again
 * until nothing more is found. Twice is the rule.
 */
const ROUNDS_MAX = 8;

/** Pure, in time linear in the text; any string is taken, lone surrogates too. Redacted text stays as it is. */
export function redactText(text: string): Redaction {
  let plain = toPlainText(text);
  const found: Found[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = found.length;
    for (const find of FINDERS) {
      const spans = withoutOverlap(find(plain));
      if (spans.length === 0) continue;
      for (const span of spans) found.push({ kind: span.kind, ...toSourceSpan(plain, span) });
      plain = takeSpans(plain, spans);
    }
    if (found.length === before) break;
  }
  const inOrder = withoutOverlap(found);
  return { text: inOrder.length === 0 ? text : replace(text, inOrder), found: inOrder };
}

/** Redacts every string of a JSON value; keys, numbers and the shape stay. */
export function redactValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return redactText(value).text;
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(redactValue);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, redactValue(part)]));
}

/** `Array.isArray` does not narrow lists that are read-only. */
function isList(value: readonly JsonValue[] | { readonly [key: string]: JsonValue }): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function withoutOverlap(spans: readonly Found[]): Found[] {
  const kept: Found[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  }
  return kept;
}

function replace(text: string, found: readonly Found[]): string {
  let result = "";
  let from = 0;
  for (const { kind, start, end } of found) {
    result += `${text.slice(from, start)}[${kind}]`;
    from = end;
  }
  return result + text.slice(from);
}
