import { describe, it } from "vitest";
import { breakKind } from "../../../../shared/speech/break-kind.ts";

describe("breakKind", () => {
  it.for([
    ["肤", "，", "孕", "clause"],
    ["9", "，", "孕", "clause"],
    ["k", ",", " ", "clause"],
    ["d", " ", "b", "space"],
    ["今", "天", "的", "ideograph"],
  ] as const)("finds a break in %s%s|%s", ([beforeLast, last, char, kind], { expect }) => {
    expect(breakKind(beforeLast, last, char)).toBe(kind);
  });

  it.for([
    ["a number with a comma", "1", ",", "0"],
    ["a time with a wide colon", "0", "：", "3"],
    ["a number and its unit after a space", "9", " ", "元"],
    ["a name and its number", "e", " ", "1"],
    ["a unit after its number", "3", "件", "起"],
    ["a number in characters", "价", "三", "百"],
    ["a word", "w", "o", "r"],
    ["an emoji and its skin tone", "好", "👍", "\u{1f3fd}"],
  ] as const)("finds none inside %s", ([, beforeLast, last, char], { expect }) => {
    expect(breakKind(beforeLast, last, char)).toBeNull();
  });

  it("finds none before the first character", ({ expect }) => {
    expect(breakKind(undefined, undefined, "今")).toBeNull();
  });
});
