import { parseDocument } from "yaml";
import { describe, it } from "vitest";
import { lineFinder, readJson } from "../../../harness-kv/read-json.ts";

const file = (text: string) => ({ path: "tools/a.json", text });

describe("readJson", () => {
  it("knows the line of every value, and of the nearest one for a path that leads nowhere", ({ expect }) => {
    const { value, lineOf, problems } = readJson(file('{\n  "a": {\n    "商品": [\n      1,\n      2\n    ]\n  }\n}'));
    expect(value).toEqual({ a: { 商品: [1, 2] } });
    expect(problems).toEqual([]);
    expect([["a"], ["a", "商品"], ["a", "商品", 1], ["a", "missing", "deep"], []].map(lineOf)).toEqual([2, 3, 5, 2, 1]);
  });

  it.for([
    { name: "a comma too many", text: '{\n"a": 1,\n}', line: 2 },
    { name: "a missing bracket", text: '{\n"a": [1\n', line: 3 },
    { name: "a missing quote", text: '{\n"a": "b\n}', line: 2 },
    { name: "a comment", text: '{\n// 说明\n"a": 1\n}', line: 2 },
    { name: "a bare word", text: '{\n\n\n"a": yes\n}', line: 4 },
    { name: "nothing", text: "", line: undefined },
  ])("refuses $name and says where", ({ text, line }, { expect }) => {
    const { value, problems } = readJson(file(text));
    expect(value).toBeUndefined();
    expect(problems).toHaveLength(1);
    if (line !== undefined) expect(problems[0]?.line).toBe(line);
  });

  it("refuses the same key twice, of which a parser would keep one", ({ expect }) => {
    expect(readJson(file('{\n"timeoutMs": 1,\n"timeoutMs": 2\n}')).problems).toEqual([
      expect.objectContaining({ file: "tools/a.json", line: 3, severity: "error" }),
    ]);
  });
});

describe("lineFinder", () => {
  it("gives no line for a document without contents", ({ expect }) => {
    expect(lineFinder(parseDocument(""), () => 7)(["a"])).toBeUndefined();
  });
});
