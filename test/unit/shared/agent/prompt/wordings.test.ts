import { describe, it } from "vitest";
import { wordingsOf } from "../../../../../shared/agent/prompt/wordings.ts";

const messages = (...texts: readonly string[]) => texts.map((text, index) => ({ id: `m${index}`, text }));

describe("wordingsOf", () => {
  it("shows each wording once, the first ones only", ({ expect }) => {
    const shown = wordingsOf(messages("多少钱", "多少钱", "能便宜吗", "多少钱啊", "多少钱呀"));
    expect(shown.map(({ id, text }) => [id, text])).toEqual([
      ["m0", "多少钱"],
      ["m2", "能便宜吗"],
      ["m3", "多少钱啊"],
    ]);
  });
});
