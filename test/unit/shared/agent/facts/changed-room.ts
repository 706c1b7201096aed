/** A room with three products, and what may change in it while an answer is made. */
import { roomChanges, type RoomChange } from "../../../../../shared/agent/facts/room-change.ts";
import type { RoomSnapshot, SkuOverrides } from "../../../../../shared/contract/room-state.ts";
import { aProduct, aRoomConfig } from "../../../../helpers/rooms.ts";

const config = aRoomConfig({
  products: [
    aProduct({
      id: "towel",
      link: 1,
      name: "新疆棉面巾",
      aliases: ["面巾"],
      skus: [
        { id: "blue", specs: ["蓝色"], priceCents: 3990, stock: 12 },
        { id: "red", specs: ["红色"], priceCents: 3990, stock: 0 },
        { id: "gift", specs: ["礼盒装"], priceCents: 8800, stock: 40 },
      ],
    }),
    aProduct({
      id: "blanket",
      link: 2,
      name: "羊毛盖毯",
      aliases: ["羊毛毯"],
      skus: [{ id: "grey", specs: ["灰色"], priceCents: 19900, stock: 3 }],
    }),
    aProduct({
      id: "bedding",
      link: 3,
      name: "长绒棉四件套",
      skus: [{ id: "bed", specs: ["1.8米床"], priceCents: 32900, stock: 9 }],
    }),
    aProduct({
      id: "lamp",
      link: 4,
      name: "日式可调节灯",
      aliases: ["清欢灯", "落地灯"],
      skus: [
        { id: "desk", specs: ["台灯"], priceCents: 17330, stock: 6 },
        { id: "floor", specs: ["落地灯"], priceCents: 27600, stock: 6 },
      ],
    }),
    aProduct({
      id: "pan",
      link: 5,
      name: "钻石不粘锅",
      aliases: ["不粘锅", "奶锅"],
      skus: [
        { id: "wok", specs: ["炒锅30cm"], priceCents: 18000, stock: 5 },
        { id: "milk", specs: ["奶锅18cm"], priceCents: 14800, stock: 5 },
        { id: "big-milk", specs: ["奶锅22cm"], priceCents: 16800, stock: 5 },
      ],
    }),
  ],
  coupons: [{ id: "c1", name: "新人券", minCents: 3000, offCents: 500 }],
});

function changeOf(fields: { before?: Partial<RoomSnapshot>; after?: Partial<RoomSnapshot> }): RoomChange {
  const same: RoomSnapshot = { onScreenProductId: "towel", skuOverrides: {}, heard: [] };
  const change = roomChanges({ ...same, ...fields.before }, { ...same, ...fields.after }, config);
  if (change === null) throw new Error("the test changes nothing");
  return change;
}

export function skusTo(after: SkuOverrides, before: SkuOverrides = {}): RoomChange {
  return changeOf({ before: { skuOverrides: before }, after: { skuOverrides: after } });
}

/** 面巾 rises from 39.9 to 49.9 in blue and red; the gift box stays at 88. */
export const dearer = skusTo({ blue: { priceCents: 4990 }, red: { priceCents: 4990 } });
/** Only blue rises. */
export const blueDearer = skusTo({ blue: { priceCents: 4990 } });
/** A specification that viewers call the lamp by, too. */
export const floorLampDearer = skusTo({ floor: { priceCents: 30080 } });
export const milkPanDearer = skusTo({ milk: { priceCents: 15800 } });
export const soldOut = skusTo({ blue: { stock: 0 } });
/** Of the only specification. */
export const allSold = skusTo({ grey: { stock: 0 } });
export const fewer = skusTo({ blue: { stock: 7 } });
export const back = skusTo({ red: { stock: 20 } });
export const shown = changeOf({ after: { onScreenProductId: "blanket" } });
export const hidden = changeOf({ after: { onScreenProductId: null } });
