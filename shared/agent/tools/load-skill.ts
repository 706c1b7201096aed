import type { Skill, ToolDefinition } from "../../contract/harness-bundle.ts";

/** Name of the tool through which the policy reads a skill. Present only when the harness has skills. */
export const LOAD_SKILL = "load_skill";

/** The tool's definition: its `name` argument is an enum of the skills that exist, so an engine's grammar can hold to it. */
export function loadSkillTool(skills: readonly Skill[]): ToolDefinition {
  return {
    name: LOAD_SKILL,
    description: "读取一个技能的完整说明。只在 <available_skills> 里有技能符合问题、并且还没有读过时调用。",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", enum: skills.map((skill) => skill.name).toSorted() } },
      required: ["name"],
      additionalProperties: false,
    },
    binding: { type: "builtin", builtin: LOAD_SKILL },
    timeoutMs: 100,
  };
}

/** The skill as the policy reads it: instructions of the harness, not evidence, so it is not fenced as such. */
export function skillContent(skill: Skill): string {
  const resources = Object.keys(skill.resources).toSorted();
  const list =
    resources.length === 0
      ? ""
      : `\n<skill_resources>\n${resources.map((path) => `<file path="${path}">\n${skill.resources[path]}\n</file>`).join("\n")}\n</skill_resources>`;
  return `<skill_content name="${skill.name}">\n${skill.body.trim()}${list}\n</skill_content>`;
}
