import { createHash } from "node:crypto";
import { EMPTY_CHAIN } from "../../../harness-kv/audit-chain.ts";
import type { Canary } from "../../../harness-kv/canary-share.ts";
import type { ReleaseDeps } from "../../../harness-kv/move-channel.ts";
import type { Actor, RegistryChange } from "../../../harness-kv/registry-change.ts";
import type { HarnessRoutes, RegistryDeps, StoredBundle, VersionSummary } from "../../../harness-kv/registry-store.ts";
import type { HarnessVersion } from "../../../shared/contract/ids.ts";
import type { AuditRow, Freeze, GateResult } from "../../../shared/contract/release.ts";

export const LI: Actor = { name: "li", audience: "operator" };

type StoredVersion = { summary: VersionSummary; text: string };
type Channel = { version: HarnessVersion; previous: HarnessVersion | null };

/** A registry in memory that records the order of its writes. Pushes and moves are real, other changes are only recorded. */
export type FakeRegistry = RegistryDeps &
  ReleaseDeps & {
    readonly rows: Map<HarnessVersion, StoredVersion>;
    readonly cached: Map<string, StoredBundle>;
    /** By `name:channel:merchant`. */
    readonly channels: Map<string, Channel>;
    readonly pointers: Map<string, HarnessVersion>;
    readonly log: AuditRow[];
    readonly changes: RegistryChange[];
    readonly writes: string[];
    /** What tests set; empty otherwise. */
    readonly pins: Pick<HarnessRoutes, "roomPin" | "merchantPin">;
    readonly canaries: Canary[];
    readonly freezes: Freeze[];
    readonly results: GateResult[];
    /** Whether changes apply, but for pushes and moves, which know. */
    applies: boolean;
  };

export async function digest(bytes: Uint8Array): Promise<string> {
  return createHash("sha256").update(bytes).digest("hex");
}

export function aSummary(fields: Pick<VersionSummary, "version" | "name"> & Partial<VersionSummary>): VersionSummary {
  return {
    description: "",
    bytes: 2,
    createdBy: "li",
    createdAtMs: 0,
    parent: null,
    notes: "",
    evidence: { clusterIds: [], caseIds: [], traceIds: [] },
    signature: null,
    revokedAtMs: null,
    ...fields,
  };
}

export function aRegistry(): FakeRegistry {
  const registry: FakeRegistry = {
    rows: new Map(),
    cached: new Map(),
    channels: new Map(),
    pointers: new Map(),
    log: [],
    changes: [],
    writes: [],
    pins: { roomPin: null, merchantPin: null },
    canaries: [],
    freezes: [],
    results: [],
    applies: true,
    digest,
    keys: new Map(),
    isGated: false,
    clock: { nowMs: () => 5 },
    timer: { after: (_delayMs, fire) => (queueMicrotask(fire), () => {}) },
    random: () => 0,
    tables: {
      commit: async (change, row) => {
        registry.writes.push("table");
        if (registry.log.some(({ seq }) => seq === row.seq)) throw new Error("the row's number is taken");
        if (!apply(registry, change, row)) return false;
        registry.changes.push(change);
        registry.log.push(row);
        return true;
      },
      auditHead: async () => registry.log.at(-1) ?? EMPTY_CHAIN,
      auditHash: async (seq) => registry.log.find((row) => row.seq === seq)?.hash ?? null,
      versionText: async (version) => {
        const row = registry.rows.get(version);
        return row === undefined ? null : { text: row.text, signature: row.summary.signature };
      },
      versionSummary: async (version) => registry.rows.get(version)?.summary ?? null,
      channel: async ({ name, channel, merchant }) => {
        const served = registry.channels.get(`${name}:${channel}:${merchant}`);
        return served === undefined ? null : { ...served, ...named(registry, served.version) };
      },
      routes: async ({ name, channel, merchant }) => {
        const served = (of: string) => registry.channels.get(`${name}:${channel}:${of}`)?.version;
        const own = merchant === "*" ? undefined : served(merchant);
        const common = served("*");
        return {
          ...registry.pins,
          canaries: registry.canaries,
          merchantChannel: own === undefined ? null : named(registry, own),
          commonChannel: common === undefined ? null : named(registry, common),
        };
      },
      freeze: async (_name, merchant) =>
        registry.freezes.find((row) => row.merchant === merchant) ??
        registry.freezes.find((row) => row.merchant === "*") ??
        null,
      gateResults: async () => registry.results,
    },
    cache: {
      get: async (version) => registry.cached.get(version) ?? null,
      put: async (version, bundle) => {
        registry.writes.push("cache");
        registry.cached.set(version, bundle);
      },
      putChannel: async ({ name, channel, merchant }, version) => {
        registry.pointers.set(`${name}:${channel}:${merchant}`, version);
      },
    },
  };
  return registry;
}

function named({ rows }: FakeRegistry, version: HarnessVersion) {
  return { version, isRevoked: (rows.get(version)?.summary.revokedAtMs ?? null) !== null };
}

function apply(registry: FakeRegistry, change: RegistryChange, { actor, atMs }: AuditRow): boolean {
  const { rows, channels, applies } = registry;
  if (change.kind === "push") {
    const { kind: _kind, bundleText: text, ...fields } = change;
    if (rows.has(fields.version)) return false;
    rows.set(fields.version, { text, summary: aSummary({ ...fields, createdBy: actor, createdAtMs: atMs }) });
    return true;
  }
  if (change.kind !== "move" && change.kind !== "roll-back") return applies;
  const key = `${change.name}:${change.channel}:${change.merchant}`;
  if ((channels.get(key)?.version ?? null) !== change.expected || !applies) return false;
  channels.set(key, { version: change.to, previous: change.expected });
  return true;
}
