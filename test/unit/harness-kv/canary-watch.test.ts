import { describe, it } from "vitest";
import { type WatchState, type WatchedTurn, newWatch, noteTurn, readWatch } from "../../../harness-kv/canary-watch.ts";
import { canaryLimitsSchema, canaryMetricSchema } from "../../../shared/contract/canary-limits.ts";
import { parseJson } from "../../../shared/core/json.ts";
import { seededRandom } from "../../endpoint/random.ts";

const LIMITS = canaryLimitsSchema.parse({});
const ROOMS = 8;

const aTurn = (fields: Partial<WatchedTurn> = {}): WatchedTurn => ({
  arm: "canary",
  room: "room-1",
  error: false,
  fallback: false,
  blocked: false,
  totalMs: 2_000,
  ...fields,
});
const aBaseline = (fields: Partial<WatchedTurn> = {}) => aTurn({ arm: "baseline", ...fields });

const feed = (turns: readonly WatchedTurn[], { state = newWatch(), limits = LIMITS } = {}): WatchState =>
  turns.reduce((watch, turn) => noteTurn(watch, limits, turn), state);

/** Canary turns with errors, each beside a good one of production, in as many rooms as there are. */
const failing = (count: number, rooms: number): WatchedTurn[] =>
  Array.from({ length: count }, (_, index) => [
    aTurn({ error: true, room: `room-${index % rooms}` }),
    aBaseline(),
  ]).flat();

const capitalOf = (state: WatchState, limits = LIMITS) => readWatch(state, limits).metrics.error.capital;

type Rates = Readonly<Record<"error" | "fallback" | "blocked" | "slow", number>>;
const BASE: Rates = { error: 0.01, fallback: 0.02, blocked: 0.05, slow: 0.05 };
const AT_MARGIN: Rates = { error: 0.03, fallback: 0.05, blocked: 0.1, slow: 0.1 };

type Life = { canary: Rates; share: number; turns: number; limits?: typeof LIMITS };

/** Canary turns until the verdict, infinity where none falls. The watch is read after every turn. */
function turnsUntilBehind(random: () => number, { canary, share, turns, limits = LIMITS }: Life): number {
  let state = newWatch();
  for (let count = 0; count < turns; count += 1) {
    const isCanary = random() < share;
    const rates = isCanary ? canary : BASE;
    state = noteTurn(state, limits, {
      arm: isCanary ? "canary" : "baseline",
      room: `room-${Math.floor(random() * ROOMS)}`,
      error: random() < rates.error,
      fallback: random() < rates.fallback,
      blocked: random() < rates.blocked,
      totalMs: random() < rates.slow ? 9_000 : 2_000,
    });
    if (readWatch(state, limits).verdict === "behind") return state.canary.turns;
  }
  return Infinity;
}

function lives(seed: number, count: number, life: Life): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => turnsUntilBehind(random, life));
}

const countFound = (found: readonly number[]) => found.filter(Number.isFinite).length;

describe("the evidence", () => {
  /** Two comparisons with blocks of two, then one of a canary turn that waited. */
  const arms = ["baseline", "baseline", "canary", "baseline", "baseline", "canary", "canary", "baseline"] as const;
  /** Mean capital over all that these turns can show, each outcome as likely as the rates make it. */
  const meanCapital = (canaryRate: number, baselineRate: number) => {
    let mean = 0;
    for (let outcome = 0; outcome < 2 ** arms.length; outcome += 1) {
      const turns = arms.map((arm, index) => aTurn({ arm, error: Math.floor(outcome / 2 ** index) % 2 === 1 }));
      const chances = turns.map(({ arm, error }) => {
        const rate = arm === "canary" ? canaryRate : baselineRate;
        return error ? rate : 1 - rate;
      });
      mean += capitalOf(feed(turns)) * chances.reduce((product, chance) => product * chance, 1);
    }
    return mean;
  };

  it.for([0, 0.01, 0.3, 0.98])(
    "stays as it is on average at the margin, whatever production's rate: %d",
    (rate, { expect }) => {
      expect(meanCapital(rate + LIMITS.margins.error, rate)).toBeCloseTo(1, 12);
    },
  );

  it.for([
    ["shrinks", 0.01, 0.01],
    ["shrinks", 0, 0.2],
    ["grows", 0.04, 0.01],
    ["grows", 1, 0.1],
  ] as const)("%s on average at rates of %d and %d", ([way, canary, baseline], { expect }) => {
    const mean = meanCapital(canary, baseline);
    expect(way === "grows" ? mean > 1 : mean < 1).toBe(true);
  });

  it("compares a canary turn with the mean of the block before it", ({ expect }) => {
    const block = [aBaseline({ error: true }), aBaseline(), aBaseline(), aBaseline()];
    const state = feed([...block, aTurn({ error: true })]);
    // D - margin = 1 - 1/4 - 0.02, at six bets below 1 / 1.02.
    const gains = [0.05, 0.1, 0.2, 0.4, 0.7, 0.95].map((bet) => 1 + (bet / 1.02) * 0.73);
    expect(capitalOf(state)).toBeCloseTo(gains.reduce((sum, gain) => sum + gain, 0) / gains.length, 12);
    expect([readWatch(state, LIMITS).pairs, state.block.turns]).toEqual([1, 0]);
  });

  it("compares canary turns that wait, the oldest first, with one turn of production each", ({ expect }) => {
    const waiting = feed([aTurn({ error: true }), aTurn()]);
    expect(capitalOf(waiting)).toBe(1);
    const once = feed([aBaseline()], { state: waiting });
    expect([capitalOf(once) > 1, once.waiting.map(({ error }) => error)]).toEqual([true, [false]]);
    const twice = feed([aBaseline(), aBaseline()], { state: once });
    expect([twice.pairs, twice.waiting.length, twice.block.turns]).toEqual([2, 0, 1]);
  });

  it("lets 32 wait, and counts what comes then in the rates alone", ({ expect }) => {
    const full = feed(Array.from({ length: 32 }, () => aTurn()));
    const over = feed([aTurn({ error: true })], { state: full });
    expect([full.waiting.length, over.waiting]).toEqual([32, full.waiting]);
    expect(readWatch(over, LIMITS).metrics.error.canaryRate).toBeCloseTo(1 / 33);
  });

  it("survives whatever comes: the worst pairs, the best ones, and storage as JSON", ({ expect }) => {
    const worst = Array.from({ length: 5_000 }, () => [aTurn(), aBaseline({ error: true })]).flat();
    const lost = feed(worst);
    expect(capitalOf(lost)).toBeGreaterThanOrEqual(0);
    const won = feed(failing(5_000, 3));
    expect(capitalOf(won)).toBe(1e12);
    for (const state of [newWatch(), lost, won]) expect(parseJson(JSON.stringify(state))).toEqual(state);
    expect(parseJson(JSON.stringify(readWatch(won, LIMITS)))).toEqual(readWatch(won, LIMITS));
  });

  it("takes 4 KB at most", ({ expect }) => {
    const room = (index: number) => `${index}`.padStart(64, "r");
    const bad = { error: true, fallback: true, blocked: true, totalMs: 60_000 };
    const turns = Array.from({ length: 1_000 }, (_, index) => aTurn({ ...bad, room: room(index) }));
    const full = feed([...failing(1_000, 3), ...turns]);
    expect([full.waiting.length, JSON.stringify(full).length < 4_096]).toEqual([32, true]);
  });
});

describe("readWatch", () => {
  it("knows nothing of a new watch", ({ expect }) => {
    const none = { canaryRate: 0, baselineRate: 0, capital: 1, bar: 400, rooms: 0 };
    expect(readWatch(newWatch(), LIMITS)).toEqual({
      turns: { canary: 0, baseline: 0 },
      pairs: 0,
      metrics: {
        error: { ...none, margin: 0.02 },
        fallback: { ...none, margin: 0.03 },
        blocked: { ...none, margin: 0.05 },
        slow: { ...none, margin: 0.05 },
      },
      verdict: "running",
      reason: null,
    });
  });

  it.for(canaryMetricSchema.options)("is behind by %s alone, and says so", (metric, { expect }) => {
    const bad = metric === "slow" ? { totalMs: 8_101 } : { [metric]: true };
    const turns = Array.from({ length: 30 }, (_, index) => [
      aBaseline({ totalMs: 8_100 }),
      aTurn({ room: `room-${index % 3}`, totalMs: 8_100, ...bad }),
    ]).flat();
    expect(readWatch(feed(turns), LIMITS)).toMatchObject({
      turns: { canary: 30, baseline: 30 },
      verdict: "behind",
      reason: { metric, canaryRate: 1, baselineRate: 0, margin: LIMITS.margins[metric] },
    });
  });

  it("names the gravest of several", ({ expect }) => {
    const turns = failing(30, 3).map((turn) => (turn.error ? { ...turn, totalMs: 20_000, fallback: true } : turn));
    expect(readWatch(feed(turns), LIMITS).reason?.metric).toBe("error");
  });

  it("waits for the least number of canary turns", ({ expect }) => {
    expect(readWatch(feed(failing(19, 3)), LIMITS)).toMatchObject({ verdict: "running", reason: null });
    expect(readWatch(feed(failing(20, 3)), LIMITS).verdict).toBe("behind");
  });

  it("waits for rooms enough with the event, and keeps no more names than it needs", ({ expect }) => {
    const two = feed(failing(200, 2));
    expect(readWatch(two, LIMITS)).toMatchObject({ verdict: "running", metrics: { error: { rooms: 2 } } });
    // Events of production, and good turns of the canary, speak for no room.
    const others = feed([aBaseline({ room: "room-8", error: true }), aTurn({ room: "room-9" })], { state: two });
    expect(readWatch(others, LIMITS).verdict).toBe("running");
    expect(readWatch(feed([aTurn({ room: "room-9", error: true })], { state: others }), LIMITS).verdict).toBe("behind");
    expect(feed(failing(200, 50)).evidence.error.rooms).toHaveLength(3);
  });

  it("takes fewer rooms where the canary has fewer", ({ expect }) => {
    expect(readWatch(feed(failing(20, 1)), { ...LIMITS, roomsMin: 1 }).verdict).toBe("behind");
  });

  it("never finds a canary that nothing was compared with", ({ expect }) => {
    const alone = failing(500, 3).filter(({ arm }) => arm === "canary");
    expect(readWatch(feed(alone), LIMITS)).toMatchObject({ turns: { canary: 500 }, pairs: 0, verdict: "running" });
  });
});

describe("simulated canaries", () => {
  it("are left alone over 20,000 turns where they are as good as production, or worse by the margins", ({ expect }) => {
    const long = { share: 0.5, turns: 20_000 };
    expect(countFound(lives(1, 4, { ...long, canary: BASE }))).toBe(0);
    expect(countFound(lives(2, 4, { ...long, canary: AT_MARGIN }))).toBe(0);
  });

  it("are rolled back needlessly no more often than alpha says", ({ expect }) => {
    const limits = canaryLimitsSchema.parse({ alpha: 0.1, turnsMin: 1, roomsMin: 1 });
    const found = countFound(lives(3, 150, { canary: AT_MARGIN, share: 0.4, turns: 1_000, limits }));
    // At most 15 on average; more than 27 would come by chance once in a thousand times.
    expect(found).toBeLessThanOrEqual(27);
  });

  it.for([
    { rise: { error: 0.08 }, share: 0.5, atLeast: 300, atMost: 550 },
    { rise: { error: 0.2 }, share: 0.5, atLeast: 60, atMost: 110 },
    { rise: { fallback: 0.15 }, share: 0.5, atLeast: 140, atMost: 260 },
    { rise: { slow: 0.3 }, share: 0.5, atLeast: 70, atMost: 130 },
    { rise: { error: 0.2 }, share: 0.1, atLeast: 50, atMost: 95 },
    { rise: { slow: 0.3 }, share: 0.1, atLeast: 50, atMost: 95 },
  ])("are found with $rise at a share of $share after $atLeast to $atMost turns", (aRise, { expect }) => {
    const found = lives(4, 51, { canary: { ...BASE, ...aRise.rise }, share: aRise.share, turns: 20_000 });
    const median = found.toSorted((a, b) => a - b)[25] ?? 0;
    expect(median).toBeGreaterThan(aRise.atLeast);
    expect(median).toBeLessThan(aRise.atMost);
  });
});
