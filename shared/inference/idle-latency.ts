/**
 * What a call takes on an idle server, learned from the calls that find it almost idle.
 *
 * Two parts, since prompts and answers differ in length: the wait for the first token, by the prompt tokens that were not
 * in the cache, and the time of each token after it. Each part is a minimum over a window, as BBR keeps the path's
 * shortest round trip (N. Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016): load that
 * we do not see can only add to a latency.
 */
import { z } from "zod";
import type { CallReport } from "../contract/admission.ts";

/** A minimum forgets after one to two windows, ms: so long does a server that became slower look overloaded. */
export const IDLE_WINDOW_MS = 180_000;
/** Fewest calls whose mean is one candidate for the minimum. The minimum of single calls would be the luckiest one's time. */
export const IDLE_BATCH_CALLS_MIN = 12;
/** Calls whose mean stands in for the minimum while nothing at all is known: under load turns wait until something is. */
export const IDLE_FIRST_CALLS = 4;
/** Prompts up to this many uncached tokens are alike; then each doubling is a class of its own, up to 2^19 tokens. */
const PROMPT_CLASS_TOKENS = 256;
const PROMPT_CLASSES_MAX = 12;

const savedMinimumSchema = z.strictObject({
  before: z.number().positive().nullable(),
  inWindow: z.number().positive().nullable(),
  windowEndsAtMs: z.number(),
});
export const savedIdleLatencySchema = z.strictObject({
  tokenMs: savedMinimumSchema,
  /** By class of prompt. */
  firstTokenMs: z.array(savedMinimumSchema).length(PROMPT_CLASSES_MAX),
});
type SavedMinimum = z.infer<typeof savedMinimumSchema>;
export type SavedIdleLatency = z.infer<typeof savedIdleLatencySchema>;

/** The times of a served call. */
export type CallTimes = {
  readonly firstTokenMs: number;
  readonly totalMs: number;
  readonly outputTokens: number;
  readonly uncachedTokens: number;
};

/** Reads the times of a call; `null` if it was not served, or gave no token whose time could be taken. */
export function readCallTimes(call: CallReport): CallTimes | null {
  const { failure, firstTokenMs, totalMs, outputTokens } = call;
  if (failure !== null || firstTokenMs === null || !(firstTokenMs > 0) || !(outputTokens > 0)) return null;
  if (!(totalMs > firstTokenMs)) return null;
  return { firstTokenMs, totalMs, outputTokens, uncachedTokens: call.inputTokens - (call.cachedTokens ?? 0) };
}

export class IdleLatency {
  readonly #tokenMs: WindowedMinimum;
  readonly #firstTokenMs: readonly WindowedMinimum[];

  constructor(saved: SavedIdleLatency | null) {
    this.#tokenMs = new WindowedMinimum(saved?.tokenMs);
    this.#firstTokenMs = Array.from(
      { length: PROMPT_CLASSES_MAX },
      (_, index) => new WindowedMinimum(saved?.firstTokenMs[index]),
    );
  }

  /**
   * Takes a call that found the server almost idle.
   *
   * @param found.stretch - By how much the little that was in flight is thought to have slowed it down, 1 or more.
   * @param found.batchCalls - Calls to take the mean of: the more come at once, the more means there are to be lucky.
   */
  take(times: CallTimes, found: { stretch: number; batchCalls: number; nowMs: number }): void {
    const { firstTokenMs, totalMs, outputTokens } = times;
    const mayStandIn = this.#firstTokenMs.every(({ value }) => value === null);
    const batch = { ...found, mayStandIn };
    this.#tokenMs.take((totalMs - firstTokenMs) / outputTokens / found.stretch, batch);
    this.#ofPrompt(times)?.take(firstTokenMs / found.stretch, batch);
  }

  /** How many times longer the call took than it would have on an idle server; `null` if that is not known. */
  stretchOf(times: CallTimes): number | null {
    const tokenMs = this.#tokenMs.value;
    const firstTokenMs = this.#ofPrompt(times)?.value ?? null;
    if (tokenMs === null || firstTokenMs === null) return null;
    return times.totalMs / (firstTokenMs + tokenMs * times.outputTokens);
  }

  /** Whether the server was not seen almost idle for a window. */
  isStale(nowMs: number): boolean {
    return this.#tokenMs.isStale(nowMs);
  }

  /** How many means of a class of prompts have been taken, one that stands in too. The time of a token is learned sooner: all calls tell of it. */
  get batches(): number {
    return this.#firstTokenMs.reduce((sum, { batches }) => sum + batches, 0);
  }

  save(): SavedIdleLatency {
    return { tokenMs: this.#tokenMs.save(), firstTokenMs: this.#firstTokenMs.map((minimum) => minimum.save()) };
  }

  #ofPrompt({ uncachedTokens }: CallTimes): WindowedMinimum | undefined {
    const doublings = Math.ceil(Math.log2(Math.max(1, uncachedTokens / PROMPT_CLASS_TOKENS)));
    return this.#firstTokenMs[Math.min(doublings, PROMPT_CLASSES_MAX - 1)];
  }
}

/**
 * The least mean of a batch in this window and the one before. Without new batches, the last ones go on to count; before
 * the first one, the mean of its first calls may stand in.
 */
class WindowedMinimum {
  #before: number | null;
  #inWindow: number | null;
  #windowEndsAtMs: number;
  #batchSum = 0;
  #batchCount = 0;
  #standIn: number | null = null;
  batches = 0;

  constructor(saved: SavedMinimum | undefined) {
    this.#before = saved?.before ?? null;
    this.#inWindow = saved?.inWindow ?? null;
    this.#windowEndsAtMs = saved?.windowEndsAtMs ?? 0;
  }

  get value(): number | null {
    if (this.#before === null || this.#inWindow === null) return this.#before ?? this.#inWindow ?? this.#standIn;
    return Math.min(this.#before, this.#inWindow);
  }

  take(value: number, batch: { batchCalls: number; mayStandIn: boolean; nowMs: number }): void {
    const { nowMs } = batch;
    this.#batchSum += value;
    this.#batchCount += 1;
    const mean = this.#batchSum / this.#batchCount;
    if (this.#batchCount < Math.max(IDLE_BATCH_CALLS_MIN, batch.batchCalls)) {
      if (batch.mayStandIn && this.value === null && this.#batchCount >= IDLE_FIRST_CALLS) {
        this.#standIn = mean;
        this.batches += 1;
      }
      return;
    }
    this.#batchSum = 0;
    this.#batchCount = 0;
    this.batches += 1;
    if (this.isStale(nowMs)) {
      this.#before = this.#inWindow ?? this.#before;
      this.#inWindow = mean;
      this.#windowEndsAtMs = nowMs + IDLE_WINDOW_MS;
    } else this.#inWindow = Math.min(this.#inWindow ?? mean, mean);
  }

  /** Whether the window is over and no batch has begun the next. */
  isStale(nowMs: number): boolean {
    return nowMs >= this.#windowEndsAtMs;
  }

  save(): SavedMinimum {
    return { before: this.#before, inWindow: this.#inWindow, windowEndsAtMs: this.#windowEndsAtMs };
  }
}
