/** Ports of the registry: the table that is true, and the cache that is fast. */
import type { HarnessChannel, HarnessVersion } from "../shared/contract/ids.ts";
import type { Digest } from "./canonical-bundle.ts";

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
};

/** Where a page of versions begins: after this one, newest first. */
export type VersionCursor = { readonly createdAtMs: number; readonly version: HarnessVersion };

export type ChannelMove = {
  readonly name: string;
  readonly channel: HarnessChannel;
  /** The version that the channel serves now, as the caller believes; null for a channel that does not exist yet. */
  readonly expected: HarnessVersion | null;
  readonly to: HarnessVersion;
  readonly movedBy: string;
  readonly movedAtMs: number;
};

/** The registry's truth, in D1. Reads see all earlier writes. */
export interface VersionTable {
  /** Inserts the version; leaves an existing row as it is. True when the row is new. */
  saveVersion(version: VersionSummary, bundleText: string): Promise<boolean>;
  versionText(version: HarnessVersion): Promise<string | null>;
  /** Name of the harness that a version is of; null when there is no such version. */
  versionName(version: HarnessVersion): Promise<string | null>;
  channelVersion(name: string, channel: HarnessChannel): Promise<HarnessVersion | null>;
  /** Compare-and-swap in one statement. False, and nothing changed, when the channel does not serve `expected`. */
  moveChannel(move: ChannelMove): Promise<boolean>;
  /** Newest first, by time and then by version, at most `limit`. */
  listVersions(
    name: string,
    page: { readonly limit: number; readonly after?: VersionCursor },
  ): Promise<readonly VersionSummary[]>;
}

/**
 * Bundles by version in KV. A value is never stale, because a version never changes meaning. A miss proves nothing: KV
 * caches misses too, so a fresh version may look absent for a minute or more.
 */
export interface BundleCache {
  get(version: HarnessVersion): Promise<string | null>;
  put(version: HarnessVersion, bundleText: string): Promise<void>;
  /** Copies a moved pointer beside the bundles, for people and tools that look there. Nothing that serves a room reads it. */
  putChannel(name: string, channel: HarnessChannel, version: HarnessVersion): Promise<void>;
}

export type RegistryDeps = {
  readonly versions: VersionTable;
  readonly cache: BundleCache;
  readonly digest: Digest;
};
