import { describe, it } from "vitest";
import { toProductFact } from "../../../../../shared/agent/facts/product-fact.ts";
import { selectSkus } from "../../../../../shared/agent/tools/select-skus.ts";
import { aProduct } from "../../../../helpers/rooms.ts";

const fact = toProductFact(
  aProduct({
    specNames: ["颜色", "尺码"],
    skus: [
      { id: "a", specs: ["天空蓝", "大号"], priceCents: 1, stock: 1 },
      { id: "b", specs: ["天空蓝", "小号"], priceCents: 1, stock: 1 },
      { id: "c", specs: ["粉", "大号"], priceCents: 1, stock: 1 },
    ],
  }),
  {},
);

describe("selectSkus", () => {
  it.for([
    ["", ["a", "b", "c"]],
    ["蓝", ["a", "b"]],
    ["天空蓝 大号", ["a"]],
    ["天空蓝、小号", ["b"]],
    ["粉色", ["c"]],
    ["黑色", []],
  ] as const)("%j selects %j", ([wording, ids], { expect }) => {
    expect(selectSkus(fact, wording).map(({ id }) => id)).toEqual(ids);
  });
});
