import { describe, it } from "vitest";
import { isSpeakable } from "../../../../shared/speech/is-speakable.ts";

describe("isSpeakable", () => {
  it.for(["好", "a", "39", "🎉今天", "¥5", "が", "é", "（红色）", "O", "QAQ好"])(
    "%s can be said",
    (text, { expect }) => {
      expect(isSpeakable(text)).toBe(true);
    },
  );

  it.for([
    "",
    " ",
    "🎉🎉！",
    "……",
    "。",
    "——",
    "**",
    "|---|",
    "(^_^)",
    "（｡･ω･｡）",
    "(T_T)",
    "T_T",
    "1️⃣",
    "👨‍👩‍👧",
    "\ud83d",
    "%",
  ])("%s is silence", (text, { expect }) => {
    expect(isSpeakable(text)).toBe(false);
  });
});
