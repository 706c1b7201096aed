/** Tools and skills of a bundle: that they exist, and that every engine can take them. */
import type { HarnessBundle, Skill, ToolDefinition } from "../shared/contract/harness-bundle.ts";
import { chatMarkers } from "./check-prompt.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { errorAt, warningAt, type Problem } from "./problem.ts";

/** The tool that reads a skill; the engine adds it, so no bundle may have one of that name. */
const RESERVED_TOOL = "load_skill";

/** Keywords of JSON Schema that grammars of the common engines refuse or ignore. */
const UNPORTABLE = ["$ref", "oneOf", "anyOf", "allOf", "not", "if", "patternProperties", "dependentSchemas"];

/** Estimated tokens of a skill's instructions, the format's own recommendation. */
const SKILL_TOKENS_MAX = 5_000;

/** Estimated tokens of a skill's description: all of them stand in every prompt. */
const DESCRIPTION_TOKENS_MAX = 150;

export function checkTools(bundle: HarnessBundle, knownBuiltins: readonly string[]): Problem[] {
  return bundle.tools.flatMap((tool) => [
    ...checkBinding(tool, knownBuiltins),
    ...checkInputSchema(tool),
    ...chatMarkers(toolFile(tool), tool.description),
  ]);
}

export function checkSkills(bundle: HarnessBundle): Problem[] {
  const tools = new Set(bundle.tools.map((tool) => tool.name));
  return bundle.skills.flatMap((skill) => [
    ...skill.allowedTools
      .filter((name) => !tools.has(name))
      .map((name) =>
        errorAt(
          skillFile(skill),
          undefined,
          `There is no tool \`${name}\``,
          `Add tools/${name}.json, or take it out of allowed-tools`,
        ),
      ),
    ...checkSkillText(skill),
  ]);
}

function toolFile({ name }: ToolDefinition): string {
  return `tools/${name}.json`;
}

function skillFile({ name }: Skill): string {
  return `skills/${name}/SKILL.md`;
}

function checkBinding(tool: ToolDefinition, knownBuiltins: readonly string[]): Problem[] {
  const file = toolFile(tool);
  if (tool.name === RESERVED_TOOL)
    return [errorAt(file, undefined, `\`${RESERVED_TOOL}\` is the engine's own tool`, "Choose another name")];
  const { binding } = tool;
  if (binding.type === "builtin") {
    if (knownBuiltins.includes(binding.builtin)) return [];
    return [
      errorAt(file, undefined, `There is no builtin \`${binding.builtin}\``, `Builtins: ${knownBuiltins.join(", ")}`),
    ];
  }
  const { origin, protocol } = new URL(binding.url);
  const plain = protocol === "http:" && binding.secret !== undefined;
  return [
    warningAt(
      file,
      undefined,
      `The tool calls ${origin}`,
      "Make sure that the origin is on the deployment's allow list; else every call is refused",
    ),
    ...(plain ? [errorAt(file, undefined, "A secret would be sent without encryption", "Use https")] : []),
  ];
}

function checkInputSchema(tool: ToolDefinition): Problem[] {
  const file = toolFile(tool);
  const { properties, required } = tool.inputSchema;
  const schemas = Object.entries(properties);
  return [
    ...required
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name) =>
        errorAt(
          file,
          undefined,
          `The required argument \`${name}\` is not described`,
          "Describe it under `properties`",
        ),
      ),
    ...schemas
      .filter(([name]) => !required.includes(name))
      .map(([name]) =>
        warningAt(
          file,
          undefined,
          `The argument \`${name}\` may be left out`,
          'Require it and allow null, such as "type": ["string", "null"]: strict engines ask for that',
        ),
      ),
    ...schemas
      .filter(([, schema]) => schema["type"] === undefined)
      .map(([name]) => errorAt(file, undefined, `The argument \`${name}\` has no type`, 'Add "type"')),
    ...UNPORTABLE.filter((keyword) => hasKey(tool.inputSchema, keyword)).map((keyword) =>
      errorAt(
        file,
        undefined,
        `\`${keyword}\` is not taken by every engine`,
        "Describe the arguments as a flat object",
      ),
    ),
  ];
}

function hasKey(value: unknown, key: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (!Array.isArray(value) && Object.hasOwn(value, key)) return true;
  return Object.values(value).some((part) => hasKey(part, key));
}

function checkSkillText(skill: Skill): Problem[] {
  const file = skillFile(skill);
  const problems = [...chatMarkers(file, skill.body), ...chatMarkers(file, skill.description)];
  if (/[<>]/.test(skill.description)) {
    problems.push(
      errorAt(
        file,
        undefined,
        "The description holds `<` or `>`",
        "Leave them out: the description stands inside a tag",
      ),
    );
  }
  if (
    [skill.body, ...Object.values(skill.resources)].some((text) =>
      /<\/?(skill_content|skill_resources|file)\b/.test(text),
    )
  ) {
    problems.push(errorAt(file, undefined, "The text holds a tag that frames skills", "Leave it out"));
  }
  const bodyTokens = estimateTokens(skill.body);
  if (bodyTokens > SKILL_TOKENS_MAX) {
    problems.push(
      warningAt(file, undefined, `About ${bodyTokens} tokens, above ${SKILL_TOKENS_MAX}`, "Split the skill"),
    );
  }
  const descriptionTokens = estimateTokens(skill.description);
  if (descriptionTokens > DESCRIPTION_TOKENS_MAX) {
    problems.push(
      warningAt(
        file,
        undefined,
        `The description is about ${descriptionTokens} tokens, above ${DESCRIPTION_TOKENS_MAX}`,
        "Say what it is for and when; the rest goes to the body",
      ),
    );
  }
  return problems;
}
