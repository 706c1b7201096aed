import { createHash } from "node:crypto";
import { EMPTY_CHAIN } from "../../../harness-kv/audit-chain.ts";
import type { Canary } from "../../../harness-kv/canary-share.ts";
import type { ReleaseDeps } from "../../../harness-kv/move-channel.ts";
import type { Actor, RegistryChange } from "../../../harness-kv/registry-change.ts";
import type {
  HarnessRoutes,
  RegistryDeps,
  RouteRequest,
  StoredBundle,
  VersionSummary,
} from "../../../harness-kv/registry-store.ts";
import { canaryLimitsSchema } from "../../../shared/contract/canary-limits.ts";
import type { HarnessVersion } from "../../../shared/contract/ids.ts";
import type { AuditRow, Freeze, GateResult, Plan } from "../../../shared/contract/release.ts";

export const LI: Actor = { name: "li", audience: "operator" };

type StoredVersion = { summary: VersionSummary; text: string };
type Channel = { version: HarnessVersion; previous: HarnessVersion | null };

/**
 * A registry in memory that records the order of its writes. Pushes, moves and plans are real; of other changes it knows which
 * was the last.
 */
export type FakeRegistry = RegistryDeps &
  ReleaseDeps & {
    readonly rows: Map<HarnessVersion, StoredVersion>;
    readonly cached: Map<string, StoredBundle>;
    /** By `name:channel:merchant`. */
    readonly channels: Map<string, Channel>;
    readonly pointers: Map<string, HarnessVersion>;
    /** By id. */
    readonly plans: Map<string, Plan>;
    readonly log: AuditRow[];
    readonly changes: RegistryChange[];
    readonly writes: string[];
    /** What tests set; empty otherwise. */
    readonly pins: Pick<HarnessRoutes, "roomPin" | "merchantPin">;
    readonly canaries: Canary[];
    readonly freezes: Freeze[];
    readonly results: GateResult[];
    /** Whether changes apply at all, but for pushes. */
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
    plans: new Map(),
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
    needsTwo: false,
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
      routes: async (request) => routesOf(registry, request),
      routesOfRooms: async (name, requests) => requests.map((request) => routesOf(registry, { name, ...request })),
      freeze: async (_name, merchant) =>
        registry.freezes.find((row) => row.merchant === merchant) ??
        registry.freezes.find((row) => row.merchant === "*") ??
        null,
      gateResults: async () => registry.results,
      canaries: async () => registry.canaries,
      canaryLimits: async (name) => lastOf(registry, "set-canary-limits", name)?.limits ?? canaryLimitsSchema.parse({}),
      backup: async (name) => lastOf(registry, "set-backup", name)?.version ?? null,
      plan: async (name, id) => {
        const plan = registry.plans.get(id);
        return plan?.name === name ? plan : null;
      },
      waitingPlans: async (name) =>
        [...registry.plans.values()].filter((plan) => plan.name === name && plan.status === "waiting"),
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

function routesOf(registry: FakeRegistry, { name, channel, merchant }: RouteRequest): HarnessRoutes {
  const served = (of: string) => registry.channels.get(`${name}:${channel}:${of}`)?.version;
  const own = merchant === "*" ? undefined : served(merchant);
  const common = served("*");
  return {
    seq: (registry.log.at(-1) ?? EMPTY_CHAIN).seq,
    ...registry.pins,
    canaries: registry.canaries,
    merchantChannel: own === undefined ? null : named(registry, own),
    commonChannel: common === undefined ? null : named(registry, common),
  };
}

type Change<Kind extends RegistryChange["kind"]> = Extract<RegistryChange, { kind: Kind }>;

function lastOf<Kind extends RegistryChange["kind"]>({ changes }: FakeRegistry, kind: Kind, name: string) {
  const isMeant = (change: RegistryChange): change is Change<Kind> => change.kind === kind && change.name === name;
  return changes.findLast(isMeant);
}

function apply(registry: FakeRegistry, change: RegistryChange, row: AuditRow): boolean {
  const { rows, applies } = registry;
  if (change.kind === "push") {
    const { kind: _kind, bundleText: text, ...fields } = change;
    if (rows.has(fields.version)) return false;
    rows.set(fields.version, { text, summary: aSummary({ ...fields, createdBy: row.actor, createdAtMs: row.atMs }) });
    return true;
  }
  if (!applies) return false;
  if (change.kind === "move" || change.kind === "roll-back") return move(registry, change);
  if (change.kind === "plan") return plan(registry, change, row);
  if (change.kind === "withdraw-plan") return changePlan(registry, change, () => ({ status: "withdrawn" }));
  if (change.kind === "refuse-plan") {
    return changePlan(registry, change, () => ({ status: "refused", reason: change.reason }));
  }
  if (change.kind !== "approve-plan") return true;
  return changePlan(registry, change, ({ approvedBy, plannedBy }) =>
    approvedBy === null && plannedBy !== row.actor ? { approvedBy: row.actor } : null,
  );
}

function move(registry: FakeRegistry, change: Change<"move" | "roll-back">): boolean {
  const { name, channel, merchant, expected, to } = change;
  const key = `${name}:${channel}:${merchant}`;
  if ((registry.channels.get(key)?.version ?? null) !== expected) return false;
  const id = change.kind === "move" ? change.plan : undefined;
  if (id !== undefined && !changePlan(registry, { name, id }, () => ({ status: "released" }))) return false;
  registry.channels.set(key, { version: to, previous: expected });
  return true;
}

function plan(
  { plans }: FakeRegistry,
  { kind: _kind, to, ...planned }: Change<"plan">,
  { actor, atMs }: AuditRow,
): boolean {
  if (plans.has(planned.id)) return false;
  const waits = { approvedBy: null, status: "waiting", reason: null } as const;
  plans.set(planned.id, { ...planned, version: to, plannedBy: actor, plannedAtMs: atMs, ...waits });
  return true;
}

/** Of a plan that waits, for which `to` has something to change. */
function changePlan(
  { plans }: FakeRegistry,
  { name, id }: { readonly name: string; readonly id: string },
  to: (plan: Plan) => Partial<Plan> | null,
): boolean {
  const waiting = plans.get(id);
  const fields = waiting?.name === name && waiting.status === "waiting" ? to(waiting) : null;
  if (waiting === undefined || fields === null) return false;
  plans.set(id, { ...waiting, ...fields });
  return true;
}
