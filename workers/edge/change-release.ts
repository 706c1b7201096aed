/** Changes of the registry that rooms must hear of. */
import type { Context } from "hono";
import type { ToldRooms } from "../../shared/contract/release.ts";
import { isAppError } from "../../shared/errors/app-error.ts";
import { ERROR_RULES } from "../../shared/errors/error-codes.ts";
import { reportFailure } from "../platform/report-failure.ts";
import type { RoomFilter } from "../platform/room-directory.ts";
import type { EdgeEnv } from "./authenticate.ts";

/** Of a release whose rollout did not answer; it was begun, so its alarm tells the rooms. */
const TOLD_LATER: ToldRooms = { updated: 0, failed: 0, faults: [], isComplete: false };

/**
 * Makes a change and tells every room that it may concern. The harness's rollout knows of it before it is made: rooms hear of
 * it also when this Worker is lost on the way.
 */
export async function changeRelease<Value>(
  c: Context<EdgeEnv>,
  filter: RoomFilter,
  change: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly rooms: ToldRooms }> {
  const rollout = c.env.HARNESS_ROLLOUT.getByName(filter.name);
  const id = await rollout.begin();
  try {
    const value = await change();
    const rooms = await rollout.tell(id, filter).catch((thrown: unknown) => {
      reportFailure("tell-rooms", "internal", thrown);
      return TOLD_LATER;
    });
    return { value, rooms };
  } catch (thrown) {
    // Refused for good, nothing was written; else it may have been.
    const isRefused =
      isAppError(thrown) && thrown.code !== "registry_unavailable" && ERROR_RULES[thrown.code].status < 500;
    if (isRefused) c.executionCtx.waitUntil(rollout.forget(id));
    throw thrown;
  }
}
