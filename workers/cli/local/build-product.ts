/**
 * The Worker as production runs it, and the page, built once for each state of their sources.
 *
 * A build is a folder named by the hash of what went in. It is made aside and renamed, so that it is whole or absent,
 * and processes that build at the same time do not disturb each other.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { CliError, systemCode } from "../cli-error.ts";
import { BUILD_FOLDER, ROOT } from "./project.ts";

/** Builds that are kept. A running instance reads its page from one, so the last few must stay. */
const BUILDS_KEPT = 6;

/** Characters of a tool's complaint that are shown. */
const COMPLAINT_CHARS_MAX = 4_000;

/** As wrangler.toml has it. */
const MAIN = "workers/index.ts";
const WORKER_SOURCES = ["shared", "harness-kv", "workers", "wrangler.toml", "tsconfig.json", "package-lock.json"];
const PAGE_SOURCES = ["shared", "workers/console", "tsconfig.json", "package-lock.json"];

/** Below the sources, and in neither build. */
const NOT_SOURCES = /^(workers\/cli|workers\/console\/dist|harness-kv\/(bundles|rooms))(\/|$)|\.md$/;

export type Product = {
  readonly workerFolder: string;
  /** Its main module, below the folder. */
  readonly workerFile: string;
  readonly pageFolder: string;
  /** False when an earlier build served. */
  readonly built: boolean;
};

/**
 * @param entry - Built in place of the product's own entry, from the project's root: the product over a platform that fails.
 * @throws CliError - the sources do not build; the tool's own words are in it.
 */
export async function buildProduct(entry?: string): Promise<Product> {
  const page = await buildOnce("page", await hashSources(PAGE_SOURCES), (folder) =>
    runNode(["workers/console/build.ts", folder]),
  );
  const entries = entry === undefined ? [] : [entry];
  const worker = await buildOnce("worker", await hashSources([...WORKER_SOURCES, ...entries]), (folder) =>
    runNode([
      "node_modules/wrangler/bin/wrangler.js",
      "deploy",
      ...entries,
      "--dry-run",
      "--minify",
      `--outdir=${folder}`,
      `--assets=${page.folder}`,
    ]),
  );
  const workerFile = `${path.basename(entry ?? MAIN, ".ts")}.js`;
  return { workerFolder: worker.folder, workerFile, pageFolder: page.folder, built: page.built || worker.built };
}

async function buildOnce(kind: string, hash: string, build: (folder: string) => Promise<void>) {
  const folder = path.join(BUILD_FOLDER, `${kind}-${hash}`);
  const now = new Date();
  if (await exists(folder)) {
    await utimes(folder, now, now);
    return { folder, built: false };
  }
  await mkdir(BUILD_FOLDER, { recursive: true });
  const aside = await mkdtemp(path.join(BUILD_FOLDER, "making-"));
  try {
    await build(aside);
    await rename(aside, folder).catch((thrown: unknown) => {
      // Another process was first with the same build.
      if (!["ENOTEMPTY", "EEXIST"].includes(systemCode(thrown))) throw thrown;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  await forgetOldBuilds(kind);
  return { folder, built: true };
}

/** SHA-256 over the names and bytes of all sources. */
async function hashSources(sources: readonly string[]): Promise<string> {
  const files = (await Promise.all(sources.map(listFiles))).flat().toSorted();
  const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, file))));
  const hash = createHash("sha256");
  for (const [index, file] of files.entries())
    hash.update(`${file}\0${texts[index]?.length}\0`).update(texts[index] ?? "");
  return hash.digest("hex").slice(0, 32);
}

async function listFiles(source: string): Promise<string[]> {
  const info = await stat(path.join(ROOT, source));
  if (info.isFile()) return [source];
  const entries = await readdir(path.join(ROOT, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
    .filter((file) => !NOT_SOURCES.test(file));
}

/** @throws CliError - the program failed; its own words are in it. */
export async function runNode(args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, NO_COLOR: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
    });
  } catch (thrown) {
    throw new CliError("The sources do not build.", {
      why: complaintOf(thrown).slice(-COMPLAINT_CHARS_MAX),
      next: "Mend what the lines above name, then run the command again. `npm run check` shows all of it.",
      cause: thrown,
    });
  }
}

function complaintOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const said = "stderr" in thrown && typeof thrown.stderr === "string" ? thrown.stderr.trim() : "";
  return said === "" ? thrown.message : said;
}

async function forgetOldBuilds(kind: string): Promise<void> {
  const names = (await readdir(BUILD_FOLDER)).filter((name) => name.startsWith(`${kind}-`));
  const builds = await Promise.all(
    names.map(async (name) => ({ name, usedMs: (await stat(path.join(BUILD_FOLDER, name))).mtimeMs })),
  );
  const old = builds.toSorted((a, b) => b.usedMs - a.usedMs).slice(BUILDS_KEPT);
  await Promise.all(old.map(({ name }) => rm(path.join(BUILD_FOLDER, name), { recursive: true, force: true })));
}

async function exists(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return false;
    throw thrown;
  }
}
