import { describe, it } from "vitest";
import { findOverload, growthOf, toVerdicts, type Cell } from "../../bench/load/verdicts.ts";

const same = (p95: number) => ({ p50: p95 / 2, p95, p99: p95 });

function aCell(rooms: number, change: { offered: number; goodput: number; p95?: number; prompt?: number }): Cell {
  const { offered, goodput, p95 = 1_000, prompt = goodput } = change;
  return {
    rooms,
    offeredPerS: offered,
    goodputPerS: goodput,
    promptPerS: prompt,
    firstSentenceMs: same(p95 / 2),
    turnMs: same(p95),
    ownTurnMs: same(p95 / 4),
  };
}

const LIGHT = aCell(10, { offered: 1, goodput: 1 });
const FULL = aCell(100, { offered: 10, goodput: 10, p95: 1_200 });

describe("findOverload", () => {
  it("takes the smallest load of twice the peak or more", ({ expect }) => {
    const cells = [
      LIGHT,
      FULL,
      aCell(500, { offered: 50, goodput: 1 }),
      aCell(200, { offered: 20, goodput: 9, prompt: 5 }),
    ];
    expect(findOverload(cells)).toEqual({ rooms: 200, peakPerS: 10, load: 2, share: 0.9, promptShare: 0.5 });
  });

  it("finds none when every load is under that", ({ expect }) => {
    expect(findOverload([LIGHT, FULL, aCell(190, { offered: 19.9, goodput: 9 })])).toBeNull();
    expect(findOverload([])).toBeNull();
    expect(findOverload([aCell(10, { offered: 5, goodput: 0 })])).toBeNull();
  });
});

describe("growthOf", () => {
  it("compares with the fewest rooms, in whichever order they ran", ({ expect }) => {
    const [growth, ...more] = growthOf([FULL, LIGHT]);
    expect(growth).toEqual({ rooms: 100, firstSentence: 1.2, turn: 1.2, ownTurn: 1.2, isBeyondCapacity: false });
    expect(more).toEqual([]);
  });

  it("knows loads above the peak", ({ expect }) => {
    const over = aCell(500, { offered: 10.1, goodput: 9 });
    expect(growthOf([LIGHT, FULL, over]).map(({ isBeyondCapacity }) => isBeyondCapacity)).toEqual([false, true]);
  });
});

describe("toVerdicts", () => {
  it.for([
    [1_300, 9, ["met", "", "met", ""]],
    [1_301, 8.9, ["SHORT", "", "SHORT", ""]],
  ] as const)(
    "meets or misses its targets at their limits: p95 %s ms, goodput %s",
    ([p95, goodput, marks], { expect }) => {
      const full = aCell(100, { offered: 10, goodput: 10, p95 });
      const over = aCell(200, { offered: 20, goodput, p95: 9_000 });
      const lines = toVerdicts([LIGHT, full, over], [LIGHT, full, aCell(200, { offered: 20, goodput: 1 })]);
      expect(lines.map((line) => line.slice(0, 5).trim())).toEqual(marks);
    },
  );

  it("wants both of the turn: with the wait for the room's earlier ones, and without", ({ expect }) => {
    const slow = { ...aCell(100, { offered: 10, goodput: 10 }), ownTurnMs: same(326) };
    expect(toVerdicts([LIGHT, slow], [])[0]).toMatch(/^SHORT /);
  });

  it("falls short where no load was an overload", ({ expect }) => {
    expect(toVerdicts([LIGHT, FULL], [])[1]).toMatch(/^SHORT .*no load/);
  });
});
