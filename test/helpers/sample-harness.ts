import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { readBundle } from "../../harness-kv/read-bundle.ts";
import type { HarnessBundle } from "../../shared/contract/harness-bundle.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../harness-kv/bundles/live-host");

/** The harness that the product ships, read from its folder. */
export async function readSampleBundle(): Promise<HarnessBundle> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const { bundle, problems } = readBundle(
    new Map(files.map((file, index) => [path.relative(FOLDER, file), texts[index] ?? ""])),
  );
  if (bundle === null) throw new Error(JSON.stringify(problems));
  return bundle;
}
