/** What stands beside the channels, as the tables have it: freezes, gate results, canaries, plans, and what governors set. */
import { and, eq, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { z } from "zod";
import type { Canary } from "../../harness-kv/canary-share.ts";
import type { RegistryTables } from "../../harness-kv/registry-store.ts";
import { RELEASED_CHANNEL } from "../../harness-kv/resolve-harness.ts";
import {
  canaryLimits,
  gateResult,
  harnessBackup,
  harnessCanary,
  harnessFreeze,
  harnessPlan,
} from "../../harness-kv/schema.ts";
import { canaryLimitsSchema } from "../../shared/contract/canary-limits.ts";
import { ALL_MERCHANTS, harnessVersionSchema } from "../../shared/contract/ids.ts";
import { gateResultSchema, planSchema } from "../../shared/contract/release.ts";
import { parseJson } from "../../shared/core/json.ts";
import { query } from "./query.ts";

/** Plans of one harness that are looked at together, the next ones. */
const WAITING_PLANS_MAX = 100;

type ReleaseTables = Pick<
  RegistryTables,
  "freeze" | "gateResults" | "canaries" | "canaryLimits" | "backup" | "plan" | "waitingPlans"
>;

/** @throws AppError `registry_unavailable`, all of them */
export function releaseTables(db: DrizzleD1Database): ReleaseTables {
  return {
    async freeze(name, merchant) {
      const { reason, frozenBy, frozenAtMs } = harnessFreeze;
      const select = db.select({ merchant: harnessFreeze.merchant, reason, frozenBy, frozenAtMs }).from(harnessFreeze);
      const isMeant = inArray(harnessFreeze.merchant, [merchant, ALL_MERCHANTS]);
      const rows = await query(() => select.where(and(eq(harnessFreeze.name, name), isMeant)));
      return rows.find((row) => row.merchant === merchant) ?? rows[0] ?? null;
    },
    async gateResults(version) {
      const rows = await query(() => db.select().from(gateResult).where(eq(gateResult.version, version)));
      return rows.map((row) => gateResultSchema.parse({ ...row, details: parseJson(row.details) }));
    },
    async canaries(name) {
      const rows = await query(() => db.select().from(harnessCanary).where(eq(harnessCanary.name, name)));
      return rows.map(toCanary);
    },
    async canaryLimits(name) {
      const rows = await query(() => db.select().from(canaryLimits).where(eq(canaryLimits.name, name)));
      return canaryLimitsSchema.parse(rows[0] === undefined ? {} : parseJson(rows[0].limits));
    },
    async backup(name) {
      const rows = await query(() => db.select().from(harnessBackup).where(eq(harnessBackup.name, name)));
      return harnessVersionSchema.optional().parse(rows[0]?.version) ?? null;
    },
    async plan(name, id) {
      const isMeant = and(eq(harnessPlan.name, name), eq(harnessPlan.id, id));
      const rows = await query(() => db.select().from(harnessPlan).where(isMeant));
      return rows[0] === undefined ? null : planSchema.parse(rows[0]);
    },
    async waitingPlans(name, needsTwo) {
      const { approvedBy, channel, merchant, expected, dueAtMs } = harnessPlan;
      const isFirst = and(eq(merchant, ALL_MERCHANTS), isNull(expected));
      const takesOne = or(isNotNull(approvedBy), ne(channel, RELEASED_CHANNEL), isFirst);
      const isMeant = and(
        eq(harnessPlan.name, name),
        eq(harnessPlan.status, "waiting"),
        needsTwo ? takesOne : undefined,
      );
      const select = db
        .select()
        .from(harnessPlan)
        .where(isMeant)
        .orderBy(sql`coalesce(${dueAtMs}, 0)`);
      const rows = await query(() => select.limit(WAITING_PLANS_MAX));
      return rows.map((row) => planSchema.parse(row));
    },
  };
}

const roomsSchema = z.array(z.string());

export function toCanary({ merchant, version, sharePermille, rooms, salt }: typeof harnessCanary.$inferSelect): Canary {
  const named = roomsSchema.parse(parseJson(rooms));
  return { merchant, version: harnessVersionSchema.parse(version), sharePermille, rooms: named, salt };
}
