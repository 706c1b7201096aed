/** A harness's folder on disk, with what it extends, read and checked as a push would check it. */
import { readFile, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { checkFiles } from "../../../harness-kv/check-files.ts";
import { extendFiles, readBaseName, type BaseName, type HarnessLayer } from "../../../harness-kv/extend-files.ts";
import {
  errorAt,
  hasErrors,
  moveProblem,
  sortProblems,
  type Place,
  type Problem,
} from "../../../harness-kv/problem.ts";
import type { SkillExample } from "../../../harness-kv/read-examples.ts";
import type { HarnessBundle } from "../../../shared/contract/harness-bundle.ts";
import { parseJson } from "../../../shared/core/json.ts";
import { CliError, systemCode } from "../cli-error.ts";
import { findModuleFault } from "./hook-process.ts";
import { ROOT } from "../local/project.ts";

/** Files of one harness. More is a wrong folder, for example the repository's root. */
const FILES_MAX = 2_000;

/** Folders that are never part of a harness and may be huge. */
const NOT_READ = new Set(["node_modules", ".git"]);

export type CheckedHarness = {
  /** Null when a problem is an error. */
  readonly bundle: HarnessBundle | null;
  /** Of its skills, those of a base included. */
  readonly examples: readonly SkillExample[];
  readonly problems: readonly Problem[];
};

/**
 * Reads and checks a folder. Code hooks are read by an engine and not run.
 *
 * @throws CliError - there is no such folder, or a file in it is not UTF-8 text.
 */
export async function checkHarness(folder: string): Promise<CheckedHarness> {
  const { layers, problems: chain } = await readLayers(folder);
  if (chain.length > 0) return { bundle: null, examples: [], problems: chain };
  const { files, problems: merging, placeOf } = extendFiles(layers);
  const { bundle, examples, problems } = checkFiles(files);
  const code = bundle === null ? [] : await checkModules(bundle, files);
  const placed = [...problems, ...code].map((problem) => moveProblem(problem, placeOf(problem)));
  const all = sortProblems([...merging, ...placed]);
  return {
    bundle: hasErrors(all) ? null : bundle,
    examples: examples.map((example) => ({ ...example, place: placeOf(example.place) })),
    problems: all,
  };
}

/**
 * As {@link checkHarness}, for those who need the bundle.
 *
 * @throws CliError also when a problem is an error; the first is named.
 */
export async function readHarness(folder: string): Promise<CheckedHarness & { readonly bundle: HarnessBundle }> {
  const { bundle, examples, problems } = await checkHarness(folder);
  if (bundle !== null) return { bundle, examples, problems };
  const errors = problems.filter(({ severity }) => severity === "error");
  throw new CliError(`The harness in ${folder} has ${errors.length} error(s).`, {
    why: errors.slice(0, 1).map(formatProblem).join(""),
    next: `npx kaibo harness check ${folder}`,
  });
}

/** `hooks/30-law.json:12: error[unknown-field]: what is wrong → what to do`. */
export function formatProblem({ code, file, line, message, fix, severity }: Problem): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${severity}[${code}]: ${message} → ${fix}`;
}

type Chain = { readonly layers: readonly HarnessLayer[]; readonly problems: readonly Problem[] };

/** The folder and everything that it extends, the base of all first. */
async function readLayers(folder: string): Promise<Chain> {
  const layers: HarnessLayer[] = [];
  const seen = new Set<string>();
  for (let current: string | null = folder; current !== null;) {
    const files = await readFolder(current);
    const prefix = current === folder ? "" : `${path.relative(folder, current).replaceAll(path.sep, "/")}/`;
    layers.unshift({ prefix, files });
    seen.add(await realpath(current));
    const { value: base, problems } = readBaseName(files);
    const next: string | null = base === null ? null : await findBase(current, base.name);
    const own = base === null ? problems : [...problems, ...(await baseProblems(base, next, seen))];
    if (own.length > 0)
      return { layers, problems: own.map((problem) => ({ ...problem, file: prefix + problem.file })) };
    current = next;
  }
  return { layers, problems: [] };
}

/** A path is beside the harness; a bare name is a folder beside it, or one of the harnesses that come with the product. */
async function findBase(folder: string, name: string): Promise<string | null> {
  const isPath = name.startsWith(".") || name.includes("/");
  const places = isPath
    ? [path.resolve(folder, name)]
    : [path.resolve(folder, "..", name), path.join(ROOT, "harness-kv/bundles", name)];
  for (const place of places) {
    const isHarness = await readFile(path.join(place, "harness.json")).then(
      () => true,
      () => false,
    );
    if (isHarness) return place;
  }
  return null;
}

async function baseProblems(
  { name, place }: BaseName,
  found: string | null,
  seen: ReadonlySet<string>,
): Promise<Problem[]> {
  if (found === null) {
    const fix = "Name a folder with a harness.json, such as ../house, or a harness of harness-kv/bundles";
    return [errorAt("unknown-base", place, `There is no harness \`${name}\``, fix)];
  }
  if (!seen.has(await realpath(found))) return [];
  return [errorAt("base-cycle", place, `\`${name}\` extends this harness, or is it`, "Extend another one")];
}

async function checkModules(bundle: HarnessBundle, files: ReadonlyMap<string, string>): Promise<Problem[]> {
  const hooks = bundle.hooks.filter((hook) => hook.type === "code");
  const found = await Promise.all(
    hooks.map(async (hook) => {
      const fault = await findModuleFault(hook.code);
      if (fault === null) return [];
      const place: Place = { file: moduleOf(hook.name, files), line: fault.line };
      const fix = "A module has one default export, `(input) => output`, and imports nothing";
      return [errorAt(fault.code, place, fault.message, fix)];
    }),
  );
  return found.flat();
}

/** The file that holds a hook's code: the one that it names, or the hook's own. */
function moduleOf(name: string, files: ReadonlyMap<string, string>): string {
  const hook = parseJson(files.get(`hooks/${name}.json`) ?? "");
  const named = typeof hook === "object" && hook !== null && "code" in hook ? `hooks/${String(hook.code)}` : "";
  return files.has(named) ? named : `hooks/${name}.json`;
}

async function readFolder(folder: string): Promise<Map<string, string>> {
  const names = await listFiles(folder);
  if (names.length > FILES_MAX) {
    throw new CliError(`${folder} is no harness.`, {
      why: `It holds more than ${FILES_MAX} files.`,
      next: "Name the folder that holds harness.json.",
    });
  }
  return new Map(await Promise.all(names.map(async (name) => [name, await readText(folder, name)] as const)));
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const wanted = entries.filter(({ name }) => !NOT_READ.has(name));
    const nested = await Promise.all(
      wanted.map(async (entry) => {
        if (!entry.isDirectory()) return [entry.name];
        const below = await readdir(path.join(folder, entry.name), { recursive: true, withFileTypes: true });
        return below
          .filter((file) => !file.isDirectory())
          .map((file) => path.relative(folder, path.join(file.parentPath, file.name)).replaceAll(path.sep, "/"));
      }),
    );
    return nested.flat();
  } catch (thrown) {
    throw new CliError(`${folder} cannot be read.`, {
      why: systemCode(thrown) === "ENOENT" ? "There is no such folder." : `The system says ${systemCode(thrown)}.`,
      next: "npx kaibo harness check harness-kv/bundles/live-host",
      cause: thrown,
    });
  }
}

async function readText(folder: string, name: string): Promise<string> {
  const bytes = await readFile(path.join(folder, name));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CliError(`${name} is not UTF-8 text.`, {
      why: "A harness is text; this file holds other bytes.",
      next: "Save it as UTF-8, or keep it outside the folder.",
      cause,
    });
  }
}
