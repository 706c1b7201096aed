/** Which rooms there are, in D1: for lists, and to know whom a moved channel concerns. The room itself is its object. */
import { and, asc, eq, gt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { room } from "../../harness-kv/schema.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import { query } from "./registry.ts";

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

/**
 * Ids of the rooms that a channel serves, a page at a time.
 *
 * @throws AppError `registry_unavailable`
 */
export async function roomsOnChannel(
  env: Env,
  { name, channel }: { name: string; channel: string },
  page: { limit: number; after: string },
): Promise<string[]> {
  const served = and(eq(room.harnessName, name), eq(room.harnessChannel, channel), gt(room.id, page.after));
  const select = drizzle(env.REGISTRY_DB).select({ id: room.id }).from(room).where(served);
  const rows = await query(() => select.orderBy(asc(room.id)).limit(page.limit));
  return rows.map(({ id }) => id);
}
