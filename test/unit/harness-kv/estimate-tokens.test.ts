import { describe, it } from "vitest";
import { estimateTokens } from "../../../harness-kv/estimate-tokens.ts";

describe("estimateTokens", () => {
  it.for([
    ["", 0],
    ["abcd", 1],
    ["abcde", 2],
    ["商品", 3],
    ["，。", 3],
    ["价格39.9元", 6],
    ["𠮷", 2],
  ] as const)("counts %j as %i", ([text, tokens], { expect }) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});
