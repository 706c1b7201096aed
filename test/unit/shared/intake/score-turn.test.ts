import fc from "fast-check";
import { describe, it } from "vitest";
import {
  ASKERS_COUNTED_MAX,
  priorityPolicySchema,
  type PriorityPolicy,
  type PriorityRule,
} from "../../../../shared/contract/intake-policy.ts";
import {
  chooseNext,
  readForScore,
  scoreStanding,
  scoreTurn,
  type RoomNames,
  type ScoredMessage,
} from "../../../../shared/intake/score-turn.ts";

const room: RoomNames = {
  onScreen: { link: 1, names: ["新疆棉面巾", "面巾"] },
  otherNames: ["澳洲羊毛盖毯", "羊毛毯", "一次性洗面巾", "洗面巾", "被"],
};
const isOnScreen = (text: string, names: RoomNames = room) => readForScore({ text }, names).isOnScreen;

function aPolicy(fields: Partial<PriorityPolicy> = {}): PriorityPolicy {
  return { ...priorityPolicySchema.parse({}), ...fields };
}

function aMessage(fields: Partial<ScoredMessage> = {}): ScoredMessage {
  return { intents: [], folded: "", viewerLevel: 0, isOnScreen: false, ...fields };
}

function scoreOf(
  rules: readonly PriorityRule[],
  messages: readonly ScoredMessage[],
  turn: { askers?: number; waitedMs?: number; merchant?: string } = {},
) {
  const policy = aPolicy({ rules: [...rules] });
  return scoreTurn(policy, { messages, askers: 0, waitedMs: 0, merchant: "m1", ...turn });
}

describe("readForScore", () => {
  it("reads intents, folded text and level", ({ expect }) => {
    expect(readForScore({ text: "多少 錢？", viewer: { level: 12 } }, room)).toEqual({
      intents: ["price"],
      folded: "多少钱?",
      viewerLevel: 12,
      isOnScreen: true,
    });
  });

  it("takes a viewer without a level as level 0", ({ expect }) => {
    expect(readForScore({ text: "好", viewer: {} }, room).viewerLevel).toBe(0);
    expect(readForScore({ text: "好" }, room).viewerLevel).toBe(0);
  });

  it.for([
    "这个多少钱",
    "1号还有吗",
    "一号链接怎么拍",
    "链接1",
    "面巾掉毛吗",
    "新 疆 棉 面 巾",
    "1号和2号哪个好",
    "面巾和羊毛毯一起拍",
    "15号能到吗",
    "被子有吗",
    "哈哈",
  ])("%s is about what is on screen", (text, { expect }) => {
    expect(isOnScreen(text)).toBe(true);
  });

  it.for(["2号还有吗", "二号链接", "鏈接3多少钱", "羊毛毯多少钱", "洗面巾怎么卖", "#5"])(
    "%s is about something else",
    (text, { expect }) => {
      expect(isOnScreen(text)).toBe(false);
    },
  );

  it("takes nothing as about the screen while nothing is on it", ({ expect }) => {
    expect(isOnScreen("这个多少钱", { onScreen: null, otherNames: [] })).toBe(false);
  });

  it("takes a name that two products share as the one on screen", ({ expect }) => {
    expect(isOnScreen("毯子多少", { onScreen: { link: null, names: ["毯子"] }, otherNames: ["毯子"] })).toBe(true);
  });
});

describe("scoreTurn", () => {
  it("adds up the shipped policy", ({ expect }) => {
    const message = readForScore({ text: "怎么拍 多少钱", viewer: { level: 7 } }, room);
    expect(scoreTurn(aPolicy(), { messages: [message], askers: 2, waitedMs: 3_450, merchant: "m1" })).toEqual({
      points: 70.9,
      parts: [
        { name: "buy", points: 30 },
        { name: "deal", points: 15 },
        { name: "on-screen", points: 15 },
        { name: "viewer-level", points: 1.4 },
        { name: "askers", points: 6 },
        { name: "waited", points: 3.5 },
      ],
    });
  });

  it("counts a rule once a turn, however many messages meet it", ({ expect }) => {
    const rule = { name: "buy", intents: ["buy" as const], points: 30 };
    expect(scoreOf([rule], [aMessage({ intents: ["buy"] }), aMessage({ intents: ["buy"] })]).points).toBe(30);
  });

  it("needs all conditions of a rule in one message", ({ expect }) => {
    const rule = { name: "vip-buys", intents: ["buy" as const], viewerLevelMin: 10, points: 5 };
    const apart = [aMessage({ intents: ["buy"] }), aMessage({ viewerLevel: 10 })];
    expect(scoreOf([rule], apart).parts.map(({ name }) => name)).toEqual(["viewer-level"]);
    expect(scoreOf([rule], [aMessage({ intents: ["buy"], viewerLevel: 10 })]).parts[0]).toEqual({
      name: "vip-buys",
      points: 5,
    });
  });

  it.for<[label: string, rule: Omit<PriorityRule, "name" | "points">, message: Partial<ScoredMessage>, isMet: boolean]>(
    [
      ["an intent of several", { intents: ["buy", "stock"] }, { intents: ["price", "stock"] }, true],
      ["no intent of the rule", { intents: ["buy"] }, { intents: ["price"] }, false],
      ["a word in another spelling", { contains: ["優惠"] }, { folded: "有优惠吗" }, true],
      ["a word of one character", { contains: ["券"] }, { folded: "券呢" }, true],
      ["no word", { contains: ["优惠"] }, { folded: "多少钱" }, false],
      ["a word that folds to nothing", { contains: ["🎁"] }, { folded: "多少钱" }, false],
      ["on screen", { isOnScreen: true }, { isOnScreen: true }, true],
      ["off screen", { isOnScreen: false }, { isOnScreen: false }, true],
      ["on screen where off is wanted", { isOnScreen: false }, { isOnScreen: true }, false],
      ["the lowest level that fits", { viewerLevelMin: 10 }, { viewerLevel: 10 }, true],
      ["the highest level that does not", { viewerLevelMin: 10 }, { viewerLevel: 9 }, false],
      ["the merchant", { merchants: ["m0", "m1"] }, {}, true],
      ["another merchant", { merchants: ["m2"] }, {}, false],
    ],
  )("%s", ([, rule, message, isMet], { expect }) => {
    const { parts } = scoreOf([{ name: "rule", points: 5, ...rule }], [aMessage(message)]);
    expect(parts.some(({ name }) => name === "rule")).toBe(isMet);
  });

  it("counts the highest level, and further askers up to the limit", ({ expect }) => {
    const messages = [aMessage({ viewerLevel: 3 }), aMessage({ viewerLevel: 50 })];
    expect(scoreOf([], messages, { askers: ASKERS_COUNTED_MAX + 1 }).parts).toEqual([
      { name: "viewer-level", points: 10 },
      { name: "askers", points: 3 * ASKERS_COUNTED_MAX },
    ]);
  });

  it("leaves out what gives nothing", ({ expect }) => {
    expect(scoreOf([{ name: "none", merchants: ["m1"], points: 0 }], [aMessage()], { waitedMs: 40 })).toEqual({
      points: 0,
      parts: [],
    });
  });

  it("has points that are the sum of the parts, to one decimal", ({ expect }) => {
    const turns = fc.record({ askers: fc.nat(40), waitedMs: fc.nat(1_000_000), viewerLevel: fc.nat(100) });
    fc.assert(
      fc.property(turns, fc.double({ min: 0.1, max: 20, noNaN: true }), ({ viewerLevel, ...turn }, pointsPerSecond) => {
        const { points, parts } = scoreTurn(aPolicy({ pointsPerSecond }), {
          ...turn,
          messages: [aMessage({ viewerLevel, intents: ["chat"] })],
          merchant: "m1",
        });
        expect(points).toBeCloseTo(
          parts.reduce((sum, part) => sum + part.points, 0),
          6,
        );
        expect(Math.round(points * 10) / 10).toBe(points);
      }),
    );
  });
});

describe("chooseNext", () => {
  const policy = { pointsPerSecond: 1 };

  it.for<[label: string, turns: [standing: number, waitedMs: number][], index: number | null]>([
    ["no turn", [], null],
    ["the only one, whatever its points", [[-100, 0]], 0],
    [
      "most points",
      [
        [10, 0],
        [30, 0],
        [20, 0],
      ],
      1,
    ],
    [
      "points of waiting count",
      [
        [10, 21_000],
        [30, 0],
      ],
      0,
    ],
    [
      "equal points: the longest waiting",
      [
        [30, 0],
        [10, 20_000],
      ],
      1,
    ],
    [
      "equal in both: the first",
      [
        [10, 5_000],
        [10, 5_000],
      ],
      0,
    ],
    [
      "a time before its arrival is none",
      [
        [10, -60_000],
        [9, 0],
      ],
      0,
    ],
  ])("%s", ([, turns, index], { expect }) => {
    expect(
      chooseNext(
        policy,
        turns.map(([standing, waitedMs]) => ({ standing, waitedMs })),
      ),
    ).toBe(index);
  });

  it("chooses as scoreTurn counts", ({ expect }) => {
    const full = aPolicy();
    const asked = (text: string) => ({ messages: [readForScore({ text }, room)], askers: 0, merchant: "m1" });
    const turns = ["你好", "怎么拍", "2号多少钱"].map(asked);
    const index = chooseNext(
      full,
      turns.map((turn) => ({ standing: scoreStanding(full, turn).points, waitedMs: 1_000 })),
    );
    const scores = turns.map((turn) => scoreTurn(full, { ...turn, waitedMs: 1_000 }).points);
    expect(index).toBe(scores.indexOf(Math.max(...scores)));
  });

  it("speaks every waiting turn at last, whatever finite stream of higher ones comes", ({ expect }) => {
    const standing = fc.integer({ min: -100, max: 200 });
    fc.assert(
      fc.property(
        fc.array(standing, { minLength: 1, maxLength: 60 }),
        fc.double({ min: 0.1, max: 20, noNaN: true }),
        fc.integer({ min: 500, max: 8_000 }),
        (coming, pointsPerSecond, turnMs) => {
          const chosenAtMs = simulate({ coming, lowest: -200, pointsPerSecond, turnMs });
          // All that came has an end, so the last to be spoken is spoken once each was; and sooner where waiting pays.
          expect(chosenAtMs).toBeLessThanOrEqual(coming.length * turnMs);
          const gapMs = ((200 + 200) / pointsPerSecond) * 1_000;
          const passedBy = Math.ceil(gapMs / turnMs) + 1;
          expect(chosenAtMs).toBeLessThanOrEqual(Math.max(gapMs + turnMs, Math.min(passedBy, coming.length) * turnMs));
        },
      ),
    );
  });

  it("speaks the lowest turn within the gap of points over the rate, while higher ones never end", ({ expect }) => {
    const coming = Array.from({ length: 5_000 }, () => 120);
    const chosenAtMs = simulate({ coming, lowest: -20, pointsPerSecond: 1, turnMs: 3_000 });
    expect(chosenAtMs).toBeLessThanOrEqual(140_000 + 3_000);
  });

  it("decides among a thousand turns in less than a millisecond", ({ expect }) => {
    const turns = Array.from({ length: 1_000 }, (_, index) => ({
      standing: index % 97,
      waitedMs: (index * 37) % 30_000,
    }));
    const rounds = 200;
    for (let round = 0; round < rounds; round += 1) chooseNext(policy, turns);
    const startMs = performance.now();
    for (let round = 0; round < rounds; round += 1) chooseNext(policy, turns);
    expect((performance.now() - startMs) / rounds).toBeLessThan(1);
  });
});

/** One turn is spoken every `turnMs`, and as often a higher one comes. When the turn with the lowest points is spoken. */
function simulate(run: {
  readonly coming: readonly number[];
  readonly lowest: number;
  readonly pointsPerSecond: number;
  readonly turnMs: number;
}): number {
  const waiting = [{ standing: run.lowest, arrivedAtMs: 0, isLowest: true }];
  for (let round = 0; round <= run.coming.length; round += 1) {
    const nowMs = round * run.turnMs;
    const next = run.coming[round];
    if (next !== undefined) waiting.push({ standing: next, arrivedAtMs: nowMs, isLowest: false });
    const index = chooseNext(
      run,
      waiting.map(({ standing, arrivedAtMs }) => ({ standing, waitedMs: nowMs - arrivedAtMs })),
    );
    const [chosen] = waiting.splice(index ?? 0, 1);
    if (chosen?.isLowest === true) return nowMs;
  }
  return Infinity;
}
