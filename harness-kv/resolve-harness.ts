import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";
import { ALL_MERCHANTS, type HarnessChannel, type HarnessVersion } from "../shared/contract/ids.ts";
import { AppError, isAppError } from "../shared/errors/app-error.ts";
import { requireSignature } from "./bundle-signature.ts";
import { isInShare } from "./canary-share.ts";
import type { Digest } from "./canonical-bundle.ts";
import { parseBundle } from "./parse-bundle.ts";
import type { HarnessRoutes, Named, RegistryDeps, RouteRequest, StoredBundle } from "./registry-store.ts";

/** The channel that a canary takes rooms from, and that the gate guards. */
export const RELEASED_CHANNEL = "production";

/** Which harness a room asks for: a channel that moves, or one version that does not. */
export type HarnessRequest = {
  readonly name: string;
  readonly channel?: HarnessChannel | undefined;
  readonly version?: HarnessVersion | undefined;
  /** Absent: of no merchant in particular. */
  readonly merchant?: string;
  /** Absent: what the channel serves, canary and pins apart. */
  readonly room?: string;
};

/**
 * Finds the version that a request names now. Reads the tables, never KV: a moved channel counts at once.
 *
 * @throws AppError `invalid_request` - channel and version together, or neither.
 * @throws AppError `harness_channel_not_found` - there is no such channel; nothing else is served in its place.
 * @throws AppError `harness_not_found` - there is no such version of this harness.
 * @throws AppError `harness_revoked` - the version, or the one that the channel serves, must not serve any more.
 */
export async function resolveVersion(
  { tables, digest }: Pick<RegistryDeps, "tables" | "digest">,
  { name, channel, version, merchant = ALL_MERCHANTS, room }: HarnessRequest,
): Promise<HarnessVersion> {
  if (channel !== undefined && version !== undefined) {
    throw new AppError("invalid_request", "Name a channel or a version, not both", { details: { name } });
  }
  if (version !== undefined) {
    const row = await tables.versionSummary(version);
    if (row?.name !== name) {
      throw new AppError("harness_not_found", "This harness has no such version", { details: { name, version } });
    }
    return requireServing({ version, isRevoked: row.revokedAtMs !== null });
  }
  if (channel === undefined) {
    throw new AppError("invalid_request", "Name a channel or a version", { details: { name } });
  }
  const request = { name, channel, merchant, room: room ?? null };
  const served = await chooseVersion(await tables.routes(request), request, digest);
  if (served !== null) return requireServing(served);
  throw new AppError("harness_channel_not_found", "The channel does not exist", { details: { name, channel } });
}

/**
 * The room's pin, else its merchant's, else the canary that the room is in, else the merchant's own channel, else everyone's.
 * A pin to a revoked version counts as none. A canary of all merchants takes its share of the rooms that follow the common
 * channel; a room that it names is in it wherever it belongs.
 */
async function chooseVersion(
  routes: HarnessRoutes,
  { channel, room }: RouteRequest,
  digest: Digest,
): Promise<Named | null> {
  const { canaries, merchantChannel, commonChannel } = routes;
  const pinned = [routes.roomPin, routes.merchantPin].find((pin) => pin?.isRevoked === false);
  if (pinned !== undefined) return pinned;
  const served = merchantChannel ?? commonChannel;
  if (room === null || channel !== RELEASED_CHANNEL || served === null) return served;
  for (const canary of canaries) {
    const isServed = canary.merchant !== ALL_MERCHANTS || merchantChannel === null;
    if (canary.rooms.includes(room) || (isServed && (await isInShare(canary, room, digest)))) {
      return { version: canary.version, isRevoked: false };
    }
  }
  return served;
}

function requireServing({ version, isRevoked }: Named): HarnessVersion {
  if (!isRevoked) return version;
  throw new AppError("harness_revoked", "The version was revoked; move the channel to another", {
    details: { version },
  });
}

/**
 * Loads a version's bundle, from the cache where it is there and whole, else from the table. Digest and signature are
 * checked before anything else looks at it.
 *
 * @throws AppError `harness_not_found` - there is no such version.
 * @throws AppError `harness_corrupt` - the stored text is not what the version says.
 * @throws AppError `harness_unsigned`, `harness_signature_invalid` - no trusted key vouches for it.
 */
export async function loadBundle(deps: RegistryDeps, version: HarnessVersion): Promise<HarnessBundle> {
  const cached = await deps.cache.get(version);
  const bundle = cached === null ? null : await openCached(deps, version, cached);
  if (bundle !== null) return bundle;
  const stored = await deps.tables.versionText(version);
  if (stored === null) throw new AppError("harness_not_found", "The version does not exist", { details: { version } });
  return openBundle(deps, version, stored);
}

async function openBundle(
  { digest, keys }: RegistryDeps,
  version: HarnessVersion,
  { text, signature }: StoredBundle,
): Promise<HarnessBundle> {
  const bundle = await parseBundle(text, version, digest);
  await requireSignature(keys, { name: bundle.name, version }, signature);
  return bundle;
}

/** A damaged cache entry counts as a miss: the table has the truth. */
async function openCached(
  deps: RegistryDeps,
  version: HarnessVersion,
  cached: StoredBundle,
): Promise<HarnessBundle | null> {
  try {
    return await openBundle(deps, version, cached);
  } catch (thrown) {
    if (isAppError(thrown)) return null;
    throw thrown;
  }
}
