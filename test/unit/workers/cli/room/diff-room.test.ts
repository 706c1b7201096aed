import { describe, it } from "vitest";
import { diffRooms } from "../../../../../workers/cli/room/diff-room.ts";
import { aProduct, aRoomConfig } from "../../../../helpers/rooms.ts";

const sku = (id: string) => [{ id, specs: ["蓝"], priceCents: 100, stock: 1 }];
const p1 = aProduct();
const p2 = aProduct({ id: "p2", link: 2, skus: sku("p2-blue") });
const p3 = aProduct({ id: "p3", link: 3, skus: sku("p3-blue") });

describe("diffRooms", () => {
  it("finds nothing between equals", ({ expect }) => {
    expect(diffRooms(aRoomConfig(), aRoomConfig())).toEqual([]);
  });

  it("gives both values of a field, and `null` for one that is absent", ({ expect }) => {
    const changed = aRoomConfig({
      title: "新",
      voice: { speed: 1.2 },
      harness: { name: "live-host", channel: "canary" },
    });
    expect(diffRooms(aRoomConfig(), changed)).toEqual([
      { field: "title", before: "测试直播间", after: "新" },
      {
        field: "harness",
        before: { name: "live-host", channel: "production" },
        after: { name: "live-host", channel: "canary" },
      },
      { field: "voice", before: null, after: { speed: 1.2 } },
    ]);
  });

  it("names the entries of a list that came, went and changed", ({ expect }) => {
    const before = aRoomConfig({ products: [p1, p2], rules: ["不承诺", "不比价"] });
    const after = aRoomConfig({ products: [{ ...p2, name: "浴巾" }, p3], rules: ["不承诺"] });
    expect(diffRooms(before, after)).toEqual([
      { field: "rules", added: [], removed: ["不比价"], changed: [] },
      { field: "products", added: ["p3"], removed: ["p1"], changed: ["p2"] },
    ]);
  });

  it("tells another order, which is another configuration", ({ expect }) => {
    expect(diffRooms(aRoomConfig({ products: [p1, p2] }), aRoomConfig({ products: [p2, p1] }))).toEqual([
      { field: "products", added: [], removed: [], changed: [] },
    ]);
  });
});
