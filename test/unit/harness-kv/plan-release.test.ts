/** Moves that wait. What the tables do with a plan: test/workers. */
import { describe, it } from "vitest";
import { moveChannel, rollBackChannel } from "../../../harness-kv/move-channel.ts";
import { approvePlan, planDueAtMs, planMove, runPlan, withdrawPlan } from "../../../harness-kv/plan-release.ts";
import type { Actor, PlannedMove } from "../../../harness-kv/registry-change.ts";
import { harnessChannelSchema, harnessVersionSchema, type HarnessVersion } from "../../../shared/contract/ids.ts";
import type { Plan } from "../../../shared/contract/release.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { aRegistry, aSummary, type FakeRegistry, LI } from "./a-registry.ts";

const versionOf = (digit: string) => harnessVersionSchema.parse(digit.repeat(64));
const [OLD, NEW, OTHER, REVOKED] = [versionOf("a"), versionOf("b"), versionOf("c"), versionOf("e")];
const SCOPE = { name: "small", channel: harnessChannelSchema.parse("production"), merchant: "*" };
const REF = { name: "small", id: "p1" };
const KEY = "small:production:*";
const CHEN: Actor = { name: "chen", audience: "operator" };
const GU: Actor = { name: "gu", audience: "governor" };

/** Production serves {@link OLD}; where releases take two people if `needsTwo`. */
function aServedHarness({ needsTwo = false } = {}): FakeRegistry {
  const registry = { ...aRegistry(), needsTwo };
  for (const [version, revokedAtMs] of [
    [OLD, null],
    [NEW, null],
    [OTHER, null],
    [REVOKED, 1],
  ] as const) {
    registry.rows.set(version, { summary: aSummary({ version, name: "small", revokedAtMs }), text: "{}" });
  }
  registry.channels.set(KEY, { version: OLD, previous: null });
  return registry;
}

const planIt = (registry: FakeRegistry, fields: Partial<PlannedMove> = {}) =>
  planMove(registry, { ...SCOPE, id: REF.id, expected: OLD, to: NEW, dueAtMs: null, note: "", ...fields }, LI);

function readPlan({ plans }: FakeRegistry): Plan {
  const plan = plans.get(REF.id);
  if (plan === undefined) throw new Error("it was planned");
  return plan;
}

const run = (registry: FakeRegistry, load: (version: HarnessVersion) => Promise<unknown> = async () => null) =>
  runPlan({ ...registry, load }, readPlan(registry));

const freeze = ({ freezes }: FakeRegistry) =>
  void freezes.push({ merchant: "*", reason: "双十一", frozenBy: "chen", frozenAtMs: 0 });
const revoke = ({ rows }: FakeRegistry) =>
  void rows.set(NEW, { summary: aSummary({ version: NEW, name: "small", revokedAtMs: 1 }), text: "{}" });
const moveAway = (registry: FakeRegistry) => moveChannel(registry, { ...SCOPE, expected: OLD, to: OTHER }, CHEN);

const actionsOf = ({ log }: FakeRegistry) => log.map(({ actor, audience, action }) => `${actor} ${audience} ${action}`);

describe("planMove", () => {
  it("writes the plan down, with who planned it, and moves nothing", async ({ expect }) => {
    const registry = aServedHarness();
    await planIt(registry, { dueAtMs: 900, note: "晚上八点" });
    expect(readPlan(registry)).toEqual({
      ...SCOPE,
      id: "p1",
      expected: OLD,
      version: NEW,
      dueAtMs: 900,
      note: "晚上八点",
      plannedBy: "li",
      plannedAtMs: 5,
      approvedBy: null,
      status: "waiting",
      reason: null,
    });
    expect([actionsOf(registry), registry.channels.get(KEY)?.version]).toEqual([["li operator plan"], OLD]);
  });

  it.for([
    { name: "does not exist", to: versionOf("d"), code: "harness_not_found" },
    { name: "was revoked", to: REVOKED, code: "harness_revoked" },
  ])("refuses a version that $name", async ({ to, code }, { expect }) => {
    const registry = aServedHarness();
    await expect(planIt(registry, { to })).rejects.toMatchObject({ code });
    expect(registry.log).toEqual([]);
  });

  it("says when the version was revoked in between", async ({ expect }) => {
    const registry = aServedHarness();
    const commit = async () => {
      revoke(registry);
      return false;
    };
    const tables = { ...registry.tables, commit };
    await expect(planIt({ ...registry, tables })).rejects.toMatchObject({ code: "harness_revoked" });
  });

  it("waits for the freeze and the gate until it is due", async ({ expect }) => {
    const registry = { ...aServedHarness(), isGated: true };
    freeze(registry);
    await expect(planIt(registry)).resolves.toBeUndefined();
  });
});

describe("approvePlan", () => {
  it("takes a second person, of whichever audience", async ({ expect }) => {
    for (const second of [CHEN, GU]) {
      const registry = aServedHarness();
      await planIt(registry);
      await approvePlan(registry, REF, second);
      expect(readPlan(registry)).toMatchObject({ approvedBy: second.name, status: "waiting" });
    }
  });

  it("refuses one's own plan, also under another audience, and also once another has approved it", async ({
    expect,
  }) => {
    const registry = aServedHarness();
    await planIt(registry);
    const own = () => approvePlan(registry, REF, { ...LI, audience: "governor" });
    await expect(own()).rejects.toMatchObject({ code: "forbidden" });
    expect(readPlan(registry).approvedBy).toBeNull();
    await approvePlan(registry, REF, CHEN);
    await expect(own()).rejects.toMatchObject({ code: "forbidden" });
  });

  it("is harmless when it comes again, from the same person or a third", async ({ expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    for (const person of [CHEN, CHEN, GU]) await approvePlan(registry, REF, person);
    expect(readPlan(registry).approvedBy).toBe("chen");
    expect(actionsOf(registry)).toEqual(["li operator plan", "chen operator approve-plan"]);
  });

  it("finds no plan that is none, is another harness's, or is done", async ({ expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    const notFound = { code: "release_not_found" };
    await expect(approvePlan(registry, { ...REF, id: "p2" }, CHEN)).rejects.toMatchObject(notFound);
    await expect(approvePlan(registry, { ...REF, name: "other" }, CHEN)).rejects.toMatchObject(notFound);
    await run(registry);
    await expect(approvePlan(registry, REF, CHEN)).rejects.toMatchObject(notFound);
  });
});

describe("withdrawPlan", () => {
  it("takes it back, once, and it is not carried out any more", async ({ expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    const stale = readPlan(registry);
    await withdrawPlan(registry, REF, CHEN);
    await expect(withdrawPlan(registry, REF, CHEN)).rejects.toMatchObject({ code: "release_not_found" });
    expect(await runPlan({ ...registry, load: async () => null }, stale)).toBeNull();
    expect(readPlan(registry)).toMatchObject({ status: "withdrawn", reason: null });
    expect(registry.channels.get(KEY)?.version).toBe(OLD);
  });
});

describe("planDueAtMs", () => {
  const candidate = harnessChannelSchema.parse("candidate");

  it.for([
    ["at its time", { dueAtMs: 900 }, false, 900],
    ["at once without a time", {}, false, 0],
    ["never, on production, until a second person has approved it", { dueAtMs: 900 }, true, null],
    ["on a merchant's production neither", { merchant: "m-1" }, true, null],
    ["at its time once approved", { dueAtMs: 900, approvedBy: "chen" }, true, 900],
    ["at once, approved and without a time", { approvedBy: "chen" }, true, 0],
    ["by itself on another channel", { channel: candidate, dueAtMs: 900 }, true, 900],
    ["never once released", { status: "released" }, false, null],
    ["never once refused", { status: "refused" }, false, null],
    ["never once withdrawn", { approvedBy: "chen", status: "withdrawn" }, true, null],
  ] as const)("is %s: %o, two people: %s", async ([, fields, needsTwo, dueAtMs], { expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    expect(planDueAtMs({ ...readPlan(registry), ...fields }, needsTwo)).toBe(dueAtMs);
  });
});

describe("the rule of two", () => {
  it("lets nobody move production directly, and anybody every other channel", async ({ expect }) => {
    const registry = aServedHarness({ needsTwo: true });
    for (const merchant of ["*", "m-1"]) {
      const expected = merchant === "*" ? OLD : null;
      const direct = moveChannel(registry, { ...SCOPE, merchant, expected, to: NEW }, GU);
      await expect(direct).rejects.toMatchObject({ code: "harness_unapproved" });
    }
    expect(registry.log).toEqual([]);
    const channel = harnessChannelSchema.parse("candidate");
    await expect(moveChannel(registry, { ...SCOPE, channel, expected: null, to: NEW }, LI)).resolves.toMatchObject({
      to: NEW,
    });
  });

  it("lets an approved plan through, in the name of who planned it", async ({ expect }) => {
    const registry = aServedHarness({ needsTwo: true });
    await planIt(registry);
    await approvePlan(registry, REF, CHEN);
    expect(await run(registry)).toEqual({ from: OLD, to: NEW, copied: true });
    expect(registry.channels.get(KEY)).toEqual({ version: NEW, previous: OLD });
    expect(readPlan(registry)).toMatchObject({ status: "released", reason: null });
    expect(actionsOf(registry)).toEqual(["li operator plan", "chen operator approve-plan", "li rollout move"]);
    expect(registry.log.at(-1)?.subject).toMatchObject({ plan: "p1", expected: OLD, to: NEW });
  });

  it("lets one person roll production back", async ({ expect }) => {
    const registry = aServedHarness({ needsTwo: true });
    registry.channels.set(KEY, { version: NEW, previous: OLD });
    await expect(rollBackChannel(registry, SCOPE, LI)).resolves.toMatchObject({ from: NEW, to: OLD });
  });

  it("refuses a plan that is carried out before it is approved", async ({ expect }) => {
    const registry = aServedHarness({ needsTwo: true });
    await planIt(registry);
    expect(await run(registry)).toBeNull();
    expect(readPlan(registry)).toMatchObject({ status: "refused", reason: "harness_unapproved" });
    expect(registry.channels.get(KEY)?.version).toBe(OLD);
  });
});

describe("runPlan", () => {
  it("loads the version before anything moves, and moves the channel once", async ({ expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    const plan = readPlan(registry);
    const served: (HarnessVersion | undefined)[] = [];
    const load = async () => served.push(registry.channels.get(KEY)?.version);
    expect(await runPlan({ ...registry, load }, plan)).toMatchObject({ to: NEW });
    expect(served).toEqual([OLD]);
    expect(await runPlan({ ...registry, load }, plan)).toBeNull();
    expect(readPlan(registry)).toMatchObject({ status: "released", reason: null });
    expect(actionsOf(registry)).toEqual(["li operator plan", "li rollout move"]);
  });

  it("does not give back its release where the channel was rolled back and the plan is read late", async ({
    expect,
  }) => {
    const registry = aServedHarness();
    await planIt(registry);
    const stale = readPlan(registry);
    await run(registry);
    await rollBackChannel(registry, SCOPE, LI);
    expect(await runPlan({ ...registry, load: async () => null }, stale)).toBeNull();
    expect(registry.channels.get(KEY)?.version).toBe(OLD);
    expect(readPlan(registry).status).toBe("released");
  });

  it.for([
    { by: "a freeze", reason: "harness_frozen", happens: freeze },
    { by: "a revoked version", reason: "harness_revoked", happens: revoke },
    { by: "a channel that was moved since", reason: "channel_moved", happens: moveAway },
  ])("is ended by $by, and keeps why", async ({ reason, happens }, { expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    await happens(registry);
    const { version } = registry.channels.get(KEY) ?? {};
    expect(await run(registry)).toBeNull();
    expect(readPlan(registry)).toMatchObject({ status: "refused", reason });
    expect(registry.channels.get(KEY)?.version).toBe(version);
    expect(registry.log.at(-1)).toMatchObject({ actor: "li", audience: "rollout", action: "refuse-plan" });
  });

  it("is ended by a channel that was rolled back since", async ({ expect }) => {
    const registry = aServedHarness();
    registry.channels.set(KEY, { version: NEW, previous: OLD });
    await planIt(registry, { expected: NEW, to: OTHER });
    await rollBackChannel(registry, SCOPE, CHEN);
    expect(await run(registry)).toBeNull();
    expect(readPlan(registry)).toMatchObject({ status: "refused", reason: "channel_moved" });
    expect(registry.channels.get(KEY)?.version).toBe(OLD);
  });

  it("is ended by a closed gate", async ({ expect }) => {
    const registry = { ...aServedHarness(), isGated: true };
    await planIt(registry);
    expect(await run(registry)).toBeNull();
    expect(readPlan(registry)).toMatchObject({ status: "refused", reason: "harness_gate_closed" });
  });

  it("is ended by a version that cannot be loaded, and is not tried again", async ({ expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    const fails = async () => Promise.reject(new AppError("harness_corrupt", "damaged"));
    expect(await run(registry, fails)).toBeNull();
    expect(readPlan(registry)).toMatchObject({ status: "refused", reason: "harness_corrupt" });
    expect(planDueAtMs(readPlan(registry), false)).toBeNull();
  });

  it.for([
    ["the registry is away", new AppError("registry_unavailable", "away")],
    ["the code fails", new AppError("internal", "a bug")],
    ["something unknown fails", new Error("out of memory")],
  ] as const)("waits on while %s, and is carried out then", async ([, failure], { expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    await expect(run(registry, async () => Promise.reject(failure))).rejects.toBe(failure);
    expect([readPlan(registry).status, planDueAtMs(readPlan(registry), false)]).toEqual(["waiting", 0]);
    expect(await run(registry)).toMatchObject({ to: NEW });
  });

  it("waits on when the database fails at the move itself", async ({ expect }) => {
    const registry = aServedHarness();
    await planIt(registry);
    const away = new AppError("registry_unavailable", "away");
    const tables = { ...registry.tables, commit: async () => Promise.reject(away) };
    await expect(run({ ...registry, tables })).rejects.toBe(away);
    expect(readPlan(registry).status).toBe("waiting");
  });
});
