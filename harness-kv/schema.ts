/** Tables of the registry in D1; the source of `migrations/`. What each row means: harness-kv/README.md. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** One row a version. Rows are added and never changed, but for `revoked_at_ms`. */
export const harnessVersion = sqliteTable(
  "harness_version",
  {
    /** SHA-256 of `bundle`, 64 hex digits. */
    version: text("version").primaryKey(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    /** Canonical JSON. */
    bundle: text("bundle").notNull(),
    /** UTF-8 bytes of `bundle`. */
    bytes: integer("bytes").notNull(),
    createdBy: text("created_by").notNull(),
    createdAtMs: integer("created_at_ms").notNull(),
    /** The version that this one was made from. */
    parent: text("parent"),
    notes: text("notes").notNull().default(""),
    /** JSON of `evidenceSchema`: what asked for this version. */
    evidence: text("evidence").notNull().default("{}"),
    /** Ed25519 over the version's text, base64. Null for a version that nobody signed. */
    signature: text("signature"),
    keyId: text("key_id"),
    /** Null while the version may serve. */
    revokedAtMs: integer("revoked_at_ms"),
  },
  (table) => [index("harness_version_by_name").on(table.name, table.createdAtMs, table.version)],
);

/** Which version a channel serves, for one merchant or for all. */
export const harnessChannel = sqliteTable(
  "harness_channel",
  {
    name: text("name").notNull(),
    channel: text("channel").notNull(),
    /** `*`: every merchant that has no row of its own. */
    merchant: text("merchant").notNull().default("*"),
    version: text("version")
      .notNull()
      .references(() => harnessVersion.version),
    /** What it served before: the roll-back's target. */
    previous: text("previous").references(() => harnessVersion.version),
    movedBy: text("moved_by").notNull(),
    movedAtMs: integer("moved_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.channel, table.merchant] })],
);

/** A room or a merchant that stays on one version, whatever its channel does. */
export const harnessPin = sqliteTable(
  "harness_pin",
  {
    name: text("name").notNull(),
    /** `room` or `merchant`. */
    scope: text("scope", { enum: ["room", "merchant"] }).notNull(),
    /** Of the room or merchant. */
    id: text("id").notNull(),
    version: text("version")
      .notNull()
      .references(() => harnessVersion.version),
    note: text("note").notNull(),
    pinnedBy: text("pinned_by").notNull(),
    pinnedAtMs: integer("pinned_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.scope, table.id] })],
);

/** While there is a row, nothing of the harness is released. */
export const harnessFreeze = sqliteTable(
  "harness_freeze",
  {
    name: text("name").notNull(),
    merchant: text("merchant").notNull(),
    reason: text("reason").notNull(),
    frozenBy: text("frozen_by").notNull(),
    /** `operator` or `governor`: people of both may have one name. */
    audience: text("audience").notNull().default("operator"),
    frozenAtMs: integer("frozen_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.merchant] })],
);

/** A version that a share of the rooms of channel `production` runs. */
export const harnessCanary = sqliteTable(
  "harness_canary",
  {
    name: text("name").notNull(),
    merchant: text("merchant").notNull(),
    version: text("version")
      .notNull()
      .references(() => harnessVersion.version),
    /** Thousandths of the rooms: 12.5 % is 125. */
    sharePermille: integer("share_permille").notNull(),
    /** JSON list of the rooms that are in it whatever the share. */
    rooms: text("rooms").notNull(),
    /** Which rooms the share takes. It stays while the share changes. */
    salt: text("salt").notNull(),
    setBy: text("set_by").notNull(),
    setAtMs: integer("set_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.merchant] })],
);

/** What an evaluation said of a version, one row a condition of the gate. */
export const gateResult = sqliteTable(
  "gate_result",
  {
    version: text("version")
      .notNull()
      .references(() => harnessVersion.version),
    condition: text("condition").notNull(),
    ok: integer("ok", { mode: "boolean" }).notNull(),
    /** JSON of what was measured. */
    details: text("details").notNull(),
    judgedBy: text("judged_by").notNull(),
    judgedAtMs: integer("judged_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.version, table.condition] })],
);

/** A move of a channel that waits for its time, for a second person, or for both. Rows stay once they are done. */
export const harnessPlan = sqliteTable(
  "harness_plan",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    channel: text("channel").notNull(),
    merchant: text("merchant").notNull(),
    expected: text("expected"),
    version: text("version")
      .notNull()
      .references(() => harnessVersion.version),
    /** Null: as soon as it may. */
    dueAtMs: integer("due_at_ms"),
    note: text("note").notNull(),
    plannedBy: text("planned_by").notNull(),
    plannedAtMs: integer("planned_at_ms").notNull(),
    approvedBy: text("approved_by"),
    /** `waiting`, `released`, `refused` or `withdrawn`. */
    status: text("status").notNull(),
    /** Why it was refused. */
    reason: text("reason"),
  },
  (table) => [index("harness_plan_by_name").on(table.name, table.status, table.plannedAtMs)],
);

/** How far a canary may fall behind: JSON of `canaryLimitsSchema`, set by governors. None: the defaults. */
export const canaryLimits = sqliteTable("canary_limits", {
  name: text("name").primaryKey(),
  limits: text("limits").notNull(),
  setBy: text("set_by").notNull(),
  setAtMs: integer("set_at_ms").notNull(),
});

/** The version that a room gets when the one it should run cannot be loaded, set by governors. */
export const harnessBackup = sqliteTable("harness_backup", {
  name: text("name").primaryKey(),
  version: text("version")
    .notNull()
    .references(() => harnessVersion.version),
  setBy: text("set_by").notNull(),
  setAtMs: integer("set_at_ms").notNull(),
});

/** One row a change of the registry, chained by hash: `audit-chain.ts`. Rows are added and never changed. */
export const audit = sqliteTable("audit", {
  /** From 1, without a gap. */
  seq: integer("seq").primaryKey(),
  atMs: integer("at_ms").notNull(),
  actor: text("actor").notNull(),
  audience: text("audience").notNull(),
  action: text("action").notNull(),
  /** JSON. */
  subject: text("subject").notNull(),
  prevHash: text("prev_hash").notNull(),
  hash: text("hash").notNull(),
});

/** Rooms by what they are configured with: which rooms a moved channel must be told to. The room itself is a Durable Object. */
export const room = sqliteTable(
  "room",
  {
    id: text("id").primaryKey(),
    title: text("title").notNull(),
    merchantId: text("merchant_id").notNull(),
    harnessName: text("harness_name").notNull(),
    /** Null for a room that is pinned to one version. */
    harnessChannel: text("harness_channel"),
    updatedAtMs: integer("updated_at_ms").notNull(),
  },
  (table) => [index("room_by_harness").on(table.harnessName, table.harnessChannel)],
);

/** One row an inference endpoint. KV holds a copy of the whole table, which the turns read. */
export const endpoint = sqliteTable("endpoint", {
  name: text("name").primaryKey(),
  /** JSON of `endpointConfigSchema`. It names the secret that holds the key, never the key. */
  config: text("config").notNull(),
  /** JSON of `endpointCapabilitiesSchema`. Null for an endpoint that was never checked. */
  capabilities: text("capabilities"),
  updatedBy: text("updated_by").notNull(),
  /** Grows with each write, also where a clock is behind: who limits turns takes the newer of two configurations. */
  updatedAtMs: integer("updated_at_ms").notNull(),
  /** Counts the writes of the row, from 1. */
  revision: integer("revision").notNull(),
});
