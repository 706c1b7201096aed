/** What stands beside channels: canaries, pins, freezes, revoked versions, and the gate's results. */
import { harnessChannelSchema } from "../shared/contract/ids.ts";
import { AppError } from "../shared/errors/app-error.ts";
import type { ReleaseDeps } from "./move-channel.ts";
import { recordChange } from "./record-change.ts";
import type { Actor, RegistryChange } from "./registry-change.ts";
import { requireNoFreeze, requireOpenGate, requireServable, unapproved } from "./release-rules.ts";
import { RELEASED_CHANNEL } from "./resolve-harness.ts";

/** Share that one person may give to a canary where releases take two people: more is a release. */
const ALONE_PERMILLE_MAX = 100;

type Deps = Omit<ReleaseDeps, "cache">;
type Change<Kind extends RegistryChange["kind"]> = Omit<Extract<RegistryChange, { kind: Kind }>, "kind">;

/**
 * Gives a version to a share of the rooms, and to the rooms that are named. The same call with another share changes it.
 *
 * @throws AppError `harness_not_found`, `harness_revoked`, `harness_frozen`, `harness_gate_closed` - as a move to production.
 * @throws AppError `harness_unapproved` - where releases take two people, a canary of more than a tenth is one.
 * @throws AppError `harness_channel_not_found` - production serves nothing that the canary could be compared with.
 */
export async function setCanary(deps: Deps, canary: Change<"set-canary">, by: Actor): Promise<void> {
  const { name, merchant, version } = canary;
  if (deps.needsTwo && canary.sharePermille > ALONE_PERMILLE_MAX) {
    throw new AppError("harness_unapproved", "One person may give a canary a tenth of the rooms; more is a release", {
      details: { name, shareMax: ALONE_PERMILLE_MAX / 10 },
    });
  }
  const channel = harnessChannelSchema.parse(RELEASED_CHANNEL);
  const check = async () => {
    await requireServable(deps.tables, { name, version });
    await requireNoFreeze(deps.tables, canary);
    if (deps.isGated) await requireOpenGate(deps.tables, version);
    const { merchantChannel, commonChannel } = await deps.tables.routes({ name, channel, merchant, room: null });
    if (merchantChannel ?? commonChannel) return;
    throw new AppError("harness_channel_not_found", "Production serves nothing yet", { details: { name, channel } });
  };
  await check();
  if (await recordChange(deps, { kind: "set-canary", ...canary }, by)) return;
  await check();
  throw new AppError("registry_unavailable", "The canary was not set; try again", { details: { name } });
}

/** @throws AppError `release_not_found` - there is no canary. */
export async function endCanary(deps: Deps, scope: Change<"end-canary">, by: Actor): Promise<void> {
  if (await recordChange(deps, { kind: "end-canary", ...scope }, by)) return;
  throw notFound("There is no canary", scope);
}

/**
 * Keeps a room or a merchant on one version. For a merchant it is a release, with a release's rules; for one room it is how
 * trouble there is ended, or a version tried.
 *
 * @throws AppError `harness_not_found`, `harness_revoked`; of a merchant also `harness_frozen`, `harness_gate_closed`,
 *   `harness_unapproved` - where releases take two people, a merchant gets its own channel by a plan.
 */
export async function pinVersion(deps: Deps, pin: Change<"pin">, by: Actor): Promise<void> {
  const check = async () => {
    await requireServable(deps.tables, pin);
    if (pin.scope === "merchant") {
      if (deps.needsTwo) throw unapproved(pin);
      await requireNoFreeze(deps.tables, { name: pin.name, merchant: pin.id });
      if (deps.isGated) await requireOpenGate(deps.tables, pin.version);
    }
  };
  await check();
  if (await recordChange(deps, { kind: "pin", ...pin }, by)) return;
  await check();
  throw new AppError("registry_unavailable", "The pin was not set; try again", { details: { name: pin.name } });
}

/** @throws AppError `release_not_found` - there is no such pin. */
export async function unpin(deps: Deps, pin: Change<"unpin">, by: Actor): Promise<void> {
  if (await recordChange(deps, { kind: "unpin", ...pin }, by)) return;
  throw notFound("There is no such pin", pin);
}

/** @throws AppError `harness_frozen` - it is frozen already; who did that stands in the details. */
export async function freeze(deps: Deps, change: Change<"freeze">, by: Actor): Promise<void> {
  if (await recordChange(deps, { kind: "freeze", ...change }, by)) return;
  await requireNoFreeze(deps.tables, change);
  throw new AppError("registry_unavailable", "The freeze was not set; try again", { details: { name: change.name } });
}

/**
 * Lifts a freeze: one's own, or, as a governor, anyone's.
 *
 * @throws AppError `release_not_found` - there is no freeze. `forbidden` - it is someone else's.
 */
export async function unfreeze(
  deps: Deps,
  { name, merchant }: { readonly name: string; readonly merchant: string },
  by: Actor,
): Promise<void> {
  const onlyBy = by.audience === "governor" ? null : by.name;
  if (await recordChange(deps, { kind: "unfreeze", name, merchant, onlyBy }, by)) return;
  const frozen = await deps.tables.freeze(name, merchant);
  if (frozen?.merchant !== merchant) throw notFound("There is no such freeze", { name });
  throw new AppError("forbidden", `Only ${frozen.frozenBy} or a governor may lift this freeze`);
}

/**
 * Takes a version out of service for good: it leaves pins and canaries, and channels go back to what they served before.
 *
 * @throws AppError `harness_not_found`, `harness_revoked` - it was revoked already. `forbidden` - it is the backup.
 */
export async function revokeVersion(deps: Deps, change: Change<"revoke">, by: Actor): Promise<void> {
  const check = async () => {
    await requireServable(deps.tables, change);
    if ((await deps.tables.backup(change.name)) !== change.version) return;
    throw new AppError("forbidden", "The version is the harness's backup; a governor has to choose another first");
  };
  await check();
  if (await recordChange(deps, { kind: "revoke", ...change }, by)) return;
  await check();
}

/** Writes what an evaluation said of one condition. @throws AppError `harness_not_found`, `harness_revoked` */
export async function judgeVersion(deps: Deps, change: Change<"judge">, by: Actor): Promise<void> {
  await requireServable(deps.tables, change);
  await recordChange(deps, { kind: "judge", ...change }, by);
}

/** Sets how far canaries of a harness may fall behind before they are rolled back. */
export async function setCanaryLimits(deps: Deps, change: Change<"set-canary-limits">, by: Actor): Promise<void> {
  await recordChange(deps, { kind: "set-canary-limits", ...change }, by);
}

/**
 * Names the version that a room gets when the one it should run cannot be loaded; null takes it away.
 *
 * @throws AppError `harness_not_found`, `harness_revoked`
 */
export async function setBackup(deps: Deps, change: Change<"set-backup">, by: Actor): Promise<void> {
  const { name, version } = change;
  if (version !== null) await requireServable(deps.tables, { name, version });
  await recordChange(deps, { kind: "set-backup", ...change }, by);
}

function notFound(title: string, { name }: { readonly name: string }): AppError {
  return new AppError("release_not_found", title, { details: { name } });
}
