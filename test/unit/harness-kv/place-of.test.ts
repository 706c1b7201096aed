import { describe, it } from "vitest";
import { placeInWireForm, placesIn } from "../../../harness-kv/place-of.ts";

const FILES = new Map([
  ["harness.json", '{\n  "lines": {\n    "fallback": [\n      "一",\n      "二"\n    ]\n  }\n}'],
  ["prompt/turn.md", "\n\n第一行\n第二行\n"],
  ["skills/stock/SKILL.md", "---\r\nname: stock\r\ndescription: 库存\r\n---\r\n\r\n先查。\r\n再答。\r\n"],
  ["knowledge/a.jsonl", '{"id": "x"}\n\n{"id": "y"}\n{"id": "x"}'],
  ["knowledge/page.md", "---\nkeywords: [退]\n---\n退货"],
]);

describe("placesIn", () => {
  const at = placesIn(FILES);

  it.for([
    ["harness.json", ["lines", "fallback", 1], 5],
    ["harness.json", ["lines", "filler", 0], 2],
    ["prompt/turn.md", 2, 4],
    ["skills/stock/SKILL.md", ["description"], 3],
    ["skills/stock/SKILL.md", 2, 7],
    ["tools/none.json", ["name"], undefined],
    ["prompt/turn.md", undefined, undefined],
  ] as const)("finds the line of %s %j", ([file, where, line], { expect }) => {
    expect(at(file, where)).toEqual({ file, ...(line !== undefined && { line }) });
  });

  it("finds knowledge by its id, the last one of those that are equal", ({ expect }) => {
    expect(at("knowledge", ["x"])).toEqual({ file: "knowledge/a.jsonl", line: 4 });
    expect(at("knowledge", ["page"])).toEqual({ file: "knowledge/page.md", line: 1 });
    expect(at("knowledge", ["none"])).toEqual({ file: "knowledge" });
  });
});

describe("placeInWireForm", () => {
  it("knows the line of a text and of nothing else", ({ expect }) => {
    expect(placeInWireForm("prompt/turn.md", 3)).toEqual({ file: "prompt/turn.md", line: 3 });
    expect(placeInWireForm("harness.json", ["lines"])).toEqual({ file: "harness.json" });
  });
});
