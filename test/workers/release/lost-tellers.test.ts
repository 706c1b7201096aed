/** Releases whose rooms are not told at first: the caller is lost, the database fails, or a room does not answer. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import type { HarnessRollout } from "../../../workers/release/harness-rollout.ts";
import * as given from "./a-harness.ts";

given.useReleaseClock();

/** As long as a rollout waits for the one who has begun a release, and a little more. */
const LOST_MS = 20_001;
/** The first wait before rooms that were not told are told again, and a little more. */
const RETRY_MS = 2_001;

const pointerOf = async (name: string) =>
  (await env.HARNESS_KV.get<{ seq: number }>(`release:${name}`, "json"))?.seq ?? 0;

/** While `act` runs, the database has no such table. */
async function without<Value>(table: string, act: () => Promise<Value>): Promise<Value> {
  await env.REGISTRY_DB.exec(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  try {
    return await act();
  } finally {
    await env.REGISTRY_DB.exec(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
}

function alarmAtMs(name: string): Promise<number | null> {
  return runInDurableObject<HarnessRollout, number | null>(given.rolloutOf(name), (_, state) =>
    state.storage.getAlarm(),
  );
}

describe("a release whose caller is lost after the write", () => {
  it("is told to its rooms by the alarm, not before its time", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = await given.aRoom(name);
    await given.rolloutOf(name).begin();
    await given.moveUntold(name, first, second);
    await given.runAlarmAfter(name, LOST_MS / 2);
    expect(await given.versionsOf([room])).toEqual([first]);
    expect(await given.runAlarmAfter(name, LOST_MS / 2)).toBe(true);
    expect(await given.versionsOf([room])).toEqual([second]);
  });

  it("leaves nothing to do, when it was refused", async ({ expect }) => {
    const { name, second } = await given.aHarness();
    const refused = await given.moveTo(name, second, { expected: second });
    expect([refused.status, refused.code]).toEqual([409, "channel_moved"]);
    await vi.waitFor(async () => {
      await given.runAlarmAfter(name, LOST_MS);
      expect(await alarmAtMs(name)).toBeNull();
    });
  });
});

describe("rooms that cannot be told", () => {
  it("are told again by the alarm, and the answer names them", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const rooms = [await given.aRoom(name), await given.aRoom(name)];
    const moved = await without("harness_pin", () => given.moveTo(name, second, { expected: first }));
    expect(moved).toMatchObject({ status: 200, rooms: { updated: 0, failed: 2, isComplete: true } });
    expect(moved.rooms.faults.map(({ room }) => room).toSorted()).toEqual(rooms.toSorted());
    expect(moved.rooms.faults.map(({ code }) => code)).toEqual(["registry_unavailable", "registry_unavailable"]);
    expect(await given.versionsOf(rooms)).toEqual([first, first]);
    expect((await given.canaryOf(name)).untoldRooms).toBe(2);
    await given.runAlarmAfter(name, RETRY_MS);
    expect(await given.versionsOf(rooms)).toEqual([second, second]);
    expect((await given.canaryOf(name)).untoldRooms).toBe(0);
  });

  it("wait longer with each try, and not for ever", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    await given.aRoom(name);
    await without("harness_pin", async () => {
      await given.moveTo(name, second, { expected: first });
      const waits: number[] = [];
      for (;;) {
        const atMs = await alarmAtMs(name);
        const { untoldRooms } = await given.canaryOf(name);
        if (untoldRooms === 0 || atMs === null) break;
        waits.push(atMs - Date.now());
        await given.runAlarmAfter(name, atMs - Date.now());
      }
      // The intent's alarm lies between, and does not tell them sooner.
      expect(waits.slice(0, 3)).toEqual([2_000, 4_000, 8_000]);
      expect(waits.length).toBeLessThan(12);
    });
    expect((await given.canaryOf(name)).untoldRooms).toBe(0);
  });

  it("stay untold, when a later release tells others", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const rooms = [await given.aRoom(name), await given.aRoom(name)];
    await without("harness_pin", () => given.moveTo(name, second, { expected: first }));
    const pin = { method: "PUT", body: { version: first } };
    await given.callJson(`/v1/harnesses/${name}/pins/room/${rooms[0]}`, pin);
    expect((await given.canaryOf(name)).untoldRooms).toBe(2);
    await given.runAlarmAfter(name, RETRY_MS);
    expect(await given.versionsOf(rooms)).toEqual([first, second]);
  });

  it("are not asked again, when they do not exist", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = crypto.randomUUID();
    await env.REGISTRY_DB.prepare(
      `INSERT INTO room (id, title, merchant_id, harness_name, harness_channel, updated_at_ms)
       VALUES (?, '', 'm1', ?, 'production', 0)`,
    )
      .bind(room, name)
      .run();
    const { rooms } = await given.moveTo(name, second, { expected: first });
    expect(rooms).toEqual({ updated: 0, failed: 1, faults: [{ room, code: "room_not_found" }], isComplete: true });
    expect((await given.canaryOf(name)).untoldRooms).toBe(0);
  });

  it("are all told by the alarm, when the directory did not answer", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = await given.aRoom(name);
    const moved = await without("room", () => given.moveTo(name, second, { expected: first }));
    expect(moved).toMatchObject({ status: 200, rooms: { updated: 0, failed: 0, isComplete: false } });
    expect(await given.versionsOf([room])).toEqual([first]);
    await given.runAlarmAfter(name, LOST_MS);
    expect(await given.versionsOf([room])).toEqual([second]);
  });
});

describe("the pointer in KV", () => {
  it("grows with every release to the log's end", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const seen: number[] = [];
    for (const [expected, version] of [
      [first, second],
      [second, first],
    ] as const) {
      await given.moveTo(name, version, { expected });
      const { seq = 0 } = (await given.auditOf(name)).at(-1) ?? {};
      await vi.waitFor(async () => expect(await pointerOf(name)).toBe(seq));
      seen.push(seq);
    }
    expect(seen[1]).toBeGreaterThan(seen[0] ?? 0);
  });

  it("lets a room that nobody has told catch up with its next turn", async ({ expect }) => {
    const { name, first, second } = await given.aHarness();
    const room = await given.aRoom(name);
    const rollout = given.rolloutOf(name);
    const id = await rollout.begin();
    await given.moveUntold(name, first, second);
    // As if the room had been given up: everybody else is told.
    await rollout.tell(id, { name, room: "another-room" });
    const { seq = 0 } = (await given.auditOf(name)).at(-1) ?? {};
    await vi.waitFor(async () => expect(await pointerOf(name)).toBe(seq));
    expect(await given.versionsOf([room])).toEqual([first]);
    expect(await given.hear(room)).toBe("一。");
    await vi.waitFor(async () => expect(await given.versionsOf([room])).toEqual([second]));
    expect((await given.viewOf(room)).release.seq).toBe(seq);
    expect(await given.hear(room)).toBe("二。");
  });
});
