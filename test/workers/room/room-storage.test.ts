/** What a room writes: how much, and that it can be read again. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import type { LiveRoom } from "../../../workers/room/live-room.ts";
import { Mouth } from "../../../workers/room/mouth.ts";
import { RoomIntake } from "../../../workers/room/room-intake.ts";
import { EMPTY_ROOM } from "../../../workers/room/room-state.ts";
import type { RoomNow, RoomStep } from "../../../workers/room/room-draft.ts";
import { admitMessages } from "../../../workers/room/admit-messages.ts";
import { changeConfig } from "../../../workers/room/room-step.ts";
import { finishTurn, hearHost } from "../../../workers/room/room-step.ts";
import { CHECKPOINT_ROWS, type LogLimits, PREFIXES_MAX } from "../../../workers/room/room-storage.ts";
import { type Prefix, RoomStorage } from "../../../workers/room/room-storage.ts";
import { withConfiguration } from "../../../workers/room/stored-room.ts";
import { inRoom, HARNESS, aFinish, aPolicy, aSetup, openRoom, readFrames } from "./open-room.ts";
import { NEWEST, aMessage, aSentence } from "../../unit/workers/room/a-room.ts";
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
      for (const seq of [0, 1, 2])
        instance.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(seq)] });
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

  it("are told with the room, of the turns since it woke", async ({ expect }) => {
    const { room } = await openRoom();
    const rowsOf = async () => {
      const view = await room.view();
      return view.ok ? view.value.rowsWritten : Number.NaN;
    };
    const before = await rowsOf();
    await room.post([aMessage("m1")]);
    for (const seq of [0, 1, 2])
      await room.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(seq)] });
    await room.finish(aFinish("t2"));
    expect(await rowsOf()).toBe(before + 8);
    await evictDurableObject(room);
    expect(await rowsOf()).toBe(0);
  });

  it("nothing is written for what changes nothing", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    await room.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(0)] });
    const rowCount = await countRows(room, (instance) => {
      instance.post([aMessage("m1")]);
      instance.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(0)] });
      instance.say({ stateSeq: NEWEST, turn: "t2", attempt: 2, sentences: [aSentence(1)] });
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
      expect(await room.view()).toEqual({ ok: true, value: { ...(before.ok && before.value), rowsWritten: 0 } });
      expect(await room.turn("t2")).toEqual(turn);
      expect(await room.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(0)] })).toMatchObject({
        ok: true,
      });
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

  it("brings a room of the first version forward, with its prefixes", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    await room.finish(aFinish("t2", { prefix: aPrefix(1) }));
    const before = await readFrames(room);
    await inRoom(room, (_, { storage }) => {
      storage.sql.exec(
        `CREATE TABLE first_prefix (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
         INSERT INTO first_prefix SELECT key, value FROM prefix;
         DROP TABLE prefix;
         ALTER TABLE first_prefix RENAME TO prefix;
         UPDATE room SET value = '1' WHERE key = 'schema'`,
      );
    });
    await evictDurableObject(room);
    expect(await room.promptPrefix(aPrefix(1).digest)).toBe(aPrefix(1).text);
    expect(await readFrames(room)).toEqual(before);
    await room.finish(aFinish("t3", { prefix: aPrefix(2) }));
    await evictDurableObject(room);
    expect(await room.promptPrefix(aPrefix(1).digest)).toBe(aPrefix(1).text);
    expect(await room.promptPrefix(aPrefix(2).digest)).toBe(aPrefix(2).text);
  });

  it("refuses a room that newer code wrote, rather than harm it", async ({ expect }) => {
    const { room } = await openRoom();
    await inRoom(room, (_, { storage }) => {
      storage.sql.exec("UPDATE room SET value = '99' WHERE key = 'schema'");
      expect(() => new RoomStorage(storage).load()).toThrow("older code");
    });
  });
});

/** A log of its own with small limits, and the room that it holds. */
class LoggedRoom {
  readonly log: RoomStorage;
  now: RoomNow;

  constructor(storage: DurableObjectStorage, limits: LogLimits) {
    this.log = new RoomStorage(storage, limits);
    const room = withConfiguration(null, "room-1", { setup: aSetup(), policy: aPolicy() });
    const memory = { intake: new RoomIntake(), mouth: new Mouth() };
    const now = { room: "room-1", state: EMPTY_ROOM, rules: room.rules, ...memory, nowMs: Date.now() };
    const first = changeConfig(now, { revision: 1, harness: HARNESS, changesFacts: false });
    this.log.saveConfig(room, first);
    this.now = { ...now, state: first.state };
  }

  save(step: RoomStep, prefix: Prefix | null = null): void {
    this.log.saveStep(step, prefix);
    this.now = { ...this.now, state: step.state };
  }

  hear(line: number): void {
    this.save(hearHost(this.now, { speaker: "小美", text: `第${line}句` }));
  }

  /** Opens a turn and gives its id. */
  post(id: string): string {
    const turn = `t${this.now.state.lastSeq + 1}`;
    this.save(admitMessages(this.now, [aMessage(id)], new Map()).step);
    return turn;
  }

  finish(
    turn: string,
    { prefix = null, turnPrompt = "请回答。" }: { prefix?: Prefix | null; turnPrompt?: string } = {},
  ) {
    const finish = aFinish(turn, { sentences: [aSentence(0)] });
    const prefixDigest = prefix?.digest ?? finish.trace.prefixDigest;
    const finished = finishTurn(this.now, { ...finish, trace: { ...finish.trace, prefixDigest, turnPrompt } });
    if (!finished.ok) throw new Error(finished.error);
    this.save(finished.value.step, prefix);
  }
}

const LIMITS: LogLimits = { framesKept: 100, framesTrimmed: 20, bytesMax: 1_000_000_000 };

const aPrefix = (version: number): Prefix => ({ digest: `d${version}`, text: `你是直播间的主播，第${version}版。` });

/** Runs inside an object that has no room. */
function inEmptyRoom(act: (storage: DurableObjectStorage) => void): Promise<void> {
  return inRoom(env.LIVE_ROOM.getByName(crypto.randomUUID()), (_, { storage }) => act(storage));
}

const turnsIn = ({ sql }: DurableObjectStorage) =>
  sql
    .exec<{ id: string }>("SELECT id FROM turn")
    .toArray()
    .map(({ id }) => Number(id.slice(1)));

const prefixesIn = ({ sql }: DurableObjectStorage) =>
  sql
    .exec<{ key: string }>("SELECT key FROM prefix ORDER BY seq, key")
    .toArray()
    .map(({ key }) => key);

describe("the log", () => {
  it("lets go of old frames and of their messages' ids, in whole rows, and says where it starts", async ({
    expect,
  }) => {
    await inEmptyRoom((storage) => {
      const room = new LoggedRoom(storage, LIMITS);
      storage.sql.exec("INSERT INTO message VALUES ('old', 't1', 1), ('new', 't300', 300)");
      for (let line = 1; line < 320; line += 1) room.hear(line);
      const { log } = room;
      const seqs = [...log.framesAfter(0)].map(({ seq }) => seq);
      expect(seqs.length).toBeGreaterThanOrEqual(LIMITS.framesKept);
      expect(seqs.length).toBeLessThanOrEqual(LIMITS.framesKept + LIMITS.framesTrimmed + CHECKPOINT_ROWS);
      expect(seqs[0]).toBe(log.firstSeq());
      expect(seqs.at(-1)).toBe(320);
      expect([...log.findMessages(["old", "new"]).keys()]).toEqual(["new"]);
      const woken = new RoomStorage(storage, LIMITS);
      expect(woken.load()?.state).toEqual(room.now.state);
      expect(woken.firstSeq()).toBe(log.firstSeq());
    });
  });

  it("lets go of a turn's record with its message, and of no other", async ({ expect }) => {
    await inEmptyRoom((storage) => {
      const room = new LoggedRoom(storage, LIMITS);
      const turns = Array.from({ length: 100 }, (_, index) => {
        const turn = room.post(`m${index}`);
        room.finish(turn);
        return turn;
      });
      const firstSeq = room.log.firstSeq();
      // Numbers of one digit and of three: as texts they would come in another order.
      expect(firstSeq).toBeGreaterThan(100);
      const kept = turns.filter((turn) => Number(turn.slice(1)) >= firstSeq);
      expect(kept.length).toBeGreaterThanOrEqual(LIMITS.framesKept / 4);
      expect(turnsIn(storage).map((seq) => `t${seq}`)).toEqual(kept);
      expect(room.log.getRecord("t2")).toBeNull();
      expect(room.log.getRecord(kept[0] ?? "")?.turn).toBe(kept[0]);
      const messages = storage.sql.exec<{ turn: string }>("SELECT turn FROM message ORDER BY seq").toArray();
      expect(messages.map(({ turn }) => turn)).toEqual(kept);
    });
  });

  it("keeps a turn that is open longer than the window, and lets go of its record later", async ({ expect }) => {
    await inEmptyRoom((storage) => {
      const room = new LoggedRoom(storage, LIMITS);
      const turn = room.post("m1");
      for (let line = 0; line < 250; line += 1) room.hear(line);
      expect(room.log.firstSeq()).toBeGreaterThan(2);
      expect(new RoomStorage(storage, LIMITS).load()?.state.turns).toMatchObject([{ id: turn }]);
      room.finish(turn);
      expect(room.log.getRecord(turn)).toMatchObject({ turn, outcome: "answered" });
      for (let line = 0; line < 250; line += 1) room.hear(line);
      expect(turnsIn(storage)).toEqual([]);
    });
  });

  it("keeps fewer frames than it may where they and their records take too many bytes", async ({ expect }) => {
    await inEmptyRoom((storage) => {
      const limits = { framesKept: 10_000, framesTrimmed: 200, bytesMax: 1_000_000 };
      const room = new LoggedRoom(storage, limits);
      let bytesMost = 0;
      for (let index = 0; index < 200; index += 1) {
        room.finish(room.post(`m${index}`), { turnPrompt: "货".repeat(10_000) });
        bytesMost = Math.max(bytesMost, storage.sql.databaseSize);
      }
      // One checkpoint's turns of 30 KB may come on top.
      expect(bytesMost).toBeGreaterThan(limits.bytesMax);
      expect(bytesMost).toBeLessThan(limits.bytesMax + (CHECKPOINT_ROWS / 2) * 40_000);
      expect(room.log.firstSeq()).toBeGreaterThan(400);
      expect(Math.min(...turnsIn(storage))).toBeGreaterThanOrEqual(room.log.firstSeq());
      expect(new RoomStorage(storage, limits).load()?.state).toEqual(room.now.state);
    });
  });

  it("goes on where even one step is too many bytes", async ({ expect }) => {
    await inEmptyRoom((storage) => {
      const room = new LoggedRoom(storage, { ...LIMITS, bytesMax: 0 });
      for (let line = 0; line < 200; line += 1) room.hear(line);
      expect([...room.log.framesAfter(0)].map(({ seq }) => seq).at(-1)).toBe(201);
      expect(new RoomStorage(storage, LIMITS).load()?.state).toEqual(room.now.state);
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

describe("prefixes", () => {
  it("stay as long as a record may name them", async ({ expect }) => {
    await inEmptyRoom((storage) => {
      const room = new LoggedRoom(storage, LIMITS);
      let prefix = aPrefix(0);
      for (let index = 0; index < 120; index += 1) {
        const isNew = index % 10 === 0;
        if (isNew) prefix = aPrefix(index);
        const turn = room.post(`m${index}`);
        const finish = aFinish(turn);
        const finished = finishTurn(room.now, { ...finish, trace: { ...finish.trace, prefixDigest: prefix.digest } });
        if (finished.ok) room.save(finished.value.step, isNew ? prefix : null);
      }
      const named = turnsIn(storage).map((seq) => room.log.getRecord(`t${seq}`)?.trace?.prefixDigest ?? "");
      const kept = prefixesIn(storage);
      expect(kept).toEqual(expect.arrayContaining([...new Set(named)]));
      // The one in force at the first frame may have no turn left.
      expect(kept.length).toBeLessThanOrEqual(new Set(named).size + 1);
      expect(kept.at(-1)).toBe("d110");
      expect(room.log.getPrefix("d0")).toBeNull();
    });
  });

  it("stay while they are the current one, however long ago it came", async ({ expect }) => {
    await inEmptyRoom((storage) => {
      const room = new LoggedRoom(storage, LIMITS);
      room.finish(room.post("m1"), { prefix: aPrefix(1) });
      room.finish(room.post("m2"), { prefix: aPrefix(2) });
      for (let line = 0; line < 400; line += 1) room.hear(line);
      expect(prefixesIn(storage)).toEqual(["d2"]);
      expect(new RoomStorage(storage, LIMITS).load()?.prefixDigest).toBe("d2");
    });
  });

  it("are the newest ones alone, in all their parts, and one that comes again is new", async ({ expect }) => {
    await inEmptyRoom((storage) => {
      const room = new LoggedRoom(storage, { ...LIMITS, framesKept: 100_000 });
      const long = { digest: "d1", text: "货".repeat(600_001) };
      room.finish(room.post("m0"), { prefix: aPrefix(0) });
      room.finish(room.post("m1"), { prefix: long });
      for (let version = 2; version < PREFIXES_MAX; version += 1)
        room.finish(room.post(`m${version}`), { prefix: aPrefix(version) });
      expect(prefixesIn(storage)).toHaveLength(PREFIXES_MAX + 1);
      expect(room.log.getPrefix("d1")).toBe(long.text);
      room.finish(room.post("again"), { prefix: aPrefix(0) });
      room.finish(room.post("last"), { prefix: aPrefix(PREFIXES_MAX) });
      const kept = prefixesIn(storage);
      expect(kept).toHaveLength(PREFIXES_MAX);
      expect([kept[0], ...kept.slice(-2)]).toEqual(["d2", "d0", `d${PREFIXES_MAX}`]);
    });
  });
});
