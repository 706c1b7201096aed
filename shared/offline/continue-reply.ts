/** Goes on after a sentence that was refused: what was said is not said again, and what was refused stays unsaid. */
import { countCodePoints } from "../core/text.ts";
import type { Blocked } from "./reading/read-request.ts";
import { diceOf, pairsOf, toPlain } from "./reading/text-overlap.ts";

/** Sentences alike above this are one. */
const SAME_MIN = 0.75;

/** Characters of a clause that can stand alone. */
const CLAUSE_CHARS_MIN = 4;

/** Sentences for a reply that has nothing else to say: not knowing, or ending what was begun. */
export type LastLines = { readonly admissions: readonly string[]; readonly closings: readonly string[] };

/**
 * The sentences that are still to be said. Of a refused sentence, the clauses that have nothing of the reason are kept.
 * When nothing is left, the first of the last lines that was neither said nor refused: an empty reply would be asked
 * for again.
 */
export function continueReply(
  lines: readonly string[],
  said: readonly string[],
  blocked: readonly Blocked[],
  last: LastLines,
): string[] {
  const heard = said.map(toPlain).join("\n");
  const rest = lines.flatMap((line) => {
    const refusal = blocked.find(({ text }) => isSame(line, text));
    return refusal === undefined ? [line] : keptClauses(line, refusal);
  });
  const open = rest.filter((line) => !heard.includes(toPlain(line)) && !said.some((text) => isSame(line, text)));
  if (open.length > 0) return open;
  const used = [...said, ...blocked.map(({ text }) => text)];
  const isUsed = (line: string) => used.some((text) => isSame(line, text));
  const end = (said.length > 0 ? last.closings : last.admissions).find((line) => !isUsed(line));
  return end === undefined ? [] : [end];
}

/** A refused piece may be cut out of a longer sentence, or hold it. */
function isSame(a: string, b: string): boolean {
  const [plainA, plainB] = [toPlain(a), toPlain(b)];
  if (plainA === "" || plainB === "") return false;
  const [short, long] = plainA.length < plainB.length ? [plainA, plainB] : [plainB, plainA];
  if (short.length >= 4 && long.includes(short)) return true;
  // Two prices read alike but for their digits.
  const isSameNumbers = plainA.replace(/\D+/gu, " ").trim() === plainB.replace(/\D+/gu, " ").trim();
  return isSameNumbers && diceOf(pairsOf(plainA), pairsOf(plainB)) >= SAME_MIN;
}

function keptClauses(line: string, { text, reason }: Blocked): string[] {
  const clauses = line.split(/[，,；;。！!]+/u).filter((clause) => clause.trim() !== "");
  const kept = clauses.filter((clause) => !isRefused(clause, text, reason));
  if (kept.length === clauses.length) return [];
  return kept.filter((clause) => countCodePoints(clause) >= CLAUSE_CHARS_MIN).map((clause) => `${clause.trim()}。`);
}

/** In the refused text, and touched by the reason: a number or two characters of it, or the reason points at nothing. */
function isRefused(clause: string, text: string, reason: string): boolean {
  if (!toPlain(text).includes(toPlain(clause))) return false;
  const found = [...reason.matchAll(/[「“"'（(]([^」”"'）)]{1,40})[」”"'）)]/gu)].map(([, word = ""]) => word);
  if (found.some((word) => toPlain(text).includes(toPlain(word)))) {
    return found.some((word) => clause.includes(word));
  }
  const numbers = reason.match(/\d+(?:\.\d+)?/gu) ?? [];
  const named = numbers.filter((number) => text.includes(number));
  return named.length === 0 || named.some((number) => clause.includes(number));
}
