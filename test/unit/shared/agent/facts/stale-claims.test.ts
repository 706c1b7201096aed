import fc from "fast-check";
import { describe, it } from "vitest";
import { roomChanges, type RoomChange } from "../../../../../shared/agent/facts/room-change.ts";
import { findStaleClaim } from "../../../../../shared/agent/facts/stale-claims.ts";
import type { RoomSnapshot, SkuOverrides } from "../../../../../shared/contract/room-state.ts";
import { toSpokenForm } from "../../../../../shared/speech/spoken-form.ts";
import { aProduct, aRoomConfig } from "../../../../helpers/rooms.ts";

const config = aRoomConfig({
  products: [
    aProduct({
      id: "towel",
      link: 1,
      name: "新疆棉面巾",
      aliases: ["面巾"],
      skus: [
        { id: "blue", specs: ["蓝色"], priceCents: 3990, stock: 12 },
        { id: "red", specs: ["红色"], priceCents: 3990, stock: 0 },
        { id: "gift", specs: ["礼盒装"], priceCents: 8800, stock: 40 },
      ],
    }),
    aProduct({
      id: "blanket",
      link: 2,
      name: "羊毛盖毯",
      aliases: ["羊毛毯"],
      skus: [{ id: "grey", specs: ["灰色"], priceCents: 19900, stock: 3 }],
    }),
    aProduct({
      id: "bedding",
      link: 3,
      name: "长绒棉四件套",
      skus: [{ id: "bed", specs: ["1.8米床"], priceCents: 32900, stock: 9 }],
    }),
  ],
  coupons: [{ id: "c1", name: "新人券", minCents: 3000, offCents: 500 }],
});

function changeOf(fields: { before?: Partial<RoomSnapshot>; after?: Partial<RoomSnapshot> }): RoomChange {
  const same: RoomSnapshot = { onScreenProductId: "towel", skuOverrides: {}, heard: [] };
  const change = roomChanges({ ...same, ...fields.before }, { ...same, ...fields.after }, config);
  if (change === null) throw new Error("the test changes nothing");
  return change;
}

function skusTo(after: SkuOverrides, before: SkuOverrides = {}): RoomChange {
  return changeOf({ before: { skuOverrides: before }, after: { skuOverrides: after } });
}

/** 面巾 rises from 39.9 to 49.9 in blue and red; the gift box stays at 88. */
const dearer = skusTo({ blue: { priceCents: 4990 }, red: { priceCents: 4990 } });
/** Only blue rises. */
const blueDearer = skusTo({ blue: { priceCents: 4990 } });
const soldOut = skusTo({ blue: { stock: 0 } });
const fewer = skusTo({ blue: { stock: 7 } });
const back = skusTo({ red: { stock: 20 } });
const shown = changeOf({ after: { onScreenProductId: "blanket" } });
const hidden = changeOf({ after: { onScreenProductId: null } });

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
    "39.9元",
  ])("%s stands when it sold out", (sentence, { expect }) => {
    expect(findStaleClaim(sentence, soldOut)).toBe(null);
  });

  it.for<[sentence: string, isStale: boolean]>([
    ["还有12件", true],
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
    "售罄之前都可以拍",
  ])("%s stands when it is in stock again", (sentence, { expect }) => {
    expect(findStaleClaim(sentence, back)).toBe(null);
  });
});

describe("findStaleClaim on the screen", () => {
  it.for<[sentence: string, claim: string]>([
    ["正在讲的这款是纯棉的", "正在讲的"],
    ["屏幕上的就是", "屏幕上"],
    ["现在讲解的是面巾", "现在讲解的"],
    ["画面里这款很软", "画面里"],
    ["主播正在介绍面巾", "正在介绍"],
    ["您看屏幕上", "屏幕上"],
  ])("%s", ([sentence, claim], { expect }) => {
    expect(findStaleClaim(sentence, shown)).toEqual({ kind: "on-screen", claim, now: "羊毛盖毯" });
    expect(findStaleClaim(sentence, hidden)).toEqual({ kind: "on-screen", claim, now: "屏幕上没有商品" });
    expect(findStaleClaim(sentence, soldOut)).toBe(null);
  });

  it.for(["这款很软", "面巾39.9元，有货", "屏幕上的羊毛毯很暖和", "现在拍今天发货", "等会儿讲下一款"])(
    "%s stands",
    (sentence, { expect }) => {
      expect(findStaleClaim(sentence, shown)).toBe(null);
    },
  );
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
