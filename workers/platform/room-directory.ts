/** Which rooms there are, in D1: for lists, and to know whom a moved channel concerns. The room itself is its object. */
import { and, asc, eq, gt, isNotNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { room } from "../../harness-kv/schema.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import { query } from "./query.ts";

/** @throws AppError `registry_unavailable` */
export async function saveRoom(env: Env, id: string, config: RoomConfig, nowMs: number): Promise<void> {
  const values = {
    title: config.title,
    merchantId: config.merchant.id,
    harnessName: config.harness.name,
    harnessChannel: "channel" in config.harness ? config.harness.channel : null,
    updatedAtMs: nowMs,
  };
  const insert = drizzle(env.REGISTRY_DB)
    .insert(room)
    .values({ id, ...values });
  await query(() => insert.onConflictDoUpdate({ target: room.id, set: values }));
}

/**
 * A page of rooms by id, after the one named.
 *
 * @throws AppError `registry_unavailable`
 */
export async function listRooms(env: Env, page: { only: string | null; limit: number; after: string }) {
  const only = page.only === null ? undefined : eq(room.id, page.only);
  const select = drizzle(env.REGISTRY_DB)
    .select()
    .from(room)
    .where(and(gt(room.id, page.after), only));
  const rows = await query(() => select.orderBy(asc(room.id)).limit(page.limit + 1));
  const rooms = rows
    .slice(0, page.limit)
    .map(({ id, title, merchantId, harnessName, harnessChannel, updatedAtMs }) => ({
      id,
      title,
      merchantId,
      harness: { name: harnessName, channel: harnessChannel },
      updatedAtMs,
    }));
  return { rooms, nextCursor: rows.length > page.limit ? (rooms.at(-1)?.id ?? null) : null };
}

/** Rooms that follow a channel of a harness; each field that is there narrows it down. */
export type RoomFilter = {
  readonly name: string;
  readonly channel?: string;
  readonly merchant?: string;
  readonly room?: string;
};

/**
 * Rooms that a change of a harness may concern, with the channel that each follows, a page at a time. Not those that are
 * configured with one version.
 *
 * @throws AppError `registry_unavailable`
 */
export async function roomsFollowing(
  env: Env,
  { name, channel, merchant, room: id }: RoomFilter,
  page: { limit: number; after: string },
): Promise<{ id: string; channel: string; merchant: string }[]> {
  const followed = and(
    eq(room.harnessName, name),
    channel === undefined ? isNotNull(room.harnessChannel) : eq(room.harnessChannel, channel),
    merchant === undefined ? undefined : eq(room.merchantId, merchant),
    id === undefined ? undefined : eq(room.id, id),
    gt(room.id, page.after),
  );
  const select = drizzle(env.REGISTRY_DB)
    .select({ id: room.id, channel: room.harnessChannel, merchant: room.merchantId })
    .from(room)
    .where(followed);
  const rows = await query(() => select.orderBy(asc(room.id)).limit(page.limit));
  return rows.map((row) => ({ id: row.id, channel: row.channel ?? "", merchant: row.merchant }));
}
