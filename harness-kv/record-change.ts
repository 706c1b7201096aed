import type { Clock } from "../shared/core/clock.ts";
import { pause, type Timer } from "../shared/core/timer.ts";
import { AppError } from "../shared/errors/app-error.ts";
import { nextAuditRow } from "./audit-chain.ts";
import type { Digest } from "./canonical-bundle.ts";
import { toAuditEntry, type Actor, type RegistryChange } from "./registry-change.ts";
import type { RegistryTables } from "./registry-store.ts";

/**
 * Tries for one change. Writers that meet at the log's end all lose but one. With the waits below, 200 that write in the same
 * moment are through within these up to 20 ms away from the database, the last after half a minute; 100 ms away 2 of them were not.
 */
const TRIES_MAX = 16;
/**
 * Longest wait before the second try, ms. It doubles with each, until the tries of 200 writers are so far apart that most
 * succeed: a write takes the database some 30 ms. With a shorter limit the losers' tries fill its queue, and nobody gets on.
 */
const FIRST_WAIT_MS = 50;
const WAIT_MS_MAX = 8_000;

export type ChangeDeps = {
  readonly tables: Pick<RegistryTables, "commit" | "auditHead" | "auditHash">;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly timer: Timer;
  /** From 0 up to 1. */
  readonly random: () => number;
};

/**
 * Makes a change with its audit row, once: also when another writer takes the row's number, or an answer is lost on the way.
 *
 * @returns False, and nothing was written, when the change does not apply to what is there.
 * @throws AppError `registry_unavailable` - the database failed and the change was not made, or too many others write.
 */
export async function recordChange(deps: ChangeDeps, change: RegistryChange, by: Actor): Promise<boolean> {
  const { tables, digest, clock } = deps;
  for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
    const row = await nextAuditRow(await tables.auditHead(), toAuditEntry(change, by, clock.nowMs()), digest);
    try {
      return await tables.commit(change, row);
    } catch (thrown) {
      // Either another writer was first, or the database failed, perhaps after it had written: the log knows.
      const written = await tables.auditHash(row.seq);
      if (written === row.hash) return true;
      if (written === null) throw thrown;
    }
    await pause(deps.timer, deps.random() * Math.min(FIRST_WAIT_MS * 2 ** attempt, WAIT_MS_MAX));
  }
  throw new AppError("registry_unavailable", "Too many changes of the registry at once; try again");
}
