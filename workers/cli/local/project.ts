/** Where things are. */
import path from "node:path";

/** Root of the repository. */
export const ROOT = path.resolve(import.meta.dirname, "../../..");

/** What was built, by the hash of its sources: shared by every instance on this machine, and safe to delete. */
export const BUILD_FOLDER = path.join(ROOT, ".wrangler/kaibo/build");

/** Where an instance keeps its rooms, its secret and its address: `KAIBO_STATE_DIR`, or `.wrangler` beside the sources. */
export function stateFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  const chosen = env["KAIBO_STATE_DIR"];
  return chosen === undefined || chosen === "" ? path.join(ROOT, ".wrangler") : path.resolve(chosen);
}
