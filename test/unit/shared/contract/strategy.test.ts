import { describe, it } from "vitest";
import { harnessBundleSchema } from "../../../../shared/contract/harness-bundle.ts";
import {
  ADVICE_CHARS_MAX,
  EMPTY_TALLY,
  roomStrategySchema,
  strategyInputSchema,
  strategyPolicySchema,
  strategyTallySchema,
  STRATEGY_HEARD_MAX,
  SUMMARY_CHARS_MAX,
} from "../../../../shared/contract/strategy.ts";
import { aBundle } from "../../../helpers/harnesses.ts";
import { aStrategy, aStrategyInput } from "../strategy/strategies.ts";

describe("roomStrategySchema", () => {
  it("takes a summary and an advice up to their limits, by characters and not by halves of them", ({ expect }) => {
    const parse = (fields: object) => roomStrategySchema.safeParse(aStrategy(fields)).success;
    expect(parse({ summary: "🧣".repeat(SUMMARY_CHARS_MAX), advice: "🧣".repeat(ADVICE_CHARS_MAX) })).toBe(true);
    expect(parse({ summary: "长".repeat(SUMMARY_CHARS_MAX + 1) })).toBe(false);
    expect(parse({ advice: "长".repeat(ADVICE_CHARS_MAX + 1) })).toBe(false);
  });

  it("needs a summary, and no advice", ({ expect }) => {
    expect(roomStrategySchema.safeParse(aStrategy({ summary: "  " })).success).toBe(false);
    expect(roomStrategySchema.safeParse(aStrategy({ advice: "" })).success).toBe(true);
  });
});

describe("strategyInputSchema", () => {
  it("is bounded in what was heard", ({ expect }) => {
    const heard = Array.from({ length: STRATEGY_HEARD_MAX }, (_, atMs) => ({ speaker: "host", text: "好", atMs }));
    expect(strategyInputSchema.safeParse(aStrategyInput({ heard })).success).toBe(true);
    const more = [...heard, { speaker: "host", text: "好", atMs: 99 }];
    expect(strategyInputSchema.safeParse(aStrategyInput({ heard: more })).success).toBe(false);
  });

  it("takes the empty tally", ({ expect }) => {
    expect(strategyTallySchema.safeParse(EMPTY_TALLY).success).toBe(true);
  });
});

describe("strategyPolicySchema", () => {
  it("is off in a harness that does not name it", ({ expect }) => {
    expect(aBundle().strategy).toEqual({ isOn: false, everyMs: 60_000, everyTurns: 8, outputTokensMax: 500 });
  });

  it("refuses a strategy more often than every ten seconds, and the offline policy as its model", ({ expect }) => {
    expect(strategyPolicySchema.safeParse({ everyMs: 10_000 }).success).toBe(true);
    expect(strategyPolicySchema.safeParse({ everyMs: 9_999 }).success).toBe(false);
    expect(strategyPolicySchema.safeParse({ model: { endpoint: "offline" } }).success).toBe(false);
  });

  it("is a part of the bundle that is read with its wish for an endpoint", ({ expect }) => {
    const strategy = { isOn: true, model: { endpoint: "h20-large", tier: "main" as const } };
    const bundle = harnessBundleSchema.parse({ ...aBundle(), strategy });
    expect(bundle.strategy).toMatchObject(strategy);
  });
});
