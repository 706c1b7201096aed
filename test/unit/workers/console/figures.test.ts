import { describe, it } from "vitest";
import { FIGURE_TURNS, percentile, toFigures } from "../../../../workers/console/figures.ts";
import { aMessage, anInterrupt, aTurnEnd, aTurnStart, aWholeTurn } from "../../../helpers/frames.ts";
import { modelAfter } from "./models.ts";

describe("percentile", () => {
  it.for([
    { name: "no values have none", values: [], share: 0.5, expected: null },
    { name: "one value is every percentile", values: [7], share: 0.95, expected: 7 },
    { name: "the median of an even number is the lower one", values: [40, 10, 30, 20], share: 0.5, expected: 20 },
    {
      name: "p95 of twenty is the nineteenth",
      values: Array.from({ length: 20 }, (_, i) => i + 1),
      share: 0.95,
      expected: 19,
    },
    {
      name: "p95 of twenty-one is the twentieth",
      values: Array.from({ length: 21 }, (_, i) => i + 1),
      share: 0.95,
      expected: 20,
    },
  ])("$name", ({ values, share, expected }, { expect }) => {
    expect(percentile(values, share)).toBe(expected);
  });
});

describe("toFigures", () => {
  it("measures the last turns only", ({ expect }) => {
    const timed = (seq: number, firstSentenceMs: number) =>
      aWholeTurn(seq, { waitedMs: 0, firstSentenceMs, totalMs: 9_000 });
    const old = timed(1, 8_000);
    const recent = Array.from({ length: FIGURE_TURNS }, (_, index) => timed(5 + index * 4, 100 + index)).flat();
    const figures = toFigures(modelAfter([...old, ...recent]), 0);
    expect(figures).toMatchObject({ count: FIGURE_TURNS, firstSentenceP50Ms: 124, firstSentenceP95Ms: 147 });
  });

  it("leaves out turns in which nothing was said", ({ expect }) => {
    const silent = aTurnEnd({
      seq: 2,
      outcome: "expired",
      timings: { waitedMs: 9, firstSentenceMs: null, totalMs: 9 },
    });
    expect(toFigures(modelAfter([aMessage(), silent]), 0)).toMatchObject({ count: 0, firstSentenceP50Ms: null });
  });

  it("counts waiting messages, and the oldest one's age by the server's clock", ({ expect }) => {
    const merged = aMessage({ seq: 2, turn: "t1", atMs: 2_000 });
    const model = {
      ...modelAfter([aMessage({ atMs: 1_000 }), merged, aMessage({ seq: 3, atMs: 3_000 })]),
      skewMs: 500,
    };
    expect(toFigures(model, 4_000)).toMatchObject({ waitingMessages: 3, waitingTurns: 2, oldestWaitMs: 3_500 });
  });

  it("counts a turn that waits again", ({ expect }) => {
    const model = modelAfter([aMessage(), aTurnStart(), anInterrupt({ seq: 3, resumes: true })]);
    expect(toFigures(model, 2_000)).toMatchObject({ waitingMessages: 1, waitingTurns: 1, oldestWaitMs: null });
  });

  it("has no oldest wait when nobody waits", ({ expect }) => {
    expect(toFigures(modelAfter(aWholeTurn()), 4_000)).toMatchObject({ waitingMessages: 0, oldestWaitMs: null });
  });
});
