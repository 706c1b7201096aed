import fc from "fast-check";
import { describe, it } from "vitest";
import { takeSpans, toPlainText, toSourceSpan } from "../../../../shared/privacy/plain-text.ts";

describe("toPlainText", () => {
  it("reads full width, Chinese digits and white space, and leaves out marks and pictures", ({ expect }) => {
    const plain = toPlainText("Ａ１三\t❤\u200b\n八");
    expect(plain.text).toBe("a1三 \n八");
    expect(plain.digits).toBe("a13 \n8");
  });

  it("gives the way back: marks belong to the character before, a picture to none", ({ expect }) => {
    const source = "x8\ufe0f\u20e3❤9";
    const plain = toPlainText(source);
    expect(toSourceSpan(plain, { start: 1, end: 2 })).toEqual({ start: 1, end: 4 });
    expect(toSourceSpan(plain, { start: 2, end: 3 })).toEqual({ start: 5, end: 6 });
  });

  it("has one place for each code unit, whatever the text", ({ expect }) => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (source) => {
        const { text, digits, starts, ends } = toPlainText(source);
        expect([digits.length, starts.length, ends.length]).toEqual([text.length, text.length, text.length]);
        expect(ends.every((end, index) => end > (starts[index] ?? end) && end <= source.length)).toBe(true);
      }),
    );
  });
});

describe("takeSpans", () => {
  it("blanks the spans in both readings and moves nothing", ({ expect }) => {
    const plain = toPlainText("ab三四ef");
    const taken = takeSpans(plain, [
      { start: 0, end: 1 },
      { start: 2, end: 4 },
    ]);
    expect([taken.text, taken.digits]).toEqual(["\u0000b\u0000\u0000ef", "\u0000b\u0000\u0000ef"]);
    expect(taken.starts).toBe(plain.starts);
  });
});
