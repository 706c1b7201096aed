import fc from "fast-check";
import { describe, it } from "vitest";
import { columnsOf, padColumns, wrapColumns } from "../../../../workers/cli/text-columns.ts";

describe("columnsOf", () => {
  it.for<[string, number]>([
    ["", 0],
    ["abc 12", 6],
    ["毛巾", 4],
    ["1号链接39.9元。", 15],
    ["，。！？「」《》", 16],
    ["ＡＢ￥", 6],
    ["ｱｲｳ", 3],
    ["한글かな", 8],
    ["“…—”", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["a\u200bb", 2],
    ["😀👍🏽", 4],
    ["👨‍👩‍👧", 2],
    ["❤️", 2],
    ["𠮷", 2],
  ])("counts %j as %i", ([text, columns], { expect }) => {
    expect(columnsOf(text)).toBe(columns);
  });
});

describe("padColumns", () => {
  it("fills up to the column, and leaves what is too wide", ({ expect }) => {
    expect([padColumns("毛巾", 6), padColumns("毛巾", 3)]).toEqual(["毛巾  ", "毛巾"]);
  });
});

describe("wrapColumns", () => {
  it("breaks between words, and begins no line with a comma", ({ expect }) => {
    expect(wrapColumns("the price is 39.9 yuan", 12)).toEqual(["the price is", "39.9 yuan"]);
    expect(wrapColumns("毛巾很软，纯棉。", 8).some((line) => /^[，。]/u.test(line))).toBe(false);
  });

  it("breaks a word that is longer than a line", ({ expect }) => {
    expect(wrapColumns("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
  });

  it("gives one empty line for nothing", ({ expect }) => {
    expect(wrapColumns("", 10)).toEqual([""]);
  });

  it("loses nothing but spaces, and keeps to the columns", ({ expect }) => {
    const texts = fc.string({
      unit: fc.constantFrom("毛", "巾", "a", "b", "9", ".", "，", "。", " ", "😀", "“", "元"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 20 }), (text, columns) => {
        const lines = wrapColumns(text, columns);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
