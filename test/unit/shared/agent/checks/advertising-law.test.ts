import { describe, it } from "vitest";
import { advertisingLaw, findAdvertisingWords } from "../../../../../shared/agent/checks/advertising-law.ts";
import { aSentence } from "../hooks/hook-inputs.ts";

describe("findAdvertisingWords", () => {
  it.for<[text: string, words: string[]]>([
    ["全网最低价、国家级品质、100%有效", ["全网最低价", "国家级", "100%有效"]],
    ["這是頂級的面料", ["頂級"]],
    ["最 便-宜", ["最 便-宜"]],
    ["销量第一，放心买", ["第一"]],
    ["真的是最好用的一款", ["最好用"]],
    ["ＮＯ.１的品牌", ["ＮＯ.１"]],
    ["独一无二，史无前例", ["独一无二", "史无前例"]],
    ["祖传秘方，根治脚气", ["祖传", "秘方", "根治"]],
    ["国宴同款，驰名商标", ["国宴", "驰名商标"]],
    ["绝对不掉色，永久保暖", ["绝对", "永久"]],
    ["百分百有效", ["百分百有效"]],
    ["最大优惠", ["最大"]],
  ])("finds %j", ([text, words], { expect }) => {
    expect(findAdvertisingWords(text)).toEqual(words);
  });

  it.for([
    "面料是100%棉",
    "百分百羊毛的",
    "填充物100%羊毛，200*230cm",
    "第一次买的宝宝看过来",
    "第一，它是纯棉的",
    "第一步先下水",
    "最近在做活动",
    "最后三件",
    "最多能放10斤",
    "最好用冷水手洗",
    "最好先量一下尺寸",
    "最好看一下尺码表",
    "最大承重100斤",
    "最高水温40度",
    "最低温度零下10度",
    "夏天最热的时候也能盖",
    "唯一要注意的是不能机洗",
    "绝对值",
    "最，低调的颜色",
  ])("passes %j", (text, { expect }) => {
    expect(findAdvertisingWords(text)).toEqual([]);
  });
});

describe("advertisingLaw", () => {
  const options = { words: [], replacements: {}, exceptions: [] };

  it("rewrites what all has a replacement, longest word first", ({ expect }) => {
    const check = advertisingLaw({
      ...options,
      replacements: { 全网最低价: "直播间的价", 国家级: "高", "100%有效": "有用" },
    });
    const text = "全网最低价、国家级品质、100%有效";
    expect(check(aSentence(text), text)).toEqual({
      found: "全网最低价、国家级、100%有效",
      corrected: "直播间的价、高品质、有用",
    });
  });

  it("has no better text when one word has no replacement", ({ expect }) => {
    const check = advertisingLaw({ ...options, replacements: { 最好: "很好" } });
    expect(check(aSentence(""), "最好，顶级")).toEqual({ found: "最好、顶级" });
  });

  it("takes the harness's own words and exceptions", ({ expect }) => {
    const check = advertisingLaw({ ...options, words: ["闭眼入"], exceptions: ["顶级域名"] });
    expect(check(aSentence(""), "闭眼入")?.found).toBe("闭眼入");
    expect(check(aSentence(""), "顶级域名")).toBeNull();
  });
});
