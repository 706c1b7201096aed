/** The headline figures of a room, from its model. */
import type { RoomModel } from "./frame-store.ts";
import { phaseOf } from "./turn-item.ts";

/** Turns that the first-sentence figures look back on. */
export const FIGURE_TURNS = 50;

export type Figures = {
  /** Time to the first spoken sentence, ms, over `count` turns; `null` while there is none. */
  readonly firstSentenceP50Ms: number | null;
  readonly firstSentenceP95Ms: number | null;
  readonly count: number;
  /** Messages that wait for an answer. */
  readonly waitingMessages: number;
  /** Turns that they make; each is answered once. */
  readonly waitingTurns: number;
  /** How long the oldest of them has waited, ms; `null` when none waits. */
  readonly oldestWaitMs: number | null;
};

/** Nearest-rank percentile: a value that was really measured. `null` for no values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** @param nowMs - This page's clock; the model corrects it to the server's. */
export function toFigures(model: RoomModel, nowMs: number): Figures {
  const firstSentences = model.turns.flatMap((turn) => turn.end?.timings.firstSentenceMs ?? []).slice(-FIGURE_TURNS);
  const waiting = [...model.waiting.values()];
  const again = model.turns.filter((turn) => phaseOf(turn) === "waiting");
  const oldestMs = Math.min(...waiting.map((turn) => turn.acceptedAtMs));
  return {
    firstSentenceP50Ms: percentile(firstSentences, 0.5),
    firstSentenceP95Ms: percentile(firstSentences, 0.95),
    count: firstSentences.length,
    waitingMessages: [...waiting, ...again].reduce((sum, turn) => sum + turn.messageCount, 0),
    waitingTurns: waiting.length + again.length,
    oldestWaitMs: waiting.length === 0 ? null : Math.max(0, nowMs + (model.skewMs ?? 0) - oldestMs),
  };
}
