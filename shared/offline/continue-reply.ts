/** Goes on after a sentence that was refused: what was said is not said again, and what was refused stays unsaid. */
import { countCodePoints } from "../core/text.ts";
import type { Blocked } from "./read-request.ts";
import { diceOf, pairsOf, toPlain } from "./text-overlap.ts";

/** Sentences alike above this are one. */
const SAME_MIN = 0.75;

/** Characters of a clause that can stand alone. */
const CLAUSE_CHARS_MIN = 4;

/**
 * The sentences that are still to be said. Of a refused sentence, the clauses that have nothing of the reason are kept;
 * when nothing is left and nothing was said, the first of `admissions` that was not refused itself.
 */
export function continueReply(
  lines: readonly string[],
  said: readonly string[],
  blocked: readonly Blocked[],
  admissions: readonly string[],
): string[] {
  const heard = said.map(toPlain).join("\n");
  const rest = lines.flatMap((line) => {
    const refusal = blocked.find(({ text }) => isSame(line, text));
    return refusal === undefined ? [line] : keptClauses(line, refusal);
  });
  const open = rest.filter((line) => !heard.includes(toPlain(line)) && !said.some((text) => isSame(line, text)));
  if (open.length > 0 || (lines.length > 0 && blocked.length === 0 && said.length > 0)) return open;
  const admission = admissions.find(
    (line) => ![...said, ...blocked.map(({ text }) => text)].some((text) => isSame(line, text)),
  );
  return admission === undefined ? [] : [admission];
}

/** A refused piece may be cut out of a longer sentence, or hold it. */
function isSame(a: string, b: string): boolean {
  const [plainA, plainB] = [toPlain(a), toPlain(b)];
  if (plainA === "" || plainB === "") return false;
  const [short, long] = plainA.length < plainB.length ? [plainA, plainB] : [plainB, plainA];
  return (short.length >= 4 && long.includes(short)) || diceOf(pairsOf(plainA), pairsOf(plainB)) >= SAME_MIN;
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
  if (found.length > 0 && found.some((word) => toPlain(text).includes(toPlain(word)))) {
    return found.some((word) => clause.includes(word));
  }
  const numbers = reason.match(/\d+(?:\.\d+)?/gu) ?? [];
  const named = numbers.filter((number) => text.includes(number));
  return named.length === 0 || named.some((number) => clause.includes(number));
}
