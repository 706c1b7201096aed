import { describe, it } from "vitest";
import { foldMessage, toPlainWords } from "../../../../shared/intake/plain-words.ts";

describe("foldMessage", () => {
  it.for<[text: string, folded: string]>([
    ["有 優惠 嗎？", "有优惠吗?"],
    ["鏈接❤️發壹個", "链接发一个"],
    ["ＸＬ碼", "xl码"],
  ])("folds %j to %j", ([text, folded], { expect }) => {
    expect(foldMessage(text)).toBe(folded);
  });

  it("keeps words that are right by sound alone", ({ expect }) => {
    expect(foldMessage("连接 优惠卷")).toBe("连接优惠卷");
  });
});

describe("toPlainWords", () => {
  it.for<[text: string, plain: string]>([
    ["肿么拍", "怎么拍"],
    ["連接呢", "链接呢"],
    ["优惠卷后多少", "优惠券后多少"],
    ["包油不", "包邮不"],
    ["木有货了", "没有货了"],
    ["蓝牙连接线", "蓝牙连接线"],
    ["卷发棒", "卷发棒"],
    ["大米有吗", "大米有吗"],
    ["蓝色木有了", "蓝色没有了"],
    ["sm时候fahuo", "什么时候发货"],
    ["yhq怎么用", "优惠券怎么用"],
    ["灰格的jg", "灰格的价格"],
  ])("reads %j as %j", ([text, plain], { expect }) => {
    expect(toPlainWords(text)).toBe(plain);
  });
});
