import { describe, it } from "vitest";
import { HedgeBudget } from "../../../../shared/inference/hedge-budget.ts";

describe("HedgeBudget", () => {
  it("lets one call in twenty be asked twice, and saves no more than a few", ({ expect }) => {
    const budget = new HedgeBudget();
    let hedges = 0;
    for (let call = 0; call < 2_000; call += 1) {
      budget.earn();
      if (budget.take()) hedges += 1;
    }
    expect(hedges).toBeGreaterThanOrEqual(100);
    expect(hedges).toBeLessThanOrEqual(102);
    for (let call = 0; call < 2_000; call += 1) budget.earn();
    const saved = Array.from({ length: 10 }, () => budget.take()).filter(Boolean).length;
    expect(saved).toBe(5);
  });
});
