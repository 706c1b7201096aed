/** When a room asks for its next strategy. It is asked at the end of a turn, so a quiet room keeps no timer for it. */
import type { StrategyPolicy } from "../contract/strategy.ts";

/** Longest time for one strategy, ms: 500 tokens at 30 a second, and the wait for a slot. Later it counts as lost. */
export const STRATEGY_LIMIT_MS = 30_000;

/** Pause after a failure, ms; twice as long after each further one, up to the second figure. */
const FAILURE_PAUSE_MS = 60_000;
const FAILURE_PAUSE_MS_MAX = 600_000;

export type StrategyProgress = {
  /** When the strategy that stands was made; `null` before the first. */
  readonly madeAtMs: number | null;
  /** Turns that have ended since. */
  readonly endedTurns: number;
  /** When one was asked for that has not come; `null` when none is awaited. */
  readonly askedAtMs: number | null;
  /** Failures in a row, and when the last one was; `null` after a success. */
  readonly failure: { readonly count: number; readonly atMs: number } | null;
};

/** Nothing is made, awaited or lost yet. */
export const NO_PROGRESS: StrategyProgress = { madeAtMs: null, endedTurns: 0, askedAtMs: null, failure: null };

/** From when on a strategy may be asked for, ms since the epoch; `null` while it is off or too little has happened. */
export function strategyDueAtMs(policy: StrategyPolicy, progress: StrategyProgress): number | null {
  if (!policy.isOn || progress.endedTurns < policy.everyTurns) return null;
  const { madeAtMs, askedAtMs, failure } = progress;
  return Math.max(
    madeAtMs === null ? 0 : madeAtMs + policy.everyMs,
    askedAtMs === null ? 0 : askedAtMs + STRATEGY_LIMIT_MS,
    failure === null ? 0 : failure.atMs + pauseAfter(failure.count),
  );
}

function pauseAfter(count: number): number {
  return Math.min(FAILURE_PAUSE_MS * 2 ** Math.max(0, count - 1), FAILURE_PAUSE_MS_MAX);
}
