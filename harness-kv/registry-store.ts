/** Ports of the registry: the tables that are true, and the cache that is fast. */
import type { CanaryLimits } from "../shared/contract/canary-limits.ts";
import type { HarnessChannel, HarnessVersion } from "../shared/contract/ids.ts";
import type { AuditRow, BundleSignature, Evidence, Freeze, GateResult, Plan } from "../shared/contract/release.ts";
import type { AuditHead } from "./audit-chain.ts";
import type { TrustedKeys } from "./bundle-signature.ts";
import type { Canary } from "./canary-share.ts";
import type { Digest } from "./canonical-bundle.ts";
import type { ChannelScope, RegistryChange } from "./registry-change.ts";

/** A version as it is listed: everything but the bundle. */
export type VersionSummary = {
  readonly version: HarnessVersion;
  readonly name: string;
  readonly description: string;
  /** UTF-8 bytes of the canonical bundle. */
  readonly bytes: number;
  /** Who pushed it first. */
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly parent: HarnessVersion | null;
  readonly notes: string;
  readonly evidence: Evidence;
  readonly signature: BundleSignature | null;
  readonly revokedAtMs: number | null;
};

/** Where a page of versions begins: after this one, newest first. */
export type VersionCursor = { readonly createdAtMs: number; readonly version: HarnessVersion };

/** A bundle's text and who vouches for it. */
export type StoredBundle = { readonly text: string; readonly signature: BundleSignature | null };

/** A version that something names, and whether it may still serve. */
export type Named = { readonly version: HarnessVersion; readonly isRevoked: boolean };

export type ServedChannel = Named & { readonly previous: HarnessVersion | null };

/** Everything that has a say in which version a room runs, read at one moment. */
export type HarnessRoutes = {
  /** Number of the last row of the audit log then: of two readings, the higher one is the later. */
  readonly seq: number;
  readonly roomPin: Named | null;
  readonly merchantPin: Named | null;
  /** Of the room's merchant, then of all. */
  readonly canaries: readonly Canary[];
  readonly merchantChannel: Named | null;
  readonly commonChannel: Named | null;
};

export type RouteRequest = {
  readonly name: string;
  readonly channel: HarnessChannel;
  /** `*`: of no merchant in particular. */
  readonly merchant: string;
  /** Null: no room in particular, so neither a room's pin nor a canary. */
  readonly room: string | null;
};

/** The registry's truth, in D1. Reads see all earlier writes. */
export interface RegistryTables {
  /**
   * The one write: the change and its audit row, in one transaction.
   *
   * @returns False, and nothing was written, when the change does not apply to what is there.
   * @throws when the row's number is taken, or the database fails. Whether it was written can then be read from the log.
   */
  commit(change: RegistryChange, row: AuditRow): Promise<boolean>;
  auditHead(): Promise<AuditHead>;
  /** The hash of one row; null when there is none of this number. */
  auditHash(seq: number): Promise<string | null>;

  versionText(version: HarnessVersion): Promise<StoredBundle | null>;
  versionSummary(version: HarnessVersion): Promise<VersionSummary | null>;
  channel(scope: ChannelScope): Promise<ServedChannel | null>;
  routes(request: RouteRequest): Promise<HarnessRoutes>;
  /** The same for many rooms of one harness, in their order, all read at one moment. */
  routesOfRooms(name: string, requests: readonly Omit<RouteRequest, "name">[]): Promise<readonly HarnessRoutes[]>;
  /** What stops releases for a merchant's rooms: a freeze of its own, or of all. */
  freeze(name: string, merchant: string): Promise<Freeze | null>;
  gateResults(version: HarnessVersion): Promise<readonly GateResult[]>;
  /** Of all merchants. */
  canaries(name: string): Promise<readonly Canary[]>;
  canaryLimits(name: string): Promise<CanaryLimits>;
  /** Null: governors have set none. */
  backup(name: string): Promise<HarnessVersion | null>;
  plan(name: string, id: string): Promise<Plan | null>;
  /** Plans that wait for their time alone, the next first; 100 at most. With `needsTwo`, not those that wait for a person. */
  waitingPlans(name: string, needsTwo: boolean): Promise<readonly Plan[]>;
}

/**
 * Bundles by version in KV. A value is never stale, because a version never changes meaning. A miss proves nothing: KV
 * caches misses too, so a fresh version may look absent for a minute or more.
 */
export interface BundleCache {
  get(version: HarnessVersion): Promise<StoredBundle | null>;
  put(version: HarnessVersion, bundle: StoredBundle): Promise<void>;
  /** Copies a moved pointer beside the bundles, for people and tools that look there. Nothing that serves a room reads it. */
  putChannel(scope: ChannelScope, version: HarnessVersion): Promise<void>;
}

export type RegistryDeps = {
  readonly tables: RegistryTables;
  readonly cache: BundleCache;
  readonly digest: Digest;
  /** Whose signatures count. */
  readonly keys: TrustedKeys;
};
