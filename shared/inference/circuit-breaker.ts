import type { BreakerState } from "../contract/endpoint-status.ts";

/** Failures in a row that open the breaker: a server that is down is left alone after the calls of very few turns. */
export const FAILURES_IN_A_ROW_MAX = 5;
/** Calls of late whose failures are counted, and how many there must be before their share says something. */
const RECENT_CALLS_MAX = 20;
const RECENT_CALLS_MIN = 10;
/** Share of failures among the calls of late that opens the breaker. */
const FAILURE_SHARE_MAX = 0.5;
/** How long the breaker stays open at first, ms, and at most: each probe that fails doubles it. */
export const OPEN_MS_MIN = 5_000;
export const OPEN_MS_MAX = 60_000;

/** Say nothing about health: the turn gave up, or the server has too much to do, which the limit answers. */
const SILENT_CODES: ReadonlySet<string> = new Set(["aborted", "model_rate_limited"]);
/** The server did its work, though the answer is of no use. */
const SERVED_CODES: ReadonlySet<string> = new Set(["model_refused", "model_output_truncated"]);

/**
 * Leaves a failing server alone for a while, then lets one turn try it: the circuit breaker of M. Nygard, "Release It!",
 * 2007. Time comes in with each call; nothing has to be called when it passes.
 */
export class CircuitBreaker {
  #failuresInARow = 0;
  /** The last calls, oldest first; true is a failure. */
  #recent: boolean[] = [];
  /** While not `null`, the breaker is open until then, and half-open after. */
  #openUntilMs: number | null = null;
  #openMs = OPEN_MS_MIN;
  /** The last turn that was admitted as a probe; `null` once its calls have told. */
  #probeKey: string | null = null;
  /** Whether it has given its slot back: its report may still come, and another turn need not wait for that. */
  #isProbeOver = false;

  state(nowMs: number): BreakerState {
    if (this.#openUntilMs === null) return "closed";
    return nowMs < this.#openUntilMs ? "open" : "half_open";
  }

  /** From when on a probe may pass, `null` while closed. */
  get probeAtMs(): number | null {
    return this.#openUntilMs;
  }

  /** Whether a turn may be admitted now. Half-open, that is one at a time. */
  canAdmit(nowMs: number): boolean {
    const state = this.state(nowMs);
    return state === "closed" || (state === "half_open" && (this.#probeKey === null || this.#isProbeOver));
  }

  /** Takes note of an admission; half-open, it is the probe. */
  admit(key: string, nowMs: number): void {
    if (this.state(nowMs) !== "half_open") return;
    this.#probeKey = key;
    this.#isProbeOver = false;
  }

  /**
   * Takes the outcome of a call.
   *
   * @param code - The error code; `null` for success. While not closed, only the probe's calls count: those of turns
   * that began before tell of the past.
   */
  take(key: string, code: string | null, nowMs: number): void {
    if (code !== null && SILENT_CODES.has(code)) return;
    const isFailure = code !== null && !SERVED_CODES.has(code);
    if (this.#openUntilMs === null) this.#count(isFailure, nowMs);
    else if (key === this.#probeKey) this.#judge(isFailure, nowMs);
  }

  /** The turn's slot is free again: a probe that told nothing makes room for the next. */
  release(key: string): void {
    if (this.#probeKey === key) this.#isProbeOver = true;
  }

  #count(isFailure: boolean, nowMs: number): void {
    this.#failuresInARow = isFailure ? this.#failuresInARow + 1 : 0;
    this.#recent.push(isFailure);
    if (this.#recent.length > RECENT_CALLS_MAX) this.#recent.shift();
    const failures = this.#recent.filter(Boolean).length;
    const isShareHigh = this.#recent.length >= RECENT_CALLS_MIN && failures >= this.#recent.length * FAILURE_SHARE_MAX;
    if (this.#failuresInARow >= FAILURES_IN_A_ROW_MAX || isShareHigh) this.#open(nowMs);
  }

  #judge(isFailure: boolean, nowMs: number): void {
    this.#probeKey = null;
    if (isFailure) {
      this.#openMs = Math.min(OPEN_MS_MAX, this.#openMs * 2);
      this.#open(nowMs);
      return;
    }
    this.#openUntilMs = null;
    this.#openMs = OPEN_MS_MIN;
  }

  #open(nowMs: number): void {
    this.#openUntilMs = nowMs + this.#openMs;
    this.#failuresInARow = 0;
    this.#recent = [];
  }
}
