import { describe, it } from "vitest";
import { indexProducts } from "../../../../../shared/agent/facts/product-index.ts";
import { factOf, numberOf, productOf, textOf, type ToolWorld } from "../../../../../shared/agent/tools/tool-world.ts";
import { aProduct, aRoomConfig } from "../../../../helpers/rooms.ts";

const config = aRoomConfig();
const world: ToolWorld = {
  turn: "t1",
  config,
  snapshot: { onScreenProductId: "p1", skuOverrides: { "p1-blue": { stock: 0 } }, heard: [] },
  products: indexProducts(config.products),
};

describe("arguments", () => {
  it("read absent, null and inherited ones as empty", ({ expect }) => {
    expect([textOf({}, "product"), textOf({ product: null }, "product"), textOf({}, "constructor")]).toEqual([
      "",
      "",
      "",
    ]);
    expect([numberOf({ n: 2 }, "n"), numberOf({ n: "2" }, "n"), numberOf({}, "n")]).toEqual([2, null, null]);
  });
});

describe("productOf", () => {
  it("takes the product on screen where none is named, and none where nothing is on screen", ({ expect }) => {
    expect(productOf({ product: "" }, world)?.id).toBe("p1");
    const nothing = { ...world, snapshot: { ...world.snapshot, onScreenProductId: null } };
    expect(productOf({ product: "" }, nothing)).toBeNull();
  });
});

describe("factOf", () => {
  it("shows the live stock", ({ expect }) => {
    expect(factOf(aProduct(), world).skus?.[0]?.stock).toBe(0);
  });
});
