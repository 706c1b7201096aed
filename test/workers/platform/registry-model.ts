/**
 * The registry as a fold of its audit log. If every change happened with its row or not at all, the tables hold what the fold
 * gives. It knows the changes that the tests make.
 */
import type { RegistryChange } from "../../../harness-kv/registry-change.ts";
import type { VersionSummary } from "../../../harness-kv/registry-store.ts";
import type { harnessCanary, harnessChannel, harnessFreeze, harnessPin } from "../../../harness-kv/schema.ts";
import type { AuditRow } from "../../../shared/contract/release.ts";

export type RegistryModel = {
  /** By version. */
  readonly versions: ReadonlyMap<string, VersionSummary>;
  /** These by their primary keys, parted by colons. */
  readonly channels: ReadonlyMap<string, typeof harnessChannel.$inferSelect>;
  readonly pins: ReadonlyMap<string, typeof harnessPin.$inferSelect>;
  readonly canaries: ReadonlyMap<string, typeof harnessCanary.$inferSelect>;
  readonly freezes: ReadonlyMap<string, typeof harnessFreeze.$inferSelect>;
};

type Kind =
  | "push"
  | "move"
  | "roll-back"
  | "pin"
  | "unpin"
  | "freeze"
  | "unfreeze"
  | "set-canary"
  | "end-canary"
  | "revoke";
type Change<K extends Kind = Kind> = Extract<RegistryChange, { kind: K }>;
type Logged = Exclude<Change, { kind: "push" }> | Omit<Change<"push">, "bundleText">;
/** A change that someone may ask for. Of a push only the version counts. */
export type AskedChange = Exclude<Change, { kind: "push" }> | Pick<Change<"push">, "kind" | "version">;

type Signed<K extends Kind> = { readonly change: Extract<Logged, { kind: K }>; readonly row: AuditRow };

export const EMPTY_REGISTRY: RegistryModel = {
  versions: new Map(),
  channels: new Map(),
  pins: new Map(),
  canaries: new Map(),
  freezes: new Map(),
};

export const channelId = ({ name, channel, merchant }: { name: string; channel: string; merchant: string }) =>
  `${name}:${channel}:${merchant}`;
const pinId = ({ name, scope, id }: { name: string; scope: string; id: string }) => `${name}:${scope}:${id}`;
const merchantId = ({ name, merchant }: { name: string; merchant: string }) => `${name}:${merchant}`;

/** The registry after each row, with the registry before all of them first. @throws at a row that could not happen. */
export function foldLog(rows: readonly AuditRow[], from = EMPTY_REGISTRY): readonly RegistryModel[] {
  const models = [from];
  for (const row of rows) {
    const model = models.at(-1) ?? from;
    // The log says of a change all but a bundle's text: what was asked for, as it was typed.
    const change = { kind: row.action, ...row.subject } as Logged;
    const refusal = refusalOf(model, change);
    if (refusal !== null) throw new Error(`row ${row.seq} says ${change.kind}, against ${refusal}`);
    models.push({ ...model, ...changed(model, change, row) });
  }
  return models;
}

/** Why a change does not apply, as a code; null where it does. A version that is there refuses a push in its own way. */
export function refusalOf(model: RegistryModel, change: AskedChange): string | null {
  switch (change.kind) {
    case "push":
      return when(model.versions.has(change.version), "created before");
    case "move":
      return againstMove(model, change);
    case "roll-back":
      return againstRollBack(model, change);
    case "pin":
      return againstPin(model, change);
    case "set-canary":
      return againstRelease(model, change);
    case "revoke":
      return unservable(model, change);
    case "freeze":
      return when(model.freezes.has(merchantId(change)), "harness_frozen");
    case "unfreeze":
      return againstUnfreeze(model, change);
    case "unpin":
      return when(!model.pins.has(pinId(change)), "release_not_found");
    case "end-canary":
      return when(!model.canaries.has(merchantId(change)), "release_not_found");
  }
}

function againstMove(model: RegistryModel, change: Change<"move">): string | null {
  const { name, merchant, to: version } = change;
  const served = model.channels.get(channelId(change))?.version ?? null;
  return againstRelease(model, { name, merchant, version }) ?? when(served !== change.expected, "channel_moved");
}

function againstPin(model: RegistryModel, { name, scope, id, version }: Change<"pin">): string | null {
  return scope === "room"
    ? unservable(model, { name, version })
    : againstRelease(model, { name, merchant: id, version });
}

function againstRollBack(model: RegistryModel, change: Change<"roll-back">): string | null {
  const served = model.channels.get(channelId(change));
  if (served === undefined) return "harness_channel_not_found";
  if (served.previous === null) return "harness_no_previous";
  const isAsSeen = served.version === change.expected && served.previous === change.to;
  return unservable(model, { name: change.name, version: served.previous }) ?? when(!isAsSeen, "channel_moved");
}

function againstUnfreeze({ freezes }: RegistryModel, change: Change<"unfreeze">): string | null {
  const freeze = freezes.get(merchantId(change));
  if (freeze === undefined) return "release_not_found";
  return when(
    change.onlyBy !== null && (change.onlyBy !== freeze.frozenBy || freeze.audience !== "operator"),
    "forbidden",
  );
}

function unservable({ versions }: RegistryModel, { name, version }: { name: string; version: string }): string | null {
  const row = versions.get(version);
  if (row?.name !== name) return "harness_not_found";
  return when(row.revokedAtMs !== null, "harness_revoked");
}

function againstRelease(
  model: RegistryModel,
  { name, merchant, version }: { name: string; merchant: string; version: string },
): string | null {
  const isFrozen = [merchant, "*"].some((frozen) => model.freezes.has(merchantId({ name, merchant: frozen })));
  return unservable(model, { name, version }) ?? when(isFrozen, "harness_frozen");
}

function when(is: boolean, code: string): string | null {
  return is ? code : null;
}

/** The tables that a change leaves other than they were. */
function changed(model: RegistryModel, change: Logged, row: AuditRow): Partial<RegistryModel> {
  const { actor, audience, atMs } = row;
  switch (change.kind) {
    case "push": {
      const { kind: _, ...version } = change;
      const summary = { ...version, createdBy: actor, createdAtMs: atMs, revokedAtMs: null };
      return { versions: set(model.versions, change.version, summary) };
    }
    case "move":
      return moved(model, { change, row });
    case "roll-back":
      return { channels: set(model.channels, channelId(change), toChannel(change, change.expected, row)) };
    case "pin": {
      const { kind: _, ...pin } = change;
      return { pins: set(model.pins, pinId(change), { ...pin, pinnedBy: actor, pinnedAtMs: atMs }) };
    }
    case "unpin":
      return { pins: without(model.pins, (_, id) => id === pinId(change)) };
    case "freeze": {
      const { kind: _, ...freeze } = change;
      return {
        freezes: set(model.freezes, merchantId(change), { ...freeze, frozenBy: actor, audience, frozenAtMs: atMs }),
      };
    }
    case "unfreeze":
      return { freezes: without(model.freezes, (_, id) => id === merchantId(change)) };
    case "set-canary":
      return { canaries: set(model.canaries, merchantId(change), toCanary(model, { change, row })) };
    case "end-canary":
      return { canaries: without(model.canaries, (_, id) => id === merchantId(change)) };
    case "revoke":
      return revoked(model, { change, row });
  }
}

function moved(model: RegistryModel, { change, row }: Signed<"move">): Partial<RegistryModel> {
  const before = model.channels.get(channelId(change));
  const previous = before?.version === change.to ? before.previous : (before?.version ?? null);
  const channels = set(model.channels, channelId(change), toChannel(change, previous, row));
  if (change.channel !== "production") return { channels };
  const isReleased = (canary: { version: string }, id: string) =>
    id === merchantId(change) && canary.version === change.to;
  return { channels, canaries: without(model.canaries, isReleased) };
}

function toChannel(
  { name, channel, merchant, to }: Change<"move" | "roll-back">,
  previous: string | null,
  { actor, atMs }: AuditRow,
) {
  return { name, channel, merchant, version: to, previous, movedBy: actor, movedAtMs: atMs };
}

function toCanary(model: RegistryModel, { change, row }: Signed<"set-canary">) {
  const { kind: _, ...canary } = change;
  const before = model.canaries.get(merchantId(change));
  const salt = before?.version === change.version ? before.salt : change.salt;
  return { ...canary, rooms: JSON.stringify(change.rooms), salt, setBy: row.actor, setAtMs: row.atMs };
}

function revoked(model: RegistryModel, { change: { version }, row }: Signed<"revoke">): Partial<RegistryModel> {
  const summary = model.versions.get(version);
  if (summary === undefined) return {};
  const names = (named: { version: string }) => named.version === version;
  const back = [...model.channels].map(([id, channel]) => {
    if (channel.previous === version) return [id, { ...channel, previous: null }] as const;
    if (channel.version !== version || channel.previous === null) return [id, channel] as const;
    return [id, { ...channel, version: channel.previous, previous: null }] as const;
  });
  return {
    versions: set(model.versions, version, { ...summary, revokedAtMs: row.atMs }),
    channels: new Map(back),
    pins: without(model.pins, names),
    canaries: without(model.canaries, names),
  };
}

function set<Row>(rows: ReadonlyMap<string, Row>, id: string, row: Row): ReadonlyMap<string, Row> {
  return new Map(rows).set(id, row);
}

function without<Row>(rows: ReadonlyMap<string, Row>, isGone: (row: Row, id: string) => boolean) {
  return new Map([...rows].filter(([id, row]) => !isGone(row, id)));
}
