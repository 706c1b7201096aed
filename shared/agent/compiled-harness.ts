/** A harness version made ready to run: everything that can be computed once per version is computed here. */
import type { HarnessBundle, Skill, ToolDefinition } from "../contract/harness-bundle.ts";
import type { HarnessVersion } from "../contract/ids.ts";
import type { RoomPolicy } from "../contract/turn-lease.ts";
import { toSpokenForm } from "../speech/spoken-form.ts";
import { compileInputSchema, type InputValidator } from "./checks/tool-arguments.ts";
import { compileHooks, type HookSet } from "./hooks/compile-hooks.ts";
import type { ToolSpec } from "./model-client.ts";
import { fillTemplate, type TemplateValues } from "./prompt/template.ts";
import { loadSkillTool } from "./tools/load-skill.ts";

export type CompiledTool = { readonly definition: ToolDefinition; readonly validate: InputValidator };

export type CompiledHarness = {
  readonly version: HarnessVersion;
  readonly bundle: HarnessBundle;
  readonly hooks: HookSet;
  /** By name; a `Map`, so that a call of `__proto__` finds nothing. */
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly skills: ReadonlyMap<string, Skill>;
  /** The tools block of every request, sorted by name: the same bytes in every call and every room. */
  readonly toolSpecs: readonly ToolSpec[];
  /** System sections, filled: the same bytes in every room. */
  readonly systemText: string;
  readonly lexicon: ReadonlyMap<string, string>;
};

/**
 * @throws AppError `harness_invalid` - a template names a variable that does not exist, or a hook does not compile;
 *   a version that was pushed through the check has neither.
 */
export function compileHarness(bundle: HarnessBundle, version: HarnessVersion): CompiledHarness {
  const definitions = [...bundle.tools, ...(bundle.skills.length > 0 ? [loadSkillTool(bundle.skills)] : [])].toSorted(
    (a, b) => (a.name < b.name ? -1 : 1),
  );
  const system: TemplateValues<"system"> = { "harness.name": bundle.name, skills: skillCatalogue(bundle.skills) };
  return {
    version,
    bundle,
    hooks: compileHooks(bundle.hooks, { tools: bundle.tools }),
    tools: new Map(
      definitions.map((definition) => [
        definition.name,
        { definition, validate: compileInputSchema(definition.inputSchema) },
      ]),
    ),
    skills: new Map(bundle.skills.map((skill) => [skill.name, skill])),
    toolSpecs: definitions.map(toToolSpec),
    systemText: fillSections(bundle, bundle.sections.system, system),
    lexicon: new Map(Object.entries(bundle.lexicon)),
  };
}

/** Fills the named sections in order; a section that comes out empty leaves no gap. */
export function fillSections(
  bundle: HarnessBundle,
  names: readonly string[],
  values: Readonly<Record<string, string>>,
): string {
  return names
    .map((name) => fillTemplate(bundle.prompt[name] ?? "", values).trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** What the room keeps of a harness, so that it can refuse, expire and close turns with every runner dead. */
export function toRoomPolicy(harness: CompiledHarness): RoomPolicy {
  const { bundle } = harness;
  const text = bundle.lines.fallback[0] ?? "";
  return {
    deadlineMs: bundle.budgets.deadlineMs,
    intake: bundle.messages,
    interruption: bundle.interruption,
    strategy: bundle.strategy,
    fallback: { text, speech: toSpokenForm(text, harness.lexicon) },
  };
}

function skillCatalogue(skills: readonly Skill[]): string {
  if (skills.length === 0) return "";
  const entries = skills
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description }) => `<skill><name>${name}</name><description>${description}</description></skill>`);
  return `<available_skills>\n${entries.join("\n")}\n</available_skills>`;
}

function toToolSpec(definition: ToolDefinition): ToolSpec {
  const { name, description, inputSchema } = definition;
  return { type: "function", function: { name, description, parameters: inputSchema } };
}
