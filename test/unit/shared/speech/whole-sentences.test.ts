import fc from "fast-check";
import { describe, it } from "vitest";
import { countCodePoints } from "../../../../shared/core/text.ts";
import { fitSentences, splitSentences } from "../../../../shared/speech/whole-sentences.ts";

describe("splitSentences", () => {
  it("keeps each sentence whole, with its stop, however long it is", ({ expect }) => {
    const long = `${"很长，".repeat(100)}完。`;
    expect(splitSentences(`正在讲毛巾。39.9元！${long}`)).toEqual(["正在讲毛巾。", "39.9元！", long]);
  });
});

describe("fitSentences", () => {
  it.for([
    ["一句话。两句话。", 8, "一句话。两句话。"],
    ["一句话。两句话。", 7, "一句话。"],
    ["前半句话，后半句话说得很长。", 9, "前半句话，"],
    ["短句。一句很长的话，说了很多，没有说完。", 12, "短句。"],
    ["没有标点的长文字", 4, "没有"],
    ["abcdefghijk", 4, "abcd"],
    ["", 4, ""],
  ] as const)("fits %s into %i characters as %s", ([text, charsMax, fitted], { expect }) => {
    expect(fitSentences(text, charsMax)).toBe(fitted);
  });

  it("never gives more than it may", ({ expect }) => {
    const text = fc.string({ unit: fc.constantFrom("尺", "码", "，", "。", "！", "🧣", "a", " ", "1", ".", "“", "”") });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (said, charsMax) => {
        expect(countCodePoints(fitSentences(said, charsMax))).toBeLessThanOrEqual(charsMax);
      }),
    );
  });
});
