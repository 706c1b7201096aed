import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder that is gone when the test has ended. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "kaibo-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
