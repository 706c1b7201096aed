import type { HarnessVersion } from "../shared/contract/ids.ts";
import type { Clock } from "../shared/core/clock.ts";
import { AppError } from "../shared/errors/app-error.ts";
import type { ChannelMove, RegistryDeps } from "./registry-store.ts";

export type MovedChannel = {
  /** The version that the channel served before; null for a new channel. Moving back to it is the roll-back. */
  readonly from: HarnessVersion | null;
  /** False when KV did not take its copy of the pointer. The move holds all the same: only the table counts. */
  readonly copied: boolean;
};

/**
 * Moves a channel from the version that the caller saw to another. Of two people who move it at the same time, one wins.
 *
 * @throws AppError `harness_not_found` - the target is not a version of this harness.
 * @throws AppError `channel_moved` - the channel does not serve `expected` any more; look again before you repeat it.
 */
export async function moveChannel(
  { versions, cache, clock }: Pick<RegistryDeps, "versions" | "cache"> & { readonly clock: Clock },
  move: Omit<ChannelMove, "movedAtMs">,
): Promise<MovedChannel> {
  const { name, channel, to, expected } = move;
  if ((await versions.versionName(to)) !== name) {
    throw new AppError("harness_not_found", "This harness has no such version", { details: { name, version: to } });
  }
  if (!(await versions.moveChannel({ ...move, movedAtMs: clock.nowMs() }))) {
    throw new AppError("channel_moved", "The channel serves another version than expected", {
      details: { name, channel },
    });
  }
  const copied = await cache.putChannel(name, channel, to).then(
    () => true,
    () => false,
  );
  return { from: expected, copied };
}
