import { describe, it } from "vitest";
import {
  toCouponFact,
  toProductFact,
  toShortProductFact,
  toYuan,
} from "../../../../../shared/agent/facts/product-fact.ts";
import { aProduct } from "../../../../helpers/rooms.ts";

describe("toProductFact", () => {
  it("names specifications, gives prices in yuan, and leaves out what is empty", ({ expect }) => {
    expect(toProductFact(aProduct(), {})).toEqual({
      link: 1,
      id: "p1",
      name: "纯棉毛巾",
      unit: "件",
      skus: [{ id: "p1-blue", specs: { 颜色: "蓝" }, price: 39.9, stock: 12 }],
    });
  });

  it("puts live prices and stock over configured ones, zero included", ({ expect }) => {
    const fact = toProductFact(aProduct(), { "p1-blue": { priceCents: 2990, stock: 0 } });
    expect(fact.skus?.[0]).toMatchObject({ price: 29.9, stock: 0 });
  });
});

describe("toShortProductFact", () => {
  it("gives the price range", ({ expect }) => {
    const skus = [
      { id: "a", specs: ["蓝"], priceCents: 100, stock: 1 },
      { id: "b", specs: ["红"], priceCents: 250, stock: 1 },
    ];
    expect(toShortProductFact(aProduct({ skus }))).toMatchObject({ priceFrom: 1, priceTo: 2.5 });
  });
});

describe("toCouponFact", () => {
  it("is in yuan", ({ expect }) => {
    expect(toCouponFact({ id: "c", name: "满减", minCents: 9900, offCents: 500 })).toEqual({
      name: "满减",
      min: 99,
      off: 5,
    });
  });
});

describe("toYuan", () => {
  it.for([
    [3990, 39.9],
    [1, 0.01],
    [899_00, 899],
  ] as const)("%i cents are %f", ([cents, yuan], { expect }) => {
    expect(toYuan(cents)).toBe(yuan);
  });
});
