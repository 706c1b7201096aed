import { describe, it } from "vitest";
import { findNumbers } from "../../../../shared/privacy/find-numbers.ts";
import { toPlainText } from "../../../../shared/privacy/plain-text.ts";

const find = (text: string) => findNumbers(toPlainText(text)).map(({ kind, start, end }) => [kind, start, end]);

describe("findNumbers", () => {
  it("takes the longest number that its groups make", ({ expect }) => {
    expect(find("110105 19491231 002X")).toEqual([["id-number", 0, 20]]);
    expect(find("4111 1111 1111 1111 13812345678")).toEqual([
      ["card", 0, 19],
      ["phone", 20, 31],
    ]);
  });

  it("lets the word before decide: the same digits are an identity, a card, goods or an order", ({ expect }) => {
    const digits = "123456789012345678";
    const kinds = ["身份证", "卡号", "商品id", ""].map((word) => find(word + digits)[0]?.[0]);
    expect(kinds).toEqual(["id-number", "card", undefined, "order"]);
  });

  it("takes the sign of the country and the brackets of the area with the number", ({ expect }) => {
    expect(find("打+86 13812345678")).toEqual([["phone", 1, 16]]);
    expect(find("打(0538)8123456")).toEqual([["phone", 1, 14]]);
  });

  it("tells prices in a row from groups of a phone: commas part prices, not what is said in Chinese", ({ expect }) => {
    expect(find("139,1299,3999")).toEqual([]);
    expect(find("一三九，一二九九，三九九九")).toEqual([["phone", 0, 13]]);
  });

  it("counts 15 digits as too long for goods and 14 not", ({ expect }) => {
    expect(find("900000000000001")).toEqual([["order", 0, 15]]);
    expect(find("90000000000001")).toEqual([]);
  });

  it("leaves hotlines, counts and digits inside a code", ({ expect }) => {
    expect(["电话4008208820", "13812345678件", "ab13812345678cd"].flatMap(find)).toEqual([]);
  });
});
