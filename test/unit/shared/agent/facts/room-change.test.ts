import { describe, it } from "vitest";
import { roomChanges } from "../../../../../shared/agent/facts/room-change.ts";
import type { RoomSnapshot } from "../../../../../shared/contract/room-state.ts";
import { aProduct, aRoomConfig } from "../../../../helpers/rooms.ts";

const config = aRoomConfig({
  products: [
    aProduct({ aliases: ["面巾"] }),
    aProduct({ id: "p2", link: 2, name: "羊毛毯", skus: [{ id: "s2", specs: ["灰"], priceCents: 5990, stock: 3 }] }),
  ],
  coupons: [{ id: "c1", name: "新人券", minCents: 3000, offCents: 500, condition: "新用户" }],
});

function aSnapshot(fields: Partial<RoomSnapshot> = {}): RoomSnapshot {
  return { onScreenProductId: "p1", skuOverrides: {}, heard: [], ...fields };
}

describe("roomChanges", () => {
  it("is nothing where only what was heard changed", ({ expect }) => {
    expect(roomChanges(aSnapshot(), aSnapshot({ heard: [{ speaker: "host", text: "好", atMs: 1 }] }), config)).toBe(
      null,
    );
  });

  it("is nothing where an override says what the configuration says", ({ expect }) => {
    const skuOverrides = { "p1-blue": { priceCents: 3990, stock: 12 } };
    expect(roomChanges(aSnapshot(), aSnapshot({ skuOverrides }), config)).toBe(null);
  });

  it("tells the SKUs of the changed product, and names of the others", ({ expect }) => {
    const before = aSnapshot({ skuOverrides: { "p1-blue": { stock: 5 } } });
    const after = aSnapshot({ skuOverrides: { "p1-blue": { priceCents: 4990, stock: 5 } } });
    expect(roomChanges(before, after, config)).toEqual({
      onScreenProductId: undefined,
      onScreenNames: [],
      skus: [
        {
          productId: "p1",
          productNames: ["纯棉毛巾", "面巾"],
          link: 1,
          skuId: "p1-blue",
          specs: ["蓝"],
          before: { priceCents: 3990, stock: 5 },
          after: { priceCents: 4990, stock: 5 },
        },
      ],
      others: [{ link: 2, names: ["羊毛毯"] }],
      coupons: [{ minCents: 3000, offCents: 500 }],
    });
  });

  it("tells what came on screen, and that nothing did", ({ expect }) => {
    const shown = roomChanges(aSnapshot(), aSnapshot({ onScreenProductId: "p2" }), config);
    expect([shown?.onScreenProductId, shown?.onScreenNames, shown?.skus]).toEqual(["p2", ["羊毛毯"], []]);
    const none = roomChanges(aSnapshot(), aSnapshot({ onScreenProductId: null }), config);
    expect([none?.onScreenProductId, none?.onScreenNames]).toEqual([null, []]);
  });
});
