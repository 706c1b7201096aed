import { describe, it } from "vitest";
import { findProducts, sampleQuestions, toProductCard } from "../../../../workers/console/product-card.ts";
import { aProduct } from "../../../helpers/rooms.ts";

const skus = [
  { id: "s1", specs: ["红"], priceCents: 3_990, stock: 2 },
  { id: "s2", specs: ["蓝"], priceCents: 4_990, stock: 5 },
];

describe("toProductCard", () => {
  it("shows the span of prices and the whole stock", ({ expect }) => {
    expect(toProductCard(aProduct({ skus }), {})).toMatchObject({
      priceFromCents: 3_990,
      priceToCents: 4_990,
      stock: 7,
    });
  });

  it("puts live values over the configuration", ({ expect }) => {
    const card = toProductCard(aProduct({ skus }), {
      s1: { priceCents: 2_990 },
      s2: { stock: 0 },
      other: { stock: 99 },
    });
    expect(card).toMatchObject({ priceFromCents: 2_990, priceToCents: 4_990, stock: 2 });
  });

  it.for([
    { name: "strikes out a list price that is higher", listPriceCents: 4_991, struck: 4_991 },
    { name: "does not strike out the price that is asked", listPriceCents: 4_990, struck: null },
    { name: "has nothing to strike out without a list price", listPriceCents: undefined, struck: null },
  ])("$name", ({ listPriceCents, struck }, { expect }) => {
    expect(toProductCard(aProduct({ skus, listPriceCents }), {}).listPriceCents).toBe(struck);
  });
});

describe("findProducts", () => {
  const products = [
    aProduct({ id: "b", link: 12, name: "玻尿酸面膜 ＡＢ", aliases: ["补水膜"], brand: "Nüwa" }),
    aProduct({ id: "a", link: 2, name: "羊毛衫", category: ["女装"] }),
  ];
  it.for([
    { query: "", ids: ["a", "b"] },
    { query: "  面膜 ", ids: ["b"] },
    { query: "补水", ids: ["b"] },
    { query: "ab", ids: ["b"] },
    { query: "NÜWA 面膜", ids: ["b"] },
    { query: "女装", ids: ["a"] },
    { query: "12", ids: ["b"] },
    { query: "2号链接", ids: ["a", "b"] },
    { query: "衫膜", ids: [] },
  ])("finds $ids for 「$query」, by link number", ({ query, ids }, { expect }) => {
    expect(findProducts(products, query).map(({ id }) => id)).toEqual(ids);
  });
});

describe("sampleQuestions", () => {
  it("asks about what is on screen, in the room's language", ({ expect }) => {
    const products = [aProduct(), aProduct({ id: "p7", link: 7 })];
    expect(sampleQuestions("zh-CN", products, "p7")[0]).toBe("7号链接多少钱？");
    expect(sampleQuestions("zh-CN", products, null)[0]).toBe("1号链接多少钱？");
    expect(sampleQuestions("en", [], null)[0]).toBe("How much is link 1?");
  });
});
