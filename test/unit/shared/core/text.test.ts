import { describe, it } from "vitest";
import { charPairs, countCodePoints, isCleanText, normaliseForMatch, utf8Bytes } from "../../../../shared/core/text.ts";

describe("isCleanText", () => {
  it.for([
    ["普通弹幕 1号链接多少钱😀", true],
    ["tab\tand\nline", true],
    ["\ud83d", false],
    ["a\u0000b", false],
    ["a\u001b[31m", false],
    ["a\u0085", false],
  ] as const)("%j is %s", ([text, clean], { expect }) => {
    expect(isCleanText(text)).toBe(clean);
  });
});

describe("normaliseForMatch", () => {
  it("folds width, case, white space and invisible characters", ({ expect }) => {
    expect(normaliseForMatch("加\u200bＶ 信\u00adABC")).toBe("加v信abc");
  });
});

describe("counts", () => {
  it("counts code points, and bytes, of Chinese and emoji", ({ expect }) => {
    expect([countCodePoints("价格😀"), utf8Bytes("价格😀")]).toEqual([3, 10]);
  });
});

describe("charPairs", () => {
  it.for([
    ["煎锅好", ["煎锅", "锅好"]],
    ["😀锅", ["😀锅"]],
    ["锅", []],
    ["", []],
  ] as const)("%s gives %j", ([text, pairs], { expect }) => {
    expect(charPairs(text)).toEqual(pairs);
  });
});
