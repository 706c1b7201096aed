import { describe, it } from "vitest";
import { BUILTIN_NAMES, findBuiltin } from "../../../../../shared/agent/tools/builtin-tools.ts";
import { indexProducts } from "../../../../../shared/agent/facts/product-index.ts";
import type { ToolArguments, ToolWorld } from "../../../../../shared/agent/tools/tool-world.ts";
import { aProduct, aRoomConfig } from "../../../../helpers/rooms.ts";

const config = aRoomConfig({
  products: [
    aProduct({
      id: "towel",
      link: 1,
      name: "纯棉毛巾",
      category: ["洗护", "毛巾"],
      specNames: ["颜色", "尺寸"],
      promotions: ["买二送一"],
      skus: [
        { id: "t1", specs: ["蓝色", "大号"], priceCents: 5990, stock: 3 },
        { id: "t2", specs: ["粉色", "小号"], priceCents: 3990, stock: 0 },
      ],
    }),
    aProduct({
      id: "pan",
      link: 2,
      name: "铸铁煎锅",
      skus: [{ id: "p", specs: ["标准"], priceCents: 19900, stock: 9 }],
    }),
  ],
  coupons: [
    { id: "c5", name: "满99减5", minCents: 9900, offCents: 500 },
    { id: "c10", name: "满99减10", minCents: 9900, offCents: 1000 },
  ],
  faq: [
    { id: "f1", question: "运费怎么算", answer: "满88元包邮，不满收10元" },
    { id: "f2", question: "怎么开发票", answer: "下单时填写" },
  ],
});
const world: ToolWorld = {
  turn: "t7",
  config,
  snapshot: { onScreenProductId: "pan", skuOverrides: { p: { stock: 1 } }, heard: [] },
  products: indexProducts(config.products),
};
const run = (name: string, args: ToolArguments) => findBuiltin(name)?.(args, world);

describe("builtin tools", () => {
  it("are found by own names only", ({ expect }) => {
    expect([findBuiltin("constructor"), findBuiltin("__proto__")]).toEqual([null, null]);
    expect(BUILTIN_NAMES).toContain("get_price");
  });

  it("search_products finds by name, with live stock", ({ expect }) => {
    expect(run("search_products", { query: "煎锅" })).toEqual({
      ok: true,
      output: { products: [{ link: 2, name: "铸铁煎锅", priceFrom: 199, priceTo: 199, stock: 1 }] },
    });
  });

  it("get_product takes the product on screen when none is named, and says so when there is none", ({ expect }) => {
    expect(run("get_product", { product: "" })).toMatchObject({ ok: true, output: { id: "pan" } });
    expect(run("get_product", { product: "手机壳" })).toMatchObject({ ok: false });
  });

  it("check_stock answers for the specification that was asked for", ({ expect }) => {
    expect(run("check_stock", { product: "1", spec: "粉色" })).toMatchObject({
      output: { skus: [{ specs: { 颜色: "粉色", 尺寸: "小号" }, stock: 0 }] },
    });
    expect(run("check_stock", { product: "1", spec: "黑色" })).toMatchObject({ ok: false });
  });

  it("get_price adds up in cents and gives the total with each coupon that it reaches", ({ expect }) => {
    expect(run("get_price", { product: "1", spec: "大号", quantity: 2 })).toMatchObject({
      output: {
        quantity: 2,
        skus: [
          {
            price: 59.9,
            total: 119.8,
            coupons: [
              { off: 10, totalWithCoupon: 109.8 },
              { off: 5, totalWithCoupon: 114.8 },
            ],
          },
        ],
      },
    });
  });

  it("get_price gives no coupon below its minimum", ({ expect }) => {
    const priced = run("get_price", { product: "1", spec: "小号", quantity: 1 });
    expect(priced).toMatchObject({ output: { skus: [{ price: 39.9, total: 39.9 }] } });
    expect(JSON.stringify(priced)).not.toContain("coupons");
  });

  it("compare_products needs two that exist", ({ expect }) => {
    expect(run("compare_products", { products: ["1", "2"] })).toMatchObject({
      output: { products: [{ id: "towel" }, { id: "pan" }] },
    });
    expect(run("compare_products", { products: ["1", "1"] })).toMatchObject({ ok: false });
  });

  it("search_faq finds the closest entries", ({ expect }) => {
    expect(run("search_faq", { query: "运费多少" })).toMatchObject({
      output: { entries: [{ question: "运费怎么算" }] },
    });
    expect(run("search_faq", { query: "天王盖地虎" })).toMatchObject({ output: { entries: [] } });
  });

  it("list_promotions lists coupons and offers", ({ expect }) => {
    expect(run("list_promotions", {})).toMatchObject({
      output: {
        coupons: [
          { min: 99, off: 5 },
          { min: 99, off: 10 },
        ],
        products: [{ link: 1, promotions: ["买二送一"] }],
      },
    });
  });

  it("list_products filters by category and price", ({ expect }) => {
    expect(run("list_products", { category: "毛巾", priceMax: 50 })).toMatchObject({ output: { count: 1 } });
    expect(run("list_products", { category: "毛巾", priceMax: 10 })).toMatchObject({ output: { count: 0 } });
  });

  it("hand_over_to_human names a ticket of the turn", ({ expect }) => {
    expect(run("hand_over_to_human", { reason: "投诉", message: "破了" })).toEqual({
      ok: true,
      output: { accepted: true, ticket: "t7-human", reason: "投诉" },
    });
  });
});
