import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import { applyMigrations, type MigrationDatabase } from "../../../../../workers/cli/local/apply-migrations.ts";

const FIRST = {
  name: "0000_init.sql",
  statements: ["CREATE TABLE room (id TEXT)", "CREATE INDEX room_id ON room (id)"],
};
const SECOND = { name: "0001_title.sql", statements: ["ALTER TABLE room ADD COLUMN title TEXT"] };
const BROKEN = { name: "0002_broken.sql", statements: ["CREATE TABLE half (id TEXT)", "CREATE TABLE room (id TEXT)"] };

describe("applyMigrations", () => {
  it("applies by name, each once", async ({ expect }) => {
    const { db, names } = aDatabase();
    expect(await applyMigrations(db, [SECOND, FIRST])).toEqual([FIRST.name, SECOND.name]);
    expect(await applyMigrations(db, [FIRST, SECOND])).toEqual([]);
    expect(names(`SELECT name FROM d1_migrations ORDER BY id`)).toEqual([FIRST.name, SECOND.name]);
  });

  it("applies what was added since", async ({ expect }) => {
    const { db } = aDatabase();
    await applyMigrations(db, [FIRST]);
    expect(await applyMigrations(db, [FIRST, SECOND])).toEqual([SECOND.name]);
  });

  it("leaves nothing of a migration that fails, and keeps those before it", async ({ expect }) => {
    const { db, names } = aDatabase();
    await expect(applyMigrations(db, [FIRST, BROKEN])).rejects.toThrow("already exists");
    expect(names(`SELECT name FROM d1_migrations`)).toEqual([FIRST.name]);
    expect(names(`SELECT name FROM sqlite_master WHERE name = 'half'`)).toEqual([]);
  });
});

/** SQLite with D1's three calls; like D1, a batch is one transaction. */
function aDatabase() {
  const sqlite = new DatabaseSync(":memory:");
  const runs = new WeakMap<object, () => void>();
  const prepare = (sql: string, values: string[] = []): ReturnType<MigrationDatabase["prepare"]> => {
    const statement = {
      bind: (...bound: string[]) => prepare(sql, bound),
      run: async () => sqlite.prepare(sql).run(...values),
      all: async () => ({ results: sqlite.prepare(sql).all(...values) }),
    };
    runs.set(statement, () => void sqlite.prepare(sql).run(...values));
    return statement;
  };
  const db: MigrationDatabase = {
    prepare: (sql) => prepare(sql),
    async batch(statements) {
      sqlite.exec("BEGIN");
      try {
        for (const statement of statements) runs.get(statement)?.();
        sqlite.exec("COMMIT");
      } catch (thrown) {
        sqlite.exec("ROLLBACK");
        throw thrown;
      }
    },
  };
  return {
    db,
    names: (sql: string) =>
      sqlite
        .prepare(sql)
        .all()
        .map((row) => row["name"]),
  };
}
