import { describe, it } from "vitest";
import { readBundle } from "../../../harness-kv/read-bundle.ts";
import { isExamplesFile, readExamples } from "../../../harness-kv/read-examples.ts";
import { bundleFiles } from "./bundle-files.ts";

const PATH = "skills/stock/examples.jsonl";
const read = (text: string) => readExamples([{ path: PATH, text }]);

describe("readExamples", () => {
  it("reads one a line, with its skill and its place", ({ expect }) => {
    const text =
      '\n{"question": "有货吗", "mustContain": ["有"]}\n\n{"question": "这个呢", "mustNotContain": ["没"], "onScreen": 2, "room": "r"}';
    expect(read(text)).toEqual({
      value: [
        { question: "有货吗", mustContain: ["有"], mustNotContain: [], skill: "stock", place: { file: PATH, line: 2 } },
        {
          question: "这个呢",
          mustContain: [],
          mustNotContain: ["没"],
          onScreen: 2,
          room: "r",
          skill: "stock",
          place: { file: PATH, line: 4 },
        },
      ],
      problems: [],
    });
  });

  it.for([
    ["{", "not-json"],
    ['{"question": "有货吗"}', "idle-example"],
    ['{"question": "有货吗", "mustContain": [""]}', "invalid-value"],
    ['{"question": "有货吗", "mustSay": ["有"]}', "unknown-field"],
    ['{"mustContain": ["有"]}', "missing-field"],
  ] as const)("refuses %s as %s", ([line, code], { expect }) => {
    const { value, problems } = read(`{"question": "在吗", "mustContain": ["在"]}\n${line}`);
    expect(value).toHaveLength(1);
    expect(problems).toEqual([expect.objectContaining({ code, file: PATH, line: 2, severity: "error" })]);
  });

  it("knows its files by name", ({ expect }) => {
    expect([PATH, "skills/stock/references/examples.jsonl", "examples.jsonl"].map(isExamplesFile)).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("readBundle", () => {
  it("keeps examples from the policy, which they would tell the answers", ({ expect }) => {
    const skill = "---\nname: stock\ndescription: 库存\n---\n先查。";
    const files = bundleFiles({
      "skills/stock/SKILL.md": skill,
      [PATH]: '{"question": "有货吗", "mustContain": ["有"]}',
    });
    const { bundle, examples, problems } = readBundle(files);
    expect(problems).toEqual([]);
    expect(bundle?.skills[0]?.resources).toEqual({});
    expect(examples).toHaveLength(1);
  });
});
