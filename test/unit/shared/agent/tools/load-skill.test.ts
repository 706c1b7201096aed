import { describe, it } from "vitest";
import { skillSchema } from "../../../../../shared/contract/harness-bundle.ts";
import { loadSkillTool, skillContent } from "../../../../../shared/agent/tools/load-skill.ts";

const aSkill = (fields: object = {}) =>
  skillSchema.parse({ name: "price", description: "问价格时用", body: "\n先报价。\n", ...fields });

describe("loadSkillTool", () => {
  it("offers exactly the skills that exist, in an order that does not change", ({ expect }) => {
    const tool = loadSkillTool([aSkill({ name: "stock" }), aSkill()]);
    expect(tool.inputSchema.properties["name"]).toEqual({ type: "string", enum: ["price", "stock"] });
  });
});

describe("skillContent", () => {
  it("wraps the body, and the files beside it in a fixed order", ({ expect }) => {
    expect(skillContent(aSkill({ resources: { "references/b.md": "乙", "references/a.md": "甲" } }))).toBe(
      '<skill_content name="price">\n先报价。\n<skill_resources>\n<file path="references/a.md">\n甲\n</file>\n' +
        '<file path="references/b.md">\n乙\n</file>\n</skill_resources>\n</skill_content>',
    );
  });
});
