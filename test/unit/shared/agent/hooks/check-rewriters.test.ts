import { describe, it } from "vitest";
import { checkRewriters } from "../../../../../shared/agent/hooks/check-rewriters.ts";
import { aHook } from "./hook-inputs.ts";

const aRewriter = (name: string, replacements: Record<string, string>, fields: Record<string, unknown> = {}) =>
  aHook({
    name,
    check: { type: "forbidden-words", words: Object.keys(replacements), replacements },
    action: { type: "rewrite", reason: "换" },
    ...fields,
  });

describe("checkRewriters", () => {
  it("warns when two replace the same word differently", ({ expect }) => {
    expect(checkRewriters([aRewriter("a", { 最好: "很好" }), aRewriter("b", { 最好: "挺好" })])).toEqual([
      expect.objectContaining({
        hook: "b",
        severity: "warning",
        message: expect.stringContaining("`a` already puts 「很好」"),
      }),
    ]);
  });

  it("warns when a later one brings back what an earlier one takes out", ({ expect }) => {
    expect(checkRewriters([aRewriter("a", { 最好: "很好" }), aRewriter("b", { 不错: "最 好" })])).toEqual([
      expect.objectContaining({ hook: "b", message: expect.stringContaining("brings back 「最 好」") }),
    ]);
  });

  it("warns when a replacement is forbidden by its own list", ({ expect }) => {
    const check = { type: "advertising-law", replacements: { 最好用: "顶级好用" } };
    expect(checkRewriters([aRewriter("a", { 最好: "好" }, { check })])).toEqual([
      expect.objectContaining({ hook: "a", message: expect.stringContaining("refused by the hook's own list") }),
    ]);
  });

  it("is content with rewriters of different events, with the same replacement, and with guards", ({ expect }) => {
    const other = { event: "UserPromptSubmit" };
    expect(checkRewriters([aRewriter("a", { 最好: "很好" }), aRewriter("b", { 最好: "挺好" }, other)])).toEqual([]);
    expect(checkRewriters([aRewriter("a", { 最好: "很好" }), aRewriter("b", { 最好: "很好" }), aHook()])).toEqual([]);
  });
});
