/** Moves of channels that wait for their time. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import * as stored from "../../../harness-kv/plan-release.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import type { Plan } from "../../../shared/contract/release.ts";
import { releasesOf } from "../../../workers/platform/registry.ts";
import type { HarnessRollout } from "../../../workers/release/harness-rollout.ts";
import { call } from "../api.ts";
import * as given from "./a-harness.ts";

given.useReleaseClock();

const HOUR_MS = 3_600_000;

type PlanFields = { readonly version: string; readonly expected: string | null; readonly dueAtMs?: number };

async function plan(name: string, body: PlanFields): Promise<Plan> {
  const planned = await call(`/v1/harnesses/${name}/plans`, { method: "POST", body });
  if (planned.status !== 201) throw new Error(`POST plans answered ${planned.status}`);
  return planned.json<Plan>();
}

async function plansOf(name: string, status?: Plan["status"]) {
  const query = status === undefined ? "" : `?status=${status}`;
  const { plans } = await given.callJson<{ plans: Plan[] }>(`/v1/harnesses/${name}/plans${query}`);
  return plans.map(({ id, status: is, reason }) => ({ id, status: is, reason }));
}

function alarmAtMs(name: string): Promise<number | null> {
  return runInDurableObject<HarnessRollout, number | null>(given.rolloutOf(name), (_, state) =>
    state.storage.getAlarm(),
  );
}

/** A harness with one room, and a plan to give it the second version in an hour. */
async function aPlan() {
  const harness = await given.aHarness();
  const room = await given.aRoom(harness.name);
  // What was begun before has had its alarm.
  await given.runAlarmAfter(harness.name, 60_000);
  const dueAtMs = Date.now() + HOUR_MS;
  const { id } = await plan(harness.name, { version: harness.second, expected: harness.first, dueAtMs });
  return { ...harness, room, id, dueAtMs };
}

describe("a plan with a time", () => {
  it("is carried out by the alarm at its time, not before, and all its rooms are told", async ({ expect }) => {
    const { name, first, second, room, id, dueAtMs } = await aPlan();
    const other = await given.aRoom(name, { merchant: "m2" });
    expect(await plansOf(name)).toEqual([{ id, status: "waiting", reason: null }]);
    await given.runAlarmAfter(name, HOUR_MS - 1);
    expect(await alarmAtMs(name)).toBe(dueAtMs);
    expect(await given.versionsOf([room, other])).toEqual([first, first]);
    await given.runAlarmAfter(name, 1);
    expect(await given.versionsOf([room, other])).toEqual([second, second]);
    expect(await plansOf(name, "released")).toEqual([{ id, status: "released", reason: null }]);
    const { action, actor, audience } = (await given.auditOf(name)).at(-1) ?? {};
    expect({ action, actor, audience }).toEqual({ action: "move", actor: "test", audience: "rollout" });
  });

  it("is not carried out once it is withdrawn", async ({ expect }) => {
    const { name, first, room, id } = await aPlan();
    const path = `/v1/harnesses/${name}/plans/${id}`;
    expect(await (await call(path, { method: "DELETE" })).json()).toMatchObject({ id, status: "withdrawn" });
    await given.runAlarmAfter(name, HOUR_MS);
    expect(await given.versionsOf([room])).toEqual([first]);
    expect(await plansOf(name)).toEqual([{ id, status: "withdrawn", reason: null }]);
    expect((await call(path, { method: "DELETE" })).status).toBe(404);
  });

  it("is refused, when its channel was moved meanwhile", async ({ expect }) => {
    const { name, first, room, id } = await aPlan();
    const third = await given.pushVersion(name, "三。");
    await given.moveTo(name, third, { expected: first });
    await given.runAlarmAfter(name, HOUR_MS);
    expect(await given.versionsOf([room])).toEqual([third]);
    expect(await plansOf(name)).toEqual([{ id, status: "refused", reason: "channel_moved" }]);
  });

  it("is refused, when the harness is frozen at its time", async ({ expect }) => {
    const { name, first, room, id } = await aPlan();
    await call(`/v1/harnesses/${name}/freeze`, { method: "PUT", body: { reason: "大促" } });
    await given.runAlarmAfter(name, HOUR_MS);
    expect(await given.versionsOf([room])).toEqual([first]);
    expect(await plansOf(name, "refused")).toEqual([{ id, status: "refused", reason: "harness_frozen" }]);
  });

  it("is refused, when its version is damaged at its time", async ({ expect }) => {
    const harness = await given.aHarness();
    const { name, first, second } = harness;
    const id = await writePlan(harness, Date.now() + HOUR_MS);
    await given.rolloutOf(name).runPlans();
    await given.damage(second, { inTable: true });
    await given.runAlarmAfter(name, HOUR_MS);
    expect(await plansOf(name)).toEqual([{ id, status: "refused", reason: "harness_corrupt" }]);
    expect(await given.callJson(`/v1/harnesses/${name}/channels/production`)).toMatchObject({ version: first });
  });

  it("does not hold up another that is due sooner", async ({ expect }) => {
    const { name, first, second, room, dueAtMs, id } = await aPlan();
    const sooner = await plan(name, { version: second, expected: first, dueAtMs: dueAtMs - HOUR_MS / 2 });
    expect(await alarmAtMs(name)).toBeLessThanOrEqual(dueAtMs - HOUR_MS / 2);
    await given.runAlarmAfter(name, HOUR_MS / 2);
    expect(await given.versionsOf([room])).toEqual([second]);
    const waiting = { id, status: "waiting", reason: null };
    expect(await plansOf(name)).toEqual(
      expect.arrayContaining([waiting, { id: sooner.id, status: "released", reason: null }]),
    );
    expect(await alarmAtMs(name)).toBeLessThanOrEqual(dueAtMs);
  });

  it("may lie beyond the last day of calendars", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    await plan(name, { version: second, expected: first, dueAtMs: Number.MAX_SAFE_INTEGER });
    await given.runAlarmAfter(name, HOUR_MS);
    expect(await plansOf(name)).toMatchObject([{ status: "waiting" }]);
  });
});

describe("a plan without a time", () => {
  it("is carried out at once where releases take one person", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = await given.aRoom(name);
    expect(await plan(name, { version: second, expected: first })).toMatchObject({
      status: "released",
      version: second,
    });
    expect(await given.versionsOf([room])).toEqual([second]);
  });

  it("is carried out by the alarm, when its caller is lost after the write", async ({ expect }) => {
    const harness = await given.aHarness();
    const { name, second } = harness;
    const room = await given.aRoom(name);
    await given.runAlarmAfter(name, 60_000);
    await given.rolloutOf(name).expectPlan();
    const id = await writePlan(harness, null);
    await given.runAlarmAfter(name, 20_000);
    expect(await given.versionsOf([room])).toEqual([second]);
    expect(await plansOf(name)).toEqual([{ id, status: "released", reason: null }]);
  });
});

/** Writes a plan into the table, and tells the rollout nothing. */
async function writePlan(
  { name, first, second }: { readonly name: string; readonly first: string; readonly second: string },
  dueAtMs: number | null,
): Promise<string> {
  const id = crypto.randomUUID();
  const scope = { name, channel: harnessChannelSchema.parse("production"), merchant: "*" };
  const versions = { expected: harnessVersionSchema.parse(first), to: harnessVersionSchema.parse(second) };
  const by = { name: "test", audience: "operator" } as const;
  await stored.planMove(releasesOf(env), { id, ...scope, ...versions, dueAtMs, note: "" }, by);
  return id;
}
