/** From a bundle back to a harness's folder, so that what was pushed can be read and edited by whoever has no copy of it. */
import { stringify } from "yaml";
import type { HarnessBundle, HookDefinition, Skill } from "../shared/contract/harness-bundle.ts";
import { canonicalBundle } from "./canonical-bundle.ts";
import { readBundle } from "./read-bundle.ts";

/** All entries in one file: the reader keeps the order of lines, and files would come in the order of their names. */
const KNOWLEDGE_FILE = "knowledge/knowledge.jsonl";

/**
 * Text by path inside the folder, as {@link readBundle} takes it; reading it gives a bundle of the same version.
 *
 * What no version holds is not there: examples, notes, what the harness extended, how its modules and knowledge files were
 * called.
 *
 * @returns `null` for a bundle that no folder reads as: one that was pushed as JSON and has tools out of order, spaces around
 *   a text, or resources with paths that leave the folder.
 */
export function writeBundle(bundle: HarnessBundle): ReadonlyMap<string, string> | null {
  const { prompt, skills, tools, hooks, knowledge, ...settings } = bundle;
  const files = new Map([
    ["harness.json", toJson(settings)],
    ...Object.entries(prompt).map(([name, text]) => [`prompt/${name}.md`, `${text}\n`] as const),
    ...skills.flatMap(filesOfSkill),
    ...tools.map((tool) => [`tools/${tool.name}.json`, toJson(tool)] as const),
    ...hooks.flatMap(filesOfHook),
  ]);
  if (knowledge.length > 0) {
    files.set(KNOWLEDGE_FILE, knowledge.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  }
  return readsAs(bundle, files) ? files : null;
}

/** The reader is the judge: it knows best what it drops, sorts and trims. */
function readsAs(bundle: HarnessBundle, files: ReadonlyMap<string, string>): boolean {
  const { bundle: read } = readBundle(files);
  return read !== null && canonicalBundle(read) === canonicalBundle(bundle);
}

function filesOfSkill({ body, resources, allowedTools, metadata, ...fields }: Skill): [path: string, text: string][] {
  const folder = `skills/${fields.name}`;
  const front = stringify(
    {
      ...fields,
      ...(allowedTools.length > 0 && { "allowed-tools": allowedTools.join(" ") }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    },
    { schema: "core", lineWidth: 0 },
  );
  return [
    [`${folder}/SKILL.md`, `---\n${front}---\n\n${body}\n`],
    ...Object.entries(resources).map(([path, text]): [string, string] => [`${folder}/${path}`, text]),
  ];
}

function filesOfHook(hook: HookDefinition): [path: string, text: string][] {
  const file = `hooks/${hook.name}.json`;
  if (hook.type !== "code") return [[file, toJson(hook)]];
  const module = `${hook.name}.js`;
  return [
    [file, toJson({ ...hook, code: module })],
    [`hooks/${module}`, hook.code],
  ];
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
