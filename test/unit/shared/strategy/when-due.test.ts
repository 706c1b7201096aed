import { describe, it } from "vitest";
import { strategyPolicySchema } from "../../../../shared/contract/strategy.ts";
import {
  NO_PROGRESS,
  STRATEGY_LIMIT_MS,
  strategyDueAtMs,
  type StrategyProgress,
} from "../../../../shared/strategy/when-due.ts";

const policy = strategyPolicySchema.parse({ isOn: true, everyMs: 60_000, everyTurns: 8 });
const dueAt = (fields: Partial<StrategyProgress>) =>
  strategyDueAtMs(policy, { ...NO_PROGRESS, endedTurns: 8, ...fields });

describe("strategyDueAtMs", () => {
  it("is never, where the harness has it off", ({ expect }) => {
    expect(strategyDueAtMs({ ...policy, isOn: false }, { ...NO_PROGRESS, endedTurns: 100 })).toBeNull();
  });

  it("waits until so many turns have ended, and no longer before the first one", ({ expect }) => {
    expect(dueAt({ endedTurns: 7 })).toBeNull();
    expect(dueAt({ endedTurns: 8 })).toBe(0);
  });

  it("comes no sooner than its time after the last one", ({ expect }) => {
    expect(dueAt({ madeAtMs: 5_000 })).toBe(65_000);
  });

  it("is not asked for twice, until the first counts as lost", ({ expect }) => {
    expect(dueAt({ madeAtMs: 0, askedAtMs: 100_000 })).toBe(100_000 + STRATEGY_LIMIT_MS);
  });

  it.for([
    [1, 60_000],
    [2, 120_000],
    [4, 480_000],
    [5, 600_000],
    [2_000, 600_000],
  ] as const)("pauses after %i failures for %i ms", ([count, pauseMs], { expect }) => {
    expect(dueAt({ failure: { count, atMs: 1_000_000 } })).toBe(1_000_000 + pauseMs);
  });
});
