import { describe, it } from "vitest";
import { readKnowledge } from "../../../harness-kv/read-knowledge.ts";

const line = (id: string) => JSON.stringify({ id, text: "七日内可退", keywords: ["退货"], source: "消费者权益保护法" });

describe("readKnowledge", () => {
  it("reads an entry a line and an entry a page", ({ expect }) => {
    const { value, problems } = readKnowledge([
      { path: "knowledge/law.jsonl", text: `${line("a")}\n\n${line("b")}\n` },
      { path: "knowledge/cheaper.md", text: "---\nkeywords: [便宜]\nsource: 复盘\n---\n先报券后价。" },
    ]);
    expect(problems).toEqual([]);
    expect(value.map(({ id }) => id)).toEqual(["a", "b", "cheaper"]);
    expect(value[2]).toEqual({ id: "cheaper", text: "先报券后价。", keywords: ["便宜"], source: "复盘" });
  });

  it("says the line of an entry that does not fit, and of one that is no JSON", ({ expect }) => {
    const text = `${line("a")}\n{"id":"b","text":"x","keywords":["y"]}\n{"id":\n${line("c")}`;
    const { value, problems } = readKnowledge([{ path: "knowledge/law.jsonl", text }]);
    expect(value.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(problems).toEqual([
      expect.objectContaining({ line: 2, message: expect.stringContaining("source") }),
      expect.objectContaining({ line: 3, message: "Not valid JSON" }),
    ]);
  });

  it.for([
    { name: "a page without a source", text: "---\nkeywords: [便宜]\n---\n先报券后价。", says: "source" },
    { name: "a page that may replace its own text", text: "---\nkeywords: [便宜]\nsource: 复盘\n---\n", says: "text" },
    { name: "a page without front matter", text: "先报券后价。", says: "front matter" },
    { name: "a page with a list", text: "---\n- 便宜\n---\n先报券后价。", says: "keywords" },
  ])("refuses $name", ({ text, says }, { expect }) => {
    const { value, problems } = readKnowledge([{ path: "knowledge/cheaper.md", text }]);
    expect(value).toEqual([]);
    expect(problems.map(({ message }) => message).join("\n")).toContain(says);
  });
});
