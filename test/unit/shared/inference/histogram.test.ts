import fc from "fast-check";
import { describe, it } from "vitest";
import { histogramSchema } from "../../../../shared/contract/endpoint-status.ts";
import {
  FIRST_SENTENCE_BOUNDS_MS,
  FIRST_TOKEN_BOUNDS_MS,
  Histogram,
  TURN_BOUNDS_MS,
  WAIT_BOUNDS_MS,
  countOf,
  quantile,
} from "../../../../shared/inference/histogram.ts";

describe("Histogram", () => {
  it.for([
    { value: 0, counts: [1, 0, 0] },
    { value: 10, counts: [1, 0, 0] },
    { value: 10.5, counts: [0, 1, 0] },
    { value: 20, counts: [0, 1, 0] },
    { value: 21, counts: [0, 0, 1] },
  ])("counts $value in the bucket whose end it does not exceed", ({ value, counts }, { expect }) => {
    expect(aHistogram([value])).toEqual({ bounds: [10, 20], counts, sum: value });
  });

  it("counts what is below zero as zero, and what is no finite number not at all", ({ expect }) => {
    expect(aHistogram([-5, Number.NaN, Number.POSITIVE_INFINITY])).toEqual({
      bounds: [10, 20],
      counts: [1, 0, 0],
      sum: 0,
    });
  });

  it("gives data that later values do not change", ({ expect }) => {
    const histogram = new Histogram([10]);
    const before = histogram.toData();
    histogram.add(1);
    expect([countOf(before), countOf(histogram.toData())]).toEqual([0, 1]);
  });

  it.for([WAIT_BOUNDS_MS, FIRST_TOKEN_BOUNDS_MS, FIRST_SENTENCE_BOUNDS_MS, TURN_BOUNDS_MS])(
    "has bounds that rise: %j",
    (bounds, { expect }) => {
      expect(bounds).toEqual([...new Set(bounds)].toSorted((a, b) => a - b));
      expect(histogramSchema.safeParse(new Histogram(bounds).toData()).success).toBe(true);
    },
  );
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
