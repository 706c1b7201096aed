import { describe, it } from "vitest";
import { compileWordList } from "../../../../../shared/agent/checks/find-words.ts";
import { forbiddenWords, toCheck } from "../../../../../shared/agent/checks/forbidden-words.ts";
import { aSentence } from "../hooks/hook-inputs.ts";

describe("forbiddenWords", () => {
  const check = forbiddenWords({
    words: ["京东", "刷单"],
    replacements: { 内部价: "直播间的价" },
    exceptions: ["京东快递"],
  });

  it("tells each word once, as it was written", ({ expect }) => {
    expect(check(aSentence(""), "刷\u200b单刷单京东")).toEqual({ found: "刷\u200b单、刷单、京东" });
  });

  it("corrects by replacing", ({ expect }) => {
    expect(check(aSentence(""), "內部價39.9元")).toEqual({ found: "內部價", corrected: "直播间的价39.9元" });
  });

  it("passes exceptions and clean text", ({ expect }) => {
    expect([check(aSentence(""), "发京东快递"), check(aSentence(""), "这款是纯棉的")]).toEqual([null, null]);
  });
});

describe("toCheck", () => {
  it("makes a check of a list", ({ expect }) => {
    expect(toCheck(compileWordList({ words: ["刷单"] }))(aSentence(""), "刷单")).toEqual({ found: "刷单" });
  });
});
