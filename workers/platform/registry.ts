/** The registry's ports on D1 and KV. Errors of the database driver stop here: their text quotes bound values. */
import { and, desc, eq, inArray, sql, type SQL } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { EMPTY_CHAIN } from "../../harness-kv/audit-chain.ts";
import { bundleKey, channelKey } from "../../harness-kv/keys.ts";
import type { ReleaseDeps } from "../../harness-kv/move-channel.ts";
import type {
  BundleCache,
  HarnessRoutes,
  Named,
  RegistryDeps,
  RegistryTables,
  RouteRequest,
} from "../../harness-kv/registry-store.ts";
import { audit, harnessCanary, harnessChannel, harnessPin, harnessVersion } from "../../harness-kv/schema.ts";
import { ALL_MERCHANTS, harnessVersionSchema, type HarnessVersion } from "../../shared/contract/ids.ts";
import { signatureSchema } from "../../shared/contract/release.ts";
import { invariant } from "../../shared/core/assert.ts";
import { commitChange } from "./registry-changes.ts";
import { query } from "./query.ts";
import { releaseTables, toCanary } from "./release-tables.ts";
import { SUMMARY_COLUMNS, toSignature, toSummary } from "./registry-rows.ts";
import { readSettings } from "./settings.ts";
import { sha256Hex } from "./sha256.ts";
import { systemClock, systemTimer } from "./system-clock.ts";

/** Seconds that a location may keep a bundle. A version never changes, so as long as the platform likes. */
const BUNDLE_CACHE_TTL_S = 86_400;

export function registryOf(env: Env): RegistryDeps {
  return {
    tables: registryTables(env.REGISTRY_DB),
    cache: bundleCache(env.HARNESS_KV),
    digest: sha256Hex,
    keys: readSettings(env).harnessKeys,
  };
}

/** The registry, with what changes of it need. */
export function releasesOf(env: Env): RegistryDeps & ReleaseDeps {
  const world = { clock: systemClock, timer: systemTimer, random: Math.random };
  const { isGated, needsTwo } = readSettings(env);
  return { ...registryOf(env), ...world, isGated, needsTwo };
}

function registryTables(database: D1Database): RegistryTables {
  const db = drizzle(database);
  return {
    commit: (change, row) => query(() => commitChange(database, change, row)),
    async auditHead() {
      const select = db.select({ seq: audit.seq, hash: audit.hash }).from(audit);
      const rows = await query(() => select.orderBy(desc(audit.seq)).limit(1));
      return rows[0] ?? EMPTY_CHAIN;
    },
    async auditHash(seq) {
      const select = db.select({ hash: audit.hash }).from(audit);
      const rows = await query(() => select.where(eq(audit.seq, seq)));
      return rows[0]?.hash ?? null;
    },
    async versionText(version) {
      const { bundle, signature, keyId } = harnessVersion;
      const select = db.select({ text: bundle, signature, keyId }).from(harnessVersion);
      const rows = await query(() => select.where(eq(harnessVersion.version, version)).limit(1));
      return rows[0] === undefined ? null : { text: rows[0].text, signature: toSignature(rows[0]) };
    },
    async versionSummary(version) {
      const select = db.select(SUMMARY_COLUMNS).from(harnessVersion);
      const rows = await query(() => select.where(eq(harnessVersion.version, version)).limit(1));
      return rows[0] === undefined ? null : toSummary(rows[0]);
    },
    async channel({ name, channel, merchant }) {
      const { version, previous } = harnessChannel;
      const select = db
        .select({ version, previous, revokedAtMs: harnessVersion.revokedAtMs })
        .from(harnessChannel)
        .innerJoin(harnessVersion, eq(harnessVersion.version, version));
      const isMeant = [eq(harnessChannel.channel, channel), eq(harnessChannel.merchant, merchant)];
      const rows = await query(() => select.where(and(eq(harnessChannel.name, name), ...isMeant)));
      const [row] = rows;
      if (row === undefined) return null;
      return { ...toNamed(row), previous: harnessVersionSchema.nullable().parse(row.previous) };
    },
    async routes(request) {
      const [routes] = await readRoutes(db, request.name, [request]);
      invariant(routes !== undefined, "one request has one answer");
      return routes;
    },
    routesOfRooms: (name, requests) => readRoutes(db, name, requests),
    ...releaseTables(db),
  };
}

/** One batch, so that a release between two reads is seen by all or by none. */
async function readRoutes(
  db: DrizzleD1Database,
  name: string,
  requests: readonly Omit<RouteRequest, "name">[],
): Promise<HarnessRoutes[]> {
  const { revokedAtMs } = harnessVersion;
  const merchants = [...new Set([ALL_MERCHANTS, ...requests.map(({ merchant }) => merchant)])];
  const ids = [...merchants, ...requests.flatMap(({ room }) => room ?? [])];
  const pins = db
    .select({ scope: harnessPin.scope, id: harnessPin.id, version: harnessPin.version, revokedAtMs })
    .from(harnessPin)
    .innerJoin(harnessVersion, eq(harnessVersion.version, harnessPin.version))
    .where(and(eq(harnessPin.name, name), inArray(harnessPin.id, listOf(ids))));
  const isCanary = and(eq(harnessCanary.name, name), inArray(harnessCanary.merchant, listOf(merchants)));
  const canaries = db.select().from(harnessCanary).where(isCanary);
  const { channel, merchant } = harnessChannel;
  const channels = db
    .select({ channel, merchant, version: harnessChannel.version, revokedAtMs })
    .from(harnessChannel)
    .innerJoin(harnessVersion, eq(harnessVersion.version, harnessChannel.version))
    .where(and(eq(harnessChannel.name, name), inArray(merchant, listOf(merchants))));
  const head = db.select({ seq: sql<number>`coalesce(max(${audit.seq}), 0)` }).from(audit);
  const [pinRows, canaryRows, channelRows, headRows] = await query(() => db.batch([pins, canaries, channels, head]));

  const named = (row: Parameters<typeof toNamed>[0] | undefined) => (row === undefined ? null : toNamed(row));
  const isCommon = (row: { readonly merchant: string }) => row.merchant === ALL_MERCHANTS;
  const known = canaryRows.toSorted((a, b) => Number(isCommon(a)) - Number(isCommon(b))).map(toCanary);
  return requests.map((request) => {
    const served = channelRows.filter((row) => row.channel === request.channel);
    return {
      seq: headRows[0]?.seq ?? 0,
      roomPin: named(pinRows.find(({ scope, id }) => scope === "room" && id === request.room)),
      merchantPin: named(pinRows.find(({ scope, id }) => scope === "merchant" && id === request.merchant)),
      canaries: known.filter((canary) => isCommon(canary) || canary.merchant === request.merchant),
      merchantChannel: named(served.find((row) => !isCommon(row) && row.merchant === request.merchant)),
      commonChannel: named(served.find(isCommon)),
    };
  });
}

/** As one bound value: a statement takes 100. Source: https://developers.cloudflare.com/d1/platform/limits/ */
function listOf(values: readonly string[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

function toNamed({ version, revokedAtMs }: { version: string; revokedAtMs: number | null }): Named {
  return { version: harnessVersionSchema.parse(version), isRevoked: revokedAtMs !== null };
}

function bundleCache(namespace: KVNamespace): BundleCache {
  return {
    async get(version) {
      const options = { type: "text", cacheTtl: BUNDLE_CACHE_TTL_S } as const;
      const { value, metadata } = await namespace.getWithMetadata(bundleKey(version), options);
      // Metadata that is none of ours vouches for nothing.
      return value === null ? null : { text: value, signature: signatureSchema.safeParse(metadata).data ?? null };
    },
    put: (version: HarnessVersion, { text, signature }) =>
      namespace.put(bundleKey(version), text, signature === null ? {} : { metadata: signature }),
    putChannel: (scope, version) => namespace.put(channelKey(scope), version),
  };
}
