import { describe, it } from "vitest";
import { REDACTION_PATTERNS } from "../../../../shared/privacy/redaction-patterns.ts";

/** Repetitions without an end, or above three digits of count. */
const UNBOUNDED = /[*+]|\{\d+,\}|\{\d*,?\d{4,}\}/u;

/** A group that is repeated, `?` apart, and repeats something inside. Groups inside it are plain by then. */
const NESTED = /\([^()]*(?:[?]|\{\d+(?:,\d+)?\})[^()]*\)\{/u;

/** Its structure alone: escapes and classes as one letter, look-around and names without their signs. */
function structureOf(pattern: RegExp): string {
  return pattern.source
    .replaceAll(/\\u\{[^}]*\}|\\u[0-9a-f]{4}|\\./gu, "c")
    .replaceAll(/\[[^\]]*\]/gu, "c")
    .replaceAll(/\(\?(?:<[a-z]+>|<?[=!]|:)/giu, "(");
}

/** The innermost groups made letters, one level after another; `true` when one of them nests a repetition. */
function nestsRepetition(structure: string): boolean {
  if (NESTED.test(structure)) return true;
  // A group that repeats inside stays marked by a `?`, for the groups around it.
  const outer = structure.replaceAll(/\(([^()]*)\)/gu, (_, inside: string) => (/[?{]/u.test(inside) ? "c?" : "c"));
  return outer !== structure && nestsRepetition(outer);
}

const patterns = Object.entries(REDACTION_PATTERNS);

describe("REDACTION_PATTERNS", () => {
  it.for(patterns)("%s: bounds each repetition and nests none", ([, pattern], { expect }) => {
    expect(structureOf(pattern)).not.toMatch(UNBOUNDED);
    expect(nestsRepetition(structureOf(pattern))).toBe(false);
  });

  it.for([/a+b/u, /(?:a{1,3}){1,9}/u, /(?:x(?:a?b)){2}/u, /[a]{2,}/u])("the rule tells %s", (pattern, { expect }) => {
    const structure = structureOf(pattern);
    expect(UNBOUNDED.test(structure) || nestsRepetition(structure)).toBe(true);
  });
});
