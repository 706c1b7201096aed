import { describe, it } from "vitest";
import { readQuestion } from "../../../../../shared/offline/reading/read-question.ts";
import { couponParts, priceParts, productParts } from "../../../../../shared/offline/saying/product-parts.ts";
import { aWorld } from "../a-chat-request.ts";

const said = (question: string, parts = {}) =>
  productParts(readQuestion(aWorld(parts), question, null))
    .flatMap((part) => part.lines)
    .join("");

describe("productParts", () => {
  it("answers every want of the question", ({ expect }) => {
    const text = said("2号多少钱 还有货吗 填充物是什么");
    expect(text).toContain("159.5元");
    expect(text).toContain("40只");
    expect(text).toContain("93%天然乳胶");
  });

  it("does not answer something else where it must admit", ({ expect }) => {
    expect(said("2号是什么材质")).not.toContain("159.5");
    expect(said("乳胶枕有灯泡吗")).not.toContain("有的");
  });

  it("sets two products side by side without a verdict", ({ expect }) => {
    const text = said("2号和3号哪个好");
    expect(text).toContain("159.5元");
    expect(text).toContain("499元");
    expect(text).not.toMatch(/更好|最/);
  });

  it("recommends within the budget, and says so when nothing fits", ({ expect }) => {
    expect(said("200以内有什么推荐")).toContain("159.5元");
    expect(said("10元以内有什么推荐")).toContain("没有");
  });
});

describe("priceParts", () => {
  it("asks for details where the facts hold no price", ({ expect }) => {
    const world = aWorld({ products: [], facts: [], changes: [{ link: 1, name: "四件套" }] });
    expect(priceParts(readQuestion(world, "1号多少钱", null))[0]?.needs?.[0]?.kind).toBe("product");
  });
});

describe("couponParts", () => {
  it("looks promotions up where the prompt holds none", ({ expect }) => {
    const world = aWorld({ coupons: [], onScreen: null });
    expect(couponParts(readQuestion(world, "有券吗", null))[0]?.needs).toEqual([{ kind: "promotions" }]);
  });
});
