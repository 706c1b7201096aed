import { describe, it } from "vitest";
import type { Served } from "../../bench/load/served.ts";
import { PROMPT_MS_MAX, summarise, type LoadTurn } from "../../bench/load/summary.ts";

const WINDOW = { fromMs: 0, toMs: 10_000 };

function aTurn(change: Partial<Omit<LoadTurn, "facts">> & { served?: Served }): LoadTurn {
  const { served = "main", ...times } = change;
  return {
    room: "r",
    turn: "t1",
    sentAtMs: 1_000,
    startedAtMs: 1_500,
    firstSentenceAtMs: 2_000,
    endedAtMs: 3_000,
    facts: { served, endpoints: ["gpu"], retries: 0, waitedMs: 0, repeated: 0 },
    ...times,
  };
}

describe("summarise", () => {
  it("counts turns by when they ended, and arrivals by when they came", ({ expect }) => {
    const turns = [
      aTurn({ sentAtMs: -500, endedAtMs: 0 }),
      aTurn({ sentAtMs: -900, endedAtMs: -1 }),
      aTurn({ sentAtMs: 9_999, endedAtMs: 10_000 }),
      aTurn({ sentAtMs: 10_000, endedAtMs: 11_000 }),
    ];
    expect(summarise(turns, WINDOW)).toMatchObject({ turns: 1, goodputPerS: 0.1, offeredPerS: 0.1 });
  });

  it("does not count as load what wants no endpoint", ({ expect }) => {
    expect(summarise([aTurn({}), aTurn({ served: "no_call" })], WINDOW)).toMatchObject({ turns: 2, offeredPerS: 0.1 });
  });

  it("takes times of turns that a main endpoint answered, and of no others", ({ expect }) => {
    const turns = [aTurn({}), aTurn({ served: "busy", firstSentenceAtMs: 1_100, endedAtMs: 1_200 })];
    const { by, goodputPerS, firstSentenceMs, turnMs, ownFirstSentenceMs, ownTurnMs } = summarise(turns, WINDOW);
    expect(by).toMatchObject({ main: 1, busy: 1, expired: 0 });
    expect(goodputPerS).toBe(0.1);
    expect([firstSentenceMs.p95, turnMs.p95, ownFirstSentenceMs.p95, ownTurnMs.p95]).toEqual([
      1_000, 2_000, 500, 1_500,
    ]);
  });

  it("tells turns whose viewer waited long from the rest", ({ expect }) => {
    const soon = aTurn({ sentAtMs: 0, firstSentenceAtMs: PROMPT_MS_MAX, endedAtMs: 9_000 });
    const late = aTurn({ sentAtMs: 0, firstSentenceAtMs: PROMPT_MS_MAX + 1, endedAtMs: 9_000 });
    const never = aTurn({ sentAtMs: 0, firstSentenceAtMs: null, endedAtMs: 100 });
    expect(summarise([soon, late, never], WINDOW)).toMatchObject({ goodputPerS: 0.3, promptPerS: 0.1 });
  });

  it("has no times where no turn was answered", ({ expect }) => {
    const { turnMs, goodputPerS, waitedMs } = summarise([aTurn({ served: "expired" })], WINDOW);
    expect(turnMs.p95).toBeNaN();
    expect({ goodputPerS, waitedMs }).toEqual({ goodputPerS: 0, waitedMs: 0 });
  });
});
