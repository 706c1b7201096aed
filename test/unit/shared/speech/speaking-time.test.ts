import fc from "fast-check";
import { describe, it } from "vitest";
import { estimateSpeakingMs } from "../../../../shared/speech/speaking-time.ts";
import { toSpokenForm } from "../../../../shared/speech/spoken-form.ts";

describe("estimateSpeakingMs", () => {
  it.for<[speech: string, ms: number]>([
    ["", 0],
    ["  ", 0],
    ["好", 222],
    ["今天这款毛巾", 1_333],
    ["三十九块九", 1_111],
    ["好的，", 594],
    ["好的。", 794],
    ["好的……", 794],
    ["好的！！！", 794],
    ["好的，。", 794],
    ["棉、麻", 594],
    ["三九", 444],
    ["39", 444],
    ["三点五", 667],
    ["3.5", 444],
    ["USB", 560],
    ["W", 560],
    ["Made", 187],
    ["hello", 373],
    ["table", 373],
    ["don't", 187],
    ["SPF五十", 1_004],
    ["🎉", 0],
    ["（好）", 222],
    ["ありがとう", 1_111],
  ])("%j takes %i ms", ([speech, ms], { expect }) => {
    expect(estimateSpeakingMs(speech)).toBe(ms);
  });

  it("gives a host about 250 characters a minute, pauses included", ({ expect }) => {
    const sentence = "这款毛巾用的是新疆长绒棉，吸水比较快，洗完以后也不容易变硬。";
    const chars = sentence.replaceAll(/[，。]/gu, "").length;
    const perMinute = (chars * 60_000) / estimateSpeakingMs(sentence);
    expect(perMinute).toBeGreaterThan(235);
    expect(perMinute).toBeLessThan(270);
  });

  it("takes half as long at twice the rate", ({ expect }) => {
    const sentence = "家人们，三十九块九，拍两件。";
    expect(estimateSpeakingMs(sentence, { charsPerSecond: 9 })).toBe(Math.round(estimateSpeakingMs(sentence) / 2));
  });

  it("stops on a rate of 0", ({ expect }) => {
    expect(() => estimateSpeakingMs("好", { charsPerSecond: 0 })).toThrow("rate");
  });

  it("takes a text in spoken form: a price in words is longer than its digits", ({ expect }) => {
    const written = "今天只要¥39.9";
    expect(toSpokenForm(written)).toBe("今天只要三十九块九");
    expect(estimateSpeakingMs(toSpokenForm(written))).toBeGreaterThan(estimateSpeakingMs(written));
  });

  it("adds up over sentences", ({ expect }) => {
    const clause = fc.stringMatching(/^[一-龥][一-龥a-zA-Z0-9，]{0,30}。$/u);
    fc.assert(
      fc.property(clause, clause, (first, second) => {
        const apart = estimateSpeakingMs(first) + estimateSpeakingMs(second);
        expect(Math.abs(estimateSpeakingMs(first + second) - apart)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("never shortens by more text, and is linear for a long one", ({ expect }) => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (speech) => {
        expect(estimateSpeakingMs(`${speech}好`)).toBeGreaterThan(0);
        expect(estimateSpeakingMs(speech)).toBeLessThanOrEqual(estimateSpeakingMs(`${speech}好`));
      }),
    );
    expect(estimateSpeakingMs("你好。".repeat(10_000))).toBe(Math.round(10_000 * (2_000 / 4.5 + 350)));
  });
});
