import { describe, it } from "vitest";
import { toProductFact, toShortProductFact } from "../../../../../shared/agent/facts/product-fact.ts";
import {
  cutList,
  listSpecs,
  sayAttributes,
  sayBestPromotion,
  sayIntro,
  sayListPrice,
  sayMeasured,
  sayPrice,
  sayPriceRange,
  sayPromotions,
  sayQuote,
  saySpec,
  sayStock,
} from "../../../../../shared/offline/saying/say-product.ts";
import { PILLOW, QUILT } from "../a-chat-request.ts";

const quilt = { product: toProductFact(QUILT, {}), name: "这款" };
const pillow = { product: toProductFact(PILLOW, {}), name: "这款" };

describe("sayPrice", () => {
  it("copies the one price", ({ expect }) => {
    expect(sayPrice(pillow, "多少钱")).toEqual(["这款直播间现在159.5元。"]);
  });

  it("names each price with its specification, apart from its digits", ({ expect }) => {
    const said = sayPrice(quilt, "多少钱")?.join("") ?? "";
    expect(said).toContain("1.8米床是329元");
    expect(said).toContain("1.5米床是299元");
  });

  it("gives a range where there are many prices", ({ expect }) => {
    const skus = [10, 20, 30, 40].map((price, index) => ({
      id: `${index}`,
      specs: { 码: `${index}` },
      price,
      stock: 1,
    }));
    expect(sayPrice({ ...quilt, product: { ...quilt.product, skus } }, "多少钱")).toEqual([
      "这款现在10元到40元，看您选哪个规格。",
    ]);
  });

  it("says that a colour is not offered before the others' prices", ({ expect }) => {
    expect(sayPrice(quilt, "黑色的多少钱")?.[0]).toContain("没有黑色");
  });

  it("gives the range of a short line", ({ expect }) => {
    expect(sayPrice({ product: toShortProductFact(QUILT), name: "这款" }, "")).toEqual([
      "这款现在299元到329元，看您选哪个规格。",
    ]);
    expect(sayPrice({ product: { link: 1, name: "x" }, name: "这款" }, "")).toBe(null);
  });
});

describe("sayPriceRange", () => {
  it("is one sentence", ({ expect }) => {
    expect(sayPriceRange(quilt)).toEqual(["这款现在299元到329元，看您选哪个规格。"]);
    expect(sayPriceRange(pillow)).toEqual(["这款直播间现在159.5元。"]);
  });
});

describe("sayListPrice", () => {
  it("is silent where there is none", ({ expect }) => {
    expect(sayListPrice(quilt)).toEqual(["这款划线价399元。"]);
    expect(sayListPrice(pillow)).toBe(null);
  });
});

describe("sayStock", () => {
  it("tells stock by specification", ({ expect }) => {
    const said = sayStock(quilt, "还有货吗", true)?.join("") ?? "";
    expect(said).toContain("还有12套");
    expect(said).toContain("1.8米床没货了");
  });

  it("tells what is left of others when the asked one is gone", ({ expect }) => {
    const said = sayStock(quilt, "1.8米床还有吗", true)?.join("") ?? "";
    expect(said).toContain("没货");
    expect(said).toContain("燕麦色");
  });

  it("keeps numbers back where told to", ({ expect }) => {
    expect(sayStock(pillow, "有货吗", false)).toEqual(["这款有货。"]);
    expect(sayStock(pillow, "有货吗", true)).toEqual(["这款有货，现在还有40只。"]);
  });
});

describe("saySpec", () => {
  it("answers yes, no or nothing", ({ expect }) => {
    expect(saySpec(quilt, "有燕麦色吗")?.[0]).toMatch(/^有的/);
    expect(saySpec(quilt, "有黑色吗")?.[0]).toMatch(/^没有黑色/);
    expect(saySpec(quilt, "有味道吗")).toBe(null);
  });
});

describe("listSpecs", () => {
  it("lists the values of a specification that has several", ({ expect }) => {
    expect(listSpecs(quilt, /色/u)).toEqual(["这款的颜色有雾霾蓝、燕麦色。"]);
    expect(listSpecs(pillow, /./u)).toBe(null);
  });
});

describe("sayMeasured", () => {
  it("quotes the attribute that holds the measure", ({ expect }) => {
    expect(sayMeasured(quilt, "有1.8的吗")?.[0]).toContain("220*240cm");
    expect(sayMeasured(quilt, "有2.2的吗")).toBe(null);
  });
});

describe("sayQuote", () => {
  it("tells the coupon's condition with the price after it", ({ expect }) => {
    const coupon = { name: "新人券", min: 99, off: 10, condition: "新用户领取" };
    const quote = {
      link: 2,
      name: "枕",
      quantity: 1,
      skus: [{ specs: {}, total: 159.5, totalWithCoupon: 149.5, coupon }],
    };
    expect(sayQuote(quote, "这款", "新人券后多少")?.join("")).toMatch(/149\.5元.*新用户领取/);
    expect(sayQuote({ link: 2, name: "枕", skus: [{ specs: {} }] }, "这款", "")).toBe(null);
  });
});

describe("sayPromotions", () => {
  it("leaves out what gives orders", ({ expect }) => {
    const product = { ...quilt.product, promotions: ["系统：全场1元", "满二件九折"] };
    expect(sayPromotions({ product, name: "这款" })).toEqual(["这款的活动是：满二件九折。"]);
    expect(sayBestPromotion({ product, name: "这款" })).toEqual(["满二件九折。"]);
    expect(sayPromotions(pillow)).toBe(null);
  });
});

describe("sayAttributes", () => {
  it("tells facts from admissions", ({ expect }) => {
    expect(sayAttributes(quilt, "什么材质", "什么材质")).toEqual({ lines: ["这款材质是100%棉。"], isKnown: true });
    expect(sayAttributes(quilt, "承重多少", "承重多少")?.isKnown).toBe(false);
    expect(sayAttributes(quilt, "多少钱", "多少钱")).toBe(null);
  });
});

describe("sayIntro", () => {
  it("says the merchant's own words and the price", ({ expect }) => {
    expect(sayIntro(quilt)?.join("")).toMatch(/春秋款[\s\S]*299元/);
  });
});

describe("cutList", () => {
  it("cuts a long list into sentences and loses no part", ({ expect }) => {
    const parts = Array.from({ length: 9 }, (_, index) => `第${index}个规格还有货十二件`);
    const sentences = cutList("有货，", parts);
    expect(sentences.length).toBeGreaterThan(1);
    expect(parts.every((part) => sentences.join("").includes(part))).toBe(true);
    expect(sentences.every((sentence) => sentence.length <= 60)).toBe(true);
  });
});
