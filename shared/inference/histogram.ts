/** Counts durations in fixed buckets: a few numbers however many values come, and sums of histograms stay true. */
import type { HistogramData } from "../contract/endpoint-status.ts";

type Bounds = HistogramData["bounds"];

/** From a free slot to the longest wait that a turn is worth. ms. */
export const WAIT_BOUNDS_MS: Bounds = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];
/** From a cached prompt on an idle server to a queue inside the server. ms. */
export const FIRST_TOKEN_BOUNDS_MS: Bounds = [25, 50, 100, 150, 250, 400, 600, 1000, 1600, 2500, 5000, 10_000];
/** From one short call to several calls with tools between them. ms. */
export const FIRST_SENTENCE_BOUNDS_MS: Bounds = [
  100, 200, 400, 600, 800, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 6000, 10_000, 20_000,
];
/** ms. */
export const TURN_BOUNDS_MS: Bounds = [
  250, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 5000, 7500, 10_000, 15_000, 20_000, 30_000,
];

export class Histogram {
  readonly #bounds: Bounds;
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds - Inclusive upper ends, rising; kept, not copied: all histograms of a kind share one array. */
  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** A value below 0 (clocks differ between machines) counts as 0; what is no finite number does not count. */
  add(value: number): void {
    if (!Number.isFinite(value)) return;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = at === -1 ? this.#bounds.length : at;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += Math.max(0, value);
  }

  toData(): HistogramData {
    return { bounds: this.#bounds, counts: [...this.#counts], sum: this.#sum };
  }
}
