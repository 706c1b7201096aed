/** Tells every room that a release may concern, in batches. */
import { ALL_MERCHANTS } from "../../shared/contract/ids.ts";
import { toAppError } from "../../shared/errors/app-error.ts";
import type { ErrorCode } from "../../shared/errors/error-codes.ts";
import { type RoomFilter, roomsFollowing } from "../platform/room-directory.ts";
import { reportFailure } from "../platform/report-failure.ts";
import type { Follower } from "./adopt-version.ts";
import type { TellResult } from "./room-teller.ts";

/** Rooms of one batch: of them, six are told at once. */
const BATCH_ROOMS = 48;
/** Rooms that are read from the directory at once; their batches run side by side. */
const PAGE_ROOMS = 960;

export type Teller = { tell(name: string, rooms: readonly Follower[]): Promise<TellResult> };

export type Told = {
  /** Rooms that have been told; most had the version already. */
  readonly told: number;
  readonly failed: TellResult;
};

/**
 * As `filter` narrows them down; `merchant` `*` means every merchant's.
 *
 * @throws AppError `registry_unavailable` - the directory could not be read to its end.
 */
export async function tellRooms(env: Env, teller: Teller, { merchant, ...others }: RoomFilter): Promise<Told> {
  const isOne = merchant !== undefined && merchant !== ALL_MERCHANTS;
  const filter: RoomFilter = { ...others, ...(isOne && { merchant }) };
  let told = 0;
  const failed: TellResult[number][] = [];
  let after = "";
  for (;;) {
    const rooms = await roomsFollowing(env, filter, { limit: PAGE_ROOMS, after });
    const results = await Promise.all(toBatches(rooms).map((batch) => tellBatch(teller, filter.name, batch)));
    failed.push(...results.flat());
    told += rooms.length;
    const last = rooms.at(-1);
    if (last === undefined || rooms.length < PAGE_ROOMS) return { told: told - failed.length, failed };
    after = last.id;
  }
}

/** As {@link tellRooms}, for one batch; where nobody can be told, all have failed. */
export async function tellBatch(teller: Teller, name: string, rooms: readonly Follower[]): Promise<TellResult> {
  try {
    return await teller.tell(name, rooms);
  } catch (thrown) {
    const code: ErrorCode = toAppError(thrown).code;
    reportFailure("tell-rooms", code, thrown);
    return rooms.map((room) => ({ room, code }));
  }
}

export function toBatches<Item>(items: readonly Item[]): (readonly Item[])[] {
  const count = Math.ceil(items.length / BATCH_ROOMS);
  return Array.from({ length: count }, (_, index) => items.slice(index * BATCH_ROOMS, (index + 1) * BATCH_ROOMS));
}
