import { describe, it } from "vitest";
import { LocalLimit } from "../../../../workers/inference/local-limit.ts";

const limits = { slots: 16, utilizationCeiling: 0.5, capacity: "adaptive", updatedAtMs: 1 } as const;

describe("LocalLimit", () => {
  it("lets a quarter of the endpoint's share pass, and one at least", ({ expect }) => {
    const limit = new LocalLimit();
    expect(["a", "b", "c"].map((key) => limit.admit("h20", key, limits).admitted)).toEqual([true, true, false]);
    expect(limit.admit("small", "a", { ...limits, slots: 1 }).admitted).toBe(true);
  });

  it("admits a turn again that it has admitted, and frees its slot once", ({ expect }) => {
    const limit = new LocalLimit();
    expect([limit.admit("h20", "a", limits).admitted, limit.admit("h20", "a", limits).admitted]).toEqual([true, true]);
    expect([limit.release("h20", "a"), limit.release("h20", "a"), limit.release("other", "a")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(["b", "c", "d"].map((key) => limit.admit("h20", key, limits).admitted)).toEqual([true, true, false]);
  });
});
