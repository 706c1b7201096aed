import { describe, it } from "vitest";
import { removeEmoji, removeKaomoji, removeUrls } from "../../../../shared/speech/silent-marks.ts";

describe("removeEmoji", () => {
  it.for([
    ["好👍🏽的", "好的"],
    ["👨‍👩‍👧全家", "全家"],
    ["❤️🇨🇳✨好", "好"],
    ["1️⃣号", "1号"],
    ["39#*5", "39#*5"],
  ] as const)("%s → %s", ([text, left], { expect }) => {
    expect(removeEmoji(text)).toBe(left);
  });
});

describe("removeKaomoji", () => {
  it.for(["(^_^)", "（｡･ω･｡）", "(T_T)", "(*^▽^*)", "(≧▽≦)", "^_^", "^^", ">_<", "T_T", "QAQ", ":)", ":-D"])(
    "removes %s",
    (face, { expect }) => {
      expect(removeKaomoji(`好${face.startsWith(":") ? " " : ""}${/^[TQ]/.test(face) ? " " : ""}${face}`).trim()).toBe(
        "好",
      );
    },
  );

  it.for(["（红色）", "(XL)", "（30天内）", "(OK)", "3:0", "XXL", "T恤", "S<M", "https://a.com", "（3-5天）"])(
    "keeps %s",
    (text, { expect }) => {
      expect(removeKaomoji(text)).toBe(text);
    },
  );
});

describe("removeUrls", () => {
  it("ends an address at the first Chinese character or space", ({ expect }) => {
    expect(removeUrls("看https://a.com/x?b=1吧 www.b.cn/y 好")).toBe("看吧  好");
  });

  it("keeps words with www in them", ({ expect }) => {
    expect(removeUrls("awww.x")).toBe("awww.x");
  });
});
