/** What a histogram tells, for whoever reads one: the server that counts, and the page that shows it. */
import type { HistogramData } from "./endpoint-status.ts";

/** How many values were counted. */
export function countOf(data: HistogramData): number {
  return data.counts.reduce((total, count) => total + count, 0);
}

/**
 * Estimates the value that the share `q` (0 to 1) of all values does not exceed: linear within its bucket, the first of
 * which begins at 0. In the last bucket, which has no end, it is that bucket's beginning. `null` without values.
 * As `histogram_quantile` of Prometheus: https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile
 */
export function quantile(data: HistogramData, q: number): number | null {
  const total = countOf(data);
  if (total === 0) return null;
  const rank = Math.min(1, Math.max(0, q)) * total;
  let below = 0;
  for (const [bucket, count] of data.counts.entries()) {
    const lower = data.bounds[bucket - 1] ?? 0;
    const upper = data.bounds[bucket] ?? lower;
    if (count > 0 && below + count >= rank) return lower + ((upper - lower) * (rank - below)) / count;
    below += count;
  }
  return data.bounds.at(-1) ?? 0;
}
