/** Tools and skills of a bundle: that they exist, and that every engine can take them. */
import { isLinearPattern } from "../shared/agent/checks/linear-pattern.ts";
import type { HarnessBundle, Skill, ToolDefinition } from "../shared/contract/harness-bundle.ts";
import { chatMarkers } from "./check-prompt.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { placeInWireForm, type PlaceOf } from "./place-of.ts";
import { errorAt, warningAt, type Problem } from "./problem.ts";

/** The tool that reads a skill; the engine adds it, so no bundle may have one of that name. */
const RESERVED_TOOL = "load_skill";

/** Keywords of JSON Schema that grammars of the common engines refuse or ignore. */
const UNPORTABLE = ["$ref", "oneOf", "anyOf", "allOf", "not", "if", "patternProperties", "dependentSchemas"];

/** Estimated tokens of a skill's instructions, the format's own recommendation. */
const SKILL_TOKENS_MAX = 5_000;

/** Estimated tokens of a skill's description: all of them stand in every prompt. */
const DESCRIPTION_TOKENS_MAX = 150;

export function checkTools(
  bundle: HarnessBundle,
  knownBuiltins: readonly string[],
  at: PlaceOf = placeInWireForm,
): Problem[] {
  return bundle.tools.flatMap((tool) => [
    ...checkBinding(tool, knownBuiltins, at),
    ...checkArguments(tool, at),
    ...checkPortable(tool, at),
    ...chatMarkers(tool.description, () => at(toolFile(tool), ["description"])),
  ]);
}

export function checkSkills(bundle: HarnessBundle, at: PlaceOf = placeInWireForm): Problem[] {
  const tools = new Set(bundle.tools.map((tool) => tool.name));
  return bundle.skills.flatMap((skill) => [
    ...skill.allowedTools
      .filter((name) => !tools.has(name))
      .map((name) =>
        errorAt(
          "missing-tool",
          at(skillFile(skill), ["allowed-tools"]),
          `There is no tool \`${name}\``,
          `Add tools/${name}.json, or take it out of allowed-tools`,
        ),
      ),
    ...checkSkillText(skill, at),
  ]);
}

function toolFile({ name }: ToolDefinition): string {
  return `tools/${name}.json`;
}

function skillFile({ name }: Skill): string {
  return `skills/${name}/SKILL.md`;
}

function checkBinding(tool: ToolDefinition, knownBuiltins: readonly string[], at: PlaceOf): Problem[] {
  const file = toolFile(tool);
  if (tool.name === RESERVED_TOOL) {
    const message = `\`${RESERVED_TOOL}\` is the engine's own tool`;
    return [errorAt("reserved-name", at(file, ["name"]), message, "Choose another name")];
  }
  const { binding } = tool;
  if (binding.type === "builtin") {
    if (knownBuiltins.includes(binding.builtin)) return [];
    return [
      errorAt(
        "unknown-builtin",
        at(file, ["binding", "builtin"]),
        `There is no builtin \`${binding.builtin}\``,
        `Builtins: ${knownBuiltins.join(", ")}`,
      ),
    ];
  }
  const { origin, protocol } = new URL(binding.url);
  const plain = protocol === "http:" && binding.secret !== undefined;
  return [
    warningAt(
      "calls-out",
      at(file, ["binding", "url"]),
      `The tool calls ${origin}`,
      "Make sure that the origin is on the deployment's allow list; else every call is refused",
    ),
    ...(plain
      ? [
          errorAt(
            "plain-secret",
            at(file, ["binding", "url"]),
            "A secret would be sent without encryption",
            "Use https",
          ),
        ]
      : []),
  ];
}

function checkArguments(tool: ToolDefinition, at: PlaceOf): Problem[] {
  const file = toolFile(tool);
  const { properties, required } = tool.inputSchema;
  const schemas = Object.entries(properties);
  return [
    ...required
      .filter((name) => !Object.hasOwn(properties, name))
      .map((name) =>
        errorAt(
          "undescribed-argument",
          at(file, ["inputSchema", "required", required.indexOf(name)]),
          `The required argument \`${name}\` is not described`,
          "Describe it under `properties`",
        ),
      ),
    ...schemas
      .filter(([name]) => !required.includes(name))
      .map(([name]) =>
        warningAt(
          "optional-argument",
          at(file, ["inputSchema", "properties", name]),
          `The argument \`${name}\` may be left out`,
          'Require it and allow null, such as "type": ["string", "null"]: strict engines ask for that',
        ),
      ),
    ...schemas
      .filter(([, schema]) => schema["type"] === undefined)
      .map(([name]) =>
        errorAt(
          "untyped-argument",
          at(file, ["inputSchema", "properties", name]),
          `The argument \`${name}\` has no type`,
          'Add "type"',
        ),
      ),
    ...schemas
      .filter(([, { pattern }]) => typeof pattern === "string" && !isLinearPattern(pattern))
      .map(([name]) =>
        errorAt(
          "unbounded-pattern",
          at(file, ["inputSchema", "properties", name, "pattern"]),
          `The pattern of \`${name}\` does not run in linear time`,
          "Write it without look-around and back-references",
        ),
      ),
  ];
}

function checkPortable(tool: ToolDefinition, at: PlaceOf): Problem[] {
  return UNPORTABLE.flatMap((keyword) => {
    const path = findKey(tool.inputSchema, keyword);
    if (path === null) return [];
    return [
      errorAt(
        "unportable-schema",
        at(toolFile(tool), ["inputSchema", ...path]),
        `\`${keyword}\` is not taken by every engine`,
        "Describe the arguments as a flat object",
      ),
    ];
  });
}

/** Path to the first such key, or null. */
function findKey(value: unknown, key: string): PropertyKey[] | null {
  if (typeof value !== "object" || value === null) return null;
  if (!Array.isArray(value) && Object.hasOwn(value, key)) return [key];
  for (const [name, part] of Object.entries(value)) {
    const below = findKey(part, key);
    if (below !== null) return [Array.isArray(value) ? Number(name) : name, ...below];
  }
  return null;
}

function checkSkillText(skill: Skill, at: PlaceOf): Problem[] {
  const file = skillFile(skill);
  const description = at(file, ["description"]);
  const problems = [
    ...chatMarkers(skill.body, (line) => at(file, line)),
    ...chatMarkers(skill.description, () => description),
  ];
  if (/[<>]/.test(skill.description)) {
    problems.push(
      errorAt(
        "markup-in-description",
        description,
        "The description holds `<` or `>`",
        "Leave them out: the description stands inside a tag",
      ),
    );
  }
  problems.push(...framingTags(skill, at));
  const bodyTokens = estimateTokens(skill.body);
  if (bodyTokens > SKILL_TOKENS_MAX) {
    problems.push(
      warningAt(
        "too-many-tokens",
        at(file),
        `About ${bodyTokens} tokens, above ${SKILL_TOKENS_MAX}`,
        "Split the skill",
      ),
    );
  }
  const descriptionTokens = estimateTokens(skill.description);
  if (descriptionTokens > DESCRIPTION_TOKENS_MAX) {
    problems.push(
      warningAt(
        "too-many-tokens",
        description,
        `The description is about ${descriptionTokens} tokens, above ${DESCRIPTION_TOKENS_MAX}`,
        "Say what it is for and when; the rest goes to the body",
      ),
    );
  }
  return problems;
}

/** A tag that frames what `load_skill` gives would end it early. */
function framingTags({ name, body, resources }: Skill, at: PlaceOf): Problem[] {
  const texts = [["SKILL.md", body], ...Object.entries(resources)] as const;
  return texts.flatMap(([resource = "", text = ""]) => {
    const found = /<\/?(?:skill_content|skill_resources|file)\b/.exec(text);
    if (found === null) return [];
    const file = `skills/${name}/${resource}`;
    const line = text.slice(0, found.index).split("\n").length;
    const place = resource === "SKILL.md" ? at(file, line) : { file, line };
    return [errorAt("framing-tag", place, "The text holds a tag that frames skills", "Leave it out")];
  });
}
