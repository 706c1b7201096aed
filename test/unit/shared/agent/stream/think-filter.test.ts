import fc from "fast-check";
import { describe, it } from "vitest";
import { LEAKED_CHARS_MAX, ThinkFilter } from "../../../../../shared/agent/stream/think-filter.ts";

function filter(deltas: readonly string[], startsInsideThinking = false) {
  const thinkFilter = new ThinkFilter({ startsInsideThinking });
  const text = deltas.map((delta) => thinkFilter.push(delta)).join("") + thinkFilter.flush();
  return { text, leaked: thinkFilter.leakedToolCalls };
}

describe("ThinkFilter", () => {
  it.for<{ input: string[]; text: string; leaked?: string[] }>([
    { input: ["<think>用户想问价格</think>39.9元"], text: "39.9元" },
    { input: ["<thi", "nk>用户想问价格", "</think>", "39.9元"], text: "39.9元" },
    { input: ["<think>a < b，</thin k></think", ">39.9元"], text: "39.9元" },
    { input: ["价格<100"], text: "价格<100" },
    { input: ["XL<L吗"], text: "XL<L吗" },
    { input: ["XL", "<", "L吗"], text: "XL<L吗" },
    { input: ["S<M<L>XL 都有货"], text: "S<M<L>XL 都有货" },
    { input: ["<<think>想</think>39"], text: "<39" },
    { input: ["价格<"], text: "价格<" },
    { input: ["<thi"], text: "<thi" },
    { input: ["<t", "his>"], text: "<this>" },
    { input: ["</tool", "_box>"], text: "</tool_box>" },
    { input: ["_<isend>"], text: "_<isend>" },
    { input: ["好的<think>没有说完"], text: "好的" },
    { input: ["好的<think>没有说完</thi"], text: "好的" },
    { input: ["前</think>后"], text: "前后" },
    { input: ["前</tool_call>后"], text: "前后" },
    { input: ["一<think>想</think>二<think>想</think>三"], text: "一二三" },
    { input: ["<think>说到 <think> 标签</think>39元"], text: "39元" },
    { input: ["Write.</think><tool_call>"], text: "Write." },
    { input: ["<tool_call>a</tool_call><tool_call>b", "</tool_call>稍等"], text: "稍等", leaked: ["a", "b"] },
    { input: ['<tool_call>\n{"name":', '"get_price"}\n</tool_', "call>"], text: "", leaked: ['{"name":"get_price"}'] },
    { input: ["<tool_call>没有说完</tool"], text: "", leaked: ["没有说完</tool"] },
    { input: ["<tool_call> </tool_call>"], text: "" },
    { input: ["🎉".slice(0, 1), "🎉".slice(1)], text: "🎉" },
    { input: ["好🎉".slice(0, 2)], text: "好" },
    { input: ["<think>🎉</think>🎁"], text: "🎁" },
    { input: [""], text: "" },
  ])("reads $input as $text", ({ input, text, leaked = [] }, { expect }) => {
    expect(filter(input)).toEqual({ text, leaked });
    expect(filter(input.join("").split(""))).toEqual({ text, leaked });
  });

  it.for([
    { input: ["用户想问价格", "</thi", "nk>39.9元"], text: "39.9元" },
    { input: ["<think>用户想问价格</think>39.9元"], text: "39.9元" },
    { input: ["一直在想"], text: "" },
  ])("starts inside thoughts when told so: $input", ({ input, text }, { expect }) => {
    expect(filter(input, true).text).toBe(text);
  });

  it("lets text pass at once, and holds only what may become a tag", ({ expect }) => {
    const thinkFilter = new ThinkFilter();
    expect(thinkFilter.push("价格<1")).toBe("价格<1");
    expect(thinkFilter.push("00</too")).toBe("00");
    expect(thinkFilter.push("l_ca")).toBe("");
    expect(thinkFilter.push("n>")).toBe("</tool_can>");
  });

  it("never lets half a character out before its other half", ({ expect }) => {
    const thinkFilter = new ThinkFilter();
    expect(thinkFilter.push("好🎉".slice(0, 2))).toBe("好");
    expect(thinkFilter.push("🎉".slice(1) + "<")).toBe("🎉");
  });

  it("keeps a limited part of a leak", ({ expect }) => {
    const long = "x".repeat(LEAKED_CHARS_MAX);
    const { text, leaked } = filter([`<tool_call>${long}`, `${long}</tool_call>好的<tool_call>y</tool_call>`]);
    expect(text).toBe("好的");
    expect(leaked).toEqual([long]);
  });

  it("gives the same text however it is cut", ({ expect }) => {
    const piece = fc.constantFrom(
      "<think>",
      "</think>",
      "<tool_call>",
      "</tool_call>",
      "<",
      "</",
      "<thi",
      "nk>",
      "39.9元",
      "🎉",
      "call>",
      "_",
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat({ max: 120 })), fc.boolean(), (pieces, places, startsInside) => {
        const text = pieces.join("");
        const cuts = [...places.map((place) => Math.min(place, text.length)), text.length].toSorted((a, b) => a - b);
        const deltas = cuts.map((cut, at) => text.slice(cuts[at - 1] ?? 0, cut));
        const once = filter([text], startsInside);
        expect(filter(deltas, startsInside)).toEqual(once);
        expect(once.text).not.toMatch(/<think>.*<\/think>/u);
      }),
    );
  });
});
