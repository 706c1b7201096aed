import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";
import { ALL_MERCHANTS, type HarnessChannel, type HarnessVersion } from "../shared/contract/ids.ts";
import type { Trial } from "../shared/contract/room-release.ts";
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

/** What a room runs now, and why: `seq` orders two answers, of which the higher one is the later. */
export type Route = {
  readonly version: HarnessVersion;
  readonly seq: number;
  /** Null: no canary concerns the room. */
  readonly trial: Trial | null;
};

/** As {@link resolveRoute}, the version alone. */
export async function resolveVersion(
  deps: Pick<RegistryDeps, "tables" | "digest">,
  request: HarnessRequest,
): Promise<HarnessVersion> {
  return (await resolveRoute(deps, request)).version;
}

/**
 * Finds the version that a request names now. Reads the tables, never KV: a moved channel counts at once.
 *
 * @throws AppError `invalid_request` - channel and version together, or neither.
 * @throws AppError `harness_channel_not_found` - there is no such channel; nothing else is served in its place.
 * @throws AppError `harness_not_found` - there is no such version of this harness.
 * @throws AppError `harness_revoked` - the version, or the one that the channel serves, must not serve any more.
 */
export async function resolveRoute(
  { tables, digest }: Pick<RegistryDeps, "tables" | "digest">,
  { name, channel, version, merchant = ALL_MERCHANTS, room }: HarnessRequest,
): Promise<Route> {
  if (channel !== undefined && version !== undefined) {
    throw new AppError("invalid_request", "Name a channel or a version, not both", { details: { name } });
  }
  if (version !== undefined) {
    const row = await tables.versionSummary(version);
    if (row?.name !== name) {
      throw new AppError("harness_not_found", "This harness has no such version", { details: { name, version } });
    }
    // No release concerns a room that names its version.
    return { version: requireServing({ version, isRevoked: row.revokedAtMs !== null }), seq: 0, trial: null };
  }
  if (channel === undefined) {
    throw new AppError("invalid_request", "Name a channel or a version", { details: { name } });
  }
  const request = { name, channel, merchant, room: room ?? null };
  return chooseRoute(await tables.routes(request), request, digest);
}

/**
 * The room's pin, else its merchant's, else the canary that the room is in, else the merchant's own channel, else everyone's.
 * A pin to a revoked version counts as none. A canary of all merchants takes its share of the rooms that follow the common
 * channel, and is compared with the others of these; a room that it names is in it wherever it belongs.
 *
 * @throws AppError `harness_channel_not_found`, `harness_revoked`
 */
export async function chooseRoute(routes: HarnessRoutes, request: RouteRequest, digest: Digest): Promise<Route> {
  const { name, channel, room } = request;
  const { seq, merchantChannel, commonChannel } = routes;
  const pinned = [routes.roomPin, routes.merchantPin].find((pin) => pin?.isRevoked === false) ?? null;
  if (pinned !== null) return { version: pinned.version, seq, trial: null };
  const served = merchantChannel ?? commonChannel;
  if (served === null) {
    throw new AppError("harness_channel_not_found", "The channel does not exist", { details: { name, channel } });
  }
  const trial = channel === RELEASED_CHANNEL && room !== null ? await findTrial(routes, room, digest) : null;
  if (trial?.arm === "canary") return { version: trial.version, seq, trial: { id: trial.id, arm: trial.arm } };
  const version = requireServing(served);
  return { version, seq, trial: trial === null ? null : { id: trial.id, arm: trial.arm } };
}

/** The canary that a room is in, or else one that it is compared with; null where none concerns it. */
async function findTrial(
  { canaries, merchantChannel }: HarnessRoutes,
  room: string,
  digest: Digest,
): Promise<(Trial & { readonly version: HarnessVersion }) | null> {
  const concerned = canaries.filter(({ merchant }) => merchant !== ALL_MERCHANTS || merchantChannel === null);
  for (const canary of canaries) {
    const isInIt =
      canary.rooms.includes(room) || (concerned.includes(canary) && (await isInShare(canary, room, digest)));
    if (isInIt) return { id: canary.salt, arm: "canary", version: canary.version };
  }
  const [compared] = concerned;
  return compared === undefined ? null : { id: compared.salt, arm: "baseline", version: compared.version };
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
  // A cache that fails is one that has nothing.
  const cached = await deps.cache.get(version).catch(() => null);
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
