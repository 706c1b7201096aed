import { describe, it } from "vitest";
import { findStaleClaim } from "../../../../../shared/agent/facts/stale-claims.ts";
import { allSold, back, fewer, skusTo, soldOut } from "./changed-room.ts";

describe("findStaleClaim on stock", () => {
  it.for<[sentence: string, claim: string]>([
    ["有货的，放心拍", "有货"],
    ["面巾还有货", "有货"],
    ["蓝色有现货", "有现货"],
    ["都是现货", "现货"],
    ["还有的哦", "还有的"],
    ["库存12件", "12"],
    ["只剩最后12件了", "12"],
    ["还剩十二条", "十二"],
    ["库存充足，不用抢", "库存充足"],
    ["1号链接还有库存", "还有库存"],
    ["还没卖完呢", "还没卖完"],
    ["现在还可以拍", "还可以拍"],
    ["面巾库存不多了", "库存不多"],
    ["蓝色也有", "也有"],
    ["有库存", "有库存"],
    ["库存有的", "库存有的"],
    ["还有几件", "还有几件"],
    ["还剩十几件", "还剩十几件"],
    ["货很足", "货很足"],
    ["12件库存", "12"],
  ])("%s, when it sold out", ([sentence, claim], { expect }) => {
    expect(findStaleClaim(sentence, soldOut)).toEqual({ kind: "stock", claim, now: "没货" });
  });

  it.for([
    "蓝色没货了",
    "已经卖完了",
    "红色有货",
    "礼盒装还有货",
    "羊毛毯有货",
    "2号链接还有3件",
    "还有优惠券可以领",
    "还有一个好处",
    "有什么问题可以问我",
    "有没有货要看页面",
    "有货了通知大家",
    "什么时候有货不确定",
    "有货的话再上",
    "运费险有的",
    "喜欢的可以拍",
    "也有人问",
    "剩下的时间",
    "红色还有呢",
    "蓝色没有了",
    "蓝色拍完了",
    "39.9元",
  ])("%s stands when it sold out", (sentence, { expect }) => {
    expect(findStaleClaim(sentence, soldOut)).toBe(null);
  });

  it.for<[sentence: string, claim: string]>([
    ["灰色有的", "有的"],
    ["有的哦", "有的哦"],
    ["灰色可以拍", "可以拍"],
    ["可以下单的", "可以下单"],
    ["不断货", "不断货"],
    ["没卖完", "没卖完"],
    ["快没了", "快没了"],
    ["快抢完了", "快抢完了"],
    ["最后几单", "最后几单"],
    ["没剩几件了", "没剩几"],
    ["所剩不多", "所剩不多"],
    ["数量有限", "数量有限"],
    ["手慢无", "手慢无"],
  ])("%s, when nothing at all is left", ([sentence, claim], { expect }) => {
    expect(findStaleClaim(sentence, allSold)).toEqual({ kind: "stock", claim, now: "没货" });
  });

  it.for([
    "运费险有的",
    "没有色差",
    "已经没有了",
    "没了",
    "抢光了",
    "拍不了",
    "可以拍照给客服",
    "不能拍了",
    "什么肤质都可以",
  ])("%s stands when nothing at all is left", (sentence, { expect }) => {
    expect(findStaleClaim(sentence, allSold)).toBe(null);
  });

  it.for<[sentence: string, isStale: boolean]>([
    ["还有12件", true],
    ["只有12件了", true],
    ["只剩12单", true],
    ["只有12种", false],
    ["库存十二件", true],
    ["一共还剩52件", true],
    ["蓝色还有12条", true],
    ["还有7件", false],
    ["还剩47件", false],
    ["还有货", false],
    ["礼盒装还有40件", false],
    ["12个月质保", false],
    ["羊毛毯还有12件", false],
  ])("%s, when 12 became 7", ([sentence, isStale], { expect }) => {
    expect(findStaleClaim(sentence, fewer)?.kind).toBe(isStale ? "stock" : undefined);
  });

  it.for<[sentence: string, claim: string]>([
    ["红色没货了", "没货"],
    ["红色已经卖完了", "卖完"],
    ["红色售罄", "售罄"],
    ["红色被抢光了", "抢光"],
    ["红色暂时缺货", "缺货"],
    ["红色没有现货", "没有现货"],
    ["红色目前没有了", "目前没有了"],
    ["红色暂无库存", "无库存"],
    ["红色正在补货", "正在补货"],
    ["红色没了", "没了"],
    ["红色没有哦", "没有"],
    ["红色空了", "空了"],
    ["红色拍完了", "拍完"],
    ["红色秒空", "秒空"],
    ["红色售空", "售空"],
    ["红色下架了", "下架了"],
    ["红色库存为零", "库存为零"],
    ["红色要等补货", "等补货"],
    ["红色不能拍", "不能拍"],
  ])("%s, when it is in stock again", ([sentence, claim], { expect }) => {
    expect(findStaleClaim(sentence, back)).toEqual({ kind: "stock", claim, now: "还有20" });
  });

  it.for([
    "红色有货",
    "红色快卖完了",
    "卖完就没有了",
    "蓝色没货了",
    "羊毛毯卖完了",
    "红色不会断货",
    "红色之前没货，现在补上了",
    "红色没有色差",
    "红色快没了",
    "红色没几件了",
    "没有哦",
    "没了",
    "售罄之前都可以拍",
  ])("%s stands when it is in stock again", (sentence, { expect }) => {
    expect(findStaleClaim(sentence, back)).toBe(null);
  });
});

describe("findStaleClaim on a product of one specification", () => {
  const restocked = skusTo({ grey: { stock: 5 } }, { grey: { stock: 0 } });

  it("takes 没了 for its stock where it is named", ({ expect }) => {
    expect(findStaleClaim("羊毛毯没了", restocked)?.claim).toBe("没了");
    expect(findStaleClaim("没了", restocked)).toBe(null);
    expect(findStaleClaim("羊毛毯没有异味", restocked)).toBe(null);
  });

  it("takes time in proportion to the sentence", ({ expect }) => {
    for (const part of [
      "还有几",
      "没有",
      "库存",
      "有货了",
      "正在",
      "手里拿着",
      "快要",
      "39.9的活动",
      "之前的",
      "右下角",
    ]) {
      const start = performance.now();
      findStaleClaim(part.repeat(5_000 / part.length), allSold);
      expect(performance.now() - start, part).toBeLessThan(1_000);
    }
  });
});
