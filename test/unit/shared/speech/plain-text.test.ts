import fc from "fast-check";
import { describe, it } from "vitest";
import { toPlainText } from "../../../../shared/speech/plain-text.ts";
import { anyText } from "./texts.ts";

describe("toPlainText", () => {
  it.for([
    ["bold", "**太好了**！", "太好了！"],
    ["bold that a cut has parted", "**太好了！", "太好了！"],
    ["a bold price", "只要**39.9**元", "只要39.9元"],
    ["scored bold", "__太好了__", "太好了"],
    ["emphasis", "这款*超好用*，", "这款超好用，"],
    ["a heading", "## 面膜介绍", "面膜介绍"],
    ["a bullet", "- 补水", "补水"],
    ["a star bullet", "* 补水", "补水"],
    ["a list number", "1. 面膜", "面膜"],
    ["a list number without a space", "2.精华", "精华"],
    ["marks on marks", "> - **1. 面膜**", "面膜"],
    ["a link", "点[这里](https://a.com/x?b=1)下单", "点这里下单"],
    ["an image", "![面膜图](https://a.com/x.png)", "面膜图"],
    ["code", "看`SKU123`", "看SKU123"],
    ["a table row", "| M | 39元 |", "M，39元"],
    ["a table rule", "|---|:--:|", ""],
    ["a line", "---", ""],
    ["a quote", "> 引用", "引用"],
    ["struck text's marks", "~~199元~~ 99元", "199元 99元"],
    ["a starred direction", "*微笑*大家好", "大家好"],
    ["a wide bracketed direction", "好的（微笑）今天", "好的今天"],
    ["a narrow bracketed direction", "好的(笑)", "好的"],
    ["a square direction", "【动作】【开心】好", "好"],
    ["an English direction", "[happy]大家好", "大家好"],
    ["nested directions", "（（笑））好", "好"],
    ["an address", "看https://a.com/x?b=1吧", "看吧"],
    ["an address in brackets", "看（https://a.com）吧", "看吧"],
    ["a thought tag", "<think>好</think>", "好"],
    ["a tool tag", "好</tool_call>", "好"],
    ["a control token", "好<|im_end|>", "好"],
    ["half an emoji", "好\ud83d", "好"],
    ["control characters", "好\u0000\u202e的", "好的"],
    ["line ends", "今天\n\n特价", "今天 特价"],
  ] as const)("removes %s", ([, markup, plain], { expect }) => {
    expect(toPlainText(markup)).toBe(plain);
  });

  it.for([
    "（红色）",
    "（30天内）",
    "（开心果味）",
    "【新品】面膜",
    "净含量50ml*2瓶 3*5",
    "3**5",
    "长*宽*高",
    "XL<L吗",
    "S<M<L>XL 都有货，喜欢就拍",
    "_<isend>",
    "3.5折",
    "1.5米",
    "3~5天发货",
    "7～9折",
    "哈喽~~",
    "2025-01-01",
    "-5℃",
    "1#链接",
    "A|B",
    "🎉今天(^_^)",
    "👨‍👩‍👧",
    "他说：“39元。”",
  ])("keeps %s", (text, { expect }) => {
    expect(toPlainText(text)).toBe(text);
  });

  it("changes nothing the second time, whatever the text", ({ expect }) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const plain = toPlainText(text);
        expect(toPlainText(plain)).toBe(plain);
        expect(plain.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.for([
    "（".repeat(50) + "笑" + "）".repeat(50),
    "[".repeat(40) + "a" + "](b)".repeat(40),
    "h*".repeat(9) + "**笑**".repeat(30),
  ])("settles on text that is nested beyond reason", (text, { expect }) => {
    expect(toPlainText(toPlainText(text))).toBe(toPlainText(text));
  });

  it.for(["*", "**", "[", "[a](", "（", "<b ", "http://", "|a", "~~a", "- ", "`", "1. "])(
    "takes 200,000 characters of %j in linear time",
    (seed, { expect }) => {
      expect(toPlainText(seed.repeat(200_000 / seed.length)).length).toBeLessThanOrEqual(200_000);
    },
  );
});
