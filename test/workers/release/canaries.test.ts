/** Canaries that are watched, and that end by themselves when they fall behind. */
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import type { WatchedTurn } from "../../../harness-kv/canary-watch.ts";
import { endCanary } from "../../../harness-kv/change-release.ts";
import type { CanaryLimits } from "../../../shared/contract/canary-limits.ts";
import { releasesOf } from "../../../workers/platform/registry.ts";
import * as given from "./a-harness.ts";

const FINE = { error: false, fallback: false, blocked: false, totalMs: 900 };

/** So many turns of either arm, one after the other, in three rooms each. */
function turnsOf(count: number, fallback: (index: number) => { readonly canary: boolean; readonly baseline: boolean }) {
  return Array.from({ length: count }, (_, index): WatchedTurn[] => {
    const { canary, baseline } = fallback(index);
    const place = index % 3;
    return [
      { ...FINE, arm: "baseline", room: `b${place}`, fallback: baseline },
      { ...FINE, arm: "canary", room: `c${place}`, fallback: canary },
    ];
  }).flat();
}

/** A harness whose second version is a canary of one room, beside another room. */
async function aCanary(fields: Parameters<typeof given.pushVersion>[2] = {}) {
  const { name, first } = await given.aHarness();
  const second = await given.pushVersion(name, "二，金丝雀。", fields);
  const [canary, baseline] = [await given.aRoom(name), await given.aRoom(name)];
  await given.setCanary(name, { version: second, rooms: [canary] });
  const trial = (await given.viewOf(canary)).release.trial?.id ?? "";
  return { name, first, second, canary, baseline, trial };
}

async function setLimits(name: string, limits: Partial<CanaryLimits>) {
  const put = { method: "PUT", body: limits };
  return given.callJson<CanaryLimits>(`/v1/harnesses/${name}/canary-limits`, { ...put, ...(await given.asGovernor()) });
}

describe("limits of canaries", () => {
  it("are governors' to set, and count at once", async ({ expect }) => {
    const { name } = await given.aHarness();
    const put = { method: "PUT", body: { turnsMin: 7 } };
    expect(await given.callJson(`/v1/harnesses/${name}/canary-limits`, put)).toMatchObject({
      status: 403,
      code: "forbidden",
    });
    expect((await given.canaryOf(name)).limits.turnsMin).toBe(20);
    expect(await setLimits(name, { turnsMin: 7 })).toMatchObject({ status: 200, turnsMin: 7, roomsMin: 3 });
    expect((await given.canaryOf(name)).limits.turnsMin).toBe(7);
  });
});

describe("a canary's turns", () => {
  it("end it when they fall behind production's: its rooms go back, and log and report say why", async ({ expect }) => {
    const { name, first, second, canary, trial } = await aCanary();
    await given.rolloutOf(name).noteTurns(
      trial,
      turnsOf(60, () => ({ canary: true, baseline: false })),
    );
    expect(await given.viewOf(canary)).toMatchObject({ harness: { version: first }, release: { trial: null } });
    const report = await given.canaryOf(name);
    expect(report.canaries).toEqual([]);
    expect(report.rolledBack).toEqual([
      {
        merchant: "*",
        version: second,
        reason: expect.stringMatching(/^fallback: 100\.0 % of 60 turns/u),
        atMs: expect.any(Number),
      },
    ]);
    const { action, actor, audience, subject } = (await given.auditOf(name)).at(-1) ?? {};
    expect({ action, actor, audience }).toEqual({ action: "end-canary", actor: "canary-watch", audience: "rollout" });
    expect(subject).toMatchObject({ merchant: "*", salt: trial, reason: report.rolledBack[0]?.reason });
  });

  it("leave it running when production does as badly", async ({ expect }) => {
    const { name, second, canary, trial } = await aCanary();
    const turns = turnsOf(200, (index) => ({ canary: index % 4 === 0, baseline: index % 4 === 2 }));
    await given.rolloutOf(name).noteTurns(trial, turns);
    expect(await given.versionsOf([canary])).toEqual([second]);
    const { canaries, rolledBack } = await given.canaryOf(name);
    expect(rolledBack).toEqual([]);
    expect(canaries).toMatchObject([{ version: second, turns: { canary: 200, baseline: 200 }, pairs: 200 }]);
    expect(canaries[0]?.metrics.fallback).toMatchObject({ canaryRate: 0.25, baselineRate: 0.25 });
  });

  it("are passed over when they are of no canary that runs", async ({ expect }) => {
    const { name, second, canary, trial } = await aCanary();
    const bad = turnsOf(60, () => ({ canary: true, baseline: false }));
    await given.rolloutOf(name).noteTurns("another-trial", bad);
    expect(await given.versionsOf([canary])).toEqual([second]);
    expect((await given.canaryOf(name)).canaries).toMatchObject([{ turns: { canary: 0, baseline: 0 } }]);

    await given.callJson(`/v1/harnesses/${name}/canary`, { method: "DELETE" });
    const audited = (await given.auditOf(name)).length;
    await given.rolloutOf(name).noteTurns(trial, bad);
    expect(await given.auditOf(name)).toHaveLength(audited);
    expect((await given.canaryOf(name)).rolledBack).toEqual([]);
  });

  it("end nothing, when somebody has ended it just before", async ({ expect }) => {
    const { name, trial } = await aCanary();
    const rollout = given.rolloutOf(name);
    await rollout.noteTurns(
      trial,
      turnsOf(1, () => ({ canary: false, baseline: false })),
    );
    await endCanary(releasesOf(env), { name, merchant: "*" }, { name: "test", audience: "operator" });
    const audited = await given.auditOf(name);
    await rollout.noteTurns(
      trial,
      turnsOf(60, () => ({ canary: true, baseline: false })),
    );
    expect(await given.auditOf(name)).toEqual(audited);
    expect((await given.canaryOf(name)).rolledBack).toEqual([]);
  });

  it("count anew for another version, and go on while the share grows", async ({ expect }) => {
    const { name, second, canary, trial } = await aCanary();
    await given.rolloutOf(name).noteTurns(
      trial,
      turnsOf(5, () => ({ canary: false, baseline: false })),
    );
    await given.setCanary(name, { version: second, rooms: [canary], share: 50 });
    expect((await given.canaryOf(name)).canaries).toMatchObject([{ turns: { canary: 5 } }]);
    const third = await given.pushVersion(name, "三。");
    await given.setCanary(name, { version: third, rooms: [canary] });
    expect((await given.canaryOf(name)).canaries).toMatchObject([{ version: third, turns: { canary: 0 } }]);
  });
});

describe("a canary whose guard is broken", () => {
  it("is rolled back by the turns of real rooms", { timeout: 60_000 }, async ({ expect }) => {
    const code = "export default () => { throw new Error('broken'); };";
    const hooks = [{ type: "code", name: "guard", event: "UserPromptSubmit", code } as const];
    const { name, first, second, canary, baseline } = await aCanary({ hooks });
    await setLimits(name, { alpha: 0.1, turnsMin: 5, roomsMin: 1 });
    // With these limits nine bad turns are proof; the rest is room for turns that are not compared.
    for (let round = 0; round < 20; round += 1) {
      expect(await given.hear(baseline)).toBe("一。");
      const said = await given.hear(canary);
      if (said === "一。") break;
      expect(["这个我先记下来，稍后回复您。", "稍等，我请同事看一下。"]).toContain(said);
    }
    await vi.waitFor(async () => expect(await given.versionsOf([canary])).toEqual([first]));
    const { rolledBack } = await given.canaryOf(name);
    expect(rolledBack).toMatchObject([{ version: second, reason: expect.stringMatching(/^(?:error|fallback): /u) }]);
    expect(await given.hear(canary)).toBe("一。");
  });
});
