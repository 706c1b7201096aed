/** Which rooms a release reaches, and when: whole, through the edge. */
import { describe, it } from "vitest";
import { isInShare } from "../../../harness-kv/canary-share.ts";
import { sha256Hex } from "../../../workers/platform/sha256.ts";
import { call, readEvents } from "../api.ts";
import * as given from "./a-harness.ts";

const TOLD = { failed: 0, faults: [], isComplete: true };

describe("a moved channel", () => {
  it("gives its version to the rooms that follow it, and to no other; a roll-back takes all back in one call", async ({
    expect,
  }) => {
    const { name, first, second } = await given.aHarness();
    await given.moveTo(name, first, { channel: "staging", expected: null });
    const following = await Promise.all([given.aRoom(name), given.aRoom(name, { merchant: "m2" })]);
    const pinned = await given.aRoom(name);
    await given.callJson(`/v1/harnesses/${name}/pins/room/${pinned}`, { method: "PUT", body: { version: first } });
    const others = [
      pinned,
      await given.aRoom(name, { channel: "staging" }),
      await given.aRoom(name, { version: first }),
    ];

    const moved = await given.moveTo(name, second, { expected: first });
    expect(moved).toMatchObject({ status: 200, previous: first, rooms: { ...TOLD, updated: 3 } });
    expect(await given.versionsOf(following)).toEqual([second, second]);
    expect(await given.versionsOf(others)).toEqual([first, first, first]);
    expect(await Promise.all(following.map((room) => given.hear(room)))).toEqual(["二。", "二。"]);
    expect(await Promise.all(others.map((room) => given.hear(room)))).toEqual(["一。", "一。", "一。"]);

    const rollBack = `/v1/harnesses/${name}/channels/production/rollback`;
    expect(await given.callJson(rollBack, { method: "POST", body: {} })).toMatchObject({ status: 200, rooms: TOLD });
    expect(await given.versionsOf(following)).toEqual([first, first]);
    expect(await given.hear(following[0] ?? "")).toBe("一。");
  });

  it("leaves a turn that is open on the version that it began with", async ({ expect }) => {
    const name = `h-${crypto.randomUUID()}`;
    const { hooks = [] } = given.says("一。");
    // Long enough that the channel is moved meanwhile; late, the turn is only shorter.
    const code = "export default () => new Promise((done) => setTimeout(done, 1_000));";
    const slow = {
      type: "code",
      name: "slow",
      event: "UserPromptSubmit",
      timeoutMs: 2_000,
      failure: "open",
      code,
    } as const;
    const first = await given.pushVersion(name, "一。", { hooks: [slow, ...hooks] });
    const second = await given.pushVersion(name, "二。");
    await given.moveTo(name, first, { expected: null });
    const room = await given.aRoom(name);

    const body = { id: "q1", text: "在吗" };
    await call(`/v1/rooms/${room}/messages`, { method: "POST", body });
    const stream = await call(`/v1/rooms/${room}/stream?after=0`, { headers: { accept: "text/event-stream" } });
    const seen: { event: string; data: Record<string, unknown> }[] = [];
    for await (const frame of readEvents(stream)) {
      seen.push(frame);
      if (frame.event === "turn-start") {
        await given.moveTo(name, second, { expected: first });
        expect(await given.viewOf(room)).toMatchObject({ harness: { version: second } });
      }
      if (frame.event === "turn-end") break;
    }
    const told = seen.findIndex(({ data }) => JSON.stringify(data).includes(second));
    expect(seen[told]?.event).not.toMatch(/^turn-/u);
    expect(seen.slice(told).map(({ event }) => event)).toEqual(expect.arrayContaining(["sentence", "turn-end"]));
    expect(seen.find(({ event }) => event === "sentence")?.data).toMatchObject({ sentence: { text: "一。" } });
    const turn = String(seen.at(-1)?.data["turn"]);
    expect(await given.callJson(`/v1/rooms/${room}/turns/${turn}`)).toMatchObject({
      outcome: "answered",
      harness: { version: first },
    });
    expect(await given.hear(room)).toBe("二。");
  });
});

describe("a merchant's own", () => {
  it("channel serves its rooms alone, whatever the common channel does", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const [common, own] = [await given.aRoom(name), await given.aRoom(name, { merchant: "m2" })];
    const moved = await given.moveTo(name, second, { merchant: "m2", expected: null });
    expect(moved.rooms).toEqual({ ...TOLD, updated: 1 });
    expect(await given.versionsOf([common, own])).toEqual([first, second]);
    const third = await given.pushVersion(name, "三。");
    await given.moveTo(name, third, { expected: first });
    expect(await given.versionsOf([common, own])).toEqual([third, second]);
  });

  it("canary takes its rooms alone", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const [common, own] = [await given.aRoom(name), await given.aRoom(name, { merchant: "m2" })];
    expect(await given.setCanary(name, { version: second, merchant: "m2", share: 100 })).toMatchObject({ status: 200 });
    expect(await given.versionsOf([common, own])).toEqual([first, second]);
    expect((await given.viewOf(common)).release.trial).toBeNull();
    expect((await given.viewOf(own)).release.trial).toMatchObject({ arm: "canary" });
    await given.callJson(`/v1/harnesses/${name}/canary?merchant=m2`, { method: "DELETE" });
    expect(await given.versionsOf([common, own])).toEqual([first, first]);
  });
});

describe("a canary", () => {
  it("takes the rooms that it names, and compares them with the others", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const [named, other] = [await given.aRoom(name), await given.aRoom(name)];
    await given.setCanary(name, { version: second, rooms: [named] });
    expect(await given.versionsOf([named, other])).toEqual([second, first]);
    const trials = [(await given.viewOf(named)).release.trial, (await given.viewOf(other)).release.trial];
    expect(trials).toMatchObject([{ arm: "canary" }, { arm: "baseline" }]);
    expect(trials[0]?.id).toBe(trials[1]?.id);
    expect(await given.hear(named)).toBe("二。");
  });

  it("takes the share of rooms that their hashes say, adds rooms as it grows, and gives all back at its end", async ({
    expect,
  }) => {
    const { name, first, second } = await given.aHarness();
    const rooms = await Promise.all(Array.from({ length: 12 }, () => given.aRoom(name)));
    let before = new Set<string>();
    for (const share of [40, 70]) {
      const set = await given.setCanary(name, { version: second, share });
      expect(set.rooms).toEqual({ ...TOLD, updated: 12 });
      const taken = new Set<string>();
      for (const room of rooms) {
        const { harness, release } = await given.viewOf(room);
        const salt = release.trial?.id ?? "";
        const isIn = await isInShare({ salt, sharePermille: share * 10 }, room, sha256Hex);
        const expected = isIn ? { version: second, arm: "canary" } : { version: first, arm: "baseline" };
        expect({ version: harness.version, arm: release.trial?.arm }).toEqual(expected);
        if (isIn) taken.add(room);
      }
      expect([...taken]).toEqual(expect.arrayContaining([...before]));
      before = taken;
    }
    const ended = await given.callJson(`/v1/harnesses/${name}/canary`, { method: "DELETE" });
    expect(ended).toMatchObject({ status: 200, rooms: TOLD });
    expect(new Set(await given.versionsOf(rooms))).toEqual(new Set([first]));
    expect((await given.viewOf(rooms[0] ?? "")).release.trial).toBeNull();
  });

  it("ends when production takes its version", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = await given.aRoom(name);
    await given.setCanary(name, { version: second, rooms: [room] });
    await given.moveTo(name, second, { expected: first });
    expect(await given.viewOf(room)).toMatchObject({ harness: { version: second }, release: { trial: null } });
    expect((await given.canaryOf(name)).canaries).toEqual([]);
  });
});
