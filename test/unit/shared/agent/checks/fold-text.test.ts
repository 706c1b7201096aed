import fc from "fast-check";
import { describe, it } from "vitest";
import {
  foldText,
  foldWord,
  replaceSpans,
  sourceSpan,
  toCommonCharacters,
} from "../../../../../shared/agent/checks/fold-text.ts";

describe("foldText", () => {
  it.for<[text: string, folded: string]>([
    ["加 v\u200b信", "加v信"],
    ["微❤信", "微信"],
    ["Ｖ Ｘ", "vx"],
    ["𝐕𝐗ⓥ", "vxv"],
    ["а\u0435х", "aex"],
    ["絕對頂級", "绝对顶级"],
    ["最-低_价", "最低价"],
    ["1️⃣3️⃣8️⃣", "138"],
    ["39.9元", "39.9元"],
    ["NO.1", "no1"],
    ["好，最", "好,最"],
    ["100％", "100%"],
  ])("folds %j to %j", ([text, folded], { expect }) => {
    expect(foldText(text).text).toBe(folded);
  });

  it("keeps for every folded character its place in the source", ({ expect }) => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const folded = foldText(text);
        expect([folded.starts.length, folded.ends.length]).toEqual([folded.text.length, folded.text.length]);
        for (const [index, start] of folded.starts.entries()) {
          const end = folded.ends[index] ?? -1;
          expect(foldWord(text.slice(start, end)).length > 0 || text[start] === ".").toBe(true);
          expect(start >= (folded.starts[index - 1] ?? 0) && end > start && end <= text.length).toBe(true);
        }
      }),
    );
  });
});

describe("foldWord", () => {
  it("folds as a text is folded", ({ expect }) => {
    expect(foldWord("ＮＯ.1")).toBe("no1");
  });
});

describe("sourceSpan", () => {
  it("takes in what was left out inside the span, and nothing around it", ({ expect }) => {
    const folded = foldText("请 加 微❤信 吧");
    const start = folded.text.indexOf("微信");
    expect(sourceSpan(folded, { start, end: start + 2 })).toEqual({ start: 4, end: 7 });
  });
});

describe("replaceSpans", () => {
  it("replaces in the source, in order", ({ expect }) => {
    const folded = foldText("最 好，最 低");
    const spans = [
      { start: 0, end: 2, by: "很好" },
      { start: 3, end: 5, by: "实惠" },
    ];
    expect(replaceSpans(folded, spans)).toBe("很好，实惠");
  });
});

describe("toCommonCharacters", () => {
  it("keeps the length", ({ expect }) => {
    expect(toCommonCharacters("兩塊錢 a1，")).toBe("两块钱 a1，");
  });
});
