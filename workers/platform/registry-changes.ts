/** Changes of the registry as statements of one D1 batch, which is one transaction: all of them happen, or none. */
import { sql, type SQL } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { RegistryChange } from "../../harness-kv/registry-change.ts";
import { RELEASED_CHANNEL } from "../../harness-kv/resolve-harness.ts";
import type { AuditRow } from "../../shared/contract/release.ts";
import { type Signed, isServable, isWaiting, isPlanChange, type PlanChange, toPlanSwap } from "./plan-changes.ts";

/**
 * Writes a change and its audit row, or, where the change does not apply to what is there, nothing.
 *
 * The first statement is the compare-and-swap; the audit row is added only when it has changed a row; what follows from the
 * change happens only when the audit row is there.
 */
export async function commitChange(database: D1Database, change: RegistryChange, row: AuditRow): Promise<boolean> {
  const { seq, atMs, actor, audience, action, subject, prevHash, hash } = row;
  const audited = sql`INSERT INTO audit (seq, at_ms, actor, audience, action, subject, prev_hash, hash)
    SELECT ${seq}, ${atMs}, ${actor}, ${audience}, ${action}, ${JSON.stringify(subject)}, ${prevHash}, ${hash}
    WHERE changes() = 1 RETURNING seq`;
  const swap = isPlanChange(change) ? toPlanSwap(change, row) : toSwap(change, row);
  const statements = [swap, audited, ...toConsequences(change, row)];
  // The driver's own batch takes no statement that is written by hand.
  const [, written] = await database.batch(statements.map((statement) => prepare(database, statement)));
  return (written?.results.length ?? 0) > 0;
}

const dialect = new SQLiteAsyncDialect();

function prepare(database: D1Database, statement: SQL): D1PreparedStatement {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return database.prepare(text).bind(...params);
}

function toSwap(change: Exclude<RegistryChange, PlanChange>, row: AuditRow): SQL {
  switch (change.kind) {
    case "push":
      return push({ change, row });
    case "move":
      return move({ change, row });
    case "roll-back":
      return rollBack({ change, row });
    case "pin":
      return pin({ change, row });
    case "unpin":
      return sql`DELETE FROM harness_pin WHERE name = ${change.name} AND scope = ${change.scope} AND id = ${change.id}`;
    case "freeze":
      return sql`INSERT INTO harness_freeze (name, merchant, reason, frozen_by, audience, frozen_at_ms)
        VALUES (${change.name}, ${change.merchant}, ${change.reason}, ${row.actor}, ${row.audience}, ${row.atMs})
        ON CONFLICT DO NOTHING`;
    case "unfreeze":
      return sql`DELETE FROM harness_freeze WHERE name = ${change.name} AND merchant = ${change.merchant}
        AND (${change.onlyBy} IS NULL OR (frozen_by = ${change.onlyBy} AND audience = 'operator'))`;
    case "set-canary":
      return setCanary({ change, row });
    case "end-canary":
      return endCanary(change);
    case "revoke":
      return sql`UPDATE harness_version SET revoked_at_ms = ${row.atMs}
        WHERE version = ${change.version} AND name = ${change.name} AND revoked_at_ms IS NULL
          AND NOT EXISTS (SELECT 1 FROM harness_backup WHERE version = ${change.version})`;
    case "judge":
      return judge({ change, row });
  }
}

function push({ change, row }: Signed<"push">): SQL {
  const { version, name, description, bundleText, bytes, parent, notes, evidence, signature } = change;
  return sql`INSERT INTO harness_version (version, name, description, bundle, bytes, created_by, created_at_ms, parent, notes,
      evidence, signature, key_id)
    VALUES (${version}, ${name}, ${description}, ${bundleText}, ${bytes}, ${row.actor}, ${row.atMs}, ${parent}, ${notes},
      ${JSON.stringify(evidence)}, ${signature?.signature ?? null}, ${signature?.keyId ?? null}) ON CONFLICT DO NOTHING`;
}

function move({ change, row }: Signed<"move">): SQL {
  const { name, channel, merchant, expected, to, plan: id } = change;
  const isPlanned =
    id === undefined ? sql`1` : sql`EXISTS (SELECT 1 FROM harness_plan WHERE ${isWaiting({ name, id })})`;
  const mayMove = sql`${isServable(name, to)} AND ${isThawed(name, merchant)} AND ${isPlanned}`;
  if (expected === null) {
    return sql`INSERT INTO harness_channel (name, channel, merchant, version, moved_by, moved_at_ms)
      SELECT ${name}, ${channel}, ${merchant}, ${to}, ${row.actor}, ${row.atMs} WHERE ${mayMove} ON CONFLICT DO NOTHING`;
  }
  return sql`UPDATE harness_channel
    SET previous = CASE WHEN version = ${to} THEN previous ELSE version END, version = ${to}, moved_by = ${row.actor},
      moved_at_ms = ${row.atMs}
    WHERE name = ${name} AND channel = ${channel} AND merchant = ${merchant} AND version = ${expected} AND ${mayMove}`;
}

function rollBack({ change, row }: Signed<"roll-back">): SQL {
  const { name, channel, merchant, expected, to } = change;
  return sql`UPDATE harness_channel
    SET previous = version, version = ${to}, moved_by = ${row.actor}, moved_at_ms = ${row.atMs}
    WHERE name = ${name} AND channel = ${channel} AND merchant = ${merchant} AND version = ${expected}
      AND previous = ${to} AND ${isServable(name, to)}`;
}

function pin({ change, row }: Signed<"pin">): SQL {
  const { name, scope, id, version, note } = change;
  // Of a merchant it is a release.
  const mayPin =
    scope === "merchant" ? sql`${isServable(name, version)} AND ${isThawed(name, id)}` : isServable(name, version);
  return sql`INSERT INTO harness_pin (name, scope, id, version, note, pinned_by, pinned_at_ms)
    SELECT ${name}, ${scope}, ${id}, ${version}, ${note}, ${row.actor}, ${row.atMs} WHERE ${mayPin}
    ON CONFLICT (name, scope, id) DO UPDATE SET version = excluded.version, note = excluded.note,
      pinned_by = excluded.pinned_by, pinned_at_ms = excluded.pinned_at_ms`;
}

/** The salt of a canary that is there stays: the rooms that are in it stay in it while its share grows. */
function setCanary({ change, row }: Signed<"set-canary">): SQL {
  const { name, merchant, version, sharePermille, rooms, salt } = change;
  return sql`INSERT INTO harness_canary (name, merchant, version, share_permille, rooms, salt, set_by, set_at_ms)
    SELECT ${name}, ${merchant}, ${version}, ${sharePermille}, ${JSON.stringify(rooms)}, ${salt}, ${row.actor}, ${row.atMs}
    WHERE ${isServable(name, version)} AND ${isThawed(name, merchant)}
    ON CONFLICT (name, merchant) DO UPDATE SET version = excluded.version, share_permille = excluded.share_permille,
      rooms = excluded.rooms, set_by = excluded.set_by, set_at_ms = excluded.set_at_ms,
      salt = CASE WHEN harness_canary.version = excluded.version THEN harness_canary.salt ELSE excluded.salt END`;
}

function endCanary({ name, merchant, ...change }: Signed<"end-canary">["change"]): SQL {
  const salt = change.salt ?? null;
  return sql`DELETE FROM harness_canary WHERE name = ${name} AND merchant = ${merchant} AND (${salt} IS NULL OR salt = ${salt})`;
}

function judge({ change, row }: Signed<"judge">): SQL {
  const { version, condition, ok, details } = change;
  return sql`INSERT INTO gate_result (version, condition, ok, details, judged_by, judged_at_ms)
    VALUES (${version}, ${condition}, ${ok ? 1 : 0}, ${JSON.stringify(details)}, ${row.actor}, ${row.atMs})
    ON CONFLICT (version, condition) DO UPDATE SET ok = excluded.ok, details = excluded.details,
      judged_by = excluded.judged_by, judged_at_ms = excluded.judged_at_ms`;
}

function toConsequences(change: RegistryChange, { hash, seq }: AuditRow): SQL[] {
  const isDone = sql`EXISTS (SELECT 1 FROM audit WHERE seq = ${seq} AND hash = ${hash})`;
  if (change.kind === "move") return afterMove(change, isDone);
  if (change.kind !== "revoke") return [];
  const { version } = change;
  return [
    sql`DELETE FROM harness_pin WHERE version = ${version} AND ${isDone}`,
    sql`DELETE FROM harness_canary WHERE version = ${version} AND ${isDone}`,
    sql`UPDATE harness_channel SET version = previous, previous = NULL
      WHERE version = ${version} AND previous IS NOT NULL AND ${isDone}`,
    sql`UPDATE harness_channel SET previous = NULL WHERE previous = ${version} AND ${isDone}`,
  ];
}

function afterMove({ name, merchant, channel, to, plan: id }: Signed<"move">["change"], isDone: SQL): SQL[] {
  // What all rooms run is no canary any more.
  const endCanary = sql`DELETE FROM harness_canary WHERE name = ${name} AND merchant = ${merchant} AND version = ${to}
    AND ${isDone}`;
  const closePlan = sql`UPDATE harness_plan SET status = 'released' WHERE id = ${id ?? null} AND name = ${name} AND ${isDone}`;
  return [...(channel === RELEASED_CHANNEL ? [endCanary] : []), ...(id === undefined ? [] : [closePlan])];
}

function isThawed(name: string, merchant: string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM harness_freeze WHERE name = ${name} AND merchant IN ('*', ${merchant}))`;
}
