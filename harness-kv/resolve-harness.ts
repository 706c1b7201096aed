import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";
import type { HarnessChannel, HarnessVersion } from "../shared/contract/ids.ts";
import { AppError, isAppError } from "../shared/errors/app-error.ts";
import { parseBundle } from "./parse-bundle.ts";
import type { RegistryDeps } from "./registry-store.ts";

/** Which harness a room asks for: a channel that moves, or one version that does not. */
export type HarnessRequest = {
  readonly name: string;
  readonly channel?: HarnessChannel | undefined;
  readonly version?: HarnessVersion | undefined;
};

/**
 * Finds the version that a request names now. One read of the table, never of KV: a moved channel counts at once.
 *
 * @throws AppError `invalid_request` - channel and version together, or neither.
 * @throws AppError `harness_channel_not_found` - there is no such channel; nothing else is served in its place.
 * @throws AppError `harness_not_found` - there is no such version of this harness.
 */
export async function resolveVersion(
  { versions }: Pick<RegistryDeps, "versions">,
  { name, channel, version }: HarnessRequest,
): Promise<HarnessVersion> {
  if (channel !== undefined && version !== undefined) {
    throw new AppError("invalid_request", "Name a channel or a version, not both", { details: { name } });
  }
  if (version !== undefined) {
    if ((await versions.versionName(version)) === name) return version;
    throw new AppError("harness_not_found", "This harness has no such version", { details: { name, version } });
  }
  if (channel === undefined) {
    throw new AppError("invalid_request", "Name a channel or a version", { details: { name } });
  }
  const served = await versions.channelVersion(name, channel);
  if (served !== null) return served;
  throw new AppError("harness_channel_not_found", "The channel does not exist", { details: { name, channel } });
}

/**
 * Loads a version's bundle, from the cache where it is there and whole, else from the table.
 *
 * @throws AppError `harness_not_found` - there is no such version.
 * @throws AppError `harness_corrupt` - the stored text is not what the version says.
 */
export async function loadBundle(deps: RegistryDeps, version: HarnessVersion): Promise<HarnessBundle> {
  const cached = await deps.cache.get(version);
  if (cached !== null) {
    const bundle = await parseCached(deps, version, cached);
    if (bundle !== null) return bundle;
  }
  const text = await deps.versions.versionText(version);
  if (text === null) throw new AppError("harness_not_found", "The version does not exist", { details: { version } });
  return parseBundle(text, version, deps.digest);
}

export type ResolvedHarness = { readonly version: HarnessVersion; readonly bundle: HarnessBundle };

/** {@link resolveVersion} and {@link loadBundle} in one, with the errors of both. */
export async function resolveHarness(deps: RegistryDeps, request: HarnessRequest): Promise<ResolvedHarness> {
  const version = await resolveVersion(deps, request);
  return { version, bundle: await loadBundle(deps, version) };
}

/** A damaged cache entry counts as a miss: the table has the truth. */
async function parseCached(deps: RegistryDeps, version: HarnessVersion, text: string): Promise<HarnessBundle | null> {
  try {
    return await parseBundle(text, version, deps.digest);
  } catch (thrown) {
    if (isAppError(thrown) && thrown.code === "harness_corrupt") return null;
    throw thrown;
  }
}
