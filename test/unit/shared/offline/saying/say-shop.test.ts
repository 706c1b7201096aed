import { describe, it } from "vitest";
import {
  pickProducts,
  sayCoupons,
  sayFaq,
  sayNotes,
  sayProducts,
  saySkillLine,
} from "../../../../../shared/offline/saying/say-shop.ts";
import { PILLOW, QUILT, THROW, aWorld } from "../a-chat-request.ts";

describe("sayCoupons", () => {
  it("says what is off, from how much, for whom", ({ expect }) => {
    const said = sayCoupons([
      { name: "新人券", min: 0, off: 5, condition: "新用户领取" },
      { name: "满减券", min: 99, off: 10 },
    ]);
    expect(said?.join("")).toMatch(/立减5元的新人券，新用户领取.*满99减10元的满减券/);
    expect(sayCoupons([])).toBe(null);
  });
});

describe("sayFaq", () => {
  it("reads the answer out in sentences, up to what can be listened to", ({ expect }) => {
    const answer = `满88元包邮。\n不满收10元；${"很长的说明".repeat(60)}`;
    expect(sayFaq({ entry: { question: "", answer }, score: 1 })).toEqual(["满88元包邮。", "不满收10元。"]);
  });
});

describe("sayNotes", () => {
  it("says facts that share enough with the question", ({ expect }) => {
    expect(sayNotes(["这批乳胶枕芯可以免费刻字。"], "枕芯可以刻字吗")).toEqual(["这批乳胶枕芯可以免费刻字。"]);
    expect(sayNotes(["这批乳胶枕芯可以免费刻字。"], "几点下播")).toBe(null);
  });

  it("keeps directions to the host to itself", ({ expect }) => {
    expect(sayNotes(["观众问能便宜吗，先报能用的券。"], "能便宜吗")).toBe(null);
  });
});

describe("saySkillLine", () => {
  const skill = { name: "s", body: "- 想叠加优惠券，就说以结算页显示为准。\n- 没写运费险，就说“以下单页面为准”。" };

  it("says the line of the instruction closest to the question", ({ expect }) => {
    expect(saySkillLine([skill], "优惠券能叠加吗")).toEqual(["以结算页显示为准。"]);
    expect(saySkillLine([skill], "有运费险吗")).toEqual(["以下单页面为准。"]);
  });

  it("says nothing of instructions that share nothing", ({ expect }) => {
    expect(saySkillLine([skill], "几点下播")).toBe(null);
  });

  it("never says that something was done", ({ expect }) => {
    expect(saySkillLine([{ name: "s", body: "- 投诉就说“已经登记给客服”。" }], "我要投诉")).toBe(null);
  });
});

describe("pickProducts", () => {
  it("leaves out what is sold out or over the budget, the one on screen first", ({ expect }) => {
    const links = (budget: number | null, cheap = false) =>
      pickProducts(aWorld({ onScreen: PILLOW }), budget, cheap).map(({ link }) => link);
    expect(links(null)).toEqual([2, 1, 3]);
    expect(links(200)).toEqual([2]);
    expect(links(null, true)).toEqual([2, 1, 3]);
    expect(links(10)).toEqual([]);
  });
});

describe("sayProducts", () => {
  it("gives link, name and the price it starts at", ({ expect }) => {
    const { products } = aWorld({ products: [QUILT, PILLOW, THROW] });
    expect(sayProducts(products, "可以看看").join("")).toMatch(/1号新疆长绒棉四件套299元起.*2号泰国乳胶护颈枕159\.5元/);
  });
});
