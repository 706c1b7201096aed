import fc from "fast-check";
import { describe, it } from "vitest";
import { countOf, quantile } from "../../../../shared/contract/histogram.ts";
import { Histogram, WAIT_BOUNDS_MS } from "../../../../shared/inference/histogram.ts";

describe("countOf", () => {
  it("counts every bucket, the last one too", ({ expect }) => {
    expect(countOf(aHistogram([]))).toBe(0);
    expect(countOf(aHistogram([5, 15, 15, 1000]))).toBe(4);
  });
});

describe("quantile", () => {
  it("is null without values", ({ expect }) => {
    expect(quantile(aHistogram([]), 0.5)).toBeNull();
  });

  it.for([
    { values: [3, 4], q: 0.5, estimate: 5 },
    { values: [3, 4], q: 1, estimate: 10 },
    { values: [5, 15], q: 0.5, estimate: 10 },
    { values: [5, 15, 15], q: 2 / 3, estimate: 15 },
    { values: [15], q: 0, estimate: 10 },
    { values: [15], q: 7, estimate: 20 },
    { values: [1000], q: 0.5, estimate: 20 },
  ])("is linear within the bucket: $q of $values", ({ values, q, estimate }, { expect }) => {
    expect(quantile(aHistogram(values), q)).toBeCloseTo(estimate, 10);
  });

  it("is in the bucket of the true quantile", ({ expect }) => {
    const anyValues = fc.array(fc.integer({ min: 0, max: 9999 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(anyValues, fc.double({ min: 0.01, max: 1, noNaN: true }), (values, q) => {
        const histogram = new Histogram(WAIT_BOUNDS_MS);
        for (const value of values) histogram.add(value);
        const exact = values.toSorted((a, b) => a - b)[Math.ceil(q * values.length) - 1] ?? 0;
        const upper = WAIT_BOUNDS_MS.findIndex((bound) => exact <= bound);
        const estimate = quantile(histogram.toData(), q) ?? -1;
        expect(estimate).toBeGreaterThanOrEqual(WAIT_BOUNDS_MS[upper - 1] ?? 0);
        expect(estimate).toBeLessThanOrEqual(WAIT_BOUNDS_MS[upper] ?? -1);
      }),
    );
  });
});

function aHistogram(values: readonly number[]) {
  const histogram = new Histogram([10, 20]);
  for (const value of values) histogram.add(value);
  return histogram.toData();
}
