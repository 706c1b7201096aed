import { describe, it } from "vitest";
import { isClipOf, isGoods, subjectWords } from "../../../../../shared/offline/reading/subject-words.ts";

describe("subjectWords", () => {
  it.for([
    ["蚕丝被多少钱", ["蚕丝被"]],
    ["主播 那个电饭锅还有货吗", ["电饭锅"]],
    ["这个多少钱啊", []],
    ["还有没有券", []],
    ["两件多少钱", []],
  ] as const)("leaves of %s %j", ([question, words], { expect }) => {
    expect(subjectWords(question)).toEqual(words);
  });
});

describe("isGoods", () => {
  it("knows goods by how they end, and parts as no goods", ({ expect }) => {
    expect(["蚕丝被", "电饭锅", "枕头"].map(isGoods)).toEqual([true, true, true]);
    expect(["被套", "灯泡", "甲醛"].map(isGoods)).toEqual([false, false, false]);
  });
});

describe("isClipOf", () => {
  it.for([
    ["羊毛毯", "澳洲纯羊毛盖毯", true],
    ["羊毛被", "澳洲纯羊毛盖毯", false],
    ["蚕丝被", "羽绒被", false],
    ["盖毯", "澳洲纯羊毛盖毯", false],
  ] as const)("takes %s for a clip of %s: %s", ([clip, name, expected], { expect }) => {
    expect(isClipOf(clip, name)).toBe(expected);
  });
});
