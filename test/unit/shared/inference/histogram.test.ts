import { describe, it } from "vitest";
import { histogramSchema } from "../../../../shared/contract/endpoint-status.ts";
import { countOf } from "../../../../shared/contract/histogram.ts";
import {
  FIRST_SENTENCE_BOUNDS_MS,
  FIRST_TOKEN_BOUNDS_MS,
  Histogram,
  TURN_BOUNDS_MS,
  WAIT_BOUNDS_MS,
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

function aHistogram(values: readonly number[]) {
  const histogram = new Histogram([10, 20]);
  for (const value of values) histogram.add(value);
  return histogram.toData();
}
