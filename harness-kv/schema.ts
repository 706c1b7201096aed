/** Tables of the registry in D1; the source of `migrations/`. What each row means: harness-kv/README.md. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** One row a version. Rows are added and never changed. */
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
  },
  (table) => [index("harness_version_by_name").on(table.name, table.createdAtMs, table.version)],
);

/** Which version a channel serves. The only row of the registry that changes. */
export const harnessChannel = sqliteTable(
  "harness_channel",
  {
    name: text("name").notNull(),
    channel: text("channel").notNull(),
    version: text("version")
      .notNull()
      .references(() => harnessVersion.version),
    movedBy: text("moved_by").notNull(),
    movedAtMs: integer("moved_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.channel] })],
);

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
