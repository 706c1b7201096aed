/** What one version changes against another, for a reviewer: texts as text, everything else by field. */
import type { HarnessBundle, HookDefinition, Skill } from "../shared/contract/harness-bundle.ts";
import { diffLines, type Hunk } from "./diff-lines.ts";
import { compare } from "./problem.ts";
import { tokenCosts, tokensEveryTurn, type TokenPart } from "./token-costs.ts";

/** One field that differs; `before` is absent for a new one, `after` for one that is gone. */
export type FieldChange = { readonly path: string; readonly before?: unknown; readonly after?: unknown };

export type FileChange = {
  /** By its name in the folder of a harness. */
  readonly file: string;
  readonly type: "added" | "removed" | "changed";
  readonly fields: readonly FieldChange[];
  readonly hunks: readonly Hunk[];
};

/** Estimated tokens; 0 where a text is not. */
export type TokenChange = {
  readonly part: TokenPart;
  readonly name: string;
  readonly before: number;
  readonly after: number;
};

export type BundleDiff = {
  readonly changes: readonly FileChange[];
  /** Texts whose cost differs. */
  readonly tokens: readonly TokenChange[];
  /** What every turn pays. */
  readonly everyTurn: { readonly before: number; readonly after: number };
};

/** No changes for bundles of one version. In the order of files, settings first. */
export function diffBundles(before: HarnessBundle, after: HarnessBundle): BundleDiff {
  const [old, young] = [toFiles(before), toFiles(after)];
  const names = [...new Set([...old.keys(), ...young.keys()])].toSorted(compareFiles);
  const changes = names.flatMap((file) => diffFile(file, old.get(file), young.get(file)));
  return { changes, ...diffTokens(before, after) };
}

/** A part of a bundle as a reviewer reads it. */
type Part = { readonly fields: Readonly<Record<string, unknown>>; readonly text: string };

const SETTINGS = "harness.json";

function toFiles(bundle: HarnessBundle): Map<string, Part> {
  const { prompt, skills, tools, hooks, knowledge, ...settings } = bundle;
  return new Map<string, Part>([
    [SETTINGS, { fields: settings, text: "" }],
    ...Object.entries(prompt).map(([name, text]) => [`prompt/${name}.md`, { fields: {}, text }] as const),
    ...skills.flatMap(skillFiles),
    ...tools.map((tool) => [`tools/${tool.name}.json`, { fields: tool, text: "" }] as const),
    ...hooks.map((hook) => [`hooks/${hook.name}.json`, hookPart(hook)] as const),
    ...knowledge.map((entry) => [`knowledge/${entry.id}`, { fields: entry, text: "" }] as const),
  ]);
}

function skillFiles({ body, resources, ...fields }: Skill): (readonly [string, Part])[] {
  const folder = `skills/${fields.name}`;
  return [
    [`${folder}/SKILL.md`, { fields, text: body }],
    ...Object.entries(resources).map(([name, text]) => [`${folder}/${name}`, { fields: {}, text }] as const),
  ];
}

function hookPart(hook: HookDefinition): Part {
  if (hook.type === "check") return { fields: hook, text: "" };
  const { code, ...fields } = hook;
  return { fields, text: code };
}

function compareFiles(a: string, b: string): number {
  return Number(b === SETTINGS) - Number(a === SETTINGS) || compare(a, b);
}

function diffFile(file: string, before: Part | undefined, after: Part | undefined): FileChange[] {
  const fields = diffFields(before?.fields ?? {}, after?.fields ?? {}, "");
  const hunks = diffLines(before?.text ?? "", after?.text ?? "");
  if (before === undefined) return [{ file, type: "added", fields, hunks }];
  if (after === undefined) return [{ file, type: "removed", fields, hunks }];
  return fields.length + hunks.length === 0 ? [] : [{ file, type: "changed", fields, hunks }];
}

/** By path. Lists are compared by what they hold where they hold plain values: a word more is one line, not a new list. */
function diffFields(before: unknown, after: unknown, path: string): FieldChange[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted(compare);
    return keys.flatMap((key) => diffFields(own(before, key), own(after, key), path === "" ? key : `${path}.${key}`));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const words = isPlainList(before) && isPlainList(after) ? diffWords(before, after, path) : [];
  if (words.length > 0) return words;
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/** None where the lists hold the same in another order: then the order is what changed. */
function diffWords(before: readonly unknown[], after: readonly unknown[], path: string): FieldChange[] {
  const removed = before.filter((word) => !after.includes(word));
  const added = after.filter((word) => !before.includes(word));
  const keepsOrder =
    JSON.stringify(before.filter((word) => after.includes(word))) ===
    JSON.stringify(after.filter((word) => before.includes(word)));
  if (!keepsOrder) return [];
  return [
    ...removed.map((word) => ({ path: `${path}[]`, before: word })),
    ...added.map((word) => ({ path: `${path}[]`, after: word })),
  ];
}

function isPlainList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function diffTokens(before: HarnessBundle, after: HarnessBundle): Pick<BundleDiff, "tokens" | "everyTurn"> {
  const [old, young] = [tokenCosts(before), tokenCosts(after)];
  const rows = new Map<string, TokenChange>();
  for (const { part, name, tokens } of old) rows.set(`${part} ${name}`, { part, name, before: tokens, after: 0 });
  for (const { part, name, tokens } of young) {
    rows.set(`${part} ${name}`, { part, name, before: rows.get(`${part} ${name}`)?.before ?? 0, after: tokens });
  }
  return {
    tokens: [...rows.values()].filter((row) => row.before !== row.after),
    everyTurn: { before: tokensEveryTurn(old), after: tokensEveryTurn(young) },
  };
}
