import { z } from "zod";
import type { AdmissionLimits, CallReport } from "../contract/admission.ts";
import { type CallTimes, IDLE_WINDOW_MS, IdleLatency, readCallTimes, savedIdleLatencySchema } from "./idle-latency.ts";

/** A ceiling above this counts as this: latency grows without end towards 1. */
const CEILING_MAX = 0.95;
/** Fewest calls between two changes of the limit. Else there are as many as the limit: about one time in flight. */
const WINDOW_CALLS_MIN = 8;
/** Share of the limit that must have been in flight for it to have been the limit. Less says nothing about more. */
const LOADED_SHARE = 0.8;
/** Least factor of one decrease, and how much of it is taken at once. As in Gradient2, against swinging. */
const GRADIENT_MIN = 0.5;
const GRADIENT_WEIGHT = 0.5;
/** What a failure makes of the limit, and how soon the next may again, ms: one overload fails many calls at once. */
const BACKOFF_BY_CODE: ReadonlyMap<string, number> = new Map([
  ["model_rate_limited", 0.7],
  ["model_timed_out", 0.9],
  ["model_stalled", 0.9],
]);
const BACKOFF_PAUSE_MS = 1_000;
/** Stretch up to which the server counts as almost idle, above 1, and share of the limit, if that is less. */
const IDLE_STRETCH = 0.25;
const IDLE_SHARE_MAX = 0.25;
/** How much over that a call may find: turns that come during a dip find some that came before. */
const IDLE_TOLERANCE = 1.4;
/** Longest dip: so many calls' latencies, within these bounds, ms. What it has found by then is kept for the next. */
const DIP_CALLS = 10;
const DIP_MS_MIN = 20_000;
const DIP_MS_MAX = 120_000;
/** A limit that shrank to this share of what it was at the last dip had too much in flight then: it dips anew. */
const DIP_AGAIN_SHARE = 0.8;
const DIP_PAUSE_MS = 30_000;
/** Times that all slots of a dip are used for one mean of the idle latency. */
const IDLE_BATCH_ROUNDS = 2;
/** Weight of a call in the latency and the stretch of late: about the last ten count. */
const RECENT_WEIGHT = 0.1;
const STRETCH_CALLS_MIN = 8;
/** For how long the last stretch says something, ms. */
const STRETCH_LIFETIME_MS = 60_000;

export const savedLimitSchema = z.strictObject({
  limit: z.number().min(1).nullable(),
  idle: savedIdleLatencySchema,
});
export type SavedLimit = z.infer<typeof savedLimitSchema>;

/**
 * How many turns may be in flight, learned from how long calls take.
 *
 * A queue's latency is idle ÷ (1 − utilisation), so a ceiling of utilisation is a ceiling of stretch, latency ÷ idle:
 * 1 ÷ (1 − ceiling). Below it the limit grows by one per window, above it shrinks with target ÷ stretch. That is TCP
 * Vegas (L. Brakmo, L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC 13(8),
 * 1995) in the form of Gradient2 (https://github.com/Netflix/concurrency-limits, `Gradient2Limit`), with a target that
 * is given instead of a length of queue.
 *
 * Under steady load nobody sees the idle server, and what is taken for idle would creep up to whatever load there is.
 * So the limit dips for some turns when the idle latency is a window old, as BBR's ProbeRTT does. It need not go down to
 * one: by Little's law, a latency of idle ÷ (1 − utilisation) grows linearly with the number in flight, so what a call
 * found is divided by what that number should have cost if the limit's costs the target. That is exact where the limit
 * comes to rest, and under it errs to the safe side.
 */
export class AdaptiveLimit {
  readonly #idle: IdleLatency;
  #limits: AdmissionLimits | null = null;
  /** The learned limit, not rounded; `null` before the first configuration. */
  #learned: number | null;
  /** Stretches since the last change. */
  #window: number[] = [];
  #wasLoaded = false;
  #dipEndsAtMs: number | null = null;
  #dippedAtMs = Number.NEGATIVE_INFINITY;
  #dippedFrom = 1;
  /** Batches of calls on the idle server that there were when the dip began: with one more it has found what it seeks. */
  #idleBatches = 0;
  #backedOffAtMs = Number.NEGATIVE_INFINITY;
  #callMs = 0;
  #stretch = 1;
  #stretchCalls = 0;
  #stretchAtMs = Number.NEGATIVE_INFINITY;

  constructor(saved: SavedLimit | null) {
    this.#idle = new IdleLatency(saved?.idle ?? null);
    this.#learned = saved?.limit ?? null;
  }

  configure(limits: AdmissionLimits): void {
    this.#limits = limits;
    const learned = this.#learned ?? fixedLimit(limits);
    this.#learned = Math.min(Math.max(1, learned), limits.slots);
  }

  /** Turns that may be in flight now: 1 to `slots`. Before the first configuration 1. */
  current(nowMs: number): number {
    const limit = this.#undipped();
    const isDipping = this.#dipEndsAtMs !== null && nowMs < this.#dipEndsAtMs && this.#limits?.capacity === "adaptive";
    return isDipping ? this.#dipped() : limit;
  }

  /** When the limit comes back from a dip without a call; `null` if it is in none. */
  get dipEndsAtMs(): number | null {
    return this.#dipEndsAtMs;
  }

  /** Takes note of how much was wanted at a moment: a limit that nobody reaches does not grow. */
  noteLoad(inFlight: number, waiting: number, nowMs: number): void {
    this.#endDip(nowMs);
    if (waiting > 0 || inFlight >= this.current(nowMs) * LOADED_SHARE) this.#wasLoaded = true;
  }

  /** @param inFlight - Mean number of turns in flight during the call's turn, itself included. */
  take(call: CallReport, inFlight: number, nowMs: number): void {
    if (this.#limits === null) return;
    const backoff = call.failure === null ? undefined : BACKOFF_BY_CODE.get(call.failure.code);
    if (backoff !== undefined) this.#backOff(backoff, nowMs);
    const times = readCallTimes(call);
    if (times !== null) this.#takeTimes(times, inFlight, nowMs);
  }

  /** Share of the capacity in use by the calls of the last minute, 0 to 1; `null` if they were too few. */
  utilization(nowMs: number): number | null {
    const isKnown = this.#stretchCalls >= STRETCH_CALLS_MIN && nowMs - this.#stretchAtMs < STRETCH_LIFETIME_MS;
    return isKnown ? Math.max(0, 1 - 1 / this.#stretch) : null;
  }

  save(): SavedLimit {
    return { limit: this.#learned, idle: this.#idle.save() };
  }

  #undipped(): number {
    if (this.#limits === null || this.#learned === null) return 1;
    return this.#limits.capacity === "fixed" ? fixedLimit(this.#limits) : Math.floor(this.#learned);
  }

  /** Of the whole limit, not of the others: else one of four would be left to a load. It stays within the tolerance. */
  #dipped(): number {
    return 1 + Math.floor(this.#undipped() * this.#idleShare());
  }

  #target(): number {
    return 1 / (1 - Math.min(this.#limits?.utilizationCeiling ?? 0, CEILING_MAX));
  }

  /** Share of the others that the limit lets be in flight, up to which the server counts as almost idle. */
  #idleShare(): number {
    return Math.min(IDLE_SHARE_MAX, IDLE_STRETCH / (this.#target() - 1));
  }

  #takeTimes(times: CallTimes, inFlight: number, nowMs: number): void {
    this.#callMs += (times.totalMs - this.#callMs) * (this.#callMs === 0 ? 1 : RECENT_WEIGHT);
    const others = Math.max(0, inFlight - 1) / Math.max(1, this.#undipped() - 1);
    if (others <= this.#idleShare() * IDLE_TOLERANCE) {
      const stretch = 1 + (this.#target() - 1) * others;
      this.#idle.take(times, { stretch, batchCalls: this.#dipped() * IDLE_BATCH_ROUNDS, nowMs });
    }
    const stretch = this.#idle.stretchOf(times);
    if (stretch !== null) this.#takeStretch(stretch, nowMs);
    this.#endDip(nowMs);
    if (this.#dipEndsAtMs === null) this.#adapt(nowMs);
  }

  #takeStretch(stretch: number, nowMs: number): void {
    const isFirst = this.#stretchCalls === 0;
    this.#stretch += (stretch - this.#stretch) * (isFirst ? 1 : RECENT_WEIGHT);
    this.#stretchCalls += 1;
    this.#stretchAtMs = nowMs;
    if (this.#dipEndsAtMs === null) this.#window.push(stretch);
  }

  /** Changes the limit if a window is full, or begins a dip. */
  #adapt(nowMs: number): void {
    if (this.#wantsDip(nowMs)) {
      this.#startDip(nowMs);
      return;
    }
    if (this.#window.length < Math.max(WINDOW_CALLS_MIN, this.#undipped())) return;
    const stretch = medianOf(this.#window);
    const target = this.#target();
    if (stretch > target) {
      this.#scale(1 - GRADIENT_WEIGHT * (1 - Math.max(GRADIENT_MIN, target / stretch)));
    } else if (this.#wasLoaded) this.#learn((this.#learned ?? 1) + 1);
    this.#startWindow();
  }

  #wantsDip(nowMs: number): boolean {
    const limit = this.#undipped();
    if (!this.#wasLoaded || limit === 1 || this.#limits?.capacity !== "adaptive") return false;
    const sinceMs = nowMs - this.#dippedAtMs;
    if (this.#idle.isStale(nowMs) && sinceMs >= IDLE_WINDOW_MS) return true;
    return sinceMs >= DIP_PAUSE_MS && limit < this.#dippedFrom * DIP_AGAIN_SHARE;
  }

  #startDip(nowMs: number): void {
    this.#dipEndsAtMs = nowMs + Math.min(DIP_MS_MAX, Math.max(DIP_MS_MIN, this.#callMs * DIP_CALLS));
    this.#dippedFrom = this.#undipped();
    this.#idleBatches = this.#idle.batches;
  }

  /** What was measured during the dip says nothing about the limit, so a new window starts. */
  #endDip(nowMs: number): void {
    if (this.#dipEndsAtMs === null) return;
    if (nowMs < this.#dipEndsAtMs && this.#idle.batches === this.#idleBatches) return;
    this.#dipEndsAtMs = null;
    this.#dippedAtMs = nowMs;
    this.#startWindow();
  }

  #backOff(factor: number, nowMs: number): void {
    if (nowMs - this.#backedOffAtMs < BACKOFF_PAUSE_MS) return;
    this.#backedOffAtMs = nowMs;
    this.#scale(factor);
    this.#startWindow();
  }

  #startWindow(): void {
    this.#window = [];
    this.#wasLoaded = false;
  }

  #scale(factor: number): void {
    this.#learn((this.#learned ?? 1) * factor);
  }

  /** A fixed limit is not to leave a trace in the learned one, should the endpoint become adaptive. */
  #learn(limit: number): void {
    if (this.#limits?.capacity === "adaptive") this.#learned = Math.min(Math.max(1, limit), this.#limits.slots);
  }
}

/** The limit that the configuration alone gives. The small part makes up for products such as 100 × 0.29 = 28.999…96. */
function fixedLimit({ slots, utilizationCeiling }: AdmissionLimits): number {
  return Math.max(1, Math.floor(slots * utilizationCeiling + 1e-9));
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}
