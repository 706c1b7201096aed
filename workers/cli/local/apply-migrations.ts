/** Brings a local D1 database to the schema of `migrations/`, with the same bookkeeping as `wrangler d1 migrations`. */

/** What this needs of D1. */
export interface MigrationDatabase {
  prepare(sql: string): MigrationStatement;
  batch(statements: MigrationStatement[]): Promise<unknown>;
}

interface MigrationStatement {
  bind(...values: string[]): MigrationStatement;
  run(): Promise<unknown>;
  all(): Promise<{ results: unknown[] }>;
}

export type Migration = {
  /** File name: `0000_init.sql`. */
  readonly name: string;
  readonly statements: readonly string[];
};

/** The table that `wrangler d1 migrations` keeps, as it makes it. */
const TABLE = `CREATE TABLE IF NOT EXISTS "d1_migrations" (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/**
 * Applies what has not been applied, in the order of the names. A migration and its mark are one transaction, so a
 * migration that fails leaves nothing behind.
 *
 * @returns Names of the migrations that were applied now.
 */
export async function applyMigrations(db: MigrationDatabase, migrations: readonly Migration[]): Promise<string[]> {
  await db.prepare(TABLE).run();
  const { results } = await db.prepare(`SELECT name FROM "d1_migrations"`).all();
  const done = new Set(results.map(nameOf));
  const open = migrations.filter(({ name }) => !done.has(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, statements } of open) {
    const mark = db.prepare(`INSERT INTO "d1_migrations" (name) VALUES (?)`).bind(name);
    await db.batch([...statements.map((sql) => db.prepare(sql)), mark]);
  }
  return open.map(({ name }) => name);
}

function nameOf(row: unknown): unknown {
  return typeof row === "object" && row !== null && "name" in row ? row.name : undefined;
}
