/** A room as its route answers, for tests; a test names only what it is about. */
import { UNKNOWN_RELEASE } from "../../../../../shared/contract/room-release.ts";
import type { RoomView } from "../../../../../shared/contract/room-view.ts";
import { HARNESS } from "../../../../helpers/frames.ts";
import { aProduct, aRoomConfig } from "../../../../helpers/rooms.ts";

const TOWEL = aProduct({ skus: [{ id: "p1-blue", specs: ["蓝"], priceCents: 4_990, stock: 12 }] });
const BATH = aProduct({
  id: "p2",
  link: 7,
  name: "浴巾",
  skus: [{ id: "p2-grey", specs: ["灰"], priceCents: 8_900, stock: 3 }],
});

export function aRoomView(view: Partial<RoomView> = {}): RoomView {
  return {
    room: "r1",
    seq: 120,
    config: aRoomConfig({ products: [TOWEL, BATH], rules: ["不比价"] }),
    revision: 3,
    harness: HARNESS,
    release: UNKNOWN_RELEASE,
    snapshot: { onScreenProductId: "p1", skuOverrides: { "p1-blue": { priceCents: 3_990 } }, heard: [] },
    openTurns: [],
    rowsWritten: 40,
    ...view,
  };
}
