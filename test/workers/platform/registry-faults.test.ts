/** Many pushes and releases in one moment, while the network fails between D1 and KV: afterwards tables, log and copies agree. */
import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/d1";
import { describe, it, type ExpectStatic } from "vitest";
import { EMPTY_CHAIN, verifyAuditPage } from "../../../harness-kv/audit-chain.ts";
import { bundleVersion, canonicalBundle } from "../../../harness-kv/canonical-bundle.ts";
import { bundleKey, channelKey } from "../../../harness-kv/keys.ts";
import { loadBundle } from "../../../harness-kv/resolve-harness.ts";
import {
  harnessCanary,
  harnessChannel,
  harnessFreeze,
  harnessPin,
  harnessVersion,
} from "../../../harness-kv/schema.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import type { AuditRow } from "../../../shared/contract/release.ts";
import { toAppError } from "../../../shared/errors/app-error.ts";
import { listAudit } from "../../../workers/platform/registry-lists.ts";
import { SUMMARY_COLUMNS, toSignature, toSummary } from "../../../workers/platform/registry-rows.ts";
import { releasesOf } from "../../../workers/platform/registry.ts";
import { sha256Hex } from "../../../workers/platform/sha256.ts";
import { aBundle } from "../../helpers/harnesses.ts";
import { breakRegistry } from "./faulty-registry.ts";
import { EMPTY_REGISTRY, foldLog, refusalOf, type RegistryModel } from "./registry-model.ts";
import {
  perform,
  planOperations,
  toChange,
  toRowOf,
  type NewHarness,
  type Operation,
  type World,
} from "./registry-operations.ts";

/** A seed fixes what is asked and which faults each operation meets, not which of two writers is first. */
const SEEDS = [1, 2, 3, 4];
const LIMIT_MS = 60_000;
/** The real one, where anyone may release what was pushed. */
const REGISTRY = { ...releasesOf(env), isGated: false, needsTwo: false };
const production = harnessChannelSchema.parse("production");

/** Whether the operation says that it changed something; else the code of its error. */
type Said = boolean | string;
type Outcome = { readonly operation: Operation; readonly said: Said; readonly failures: number };

describe("the registry while its network fails", { timeout: LIMIT_MS }, () => {
  it.for(SEEDS)("does 200 operations of one moment once, or not at all: seed %i", async (seed, { expect }) => {
    const world = await aWorld(seed);
    const before = (await readLog()).length;
    const outcomes = await storm(planOperations(world, randomOf(seed)), seed);

    const log = await readLog();
    const { seq = 0, hash = "" } = log.at(-1) ?? {};
    expect(await verifyAuditPage(EMPTY_CHAIN, log, sha256Hex)).toEqual({ head: { seq, hash }, brokenSeq: null });
    const models = foldLog(log);
    const now = models.at(-1) ?? EMPTY_REGISTRY;
    expect(await readTables()).toEqual(now);

    for (const outcome of outcomes) expectInLog(expect, outcome, { log, models: models.slice(before) });
    expect(await differingCopies(models)).toEqual([]);
    expect(await keysInKv()).toEqual(expect.arrayContaining(outcomes.flatMap(copiesOf)));
    await expectLoads(expect, now);
    await expectRepeats(expect, outcomes, log);
  });
});

/** Three harnesses with four versions each, which served production one after the other. */
async function aWorld(seed: number): Promise<World> {
  const names = ["a", "b", "c"].map((name) => `seed-${seed}-${name}`);
  const harness = async (name: string, description: string): Promise<NewHarness> => {
    const bundle = aBundle({ name, description });
    return { name, bundle, version: await bundleVersion(canonicalBundle(bundle), sha256Hex) };
  };
  const known = await Promise.all(names.flatMap((name) => ["春", "夏", "秋", "冬"].map((text) => harness(name, text))));
  const fresh = await Promise.all(
    Array.from({ length: 40 }, (_, index) => harness(names[index % names.length] ?? "", `第${index}版`)),
  );
  const by = { name: `seed-${seed}`, audience: "operator" } as const;
  for (const { name, bundle, version } of known) {
    await perform(REGISTRY, { work: { kind: "push", version, push: { bundle } }, by });
    const scope = { name, channel: production, merchant: "*" };
    await perform(REGISTRY, { work: { kind: "release", ...scope, to: version }, by });
  }
  return { names, merchants: ["m-1", "m-2"], known, fresh };
}

/** Lets all of them begin at once, and waits until nothing is on its way any more. */
async function storm(operations: readonly Operation[], seed: number): Promise<readonly Outcome[]> {
  const late: Promise<unknown>[] = [];
  const running: Promise<Outcome>[] = [];
  for (const [index, operation] of operations.entries()) {
    const { deps, failures } = breakRegistry(REGISTRY, randomOf(seed * 1_000 + index), late);
    const begin = operation.after === undefined ? null : running[operation.after];
    running.push(
      (async () => {
        await begin;
        return { operation, said: await attempt(deps, operation), failures: failures() };
      })(),
    );
  }
  const outcomes = await Promise.all(running);
  await Promise.all(late);
  return outcomes;
}

async function attempt(deps: Parameters<typeof perform>[0], operation: Operation): Promise<Said> {
  try {
    return await perform(deps, operation);
  } catch (thrown) {
    return toAppError(thrown).code;
  }
}

/** An operation that said so is in the log once; one that was refused is not; one that failed is there once or not at all. */
function expectInLog(
  expect: ExpectStatic,
  { operation, said, failures }: Outcome,
  { log, models }: { readonly log: readonly AuditRow[]; readonly models: readonly RegistryModel[] },
): void {
  const what = `${operation.by.name} ${operation.work.kind}: ${said}`;
  const rows = log.filter(({ actor }) => actor === operation.by.name);
  for (const row of rows) expect(row, what).toMatchObject(toRowOf(operation));
  if (said === "registry_unavailable") {
    expect(rows.length, what).toBeLessThanOrEqual(1);
    expect(failures, what).toBeGreaterThan(0);
    return;
  }
  expect(rows.length, what).toBe(said === true ? 1 : 0);
  if (said !== true) expect(isExplained(operation, said, models), what).toBe(true);
}

/** The copy that a push has promised. */
function copiesOf({ operation: { work }, said }: Outcome): string[] {
  return work.kind === "push" && typeof said === "boolean" ? [bundleKey(work.version)] : [];
}

/** Whether the registry was at some time such that it had to refuse. */
function isExplained(operation: Operation, said: Said, models: readonly RegistryModel[]): boolean {
  const { kind } = operation.work;
  const reasons = new Set(models.map((model) => refusalOf(model, toChange(operation, model))));
  // Others may move a channel between the look at it and the move from there.
  const isOvertaken = said === "channel_moved" && (kind === "release" || kind === "roll-back");
  return isOvertaken || reasons.has(said === false ? "created before" : said.toString());
}

async function readLog(): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  for (;;) {
    const page = await listAudit(env, { after: rows.at(-1)?.seq ?? 0, limit: 500 });
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

/** The tables as the model has them. */
async function readTables(): Promise<RegistryModel> {
  const db = drizzle(env.REGISTRY_DB);
  const [versions, channels, pins, canaries, freezes] = await db.batch([
    db.select(SUMMARY_COLUMNS).from(harnessVersion),
    db.select().from(harnessChannel),
    db.select().from(harnessPin),
    db.select().from(harnessCanary),
    db.select().from(harnessFreeze),
  ]);
  return {
    versions: new Map(versions.map((row) => [row.version, toSummary(row)])),
    channels: new Map(channels.map((row) => [`${row.name}:${row.channel}:${row.merchant}`, row])),
    pins: new Map(pins.map((row) => [`${row.name}:${row.scope}:${row.id}`, row])),
    canaries: new Map(canaries.map((row) => [`${row.name}:${row.merchant}`, row])),
    freezes: new Map(freezes.map((row) => [`${row.name}:${row.merchant}`, row])),
  };
}

/** Keys in KV that hold what the tables do not, or never did. */
async function differingCopies(models: readonly RegistryModel[]): Promise<string[]> {
  const rows = await drizzle(env.REGISTRY_DB).select().from(harnessVersion);
  const right = new Map<string, Set<string>>();
  for (const row of rows)
    right.set(bundleKey(harnessVersionSchema.parse(row.version)), new Set([copyOf(row.bundle, toSignature(row))]));
  for (const { channels } of models) {
    for (const { name, channel, merchant, version } of channels.values()) {
      const key = channelKey({ name, channel: harnessChannelSchema.parse(channel), merchant });
      right.set(key, (right.get(key) ?? new Set()).add(copyOf(version, null)));
    }
  }
  const copies = (await keysInKv()).map(async (key) => {
    const { value, metadata } = await env.HARNESS_KV.getWithMetadata(key);
    return right.get(key)?.has(copyOf(value, metadata)) === true ? [] : [key];
  });
  return (await Promise.all(copies)).flat();
}

async function keysInKv(): Promise<string[]> {
  const { keys, list_complete: isAll } = await env.HARNESS_KV.list();
  if (!isAll) throw new Error("KV holds more keys than one page");
  return keys.map(({ name }) => name);
}

function copyOf(text: string | null, signature: unknown): string {
  return JSON.stringify([text, signature]);
}

/** Whatever names a version names one that can be loaded, and is what its digest says. */
async function expectLoads(expect: ExpectStatic, { channels, pins, canaries }: RegistryModel): Promise<void> {
  const named = [...channels.values(), ...pins.values(), ...canaries.values()];
  for (const text of new Set(named.map(({ version }) => version))) {
    const version = harnessVersionSchema.parse(text);
    const bundle = await loadBundle(REGISTRY, version);
    expect(await bundleVersion(canonicalBundle(bundle), sha256Hex)).toBe(version);
  }
}

/** What failed is done when it is asked for again, or refused because of what the registry is by now. */
async function expectRepeats(
  expect: ExpectStatic,
  outcomes: readonly Outcome[],
  log: readonly AuditRow[],
): Promise<void> {
  let now = foldLog(log).at(-1) ?? EMPTY_REGISTRY;
  let after = log.length;
  for (const { operation } of outcomes.filter(({ said }) => said === "registry_unavailable")) {
    const refusal = refusalOf(now, toChange(operation, now));
    const said = await attempt(REGISTRY, operation);
    expect(said, `${operation.by.name} again`).toBe(
      refusal === null ? true : refusal === "created before" ? false : refusal,
    );
    const rows = await listAudit(env, { after, limit: 500 });
    expect(rows.length).toBe(refusal === null ? 1 : 0);
    now = foldLog(rows, now).at(-1) ?? now;
    after += rows.length;
  }
  expect(await readTables()).toEqual(now);
  // Now each push is through, and with it each copy.
  const copies = [...now.versions.values()].map(({ version }) => bundleKey(version));
  expect(await keysInKv()).toEqual(expect.arrayContaining(copies));
}

/** Numbers from 0 up to 1, the same for the same seed. Source: mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function randomOf(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
