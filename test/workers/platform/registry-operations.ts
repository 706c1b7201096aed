/** What many people ask of a registry in one moment: the same versions, the same channels, the same rooms. */
import {
  endCanary,
  freeze,
  pinVersion,
  revokeVersion,
  setCanary,
  unfreeze,
  unpin,
} from "../../../harness-kv/change-release.ts";
import { moveChannel, rollBackChannel, type ReleaseDeps } from "../../../harness-kv/move-channel.ts";
import { pushHarness, type HarnessPush } from "../../../harness-kv/push-harness.ts";
import type { Actor, ChannelMove, ChannelScope, RegistryChange } from "../../../harness-kv/registry-change.ts";
import type { RegistryDeps } from "../../../harness-kv/registry-store.ts";
import type { HarnessBundle } from "../../../shared/contract/harness-bundle.ts";
import { harnessChannelSchema, harnessVersionSchema, type HarnessVersion } from "../../../shared/contract/ids.ts";
import { channelId, type AskedChange, type RegistryModel } from "./registry-model.ts";

type Asked = Exclude<AskedChange, { kind: "push" | "move" | "roll-back" | "unfreeze" }>;
export type Work =
  | { readonly kind: "push"; readonly version: HarnessVersion; readonly push: HarnessPush }
  | ({ readonly kind: "move" } & ChannelMove)
  /** Reads what the channel serves, and moves it from there. */
  | ({ readonly kind: "release"; readonly to: HarnessVersion } & ChannelScope)
  | ({ readonly kind: "roll-back" } & ChannelScope)
  | { readonly kind: "unfreeze"; readonly name: string; readonly merchant: string }
  | Asked;

export type Operation = {
  /** One person an operation, so that the log tells which of them a row is of. */
  readonly by: Actor;
  readonly work: Work;
  /** Number of the operation that it waits for; absent: it begins with all others. */
  readonly after?: number;
};

export type NewHarness = { readonly name: string; readonly bundle: HarnessBundle; readonly version: HarnessVersion };
export type World = {
  readonly names: readonly string[];
  readonly merchants: readonly string[];
  /** In the registry. Each served production for a while, the last of each name does now. */
  readonly known: readonly NewHarness[];
  /** Not in the registry yet. */
  readonly fresh: readonly NewHarness[];
};

const production = harnessChannelSchema.parse("production");
const CHANNELS = [production, harnessChannelSchema.parse("staging")];
const NO_VERSION = harnessVersionSchema.parse("0".repeat(64));

/** 200 operations that begin in one moment, and some that follow one of them. */
export function planOperations(world: World, random: () => number): Operation[] {
  const operations: Operation[] = [];
  const add = (work: Work, after?: number) => {
    const audience = random() < 0.5 ? "operator" : "governor";
    const by = { name: `${world.names[0] ?? ""}-${operations.length}`, audience } as const;
    operations.push({ by, work, ...(after !== undefined && { after }) });
    return operations.length - 1;
  };
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  };
  const merchantOrAll = () => pick(["*", ...world.merchants]);
  const scopeOf = (name: string) => ({ name, channel: pick(CHANNELS), merchant: merchantOrAll() });
  const times = (count: number, run: (index: number) => void) => Array.from({ length: count }, (_, at) => run(at));
  const anyVersion = () => {
    const { name, version } = pick(random() < 0.15 ? world.fresh : world.known);
    return { name, version };
  };

  times(80, (index) => {
    const { name, bundle, version } = world.fresh[index] ?? pick(world.fresh);
    const notes = `push ${index}`;
    // No key is set, so a signature is kept as it came: the table's and the copy's must be the same one.
    const signature = random() < 0.5 ? null : { keyId: `k${index}`, signature: `${"A".repeat(86)}==` };
    const at = add({ kind: "push", version, push: { bundle, notes, signature } });
    if (index < 30) add({ kind: "release", ...scopeOf(name), to: version }, at);
  });
  times(50, () => {
    const { name, version } = anyVersion();
    const scope = scopeOf(name);
    const last = world.known.findLast((harness) => harness.name === name)?.version ?? null;
    const expected = scope.channel === production && scope.merchant === "*" ? last : null;
    add({ kind: "move", ...scope, expected, to: version });
  });
  times(15, () => {
    const scope = scopeOf(pick(world.names));
    add({ kind: "roll-back", ...scope, ...(random() < 0.7 && { channel: production, merchant: "*" }) });
  });
  times(20, (index) => {
    const scope = { ...anyVersion(), merchant: merchantOrAll() };
    const rooms = random() < 0.5 ? [] : [`room-${index}`];
    const share = { sharePermille: Math.floor(random() * 1_001), rooms, salt: `salt-${index}` };
    const at = add({ kind: "set-canary", ...scope, ...share });
    if (index < 5) add({ kind: "end-canary", name: scope.name, merchant: scope.merchant }, at);
  });
  times(5, () => add({ kind: "end-canary", name: pick(world.names), merchant: merchantOrAll() }));
  times(22, (index) => {
    const { name, version } = anyVersion();
    const scope = random() < 0.7 ? ("room" as const) : ("merchant" as const);
    const id = scope === "room" ? `room-${Math.floor(random() * 6)}` : pick(world.merchants);
    const at = add({ kind: "pin", name, scope, id, version, note: `pin ${index}` });
    if (index < 6) add({ kind: "unpin", name, scope, id }, at);
  });
  times(5, (index) => {
    const scope = { name: pick(world.names), merchant: index === 0 ? "*" : pick(world.merchants) };
    const at = add({ kind: "freeze", ...scope, reason: `freeze ${index}` });
    add({ kind: "unfreeze", ...scope }, at);
  });
  times(3, () => add({ kind: "revoke", ...anyVersion(), reason: "bad" }));
  return operations;
}

/** @returns Whether it says that it changed something: a push of what is there does not. */
export async function perform(deps: RegistryDeps & ReleaseDeps, { work, by }: Operation): Promise<boolean> {
  if (work.kind === "release") {
    const { name, channel, merchant, to } = work;
    const served = await deps.tables.channel({ name, channel, merchant });
    await moveChannel(deps, { name, channel, merchant, to, expected: served?.version ?? null }, by);
    return true;
  }
  if (work.kind !== "push") {
    await performOnce(deps, work, by);
    return true;
  }
  const pushed = await pushHarness({ ...deps, check: () => [] }, work.push, by);
  if (!pushed.ok) throw new Error(pushed.error.code);
  return pushed.value.created;
}

function performOnce(
  deps: RegistryDeps & ReleaseDeps,
  work: Exclude<Work, { kind: "push" | "release" }>,
  by: Actor,
): Promise<unknown> {
  switch (work.kind) {
    case "move":
      return moveChannel(deps, work, by);
    case "roll-back":
      return rollBackChannel(deps, work, by);
    case "pin":
      return pinVersion(deps, work, by);
    case "unpin":
      return unpin(deps, work, by);
    case "freeze":
      return freeze(deps, work, by);
    case "unfreeze":
      return unfreeze(deps, work, by);
    case "set-canary":
      return setCanary(deps, work, by);
    case "end-canary":
      return endCanary(deps, work, by);
    case "revoke":
      return revokeVersion(deps, work, by);
  }
}

/** The change that an operation asks for where the registry is as the model has it. */
export function toChange({ work, by }: Operation, { channels }: RegistryModel): AskedChange {
  if (work.kind === "unfreeze") return { ...work, onlyBy: by.audience === "governor" ? null : by.name };
  if (work.kind !== "release" && work.kind !== "roll-back") return work;
  const served = channels.get(channelId(work));
  const version = harnessVersionSchema.nullable().parse(served?.version ?? null);
  if (work.kind === "release") return { ...work, kind: "move", expected: version };
  const to = harnessVersionSchema.parse(served?.previous ?? NO_VERSION);
  return { ...work, expected: version ?? NO_VERSION, to };
}

/** The row's action and the part of its subject that an operation is sure of. */
export function toRowOf({ work, by }: Operation): { action: RegistryChange["kind"]; actor: string; subject: object } {
  const { kind, ...subject } = work;
  if (work.kind === "push") return { action: "push", actor: by.name, subject: { version: work.version } };
  return { action: kind === "release" ? "move" : kind, actor: by.name, subject };
}
