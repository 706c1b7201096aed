/** Tells rooms that what serves them may have changed. */
import type { Context } from "hono";
import { harnessChannelSchema, ALL_MERCHANTS } from "../../shared/contract/ids.ts";
import { toAppError } from "../../shared/errors/app-error.ts";
import { ERROR_RULES } from "../../shared/errors/error-codes.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { roomsFollowing, type RoomFilter } from "../platform/room-directory.ts";
import type { EdgeEnv } from "./authenticate.ts";
import { adoptChannel } from "./configure-room.ts";

/** Rooms that are told at once. The platform queues more than six connections that wait for an answer. */
const ROOMS_AT_ONCE = 6;

type Told = { updated: number; failed: number };

/**
 * Tells every room that a change may concern; `merchant` `*` means every merchant's. A room that fails keeps its version and
 * is counted: it takes the new one with its next configuration, or when it is told again.
 */
export async function tellRooms(c: Context<EdgeEnv>, { merchant, ...filter }: RoomFilter): Promise<Told> {
  const isOne = merchant !== undefined && merchant !== ALL_MERCHANTS;
  const telling = tellEach(c.env, { ...filter, ...(isOne && { merchant }) });
  // An operator who leaves does not leave half of the rooms untold.
  c.executionCtx.waitUntil(telling);
  return telling;
}

async function tellEach(env: Env, filter: RoomFilter): Promise<Told> {
  let updated = 0;
  let failed = 0;
  let after = "";
  for (;;) {
    const rooms = await roomsFollowing(env, filter, { limit: ROOMS_AT_ONCE, after });
    const told = await Promise.all(rooms.map(({ id, channel }) => tellRoom(env, id, { name: filter.name, channel })));
    updated += told.filter(Boolean).length;
    failed += told.filter((isTold) => !isTold).length;
    const last = rooms.at(-1);
    if (last === undefined || rooms.length < ROOMS_AT_ONCE) return { updated, failed };
    after = last.id;
  }
}

/** Once more, where that may help. */
async function tellRoom(
  env: Env,
  room: string,
  { name, channel }: { name: string; channel: string },
): Promise<boolean> {
  const adopt = () => adoptChannel(env, room, { name, channel: harnessChannelSchema.parse(channel) });
  try {
    await adopt().catch((thrown: unknown) => {
      if (ERROR_RULES[toAppError(thrown).code].retry === "never") throw thrown;
      return adopt();
    });
    return true;
  } catch (thrown) {
    reportFailure("tell-room", toAppError(thrown).code, thrown);
    return false;
  }
}
