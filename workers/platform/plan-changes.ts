/** Changes of plans, and of what governors set, as the statements that a change begins with. */
import { sql, type SQL } from "drizzle-orm";
import type { RegistryChange } from "../../harness-kv/registry-change.ts";
import type { AuditRow } from "../../shared/contract/release.ts";

/** A change with the time and the person that its row names. */
export type Signed<Kind extends RegistryChange["kind"]> = {
  readonly change: Extract<RegistryChange, { kind: Kind }>;
  readonly row: AuditRow;
};

const PLAN_KINDS = [
  "plan",
  "approve-plan",
  "withdraw-plan",
  "refuse-plan",
  "set-canary-limits",
  "set-backup",
  "use-backup",
] as const;

export type PlanChange = Signed<(typeof PLAN_KINDS)[number]>["change"];

export function isPlanChange(change: RegistryChange): change is PlanChange {
  return PLAN_KINDS.some((kind) => kind === change.kind);
}

export function toPlanSwap(change: PlanChange, row: AuditRow): SQL {
  switch (change.kind) {
    case "plan":
      return plan({ change, row });
    case "approve-plan":
      return sql`UPDATE harness_plan SET approved_by = ${row.actor}
        WHERE ${isWaiting(change)} AND approved_by IS NULL AND planned_by != ${row.actor}`;
    case "withdraw-plan":
      return sql`UPDATE harness_plan SET status = 'withdrawn' WHERE ${isWaiting(change)}`;
    case "refuse-plan":
      return sql`UPDATE harness_plan SET status = 'refused', reason = ${change.reason} WHERE ${isWaiting(change)}`;
    case "set-canary-limits":
      return sql`INSERT INTO canary_limits (name, limits, set_by, set_at_ms)
        VALUES (${change.name}, ${JSON.stringify(change.limits)}, ${row.actor}, ${row.atMs})
        ON CONFLICT (name) DO UPDATE SET limits = excluded.limits, set_by = excluded.set_by, set_at_ms = excluded.set_at_ms`;
    case "set-backup":
      return setBackup({ change, row });
    case "use-backup":
      // It changes no row but the log's: the update only asks whether the backup is still this one.
      return sql`UPDATE harness_backup SET version = version WHERE name = ${change.name} AND version = ${change.version}`;
  }
}

function plan({ change, row }: Signed<"plan">): SQL {
  const { id, name, channel, merchant, expected, to, dueAtMs, note } = change;
  return sql`INSERT INTO harness_plan (id, name, channel, merchant, expected, version, due_at_ms, note, planned_by,
      planned_at_ms, status)
    SELECT ${id}, ${name}, ${channel}, ${merchant}, ${expected}, ${to}, ${dueAtMs}, ${note}, ${row.actor}, ${row.atMs},
      'waiting' WHERE ${isServable(name, to)} ON CONFLICT DO NOTHING`;
}

function setBackup({ change: { name, version }, row }: Signed<"set-backup">): SQL {
  if (version === null) return sql`DELETE FROM harness_backup WHERE name = ${name}`;
  return sql`INSERT INTO harness_backup (name, version, set_by, set_at_ms)
    SELECT ${name}, ${version}, ${row.actor}, ${row.atMs} WHERE ${isServable(name, version)}
    ON CONFLICT (name) DO UPDATE SET version = excluded.version, set_by = excluded.set_by, set_at_ms = excluded.set_at_ms`;
}

export function isWaiting({ name, id }: { readonly name: string; readonly id: string }): SQL {
  return sql`id = ${id} AND name = ${name} AND status = 'waiting'`;
}

export function isServable(name: string, version: string): SQL {
  return sql`EXISTS (SELECT 1 FROM harness_version WHERE version = ${version} AND name = ${name} AND revoked_at_ms IS NULL)`;
}
