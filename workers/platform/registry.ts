/** The registry's ports on D1 and KV. Errors of the database driver stop here: their text quotes bound values. */
import { and, desc, eq, inArray } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { z } from "zod";
import { EMPTY_CHAIN } from "../../harness-kv/audit-chain.ts";
import type { Canary } from "../../harness-kv/canary-share.ts";
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
import {
  audit,
  gateResult,
  harnessCanary,
  harnessChannel,
  harnessFreeze,
  harnessPin,
  harnessVersion,
} from "../../harness-kv/schema.ts";
import { ALL_MERCHANTS, harnessVersionSchema, type HarnessVersion } from "../../shared/contract/ids.ts";
import { gateResultSchema, signatureSchema } from "../../shared/contract/release.ts";
import { parseJson } from "../../shared/core/json.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { commitChange } from "./registry-changes.ts";
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
  return { ...registryOf(env), ...world, isGated: readSettings(env).isGated };
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
    routes: (request) => readRoutes(db, request),
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
  };
}

/** One batch, so that a release between two reads is seen by both or by neither. */
async function readRoutes(
  db: DrizzleD1Database,
  { name, channel, merchant, room }: RouteRequest,
): Promise<HarnessRoutes> {
  const { revokedAtMs } = harnessVersion;
  const merchants = [merchant, ALL_MERCHANTS];
  const pins = db
    .select({ scope: harnessPin.scope, id: harnessPin.id, version: harnessPin.version, revokedAtMs })
    .from(harnessPin)
    .innerJoin(harnessVersion, eq(harnessVersion.version, harnessPin.version))
    .where(and(eq(harnessPin.name, name), inArray(harnessPin.id, [merchant, room ?? merchant])));
  const isCanary = and(eq(harnessCanary.name, name), inArray(harnessCanary.merchant, merchants));
  const canaries = db.select().from(harnessCanary).where(isCanary);
  const isServed = [eq(harnessChannel.channel, channel), inArray(harnessChannel.merchant, merchants)];
  const channels = db
    .select({ merchant: harnessChannel.merchant, version: harnessChannel.version, revokedAtMs })
    .from(harnessChannel)
    .innerJoin(harnessVersion, eq(harnessVersion.version, harnessChannel.version))
    .where(and(eq(harnessChannel.name, name), ...isServed));
  const [pinRows, canaryRows, channelRows] = await query(() => db.batch([pins, canaries, channels]));

  const named = (row: Parameters<typeof toNamed>[0] | undefined) => (row === undefined ? null : toNamed(row));
  const isCommon = (row: { readonly merchant: string }) => row.merchant === ALL_MERCHANTS;
  return {
    roomPin: named(pinRows.find(({ scope, id }) => scope === "room" && id === room)),
    merchantPin: named(pinRows.find(({ scope, id }) => scope === "merchant" && id === merchant)),
    canaries: canaryRows.toSorted((a, b) => Number(isCommon(a)) - Number(isCommon(b))).map(toCanary),
    merchantChannel: named(channelRows.find((row) => !isCommon(row))),
    commonChannel: named(channelRows.find(isCommon)),
  };
}

function toNamed({ version, revokedAtMs }: { version: string; revokedAtMs: number | null }): Named {
  return { version: harnessVersionSchema.parse(version), isRevoked: revokedAtMs !== null };
}

const roomsSchema = z.array(z.string());

function toCanary({ merchant, version, sharePermille, rooms, salt }: typeof harnessCanary.$inferSelect): Canary {
  const named = roomsSchema.parse(parseJson(rooms));
  return { merchant, version: harnessVersionSchema.parse(version), sharePermille, rooms: named, salt };
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
