/** A harness's folder on disk, read and checked as a push would check it. */
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { checkForPush } from "../../harness-kv/check-for-push.ts";
import { hasErrors, sortProblems, type Problem } from "../../harness-kv/problem.ts";
import { readBundle } from "../../harness-kv/read-bundle.ts";
import type { HarnessBundle } from "../../shared/contract/harness-bundle.ts";
import { CliError, systemCode } from "./cli-error.ts";

/** Files of one harness. More is a wrong folder, for example the repository's root. */
const FILES_MAX = 2_000;

/** Folders that are never part of a harness and may be huge. */
const NOT_READ = new Set(["node_modules", ".git"]);

/** A bundle, or null when a problem is an error. */
export type CheckedHarness = { readonly bundle: HarnessBundle | null; readonly problems: readonly Problem[] };

/**
 * Reads and checks a folder.
 *
 * @throws CliError - there is no such folder, or a file in it is not UTF-8 text.
 */
export async function checkHarness(folder: string): Promise<CheckedHarness> {
  const { bundle, problems } = readBundle(await readFolder(folder));
  if (bundle === null) return { bundle, problems };
  const all = sortProblems([...problems, ...checkForPush(bundle)]);
  return { bundle: hasErrors(all) ? null : bundle, problems: all };
}

/**
 * As {@link checkHarness}, for those who need the bundle.
 *
 * @throws CliError also when a problem is an error; the first is named.
 */
export async function readHarness(folder: string): Promise<{ bundle: HarnessBundle; problems: readonly Problem[] }> {
  const { bundle, problems } = await checkHarness(folder);
  if (bundle !== null) return { bundle, problems };
  const errors = problems.filter(({ severity }) => severity === "error");
  throw new CliError(`The harness in ${folder} has ${errors.length} error(s).`, {
    why: errors.slice(0, 1).map(formatProblem).join(""),
    next: `npx kaibo harness check ${folder}`,
  });
}

/** `hooks/30-law.json:12: error: what is wrong → what to do`. */
export function formatProblem({ file, line, message, fix, severity }: Problem): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${severity}: ${message} → ${fix}`;
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
