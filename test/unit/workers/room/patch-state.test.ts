import { describe, it } from "vitest";
import { patchState } from "../../../../workers/room/room-step.ts";
import { isLeased } from "../../../../workers/room/room-state.ts";
import { aRoom, after, post } from "./a-room.ts";

describe("patchState", () => {
  it.for([
    [{ onScreenProductId: "p9" }],
    [{ skus: [{ skuId: "p9-s", stock: 1 }] }],
    [
      {
        onScreenProductId: "p2",
        skus: [
          { skuId: "p1-blue", stock: 1 },
          { skuId: "p9-s", stock: 1 },
        ],
      },
    ],
  ])("refuses %o as a whole", ([patch], { expect }) => {
    expect(patchState(aRoom(), patch ?? {})).toEqual({ ok: false, error: "product_not_found" });
  });

  it("changes what is named and keeps the rest", ({ expect }) => {
    const now = aRoom();
    const first = patchState(now, { onScreenProductId: "p2", skus: [{ skuId: "p1-blue", priceCents: 2990 }] });
    const room = first.ok ? after(now, first.value) : now;
    const second = patchState(room, { skus: [{ skuId: "p1-blue", stock: 1 }] });
    expect(second.ok && second.value.state.snapshot).toMatchObject({
      onScreenProductId: "p2",
      skuOverrides: { "p1-blue": { priceCents: 2990, stock: 1 } },
    });
    const third = patchState(room, { onScreenProductId: null });
    expect(third.ok && third.value.state.snapshot.onScreenProductId).toBeNull();
  });

  it("does not reach the turn in flight, which keeps what it saw", ({ expect }) => {
    const now = aRoom();
    const room = after(now, post(now, "m1"));
    const patched = patchState(room, { onScreenProductId: "p2" });
    const turns = patched.ok ? patched.value.state.turns.filter(isLeased) : [];
    expect(turns.map(({ lease }) => lease.snapshot.onScreenProductId)).toEqual([null]);
  });
});
