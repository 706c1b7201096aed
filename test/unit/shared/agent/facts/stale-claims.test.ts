import fc from "fast-check";
import { describe, it } from "vitest";
import { findStaleClaim } from "../../../../../shared/agent/facts/stale-claims.ts";
import { toSpokenForm } from "../../../../../shared/speech/spoken-form.ts";
import {
  back,
  blueDearer,
  dearer,
  fewer,
  floorLampDearer,
  hidden,
  milkPanDearer,
  shown,
  skusTo,
  soldOut,
} from "./changed-room.ts";

describe("findStaleClaim on prices", () => {
  it.for<[sentence: string, claim: string]>([
    ["这款现在只要39.9元", "39.9元"],
    ["面巾三十九块九一条", "三十九块九"],
    ["39块9，喜欢就拍", "39块9"],
    ["到手价39.9", "39.9"],
    ["只要￥39.9哦", "39.9"],
    ["一条39.90元", "39.90元"],
    ["拍两条一共79.8元", "79.8元"],
    ["五条一百九十九块五", "一百九十九块五"],
    ["用完新人券三十四块九", "三十四块九"],
    ["39.9到88元，看您选哪款", "39.9"],
    ["1号链接39.9元", "39.9元"],
    ["一号链接今天三十九块九", "三十九块九"],
    ["39.9元的面巾很划算", "39.9元"],
    ["羊毛毯199元，39.9元的是面巾", "39.9元"],
    ["面巾和羊毛毯都是39.9元", "39.9元"],
    ["不到四十块钱就能带走", "四十块"],
    ["三十多块就能拿下", "三十多块"],
    ["最便宜39.9元", "39.9元"],
    ["這款面巾３９.９元", "39.9元"],
    ["39.9两条装", "39.9"],
    ["39.9一床", "39.9"],
    ["39.9拿走", "39.9"],
    ["39.9包邮", "39.9"],
    ["三十九块九包邮", "三十九块九"],
    ["三十几块钱", "三十几块"],
    ["四十来块钱", "四十块"],
    ["将近四十块", "四十块"],
    ["三十九元九角", "三十九元九角"],
    ["今天直播间价三十九块九毛", "三十九块九毛"],
    ["领完券三十四块九", "三十四块九"],
    ["券后34块9到手", "34块9"],
    ["打八折后39.9元", "39.9元"],
    ["优惠价39.9元", "39.9元"],
    ["满减后34.9元", "34.9元"],
    ["三条一百一十九块七", "一百一十九块七"],
    ["原价59，今天39.9元", "39.9元"],
    ["从59.9降到39.9", "39.9"],
    ["还是之前的39.9", "39.9"],
    ["价格跟昨天39.9一样", "39.9"],
    ["39.9元起", "39.9元"],
  ])("%s", ([sentence, claim], { expect }) => {
    expect(findStaleClaim(sentence, dearer)).toEqual({ kind: "price", claim, now: "49.9元" });
  });

  it.for([
    "现在是49.9元",
    "四十九块九一条",
    "拍两条99.8元",
    "礼盒装88元",
    "用完新人券四十四块九",
    "49.9到88元",
    "四十多块",
    "原价39.9元，现在49.9元",
    "满39.9元可以用券",
    "比之前省39.9元",
    "之前是39.9现在49.9",
    "刚才是39.9元，现在涨到49.9了",
    "昨天卖39.9",
    "比刚才39.9贵了十块",
    "从39.9涨到49.9",
    "39.9的活动已经结束了",
    "39.9已经没有了",
    "39.9那波抢完了",
    "定金39.9",
    "五十不到",
    "五十块左右",
    "有四十个人在买",
    "四十支纱",
    "羊毛盖毯39.9元",
    "2号链接39.9元",
    "羊毛毯39.9元，放心拍",
    "三号39.9元",
    "39天无忧退换",
    "39.9厘米宽",
    "这款面巾很软",
    "还有12件",
    "买39.9%的人都回购",
    "正在讲的这款很软",
    "",
  ])("%s stands", (sentence, { expect }) => {
    expect(findStaleClaim(sentence, dearer)).toBe(null);
  });

  it.for<[sentence: string, isStale: boolean]>([
    ["蓝色39.9元", true],
    ["蓝色的，现在39.9元", true],
    ["红色39.9元", false],
    ["39.9元", false],
    ["蓝色49.9元，红色39.9元", false],
    ["蓝色和红色都是39.9元", true],
    ["礼盒装88元", false],
  ])("%s, where one specification of several changed", ([sentence, isStale], { expect }) => {
    expect(findStaleClaim(sentence, blueDearer) !== null).toBe(isStale);
  });

  it.for<[sentence: string, isStale: boolean]>([
    ["这款现在台灯是173.3元，落地灯是276元。", true],
    ["台灯是173.3元，落地灯，现在276元", true],
    ["台灯173.3元，276元的落地灯也有", true],
    ["台灯173.3元和落地灯276元", true],
    ["台灯是173.3元，清欢灯是276元", true],
    ["台灯是173.3元，4号链接276元", true],
    ["落地灯是300.8元，台灯是173.3元", false],
    ["台灯是173.3元，落地灯是300.8元", false],
    ["落地灯是300.8元，清欢灯台灯173.3元", false],
    ["台灯173.3元", false],
  ])("%s, where a name is a specification, too", ([sentence, isStale], { expect }) => {
    expect(findStaleClaim(sentence, floorLampDearer) !== null).toBe(isStale);
  });

  it.for<[sentence: string, isStale: boolean]>([
    ["炒锅30cm是180元，奶锅18cm是148元", true],
    ["炒锅30cm是180元，奶锅是148元", true],
    ["炒锅是180元，奶锅是148元", true],
    ["奶锅22cm是168元", false],
    ["奶锅18cm是158元，奶锅22cm是168元", false],
    ["炒锅是180元", false],
  ])("%s, where a specification is named without its size", ([sentence, isStale], { expect }) => {
    expect(findStaleClaim(sentence, milkPanDearer) !== null).toBe(isStale);
  });

  it("does not take the number of a name for a claim", ({ expect }) => {
    const change = skusTo({ bed: { priceCents: 30000 } }, { bed: { priceCents: 400 } });
    expect(findStaleClaim("长绒棉四件套很软", change)).toBe(null);
  });

  it("takes a total for the price that it equals, unless its pieces are said", ({ expect }) => {
    const half = skusTo({ bed: { priceCents: 16450 } });
    expect(findStaleClaim("四件套329元", half)?.kind).toBe("price");
    expect(findStaleClaim("拍两套，一共329元", half)).toBe(null);
    expect(findStaleClaim("两套329元", half)).toBe(null);
    expect(findStaleClaim("两套包邮，只要329元", half)?.kind).toBe("price");
  });

  it("lets a coupon make the old amount true only where the sentence tells of one", ({ expect }) => {
    const byTheCoupon = skusTo({ grey: { priceCents: 20400 } });
    expect(findStaleClaim("羊毛毯199元", byTheCoupon)?.kind).toBe("price");
    expect(findStaleClaim("羊毛毯用券后199元", byTheCoupon)).toBe(null);
  });

  it("never blocks a sentence made from the new prices", ({ expect }) => {
    const cents = fc.integer({ min: 1, max: 99_999 });
    const spoken = fc.record({
      write: fc.constantFrom(...TRUE_SENTENCES),
      pieces: fc.integer({ min: 1, max: 10 }),
      isSpoken: fc.boolean(),
    });
    fc.assert(
      fc.property(cents, cents, spoken, (old, now, { write, pieces, isSpoken }) => {
        fc.pre(old !== now);
        const change = skusTo({ grey: { priceCents: now } }, { grey: { priceCents: old } });
        const sentence = write(now, pieces);
        expect(findStaleClaim(isSpoken ? toSpokenForm(sentence) : sentence, change)).toBe(null);
      }),
      { numRuns: 1_000 },
    );
  });

  it("always blocks the old price, written or spoken", ({ expect }) => {
    const cents = fc.integer({ min: 100, max: 99_999 });
    fc.assert(
      fc.property(cents, cents, fc.boolean(), (old, now, isSpoken) => {
        fc.pre(old !== now);
        const change = skusTo({ grey: { priceCents: now } }, { grey: { priceCents: old } });
        const sentence = `羊毛毯现在只要${old / 100}元。`;
        expect(findStaleClaim(isSpoken ? toSpokenForm(sentence) : sentence, change)?.kind).toBe("price");
      }),
      { numRuns: 1_000 },
    );
  });
});

const TRUE_SENTENCES: readonly ((cents: number, pieces: number) => string)[] = [
  (cents) => `羊毛毯现在${cents / 100}元。`,
  (cents) => `这款今天只要${cents / 100}元，喜欢可以拍。`,
  (cents) => `2号链接${cents / 100}元一条。`,
  (cents) => `灰色${cents / 100}元，很暖和。`,
  (cents, pieces) => `拍${pieces}条一共${(cents * pieces) / 100}元。`,
  (cents, pieces) => `${cents / 100}元一条，${pieces}条${(cents * pieces) / 100}元。`,
];

describe("findStaleClaim on the screen", () => {
  it.for<[sentence: string, claim: string]>([
    ["正在讲的这款是纯棉的", "正在讲的"],
    ["屏幕上的就是", "屏幕上"],
    ["现在讲解的是面巾", "现在讲解的"],
    ["画面里这款很软", "画面里"],
    ["主播正在介绍面巾", "正在介绍"],
    ["您看屏幕上", "屏幕上"],
    ["现在在讲的就是这条", "现在在讲的"],
    ["现在讲到的是面巾", "现在讲到的"],
    ["主播手里这条", "主播手里这"],
    ["我手上拿的就是面巾", "我手上拿的"],
    ["现在上架的是面巾", "现在上架的"],
    ["现在这款面巾", "现在这款"],
    ["当前这款很软", "当前这"],
    ["屏幕下方这款", "屏幕下方这"],
    ["左下角弹出的那个", "左下角弹"],
    ["弹出来的这个链接", "弹出来的这个"],
    ["眼前这款", "眼前这"],
  ])("%s", ([sentence, claim], { expect }) => {
    expect(findStaleClaim(sentence, shown)).toEqual({ kind: "on-screen", claim, now: "羊毛盖毯" });
    expect(findStaleClaim(sentence, hidden)).toEqual({ kind: "on-screen", claim, now: "屏幕上没有商品" });
    expect(findStaleClaim(sentence, soldOut)).toBe(null);
  });

  it.for([
    "这款很软",
    "面巾39.9元，有货",
    "屏幕上的羊毛毯很暖和",
    "现在拍今天发货",
    "等会儿讲下一款",
    "屏幕前的家人们",
    "手机屏幕大小",
    "现在看到的评论",
    "现在说的都是真的",
    "正在介绍优惠规则",
    "刚才讲的面巾",
    "您手里的优惠券",
  ])("%s stands", (sentence, { expect }) => {
    expect(findStaleClaim(sentence, shown)).toBe(null);
  });
});

describe("findStaleClaim", () => {
  it("never blocks a sentence without money, stock and screen", ({ expect }) => {
    const words = fc.array(
      fc.constantFrom("面巾", "羊毛毯", "这款", "很软", "吸水", "，", "蓝色", "礼盒装", "适合", "送人", "1号链接"),
    );
    fc.assert(
      fc.property(words, fc.constantFrom(dearer, soldOut, fewer, back, shown, hidden), (parts, change) => {
        expect(findStaleClaim(parts.join(""), change)).toBe(null);
      }),
    );
  });
});
