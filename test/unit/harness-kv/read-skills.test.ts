import { describe, it } from "vitest";
import { readSkills } from "../../../harness-kv/read-skills.ts";

const skill = (fields: string, body = "先查库存。") => ({
  path: "skills/stock/SKILL.md",
  text: `---\n${fields}\n---\n${body}`,
});
const GOOD = "name: stock\ndescription: 回答有没有货。问库存时用。";

describe("readSkills", () => {
  it("reads the six fields, the body in Chinese and the files beside it", ({ expect }) => {
    const fields = `${GOOD}\nlicense: MIT\ncompatibility: 任何直播间\nmetadata:\n  kaibo.title: "库存"\nallowed-tools: check_stock get_product`;
    const guide = { path: "skills/stock/references/sizes.md", text: "尺码表" };
    expect(readSkills([skill(fields), guide])).toEqual({
      value: [
        {
          name: "stock",
          description: "回答有没有货。问库存时用。",
          license: "MIT",
          compatibility: "任何直播间",
          metadata: { "kaibo.title": "库存" },
          allowedTools: ["check_stock", "get_product"],
          body: "先查库存。",
          resources: { "references/sizes.md": "尺码表" },
        },
      ],
      problems: [],
    });
  });

  it.for([
    { name: "another client's field", fields: `${GOOD}\norigin: x`, line: 4, says: "`origin`" },
    { name: "a number in metadata", fields: `${GOOD}\nmetadata:\n  kaibo.version: 3`, line: 5, says: "kaibo.version" },
    { name: "a list of tools", fields: `${GOOD}\nallowed-tools: [a, b]`, line: 4, says: "parted by spaces" },
    {
      name: "a tool name with an argument",
      fields: `${GOOD}\nallowed-tools: Bash(git:*)`,
      line: 4,
      says: "allowedTools",
    },
    { name: "a name that is not the folder's", fields: "name: stocks\ndescription: 库存", line: 2, says: "folder" },
    { name: "a name in Chinese", fields: "name: 库存\ndescription: 库存", line: 2, says: "name" },
    { name: "two hyphens in a row", fields: "name: sto--ck\ndescription: 库存", line: 2, says: "name" },
    { name: "no description", fields: "name: stock", line: 2, says: "description" },
    { name: "an empty description", fields: 'name: stock\ndescription: ""', line: 3, says: "description" },
    { name: "a list instead of fields", fields: "- name", line: 2, says: "" },
  ])("refuses $name", ({ fields, line, says }, { expect }) => {
    expect(readSkills([skill(fields)]).problems).toEqual([
      expect.objectContaining({
        file: "skills/stock/SKILL.md",
        line,
        severity: "error",
        message: expect.stringContaining(says),
      }),
    ]);
  });

  it("reports a skill that ends right after its fence, and never drops it in silence", ({ expect }) => {
    const { value, problems } = readSkills([{ path: "skills/stock/SKILL.md", text: `---\n${GOOD}\n---` }]);
    expect(value).toEqual([]);
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining("body") })]);
  });

  it("reports a folder without SKILL.md, in whatever spelling the file is", ({ expect }) => {
    const { problems } = readSkills([{ path: "skills/stock/skill.md", text: "x" }]);
    expect(problems).toEqual([expect.objectContaining({ file: "skills/stock/SKILL.md", severity: "error" })]);
  });

  it("keeps evaluation cases from the policy, with a warning", ({ expect }) => {
    const cases = { path: "skills/stock/evals/evals.json", text: "{}" };
    const { value, problems } = readSkills([skill(GOOD), cases]);
    expect(value[0]?.resources).toEqual({});
    expect(problems).toEqual([expect.objectContaining({ file: cases.path, severity: "warning" })]);
  });
});
