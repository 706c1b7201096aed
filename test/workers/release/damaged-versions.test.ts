/** Versions whose stored text was changed, in KV alone or in the table as well. */
import { describe, it } from "vitest";
import * as given from "./a-harness.ts";

/** Production serves the second version, which nobody has loaded yet, and rooms were told. */
async function releaseUnseen(name: string, { first, second }: { readonly first: string; readonly second: string }) {
  const rollout = given.rolloutOf(name);
  const id = await rollout.begin();
  await given.moveUntold(name, first, second);
  return rollout.tell(id, { name, channel: "production" });
}

describe("a version that differs in one character from what it was pushed as", () => {
  it("is refused by a release, and nothing moves", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = await given.aRoom(name);
    await given.damage(second, { inTable: true });
    const audited = (await given.auditOf(name)).length;
    const refused = [
      await given.moveTo(name, second, { expected: first }),
      await given.setCanary(name, { version: second, share: 100 }),
    ];
    expect(refused).toMatchObject(refused.map(() => ({ status: 500, code: "harness_corrupt" })));
    expect(await given.auditOf(name)).toHaveLength(audited);
    expect(await given.callJson(`/v1/harnesses/${name}/channels/production`)).toMatchObject({ version: first });
    expect(await given.viewOf(room)).toMatchObject({ harness: { version: first }, release: { refused: null } });
  });

  it("reaches no room: each serves its last good version on, and says why", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = await given.aRoom(name);
    await given.damage(second, { inTable: true });
    const told = await releaseUnseen(name, { first, second });
    expect(told).toEqual({ updated: 0, failed: 1, faults: [{ room, code: "harness_corrupt" }], isComplete: true });
    const refused = { version: second, code: "harness_corrupt", atMs: expect.any(Number) };
    expect(await given.viewOf(room)).toMatchObject({ harness: { version: first }, release: { refused } });
    expect(await given.hear(room)).toBe("一。");
    expect((await given.canaryOf(name)).untoldRooms).toBe(0);

    const third = await given.pushVersion(name, "三。");
    await given.moveTo(name, third, { expected: second });
    expect(await given.viewOf(room)).toMatchObject({ harness: { version: third }, release: { refused: null } });
  });

  it("serves from the table, when the copy in KV alone is damaged", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = await given.aRoom(name);
    await given.damage(second, { inTable: false });
    expect(await releaseUnseen(name, { first, second })).toMatchObject({ updated: 1, failed: 0 });
    expect(await given.viewOf(room)).toMatchObject({ harness: { version: second }, release: { refused: null } });
    expect(await given.hear(room)).toBe("二。");
  });
});

describe("a room that opens while its version is damaged", () => {
  it("is refused without a backup", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    await given.damage(second, { inTable: true });
    await given.moveUntold(name, first, second);
    const room = crypto.randomUUID();
    expect(await given.putRoom(room, name)).toMatchObject({ status: 500, code: "harness_corrupt" });
    expect((await given.viewOf(room)).status).toBe(404);
  });

  it("runs the backup that a governor has set, outside any trial, and the log says so", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const backup = { method: "PUT", body: { version: first } };
    expect(await given.callJson(`/v1/harnesses/${name}/backup`, backup)).toMatchObject({ status: 403 });
    await given.callJson(`/v1/harnesses/${name}/backup`, { ...backup, ...(await given.asGovernor()) });
    await given.damage(second, { inTable: true });
    await given.moveUntold(name, first, second);
    await given.canaryUnseen(name, second);

    const room = await given.aRoom(name);
    const refused = { version: second, code: "harness_corrupt" };
    expect(await given.viewOf(room)).toMatchObject({ harness: { version: first }, release: { trial: null, refused } });
    expect(await given.hear(room)).toBe("一。");
    const { actor, audience, subject } = (await given.auditOf(name)).at(-1) ?? {};
    expect({ actor, audience }).toEqual({ actor: "edge", audience: "rollout" });
    expect(subject).toEqual({ name, version: first, room, reason: "harness_corrupt" });
    expect((await given.auditOf(name)).at(-1)?.action).toBe("use-backup");

    await given.callJson(`/v1/harnesses/${name}/backup`, { method: "DELETE", ...(await given.asGovernor()) });
    expect(await given.putRoom(crypto.randomUUID(), name)).toMatchObject({ code: "harness_corrupt" });
  });
});
