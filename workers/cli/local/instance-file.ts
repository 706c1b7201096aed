/** `instance.json`: how the command line finds what runs on this machine. Holds tokens, so only its owner may read it. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { parseJson } from "../../../shared/core/json.ts";
import { systemCode } from "../cli-error.ts";

const instanceSchema = z.object({
  url: z.url(),
  pid: z.int().positive(),
  tokens: z.object({
    room: z.string(),
    operator: z.string(),
    analyst: z.string(),
    viewer: z.string(),
    governor: z.string(),
    page: z.string(),
  }),
});
export type Instance = z.infer<typeof instanceSchema>;

/** The instance that runs with this state, or null. What a killed one left behind counts as nothing. */
export async function findInstance(stateFolder: string): Promise<Instance | null> {
  const text = await readFile(instanceFileOf(stateFolder), "utf8").catch((thrown: unknown) => {
    if (systemCode(thrown) === "ENOENT") return "";
    throw thrown;
  });
  const instance = instanceSchema.safeParse(parseJson(text));
  return instance.success && isAlive(instance.data.pid) ? instance.data : null;
}

export async function writeInstance(stateFolder: string, instance: Instance): Promise<void> {
  const file = instanceFileOf(stateFolder);
  await mkdir(path.dirname(file), { recursive: true });
  // A file that exists keeps its mode, so an old one goes first.
  await rm(file, { force: true });
  await writeFile(file, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600 });
}

export async function removeInstance(stateFolder: string): Promise<void> {
  await rm(instanceFileOf(stateFolder), { force: true });
}

/** Where an instance with this state leaves its address and its tokens. */
export function instanceFileOf(stateFolder: string): string {
  return path.join(stateFolder, "kaibo/instance.json");
}

/** Signal 0 asks without sending. `EPERM`: it lives, and belongs to someone else. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return systemCode(thrown) === "EPERM";
  }
}
