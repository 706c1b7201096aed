/** Pages of the registry for people: nothing that serves a room reads these. */
import { and, asc, desc, eq, gt, lt, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { z } from "zod";
import type { VersionCursor, VersionSummary } from "../../harness-kv/registry-store.ts";
import {
  audit,
  harnessCanary,
  harnessChannel,
  harnessFreeze,
  harnessPin,
  harnessPlan,
  harnessVersion,
} from "../../harness-kv/schema.ts";
import {
  auditRowSchema,
  pinSchema,
  planSchema,
  releasesSchema,
  type AuditRow,
  type Pin,
  type PinScope,
  type Plan,
} from "../../shared/contract/release.ts";
import { parseJson } from "../../shared/core/json.ts";
import { SUMMARY_COLUMNS, toSummary } from "./registry-rows.ts";
import { query } from "./query.ts";

/**
 * Newest first, by time and then by version, so that a page never skips or repeats versions of one moment.
 *
 * @throws AppError `registry_unavailable`, as all of these
 */
export async function listVersions(
  env: Env,
  name: string,
  { limit, after }: { readonly limit: number; readonly after: VersionCursor | null },
): Promise<VersionSummary[]> {
  const { version, createdAtMs } = harnessVersion;
  const older =
    after === null
      ? sql`1`
      : or(lt(createdAtMs, after.createdAtMs), and(eq(createdAtMs, after.createdAtMs), lt(version, after.version)));
  const select = drizzle(env.REGISTRY_DB)
    .select(SUMMARY_COLUMNS)
    .from(harnessVersion)
    .where(and(eq(harnessVersion.name, name), older));
  const rows = await query(() => select.orderBy(desc(createdAtMs), desc(version)).limit(limit));
  return rows.map(toSummary);
}

/** Channels, canaries and freezes: few, because each was set by hand. */
export async function listReleases(env: Env, name: string): Promise<z.infer<typeof releasesSchema>> {
  const db = drizzle(env.REGISTRY_DB);
  const [channels, canaries, freezes] = await query(() =>
    db.batch([
      db.select().from(harnessChannel).where(eq(harnessChannel.name, name)),
      db.select().from(harnessCanary).where(eq(harnessCanary.name, name)),
      db.select().from(harnessFreeze).where(eq(harnessFreeze.name, name)),
    ]),
  );
  return releasesSchema.parse({
    name,
    channels,
    canaries: canaries.map((row) => ({ ...row, share: row.sharePermille / 10, rooms: parseJson(row.rooms) })),
    freezes,
  });
}

export type PinCursor = { readonly scope: PinScope; readonly id: string };

/** By scope and id. */
export async function listPins(
  env: Env,
  name: string,
  { limit, after }: { readonly limit: number; readonly after: PinCursor | null },
): Promise<Pin[]> {
  const { scope, id } = harnessPin;
  const later = after === null ? sql`1` : or(gt(scope, after.scope), and(eq(scope, after.scope), gt(id, after.id)));
  const select = drizzle(env.REGISTRY_DB)
    .select()
    .from(harnessPin)
    .where(and(eq(harnessPin.name, name), later));
  const rows = await query(() => select.orderBy(asc(scope), asc(id)).limit(limit));
  return rows.map((row) => pinSchema.parse(row));
}

export type PlanCursor = { readonly plannedAtMs: number; readonly id: string };

/** Newest first, by time and then by id. */
export async function listPlans(
  env: Env,
  name: string,
  {
    limit,
    after,
    status,
  }: { readonly limit: number; readonly after: PlanCursor | null; readonly status: Plan["status"] | null },
): Promise<Plan[]> {
  const { id, plannedAtMs } = harnessPlan;
  const older =
    after === null
      ? sql`1`
      : or(lt(plannedAtMs, after.plannedAtMs), and(eq(plannedAtMs, after.plannedAtMs), lt(id, after.id)));
  const select = drizzle(env.REGISTRY_DB)
    .select()
    .from(harnessPlan)
    .where(and(eq(harnessPlan.name, name), status === null ? sql`1` : eq(harnessPlan.status, status), older));
  const rows = await query(() => select.orderBy(desc(plannedAtMs), desc(id)).limit(limit));
  return rows.map((row) => planSchema.parse(row));
}

/** Rows after a number, oldest first. */
export async function listAudit(
  env: Env,
  page: { readonly after: number; readonly limit: number },
): Promise<AuditRow[]> {
  const select = drizzle(env.REGISTRY_DB).select().from(audit).where(gt(audit.seq, page.after));
  const rows = await query(() => select.orderBy(asc(audit.seq)).limit(page.limit));
  // A row whose subject was damaged is shown without one: its hash then tells.
  return rows.map((row) => auditRowSchema.parse({ ...row, subject: parseJson(row.subject) ?? {} }));
}
