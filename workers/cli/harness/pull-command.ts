/** `kaibo harness pull`: a version's folder, from the registry. */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { writeBundle } from "../../../harness-kv/write-bundle.ts";
import { versionSchema } from "../../../shared/contract/http-api.ts";
import { CliError, systemCode } from "../cli-error.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { resolveVersion, routeOf } from "./find-version.ts";
import { shortVersion } from "../format-cells.ts";
import { readServed } from "../release/read-releases.ts";
import type { ReleaseCommand } from "../release/release-options.ts";
import { versionOf } from "./version-of.ts";

/** What belongs to a version: everything else in a folder is its editors' own. */
const PARTS = /^(?:harness\.json$|(?:prompt|skills|tools|hooks|knowledge)\/)/;

/** Beside a skill, and no part of any version. */
const BESIDE_SKILL = /^(skills\/[^/]+)\/(?:examples\.jsonl$|evals\/)/;

/**
 * Writes the version as a folder that is the same version when it is read.
 *
 * @throws CliError - there is no such version, it has no form as a folder, or the folder holds something.
 */
export async function pullHarness(
  { harness, target, folder, isForced, json }: Extract<ReleaseCommand, { action: "pull" }>,
  { api, out }: { readonly api: EdgeApi; readonly out: (text: string) => void },
): Promise<void> {
  const present = await listFiles(folder);
  if (present.length > 0 && !isForced) throw notEmpty(folder);
  const version =
    target.type === "version"
      ? await resolveVersion(api, harness, target.version)
      : await readServed(api, { harness, ...target });
  const files = await loadFiles(api, harness, version);
  const removed = present.filter((file) => isStale(file, files));
  try {
    for (const file of removed) await rm(path.join(folder, file));
    for (const [file, text] of files) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
  } catch (cause) {
    throw notWritten(folder, cause);
  }
  if (json) return out(`${JSON.stringify({ name: harness, version, folder, files: [...files.keys()], removed })}\n`);
  const gone = removed.length === 0 ? "" : `, ${removed.length} removed`;
  out(`${folder}: ${harness} ${shortVersion(version)}, ${files.size} files${gone}\n`);
  out(`Examples and notes are no part of a version. Next: npx kaibo harness check ${folder}\n`);
}

async function loadFiles(api: EdgeApi, harness: string, version: string): Promise<ReadonlyMap<string, string>> {
  const route = `${routeOf(harness)}/versions/${version}`;
  const loaded = await api.call("GET", route, { answer: versionSchema });
  const { bundle } = expectOk(loaded, `Version ${shortVersion(version)} of ${harness} could not be read.`);
  if ((await versionOf(bundle)) !== version) {
    throw new CliError(`What came is not version ${shortVersion(version)}.`, {
      why: "A version is the SHA-256 of its content, and this content has another.",
      next: "Use the command of the instance's own release of Kaibo, or look who stands between.",
    });
  }
  const files = writeBundle(bundle);
  if (files !== null) return files;
  throw new CliError(`${harness} ${shortVersion(version)} has no form as a folder.`, {
    why: "It was not pushed from one: something in it would be dropped, sorted or trimmed.",
    next: `GET ${route} gives it as JSON.`,
  });
}

/** True for a file that the reader would take for a part of the version. */
function isStale(file: string, files: ReadonlyMap<string, string>): boolean {
  if (!PARTS.test(file) || files.has(file) || file.split("/").some((part) => part.startsWith("."))) return false;
  const skill = BESIDE_SKILL.exec(file)?.[1];
  return skill === undefined || !files.has(`${skill}/SKILL.md`);
}

/** Paths in the folder, with `/` between folders; none where there is no folder. */
async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"));
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return [];
    throw notWritten(folder, cause);
  }
}

function notEmpty(folder: string): CliError {
  return new CliError(`${folder} holds something.`, {
    why: "What is edited there would be lost.",
    next: "Name another folder with --to; or add --force: it replaces the harness there, and keeps examples and notes.",
  });
}

function notWritten(folder: string, cause: unknown): CliError {
  const why = `The system says ${systemCode(cause)}.`;
  return new CliError(`${folder} was not written.`, { why, next: "Name another folder with --to.", cause });
}
