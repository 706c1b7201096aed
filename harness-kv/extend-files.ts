/** A harness that is written as what it changes in another one: the merchant's over the house's. */
import { z } from "zod";
import { parseJson } from "../shared/core/json.ts";
import { compare, errorAt, type Place, type Problem, type Reading } from "./problem.ts";
import { readJson } from "./read-json.ts";
import { toSourceText } from "./source-text.ts";

/** One harness of a chain, its own files only. */
export type HarnessLayer = {
  /** Where its files are, as problems name it: "" for the harness itself, `../house/` for its base. */
  readonly prefix: string;
  readonly files: ReadonlyMap<string, string>;
};

/** What the chain comes to. */
export type ExtendedFiles = {
  /** A whole harness without `extends`, as `readBundle` takes it. */
  readonly files: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  /** The place in the file that someone wrote, for a place in {@link ExtendedFiles.files}. */
  readonly placeOf: (place: Place) => Place;
};

const SETTINGS = "harness.json";

/** The two fields that are for the reader of a folder and stand in no version. */
const extendsSchema = z.looseObject({
  extends: z.string("expected the folder or the name of a harness").min(1).max(200).optional(),
  remove: z.array(z.string("expected paths of files").min(1).max(200), "expected a list of paths").default([]),
});

type Settings = Readonly<Record<string, unknown>>;

/** The base that a harness names, and where. */
export type BaseName = { readonly name: string; readonly place: Place };

/** What `extends` says; null when the harness stands alone, or cannot be read. */
export function readBaseName(files: ReadonlyMap<string, string>): Reading<BaseName | null> {
  const { base, lineOf, problems } = readOwnFields(files);
  const place = { file: SETTINGS, line: lineOf(["extends"]) };
  return { value: base === null ? null : { name: base, place }, problems };
}

/**
 * Merges a chain of harnesses, the base of all first. Without a base, the files are as they were. What {@link readBaseName}
 * found wrong is not found again.
 *
 * `harness.json`: a JSON Merge Patch (RFC 7396) — objects are merged, values and lists replace, `null` takes away.
 * Files: a later file stands for the earlier one of its name, a skill's folder as a whole; `remove` takes out first.
 */
export function extendFiles(layers: readonly HarnessLayer[]): ExtendedFiles {
  const [base, ...rest] = layers;
  if (base === undefined || rest.length === 0) {
    return { files: base?.files ?? new Map(), problems: [], placeOf: (place) => place };
  }
  let files: ReadonlyMap<string, string> = base.files;
  const origins = new Map([...base.files.keys()].map((file) => [file, base]));
  const problems: Problem[] = [];
  for (const layer of rest) {
    const merged = mergeLayer(files, layer);
    files = merged.files;
    problems.push(...merged.problems);
    for (const file of layer.files.keys()) origins.set(file, layer);
  }
  return { files, problems, placeOf: placesOf(files, origins, layers.toReversed()) };
}

function mergeLayer(base: ReadonlyMap<string, string>, { prefix, files: own }: HarnessLayer) {
  const { remove, settings, lineOf } = readOwnFields(own);
  const problems: Problem[] = [];
  const settingsAt = (path: readonly PropertyKey[]) => ({ file: `${prefix}${SETTINGS}`, line: lineOf(path) });
  if (settings !== null && typeof settings["name"] !== "string") {
    const fix = 'Add "name": else a push would add a version of the base';
    problems.push(
      errorAt("no-own-name", settingsAt([]), "A harness that extends another needs a name of its own", fix),
    );
  }
  const gone = (file: string) => remove.some((path) => file === path || file.startsWith(`${path}/`));
  for (const [index, path] of remove.entries()) {
    if ([...base.keys()].some((file) => file === path || file.startsWith(`${path}/`))) continue;
    const fix =
      "Name a file of the base, such as hooks/39-language.json, or a skill's folder, such as skills/complaint";
    problems.push(errorAt("removes-nothing", settingsAt(["remove", index]), `The base has no \`${path}\``, fix));
  }
  const skills = new Set([...own.keys()].map(skillFolderOf).filter((folder) => folder !== null));
  const kept = [...base].filter(([file]) => !gone(file) && !skills.has(skillFolderOf(file) ?? ""));
  const merged = new Map([...kept, ...own]);
  const text = settings === null ? own.get(SETTINGS) : mergeSettings(base.get(SETTINGS), settings);
  if (text !== undefined) merged.set(SETTINGS, text);
  return { files: new Map([...merged].toSorted(([a], [b]) => compare(a, b))), problems };
}

function skillFolderOf(file: string): string | null {
  return /^(skills\/[^/]+)\//.exec(file)?.[1] ?? null;
}

function mergeSettings(base: string | undefined, { extends: _base, remove: _remove, ...own }: Settings): string {
  return JSON.stringify(mergePatch(parseJson(toSourceText(base ?? "{}")), own), null, 2);
}

/** RFC 7396. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a harness.json says of its base. One that is no JSON says nothing: reading the whole tells of it. */
function readOwnFields(files: ReadonlyMap<string, string>) {
  const { value, lineOf } = readJson({ path: SETTINGS, text: toSourceText(files.get(SETTINGS) ?? "") });
  const settings = isObject(value) ? value : null;
  const parsed = extendsSchema.safeParse(settings ?? {});
  if (parsed.success) {
    const { extends: base = null, remove } = parsed.data;
    return { base, remove, settings, lineOf, problems: [] };
  }
  const problems = parsed.error.issues.map(({ path, message }) =>
    errorAt(
      "invalid-value",
      { file: SETTINGS, line: lineOf(path) },
      `\`${path.map(String).join(".")}\`: ${message}`,
      "See harness-kv/README.md, A harness over another",
    ),
  );
  return { base: null, remove: [], settings, lineOf, problems };
}

/** A file is its last writer's. A line of the merged settings is looked up in each harness.json, the last one first. */
function placesOf(
  files: ReadonlyMap<string, string>,
  origins: ReadonlyMap<string, HarnessLayer>,
  layers: readonly HarnessLayer[],
): ExtendedFiles["placeOf"] {
  return ({ file, line }) => {
    const origin = origins.get(file) ?? layers[0];
    if (file !== SETTINGS || line === undefined) {
      return { file: `${origin?.prefix ?? ""}${file}`, ...(line !== undefined && { line }) };
    }
    const path = pathAtLine(files.get(SETTINGS) ?? "", line);
    const writer = layers.find(({ files: own }) => holds(parseJson(toSourceText(own.get(SETTINGS) ?? "")), path));
    const text = toSourceText(writer?.files.get(SETTINGS) ?? "");
    return { file: `${writer?.prefix ?? ""}${SETTINGS}`, line: readJson({ path: SETTINGS, text }).lineOf(path) };
  };
}

/** The value that stands on a line of indented JSON: of those that begin there, the outermost. */
function pathAtLine(text: string, line: number): readonly PropertyKey[] {
  const { value, lineOf } = readJson({ path: SETTINGS, text });
  let path: readonly PropertyKey[] = [];
  for (;;) {
    const keys = childKeys(value, path).map((key) => [...path, key]);
    const below = keys.findLast((child) => (lineOf(child) ?? Infinity) <= line);
    if (lineOf(path) === line || below === undefined) return path;
    path = below;
  }
}

function childKeys(value: unknown, path: readonly PropertyKey[]): PropertyKey[] {
  const inner = valueAt(value, path);
  if (Array.isArray(inner)) return inner.map((_, index) => index);
  return isObject(inner) ? Object.keys(inner) : [];
}

function holds(value: unknown, path: readonly PropertyKey[]): boolean {
  return valueAt(value, path) !== undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, key)) return undefined;
    return Reflect.get(inner, key);
  }, value);
}
