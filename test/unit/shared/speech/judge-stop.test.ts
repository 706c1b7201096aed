import { describe, it } from "vitest";
import { judgeStop, type StopKind } from "../../../../shared/speech/judge-stop.ts";

const judge = (kind: StopKind, text: string, char: string) => {
  const chars = text.split("");
  const at = text.search(/[.…]+$|[?!”」]$/u);
  const verdict = judgeStop({ kind, at }, chars, char);
  return typeof verdict === "string" ? verdict : verdict.kind;
};

describe("judgeStop", () => {
  it.for([
    ["dot", "It is good.", " ", "cut"],
    ["dot", "It costs 39.", " ", "cut"],
    ["dot", "很好.", "今", "cut"],
    ["dot", "3.", "5", "no-stop"],
    ["dot", "1.", " ", "no-stop"],
    ["dot", "2.", "精", "no-stop"],
    ["dot", "Dr.", " ", "no-stop"],
    ["dot", "e.g.", " ", "no-stop"],
    ["dot", "a.", "c", "no-stop"],
    ["dot", "ok.", ")", "dot"],
    ["dot", "ok.", ".", "ellipsis"],
    ["dot", "No.", "1", "no-stop"],
    ["dot", "No.", " ", "number-dot"],
    ["number-dot", "No.", "1", "no-stop"],
    ["number-dot", "No.", "I", "cut"],
    ["ellipsis", "嗯…", "…", "close"],
    ["ellipsis", "嗯…", "好", "cut"],
    ["ellipsis", "嗯…", "，", "no-stop"],
    ["ellipsis", "嗯…", "！", "close"],
    ["ellipsis", "1...", "5", "no-stop"],
    ["url-stop", "https://a.com/x?", "b", "no-stop"],
    ["url-stop", "https://a.com/x?", " ", "cut"],
    ["quote-end", "“买它！”", "，", "no-stop"],
    ["quote-end", "“买它！”", "。", "close"],
    ["quote-end", "“买它！”", "今", "cut"],
    ["quote-end", "“买它！”", "』", "quote-end"],
  ] as const)("a %s after %s before %j: %s", ([kind, text, char, verdict], { expect }) => {
    expect(judge(kind, text, char)).toBe(verdict);
  });

  it("leaves every stop open before a mark that belongs to the character before", ({ expect }) => {
    expect(judge("dot", "很好.", "\ufe0f")).toBe("dot");
  });
});
