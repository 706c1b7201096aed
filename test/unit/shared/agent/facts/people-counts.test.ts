import { describe, it } from "vitest";
import { withoutPeopleCounts } from "../../../../../shared/agent/facts/people-counts.ts";

describe("withoutPeopleCounts", () => {
  it.for([
    ["12人问尺码，5位观众问发货", "问尺码，问发货"],
    ["有30多人问价格", "有问价格"],
    ["2人份套餐39元，4人桌", "2人份套餐39元，4人桌"],
    ["库存98件", "库存98件"],
  ] as const)("makes %s into %s", ([text, rest], { expect }) => {
    expect(withoutPeopleCounts(text)).toBe(rest);
  });
});
