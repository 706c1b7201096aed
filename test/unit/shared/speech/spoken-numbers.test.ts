import fc from "fast-check";
import { describe, it } from "vitest";
import {
  readCardinal,
  readDigits,
  readMoney,
  readNumber,
  splitNumeral,
} from "../../../../shared/speech/spoken-numbers.ts";

describe("readCardinal", () => {
  it.for([
    ["0", "零"],
    ["2", "二"],
    ["10", "十"],
    ["12", "十二"],
    ["20", "二十"],
    ["100", "一百"],
    ["101", "一百零一"],
    ["110", "一百一十"],
    ["222", "二百二十二"],
    ["1000", "一千"],
    ["1010", "一千零一十"],
    ["2002", "两千零二"],
    ["10000", "一万"],
    ["10010", "一万零一十"],
    ["12200", "一万两千二百"],
    ["20000", "两万"],
    ["100000", "十万"],
    ["100010", "十万零一十"],
    ["1010000", "一百零一万"],
    ["100000005", "一亿零五"],
    ["200020002", "两亿零两万零二"],
    ["1000000000000", "一万亿"],
    ["1234500000000", "一万两千三百四十五亿"],
    ["007", "七"],
    ["12345678901234567", "一二三四五六七八九零一二三四五六七"],
  ] as const)("%s → %s", ([digits, words], { expect }) => {
    expect(readCardinal(digits)).toBe(words);
  });

  it("gives each integer its own words", ({ expect }) => {
    const words = Array.from({ length: 30_000 }, (_, value) => readCardinal(String(value)));
    expect(new Set(words).size).toBe(30_000);
  });
});

describe("readNumber", () => {
  it.for([
    ["39.90", "三十九点九零"],
    ["0.05", "零点零五"],
    ["1,000", "一千"],
    ["1,234.5", "一千二百三十四点五"],
  ] as const)("%s → %s", ([numeral, words], { expect }) => {
    expect(readNumber(numeral)).toBe(words);
  });
});

describe("readMoney", () => {
  it.for([
    ["39.9", "三十九块九"],
    ["39.90", "三十九块九"],
    ["39.99", "三十九块九毛九"],
    ["3.05", "三块零五分"],
    ["2.2", "两块二"],
    ["2", "两元"],
    ["0", "零元"],
    ["199", "一百九十九元"],
    ["1,000.00", "一千元"],
    ["3,123.20", "三千一百二十三块二"],
    ["0.5", "五毛"],
    ["0.2", "两毛"],
    ["0.55", "五毛五"],
    ["0.01", "一分"],
    ["0.125", "零点一二五元"],
  ] as const)("%s → %s", ([numeral, words], { expect }) => {
    expect(readMoney(numeral, "元")).toBe(words);
  });

  it("leaves the unit to the other end of a range", ({ expect }) => {
    expect(readMoney("39", "")).toBe("三十九");
  });
});

describe("readDigits", () => {
  it("reads one as 幺 where telephone numbers are read", ({ expect }) => {
    expect([readDigits("110"), readDigits("110", "幺")]).toEqual(["一一零", "幺幺零"]);
  });

  it("leaves out what is no digit, and never throws", ({ expect }) => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(readDigits(text)).toHaveLength(text.replace(/[^0-9]/g, "").length);
      }),
    );
  });
});

describe("splitNumeral", () => {
  it("parts the whole from the fraction, without thousands separators", ({ expect }) => {
    expect(splitNumeral("1,000.50")).toEqual({ whole: "1000", fraction: "50" });
    expect(splitNumeral("7")).toEqual({ whole: "7", fraction: "" });
  });
});
