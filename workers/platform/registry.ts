/** The registry's ports on D1 and KV. Errors of the database driver stop here: their text quotes bound values. */
import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { bundleKey, channelKey } from "../../harness-kv/keys.ts";
import type {
  BundleCache,
  RegistryDeps,
  VersionCursor,
  VersionSummary,
  VersionTable,
} from "../../harness-kv/registry-store.ts";
import { harnessChannel, harnessVersion } from "../../harness-kv/schema.ts";
import { harnessVersionSchema } from "../../shared/contract/ids.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { sha256Hex } from "./sha256.ts";

/** Seconds that a location may keep a bundle. A version never changes, so as long as the platform likes. */
const BUNDLE_CACHE_TTL_S = 86_400;

export function registryOf(env: Env): RegistryDeps {
  return { versions: versionTable(env.REGISTRY_DB), cache: bundleCache(env.HARNESS_KV), digest: sha256Hex };
}

/**
 * Runs a statement.
 *
 * @throws AppError `registry_unavailable` - the database failed. Its own error is not kept: it names bound values.
 */
export async function query<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (thrown) {
    const kind = thrown instanceof Error ? thrown.name : "unknown";
    throw new AppError("registry_unavailable", "The registry's database did not answer", { cause: new Error(kind) });
  }
}

function versionTable(database: D1Database): VersionTable {
  const db = drizzle(database);
  return {
    async saveVersion(version, bundle) {
      const insert = db
        .insert(harnessVersion)
        .values({ ...version, bundle })
        .onConflictDoNothing();
      const added = await query(() => insert.returning({ version: harnessVersion.version }));
      return added.length > 0;
    },
    async versionText(version) {
      const select = db.select({ bundle: harnessVersion.bundle }).from(harnessVersion);
      const rows = await query(() => select.where(eq(harnessVersion.version, version)).limit(1));
      return rows[0]?.bundle ?? null;
    },
    async versionName(version) {
      const select = db.select({ name: harnessVersion.name }).from(harnessVersion);
      const rows = await query(() => select.where(eq(harnessVersion.version, version)).limit(1));
      return rows[0]?.name ?? null;
    },
    async channelVersion(name, channel) {
      const select = db.select({ version: harnessChannel.version }).from(harnessChannel);
      const served = and(eq(harnessChannel.name, name), eq(harnessChannel.channel, channel));
      const rows = await query(() => select.where(served).limit(1));
      return rows[0] === undefined ? null : harnessVersionSchema.parse(rows[0].version);
    },
    async moveChannel({ name, channel, expected, to, movedBy, movedAtMs }) {
      const moved =
        expected === null
          ? db.insert(harnessChannel).values({ name, channel, version: to, movedBy, movedAtMs }).onConflictDoNothing()
          : db
              .update(harnessChannel)
              .set({ version: to, movedBy, movedAtMs })
              .where(
                and(
                  eq(harnessChannel.name, name),
                  eq(harnessChannel.channel, channel),
                  eq(harnessChannel.version, expected),
                ),
              );
      const rows = await query(() => moved.returning());
      return rows.length > 0;
    },
    listVersions: (name, page) => listVersions(db, name, page),
  };
}

/** Newest first, by time and then by version, so that a page never skips or repeats versions of one moment. */
async function listVersions(
  db: DrizzleD1Database,
  name: string,
  { limit, after }: { readonly limit: number; readonly after?: VersionCursor },
): Promise<VersionSummary[]> {
  const older =
    after === undefined
      ? sql`1`
      : or(
          lt(harnessVersion.createdAtMs, after.createdAtMs),
          and(eq(harnessVersion.createdAtMs, after.createdAtMs), lt(harnessVersion.version, after.version)),
        );
  const { version, description, bytes, createdBy, createdAtMs } = harnessVersion;
  const select = db
    .select({ version, name: harnessVersion.name, description, bytes, createdBy, createdAtMs })
    .from(harnessVersion)
    .where(and(eq(harnessVersion.name, name), older));
  const rows = await query(() => select.orderBy(desc(createdAtMs), desc(version)).limit(limit));
  return rows.map((row) => ({ ...row, version: harnessVersionSchema.parse(row.version) }));
}

function bundleCache(namespace: KVNamespace): BundleCache {
  return {
    get: (version) => namespace.get(bundleKey(version), { type: "text", cacheTtl: BUNDLE_CACHE_TTL_S }),
    put: (version, text) => namespace.put(bundleKey(version), text),
    putChannel: (name, channel, version) => namespace.put(channelKey(name, channel), version),
  };
}
