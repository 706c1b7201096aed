/** What a room writes: how much, and that it can be read again. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import type { LiveRoom } from "../../../workers/room/live-room.ts";
import { EMPTY_ROOM } from "../../../workers/room/room-state.ts";
import { changeConfig, hearHost } from "../../../workers/room/room-step.ts";
import { CHECKPOINT_ROWS, RoomStorage } from "../../../workers/room/room-storage.ts";
import { withConfiguration } from "../../../workers/room/stored-room.ts";
import { inRoom, HARNESS, aFinish, aMessage, aPolicy, aSentence, aSetup, openRoom, readFrames } from "./open-room.ts";
import { type RoomStub, useRoomClock } from "./open-room.ts";

useRoomClock();

/** Counts rows as the platform bills them, the alarm's included, while `act` runs inside the object. */
function countRows(room: RoomStub, act: (instance: LiveRoom) => void): Promise<number> {
  return inRoom(room, (instance, { storage }) => {
    let rowCount = 0;
    const exec = storage.sql.exec.bind(storage.sql);
    const setAlarm = storage.setAlarm.bind(storage);
    storage.sql.exec = <Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]) => {
      const cursor = exec<Row>(query, ...bindings);
      rowCount += cursor.rowsWritten;
      return cursor;
    };
    storage.setAlarm = (...alarm: Parameters<typeof setAlarm>) => {
      rowCount += 1;
      return setAlarm(...alarm);
    };
    act(instance);
    Reflect.deleteProperty(storage.sql, "exec");
    Reflect.deleteProperty(storage, "setAlarm");
    return rowCount;
  });
}

describe("rows written", () => {
  it("a turn of three sentences said one by one costs at most eight, the alarm included", async ({ expect }) => {
    const { room } = await openRoom();
    const rowCount = await countRows(room, (instance) => {
      instance.post([aMessage("m1")]);
      for (const seq of [0, 1, 2]) instance.say({ turn: "t2", attempt: 1, sentences: [aSentence(seq)] });
      instance.finish(aFinish("t2"));
    });
    expect(rowCount).toBe(8);
  });

  it("a turn that waits costs one row less: its lease is in the row of the turn before", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    const rowCount = await countRows(room, (instance) => {
      instance.finish(aFinish("t2", { sentences: [aSentence(0)] }));
      instance.finish(aFinish("t3", { sentences: [aSentence(0)] }));
    });
    expect(rowCount).toBe(4);
  });

  it("nothing is written for what changes nothing", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    await room.say({ turn: "t2", attempt: 1, sentences: [aSentence(0)] });
    const rowCount = await countRows(room, (instance) => {
      instance.post([aMessage("m1")]);
      instance.say({ turn: "t2", attempt: 1, sentences: [aSentence(0)] });
      instance.say({ turn: "t2", attempt: 2, sentences: [aSentence(1)] });
      instance.configure({ setup: aSetup(), policy: aPolicy() });
      instance.patch({ onScreenProductId: "p9" });
      instance.finish(aFinish("t9"));
    });
    expect(rowCount).toBe(0);
  });
});

describe("load", () => {
  it.for([CHECKPOINT_ROWS - 2, CHECKPOINT_ROWS, CHECKPOINT_ROWS + 3])(
    "gives the same room after %i steps, from checkpoint and log",
    async (stepCount, { expect }) => {
      const { room } = await openRoom();
      await room.post([aMessage("m1"), aMessage("m2")]);
      await room.patch({ onScreenProductId: "p2" });
      for (let line = 2; line < stepCount; line += 1) await room.hear({ text: `第${line}句`, speaker: "小美" });
      const before = await room.view();
      const turn = await room.turn("t2");
      await evictDurableObject(room);
      expect(await room.view()).toEqual(before);
      expect(await room.turn("t2")).toEqual(turn);
      expect(await room.say({ turn: "t2", attempt: 1, sentences: [aSentence(0)] })).toMatchObject({ ok: true });
    },
  );

  it("folds no more than one checkpoint's rows", async ({ expect }) => {
    const { room } = await openRoom();
    for (let line = 0; line < CHECKPOINT_ROWS + 10; line += 1)
      await room.hear({ text: `第${line}句`, speaker: "小美" });
    const rows = await inRoom(room, (_, { storage }) => {
      const { value } = storage.sql.exec<{ value: string }>("SELECT value FROM room WHERE key = 'checkpoint'").one();
      return storage.sql.exec("SELECT seq FROM log WHERE seq > json_extract(?, '$.lastSeq')", value).toArray().length;
    });
    expect(rows).toBe(10);
  });

  it("refuses a room that newer code wrote, rather than harm it", async ({ expect }) => {
    const { room } = await openRoom();
    await inRoom(room, (_, { storage }) => {
      storage.sql.exec("UPDATE room SET value = '99' WHERE key = 'schema'");
      expect(() => new RoomStorage(storage).load()).toThrow("older code");
    });
  });
});

describe("the log", () => {
  it("lets go of old frames and of their messages' ids, in whole rows, and says where it starts", async ({
    expect,
  }) => {
    const stub = env.LIVE_ROOM.getByName(crypto.randomUUID());
    await inRoom(stub, (_, { storage }) => {
      const limits = { framesKept: 100, framesTrimmed: 20 };
      const log = new RoomStorage(storage, limits);
      let room = withConfiguration(null, "room-1", { setup: aSetup(), policy: aPolicy() });
      const now = () => ({ room: "room-1", state: room.state, rules: room.rules, nowMs: Date.now() });
      const first = changeConfig({ ...now(), state: EMPTY_ROOM }, 1, HARNESS);
      log.saveConfig(room, first);
      room = { ...room, state: first.state };
      storage.sql.exec("INSERT INTO message VALUES ('old', 't1', 1), ('new', 't300', 300)");
      for (let line = 1; line < 320; line += 1) {
        const step = hearHost(now(), { speaker: "小美", text: `第${line}句` });
        log.saveStep(step);
        room = { ...room, state: step.state };
      }
      const seqs = [...log.framesAfter(0)].map(({ seq }) => seq);
      expect(seqs.length).toBeGreaterThanOrEqual(limits.framesKept);
      expect(seqs.length).toBeLessThanOrEqual(limits.framesKept + limits.framesTrimmed + CHECKPOINT_ROWS);
      expect(seqs[0]).toBe(log.firstSeq());
      expect(seqs.at(-1)).toBe(320);
      expect([...log.findMessages(["old", "new"]).keys()]).toEqual(["new"]);
      const woken = new RoomStorage(storage, limits);
      expect(woken.load()?.state).toEqual(room.state);
      expect(woken.firstSeq()).toBe(log.firstSeq());
    });
  });

  it("splits a step that is larger than a row, and is read as one", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    // Larger than what a step can be today, so that tomorrow's is safe too.
    await inRoom(room, (_, { storage }) => {
      const log = new RoomStorage(storage);
      const stored = log.load();
      if (stored === null) throw new Error("the room is there");
      const frames = [4, 5, 6].map((seq) => {
        return { type: "host-speech" as const, seq, atMs: Date.now(), speaker: "host", text: "货".repeat(400_000) };
      });
      log.saveStep({ state: { ...stored.state, lastSeq: 6 }, frames, records: [], leases: [] });
      expect([...log.framesAfter(4)].map(({ seq }) => seq)).toEqual([5, 6]);
      expect([...log.framesAfter(3)].map(({ seq }) => seq)).toEqual([4, 5, 6]);
      const sizes = storage.sql.exec<{ bytes: number }>("SELECT octet_length(frames) AS bytes FROM log").toArray();
      expect(Math.max(...sizes.map(({ bytes }) => bytes))).toBeLessThanOrEqual(1_900_000);
    });
  });

  it("writes a step as a whole or not at all", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    await inRoom(room, (instance, { storage }) => {
      storage.sql.exec("INSERT INTO turn VALUES ('t2', '{}')");
      expect(() => instance.finish(aFinish("t2", { sentences: [aSentence(0)] }))).toThrow("UNIQUE");
      storage.sql.exec("DELETE FROM turn");
    });
    expect(await readFrames(room)).toHaveLength(3);
    expect(await room.turn("t2")).toMatchObject({ value: { status: "speaking", sentences: [] } });
    expect(await room.finish(aFinish("t2", { sentences: [aSentence(0)] }))).toMatchObject({ ok: true });
  });
});
