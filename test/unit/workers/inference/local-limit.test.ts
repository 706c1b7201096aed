import { describe, it } from "vitest";
import { SLOT_GRACE_MS } from "../../../../shared/inference/endpoint-gate.ts";
import { LocalLimit } from "../../../../workers/inference/local-limit.ts";

const limits = { slots: 16, utilizationCeiling: 0.5, capacity: "adaptive", updatedAtMs: 1 } as const;
const turn = (key: string, deadlineAtMs = 8_000) => ({ key, deadlineAtMs, limits });

describe("LocalLimit", () => {
  it("lets a quarter of the endpoint's share pass, and one at least", ({ expect }) => {
    const limit = new LocalLimit();
    expect(["a", "b", "c"].map((key) => limit.admit("h20", turn(key), 0).admitted)).toEqual([true, true, false]);
    expect(limit.admit("small", { ...turn("a"), limits: { ...limits, slots: 1 } }, 0).admitted).toBe(true);
  });

  it("admits a turn again that it has admitted, and frees its slot once", ({ expect }) => {
    const limit = new LocalLimit();
    expect([limit.admit("h20", turn("a"), 0).admitted, limit.admit("h20", turn("a"), 0).admitted]).toEqual([
      true,
      true,
    ]);
    expect([limit.release("h20", "a"), limit.release("h20", "a"), limit.release("other", "a")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(["b", "c", "d"].map((key) => limit.admit("h20", turn(key), 0).admitted)).toEqual([true, true, false]);
  });

  it("takes the slot of a runner that was stopped back soon after its turn's deadline", ({ expect }) => {
    const limit = new LocalLimit();
    for (const key of ["a", "b"]) limit.admit("h20", turn(key), 0);
    const endsAtMs = 8_000 + SLOT_GRACE_MS;
    expect(limit.admit("h20", turn("c", 20_000), endsAtMs - 1).admitted).toBe(false);
    expect(["c", "d", "e"].map((key) => limit.admit("h20", turn(key, 20_000), endsAtMs).admitted)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
