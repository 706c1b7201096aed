/** Why a turn was next, why it ended so and how it lost the floor, in the reader's words. */
import type { TurnPriority } from "../../shared/contract/intake-policy.ts";
import { formatMs, formatPoints } from "./format.ts";
import { type Strings, wordFor } from "./strings.ts";
import type { Interruption } from "./turn-item.ts";

/** A turn's points and what made them, most first. */
export type PriorityWords = {
  readonly line: string;
  readonly parts: readonly { readonly name: string; readonly points: string }[];
};

export function describePriority(priority: TurnPriority, waitedMs: number, strings: Strings): PriorityWords {
  const [points, waited] = [formatPoints(priority.points), formatMs(waitedMs)];
  return {
    line:
      priority.waiting > 1
        ? strings.priorityWhy(points, priority.waiting, waited)
        : strings.priorityAlone(points, waited),
    parts: priority.parts
      .toSorted((a, b) => b.points - a.points)
      .map((part) => ({
        name: wordFor(strings.priorityParts, part.name),
        points: `${part.points > 0 ? "+" : ""}${formatPoints(part.points)}`,
      })),
  };
}

/** `优先 57.2 分 · 8 选 1`: the place in the order in short. */
export function summarisePriority({ points, waiting }: TurnPriority, strings: Strings): string {
  return strings.priorityShort(formatPoints(points), waiting);
}

/** Why a turn ended so. A reason may name what it is about after a colon; one that the page does not know stays as it is. */
export function describeReason(reason: string, { turnReasons }: Strings): string {
  const [kind = ""] = reason.split(":");
  return kind === "priority" ? turnReasons.priority : wordFor(turnReasons, reason);
}

/** One interruption in one sentence. `acceptedAtMs`: when the turn's time began. */
export function describeInterruption(interruption: Interruption, acceptedAtMs: number, strings: Strings): string {
  const { atMs, cause, act, resumes, heard } = interruption;
  const rest = [strings.interruptActs[act]];
  if (heard !== null) rest.push(strings.interruptHeard(heard.sentences, formatMs(heard.lastMs)));
  rest.push(resumes ? strings.interruptResumes : strings.interruptEnds);
  return strings.interrupted(
    formatMs(Math.max(0, atMs - acceptedAtMs)),
    wordFor(strings.turnReasons, cause),
    rest.join(strings.listComma),
  );
}
