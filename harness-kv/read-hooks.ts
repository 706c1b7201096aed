import type { z } from "zod";
import { hookEventSchema } from "../shared/contract/hook-io.ts";
import { hookSchema, type HookDefinition } from "../shared/contract/harness-bundle.ts";
import { errorAt, schemaProblems, type LineOf, type Problem, type Reading, type SourceFile } from "./problem.ts";
import { readJson, type JsonReading } from "./read-json.ts";

/**
 * Reads `hooks/<name>.json` in the order of their names, which is the order in which hooks run. A hook of type `code`
 * names its module (`"code": "mask.js"`), a file beside it.
 */
export function readHooks(files: readonly SourceFile[]): Reading<HookDefinition[]> {
  const modules = new Map(files.filter(({ path }) => path.endsWith(".js")).map(({ path, text }) => [path, text]));
  const used = new Set<string>();
  const hooks: HookDefinition[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    if (modules.has(file.path)) continue;
    if (!file.path.endsWith(".json")) {
      problems.push(
        errorAt("stray-file", { file: file.path }, "Not a hook", "Use .json, or .js for the module of a code hook"),
      );
      continue;
    }
    const json = readJson(file);
    problems.push(...json.problems);
    if (json.value === undefined) continue;
    const reading = readHook(file.path, insertModule(json.value, modules, used), json);
    problems.push(...reading.problems);
    if (reading.value !== null) hooks.push(reading.value);
  }
  const unused = [...modules.keys()].filter((path) => !used.has(path));
  problems.push(
    ...unused.map((path) =>
      errorAt("unused-module", { file: path }, "No hook uses this module", 'Name it in a hook: "code": "<file>.js"'),
    ),
  );
  return { value: hooks, problems };
}

function readHook(path: string, value: unknown, { lineOf }: JsonReading): Reading<HookDefinition | null> {
  const hook = hookSchema.safeParse(value);
  if (!hook.success) return { value: null, problems: hookProblems(path, hook.error, lineOf) };
  const problems: Problem[] = [];
  if (path !== `hooks/${hook.data.name}.json`) {
    problems.push(
      errorAt(
        "name-mismatch",
        { file: path, line: lineOf(["name"]) },
        `The name \`${hook.data.name}\` is not the file's`,
        "Give both the same name",
      ),
    );
  }
  if (hook.data.type === "code" && isModuleName(hook.data.code)) {
    problems.push(
      errorAt(
        "missing-module",
        { file: path, line: lineOf(["code"]) },
        `There is no hooks/${hook.data.code}`,
        "Add the module, or correct its name",
      ),
    );
  }
  return { value: hook.data, problems };
}

/** An event that does not exist is a guard that never acts, and the usual mistake: other products have others. */
function hookProblems(path: string, error: z.ZodError, lineOf: LineOf): Problem[] {
  return schemaProblems(path, error, lineOf).map((problem) =>
    problem.code === "invalid-value" && problem.message.startsWith("`event`")
      ? { ...problem, code: "unknown-event", fix: `Events: ${hookEventSchema.options.join(", ")}` }
      : problem,
  );
}

/** The hook with its module's text in the place of the module's name; as it was when there is no such module. */
function insertModule(value: unknown, modules: ReadonlyMap<string, string>, used: Set<string>): unknown {
  if (typeof value !== "object" || value === null || !("code" in value) || typeof value.code !== "string") return value;
  const path = `hooks/${value.code}`;
  const code = modules.get(path);
  if (code === undefined) return value;
  used.add(path);
  return { ...value, code };
}

function isModuleName(code: string): boolean {
  return /^[\w./-]+\.js$/.test(code);
}
