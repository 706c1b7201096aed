import { describe, it } from "vitest";
import {
  CHINESE_NUMBER_CHARS,
  parseChineseNumber,
  parseGuess,
} from "../../../../../shared/agent/checks/chinese-number.ts";

describe("parseChineseNumber", () => {
  it.for<[text: string, value: number | null]>([
    ["零", 0],
    ["九", 9],
    ["十", 10],
    ["十二", 12],
    ["三十九", 39],
    ["三十九点九", 39.9],
    ["二点五", 2.5],
    ["一百五", 150],
    ["一百五十", 150],
    ["一百零五", 105],
    ["两百", 200],
    ["一千二", 1_200],
    ["一万零五百", 10_500],
    ["三万五", 35_000],
    ["两千零二十六", 2_026],
    ["五十万", 500_000],
    ["一亿", 100_000_000],
    ["叁佰贰拾", 320],
    ["二零二六", 2_026],
    ["八五", 85],
    ["百", null],
    ["万", null],
    ["百搭", null],
    ["一二百", null],
    ["三点", null],
    ["", null],
  ])("reads %j as %j", ([text, value], { expect }) => {
    expect(parseChineseNumber(text)).toBe(value);
  });
});

describe("parseGuess", () => {
  it.for<[text: string, pair: [number, number] | null]>([
    ["两三", [2, 3]],
    ["七八", [7, 8]],
    ["八五", null],
    ["三", null],
    ["二三四", null],
    ["十一", null],
  ])("reads %j as %j", ([text, pair], { expect }) => {
    expect(parseGuess(text)).toEqual(pair);
  });
});

describe("CHINESE_NUMBER_CHARS", () => {
  it("holds every character that is read", ({ expect }) => {
    expect(Array.from("〇幺两十佰仟万亿").every((char) => CHINESE_NUMBER_CHARS.includes(char))).toBe(true);
  });
});
