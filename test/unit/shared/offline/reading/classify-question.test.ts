import { describe, it } from "vitest";
import { classifyQuestion, type Intent } from "../../../../../shared/offline/reading/classify-question.ts";

describe("classifyQuestion", () => {
  it.for<[string, Intent]>([
    ["多少钱", "price"],
    ["咋卖的呀", "price"],
    ["能便宜点不", "bargain"],
    ["有券吗", "promotion"],
    ["送啥", "gift"],
    ["还有货没", "stock"],
    ["啥时候补货", "restock"],
    ["双11会降价吗", "price-future"],
    ["比淘宝贵", "other-shop"],
    ["哪个好", "compare"],
    ["有什么推荐", "recommend"],
    ["加个微信呗", "contact"],
    ["你是机器人吧", "human"],
    ["主播多大了", "private-life"],
    ["唱首歌", "off-topic"],
    ["治失眠吗", "medical"],
    ["骗子，我要投诉", "complaint"],
    ["我的快递到哪了", "own-order"],
    ["我160 110斤穿什么码", "size-advice"],
    ["这个几号链接", "link"],
    ["怎么拍", "how-to-order"],
    ["原价多少", "list-price"],
    ["主播好", "greeting"],
    ["两件多少钱", "total"],
    ["用完券多少", "total"],
  ])("reads %s as %s first", ([text, intent], { expect }) => {
    expect(classifyQuestion(text).intents[0]).toBe(intent);
  });

  it.for<[string, Intent]>([
    ["比淘宝便宜吗", "bargain"],
    ["双11多少钱", "price"],
    ["送什么活动", "promotion"],
    ["微信能付款吗", "contact"],
    ["几号发货", "link"],
    ["用几号电池", "link"],
    ["一套多少钱", "total"],
  ])("does not read %s as %s", ([text, intent], { expect }) => {
    expect(classifyQuestion(text).intents).not.toContain(intent);
  });

  it.for([
    ["买三件多少钱", 3],
    ["12个多少钱", 12],
    ["两套一共多少", 2],
    ["四件套多少钱", 1],
    ["多少钱", 1],
  ] as const)("counts the pieces of %s: %d", ([text, quantity], { expect }) => {
    expect(classifyQuestion(text).quantity).toBe(quantity);
  });

  it("reads a budget in yuan", ({ expect }) => {
    expect(classifyQuestion("200元以内有什么").budget).toBe(200);
    expect(classifyQuestion("有什么推荐").budget).toBe(null);
  });
});
