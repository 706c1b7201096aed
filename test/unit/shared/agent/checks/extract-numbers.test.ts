import { describe, it } from "vitest";
import { extractNumbers } from "../../../../../shared/agent/checks/extract-numbers.ts";

/** Kind, value and how it is meant, for each number that is a figure. */
const read = (text: string) =>
  extractNumbers(text)
    .filter((number) => !number.isIdle)
    .map(
      ({ kind, value, exact }) => `${kind} ${Math.round(value * 100) / 100}${exact === "exactly" ? "" : ` ${exact}`}`,
    );

describe("extractNumbers", () => {
  it.for<[text: string, price: number]>([
    ["只要39.9元", 39.9],
    ["39块9", 39.9],
    ["9块9包邮", 9.9],
    ["三十九块九", 39.9],
    ["39元9角", 39.9],
    ["¥39.9", 39.9],
    ["￥３９．９", 39.9],
    ["到手价29", 29],
    ["3,123.20元", 3_123.2],
    ["88块钱", 88],
    ["一块九", 1.9],
    ["一块钱", 1],
    ["5毛", 0.5],
    ["一百五十块", 150],
    ["两百塊", 200],
    ["便宜20", 20],
    ["0元", 0],
    ["两件79.8元", 79.8],
  ])("reads %j as one price", ([text, price], { expect }) => {
    expect(read(text)).toEqual([`price ${price}`]);
  });

  it.for<[text: string, numbers: string[]]>([
    ["满99减20", ["price 99", "price 20"]],
    ["满99，100元", ["price 99", "price 100"]],
    ["39、49元", ["price 39", "price 49"]],
    ["打八折", ["discount 8"]],
    ["85折", ["discount 8.5"]],
    ["八五折", ["discount 8.5"]],
    ["3.5折", ["discount 3.5"]],
    ["7~9折", ["discount 7", "discount 9"]],
    ["半价", ["discount 5"]],
    ["三十几块", ["price 30 over"]],
    ["还剩三十几件", ["count 30 over"]],
    ["四十来件", ["count 40 over"]],
    ["十几块", []],
    ["100%棉", ["percent 100"]],
    ["百分百羊毛", ["percent 100"]],
    ["百分之二十", ["percent 20"]],
    ["三分之一", ["percent 33.33"]],
    ["3~5天发货", ["time 72", "time 120"]],
    ["三到五天发货", ["time 72", "time 120"]],
    ["24小时内发货", ["time 24"]],
    ["两三天", ["time 48 guess"]],
    ["质保一年", ["months 12"]],
    ["12个月", ["months 12"]],
    ["200*230cm", ["length 2000", "length 2300"]],
    ["1.5米+1.8米通用", ["length 1500", "length 1800"]],
    ["一米八的床", ["length 1800"]],
    ["5斤", ["weight 2500"]],
    ["2公斤", ["weight 2000"]],
    ["净含量50ml*2瓶", ["volume 50", "count 2"]],
    ["效果提升100倍", ["times 100"]],
    ["保修100年", ["months 1200"]],
    ["1号链接", ["link 1"]],
    ["链接3", ["link 3"]],
    ["三号", ["link 3"]],
    ["5万条", ["count 50000"]],
    ["10w+", ["count 100000"]],
    ["12月3号", ["count 12", "count 3"]],
    ["2026年", ["count 2026"]],
    ["SPF50", ["count 50"]],
    ["四件套", ["count 4"]],
    ["30多块", ["price 30 over"]],
    ["不到40块", ["price 40 under"]],
    ["五十块左右", ["price 50 near"]],
  ])("reads %j as %j", ([text, numbers], { expect }) => {
    expect(read(text)).toEqual(numbers);
  });

  it.for([
    "看一下",
    "这两款都好",
    "三种颜色",
    "第二步",
    "第3件",
    "1.先下水",
    "一年四季都能用",
    "一块毛巾",
    "三块香皂",
    "五颜六色",
    "十分柔软",
    "千万别错过",
    "百搭",
    "双11",
    "A4纸",
    "5G手机",
    "零食",
    "没有数字",
  ])("reads no figure in %j", (text, { expect }) => {
    expect(read(text)).toEqual([]);
  });

  it.for(["还有3件", "库存12", "只剩最后5双", "还剩两床"])("tells that %j is about stock", (text, { expect }) => {
    expect(extractNumbers(text).map(({ isStock }) => isStock)).toEqual([true]);
  });

  it.for(["还有3个颜色", "最后3天", "买3件"])("tells that %j is not about stock", (text, { expect }) => {
    expect(extractNumbers(text).map(({ isStock }) => isStock)).toEqual([false]);
  });

  it.for<[text: string, deals: string[]]>([
    ["买一送一", ["asked 1", "given 1"]],
    ["买一送二", ["asked 1", "given 2"]],
    ["買一贈一", ["asked 1", "given 1"]],
    ["买 2 送 2", ["asked 2", "given 2"]],
    ["拍一发三", ["asked 1", "given 3"]],
    ["拍一到手三件", ["asked 1", "given 3"]],
    ["买一得三", ["asked 1", "given 3"]],
    ["假一赔三", ["asked 1", "given 3"]],
    ["坏一换一", ["asked 1", "given 1"]],
    ["三件免一件", ["asked 3", "given 1"]],
    ["两件包邮", ["asked 2"]],
    ["兩件包郵", ["asked 2"]],
    ["一件也包邮", ["asked 1"]],
    ["买两件，包邮", ["asked 2"]],
    ["买一条毛巾送一条", ["asked 1", "given 1"]],
    ["送您一条毛巾", ["given 1"]],
    ["下单送毛巾一条", ["given 1"]],
    ["赠两个枕套", ["given 2"]],
    ["拍两件立减十元", ["asked 2"]],
    ["三件八折", ["asked 3"]],
    ["三期免息", ["asked 3"]],
    ["前三名免单", ["limit 3"]],
    ["限购两件", ["limit 2"]],
    ["每人限一单", ["limit 1"]],
  ])("reads %j as an offer's %j, however small", ([text, deals], { expect }) => {
    const found = extractNumbers(text).filter(({ deal, isIdle }) => deal !== null && !isIdle);
    expect(found.map(({ deal, bare }) => `${deal} ${bare}`)).toEqual(deals);
  });

  it.for([
    "一起看看",
    "两款都好",
    "三种颜色都有",
    "一下就好",
    "第一件事",
    "试一试",
    "拍一拍",
    "一般一周洗一次",
    "这两款送妈妈都合适",
    "一套送人有面子",
    "两条换着用",
    "换一个颜色也行",
    "买一件试试",
    "喜欢的拍一件就行",
    "穿得一身汗",
    "觉得一般",
    "值得一试",
    "免得一次次跑",
    "两件都送到家",
    "三件都发顺丰",
    "一件免熨衬衫",
    "一个减压玩具",
    "送一波福利",
    "给大家发一下链接",
    "发三条弹幕",
    "只发一家快递",
    "有三种颜色，送礼自用都合适",
    "三件套包邮",
    "快递配送两件一起到",
    "这一款包邮",
    "减一点",
    "有两个，送妈妈",
  ])("reads neither figure nor offer in %j", (text, { expect }) => {
    expect(extractNumbers(text).filter(({ isIdle, kind }) => !isIdle && kind === "count")).toEqual([]);
  });

  it("quotes a number with its unit", ({ expect }) => {
    expect(extractNumbers("今天三十九块九，还有3件").map(({ written }) => written)).toEqual(["三十九块九", "3"]);
  });
});
