import type { HarnessVersion } from "../shared/contract/ids.ts";
import { AppError } from "../shared/errors/app-error.ts";
import { recordChange, type ChangeDeps } from "./record-change.ts";
import type { Actor, ChannelMove, ChannelScope } from "./registry-change.ts";
import type { RegistryDeps } from "./registry-store.ts";
import { requireApproval, requireNoFreeze, requireOpenGate, requireServable, takesTwo } from "./release-rules.ts";
import { RELEASED_CHANNEL } from "./resolve-harness.ts";

export type ReleaseDeps = Pick<RegistryDeps, "tables" | "cache"> &
  ChangeDeps & {
    /** Whether production and its canaries wait for the four conditions of the gate. */
    readonly isGated: boolean;
    /** Whether production moves only by a plan that a second person has approved. */
    readonly needsTwo: boolean;
  };

export type MovedChannel = {
  /** The version that the channel served before; null for a new channel. */
  readonly from: HarnessVersion | null;
  readonly to: HarnessVersion;
  /** False when KV did not take its copy of the pointer. The move holds all the same: only the table counts. */
  readonly copied: boolean;
};

/**
 * Moves a channel from the version that the caller saw to another. Of two people who move it at the same time, one wins.
 *
 * @throws AppError `harness_not_found`, `harness_revoked` - the target is no version of this harness that may serve.
 * @throws AppError `harness_frozen`, `harness_gate_closed` - nothing, or not this version, may be released now.
 * @throws AppError `harness_unapproved` - it takes a plan that a second person has approved.
 * @throws AppError `channel_moved` - the channel does not serve `expected` any more; look again before you repeat it.
 */
export async function moveChannel(
  deps: ReleaseDeps,
  move: ChannelMove & { readonly plan?: string },
  by: Actor,
): Promise<MovedChannel> {
  const { name, channel, to, expected } = move;
  const check = async () => {
    if (deps.needsTwo && takesTwo(move)) await requireApproval(deps.tables, move);
    await requireServable(deps.tables, { name, version: to });
    await requireNoFreeze(deps.tables, move);
    if (deps.isGated && channel === RELEASED_CHANNEL) await requireOpenGate(deps.tables, to);
  };
  await check();
  if (!(await recordChange(deps, { kind: "move", ...move }, by))) {
    // What was asked may have changed since: then that is the reason.
    await check();
    throw moved(move);
  }
  return { from: expected, to, copied: await copyPointer(deps, move) };
}

/**
 * Moves a channel back to what it served before. Neither freeze nor gate stops it: both are there to keep what works, and
 * what served before is the best guess of it. Done twice, it goes forward again.
 *
 * @param expected - What the channel serves, as the caller believes. Absent: whatever it serves.
 * @throws AppError `harness_channel_not_found`; `harness_no_previous` - it never served another version.
 * @throws AppError `harness_revoked` - what it served before must not serve any more.
 * @throws AppError `channel_moved` - someone else has moved it.
 */
export async function rollBackChannel(
  deps: ReleaseDeps,
  scope: ChannelScope & { readonly expected?: HarnessVersion | undefined },
  by: Actor,
): Promise<MovedChannel> {
  const { name, channel, merchant } = scope;
  const details = { name, channel, merchant };
  const served = await deps.tables.channel({ name, channel, merchant });
  if (served === null) throw new AppError("harness_channel_not_found", "The channel does not exist", { details });
  const { version: from, previous: to } = served;
  if (to === null) throw new AppError("harness_no_previous", "The channel has served one version only", { details });
  await requireServable(deps.tables, { name, version: to });
  const move = { name, channel, merchant, expected: scope.expected ?? from, to };
  if (!(await recordChange(deps, { kind: "roll-back", ...move }, by))) throw moved(move);
  return { from, to, copied: await copyPointer(deps, move) };
}

function moved({ name, channel }: ChannelScope): AppError {
  return new AppError("channel_moved", "The channel serves another version than expected", {
    details: { name, channel },
  });
}

/** The copy is for people who look. Writers that overtake each other are no matter: nothing that serves reads it. */
async function copyPointer({ cache }: ReleaseDeps, { to, ...scope }: ChannelMove): Promise<boolean> {
  const { name, channel, merchant } = scope;
  return cache.putChannel({ name, channel, merchant }, to).then(
    () => true,
    () => false,
  );
}
