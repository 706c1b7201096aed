/** One mouth, and what happens when whoever speaks, or the room itself, dies at any moment. */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { describe, it, vi } from "vitest";
import { inRoom, LEASE_MS, aFinish, openRoom, readEnds, readFrames, readSpoken } from "./open-room.ts";
import { NEWEST, aMessage, aSentence } from "../../unit/workers/room/a-room.ts";
import { advanceMs, runAlarmAfter, useRoomClock } from "./open-room.ts";
import { leasesOf, refusedRooms, stoppingRooms, stopsOf, until } from "./started-leases.ts";

useRoomClock();

const say = (turn: string, attempt: number, ...seqs: readonly number[]) => ({
  turn,
  attempt,
  stateSeq: NEWEST,
  sentences: seqs.map((seq) => aSentence(seq)),
});

describe("say", () => {
  it("speaks a sentence once, though it is said twice and the room slept in between", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    expect(await room.say(say("t2", 1, 0))).toEqual({ ok: true, value: { spokenCount: 1, sayAtMs: null } });
    await evictDurableObject(room);
    expect(await room.say(say("t2", 1, 0))).toEqual({ ok: true, value: { spokenCount: 1, sayAtMs: null } });
    expect(await room.say(say("t2", 1, 0, 1))).toEqual({ ok: true, value: { spokenCount: 2, sayAtMs: null } });
    expect(await readSpoken(room)).toEqual(["t2/0", "t2/1"]);
  });

  it("refuses a gap and speaks nothing of it", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    expect(await room.say(say("t2", 1, 0, 2))).toEqual({ ok: false, error: "invalid_request" });
    expect(await readSpoken(room)).toEqual([]);
  });
});

describe("finish", () => {
  it("answers the same when it comes twice, even after a sleep", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    const finish = aFinish("t2", { sentences: [aSentence(0)] });
    expect(await room.finish(finish)).toEqual({ ok: true, value: { spokenCount: 1, sayAtMs: null } });
    await evictDurableObject(room);
    expect(await room.finish(finish)).toEqual({ ok: true, value: { spokenCount: 1, sayAtMs: null } });
    expect(await readEnds(room)).toEqual([{ turn: "t2", outcome: "answered", reason: null }]);
  });

  it("refuses the late end of a runner that was replaced", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    await runAlarmAfter(room, LEASE_MS);
    const late = aFinish("t2", { attempt: 1, sentences: [aSentence(0, "迟到的话。")] });
    expect(await room.finish(late)).toEqual({ ok: false, error: "lease_lost" });
    await room.finish(aFinish("t2", { attempt: 2, sentences: [aSentence(0)] }));
    expect(await room.finish(late)).toEqual({ ok: false, error: "lease_lost" });
    expect(await readSpoken(room)).toEqual(["t2/0"]);
    expect(await readEnds(room)).toHaveLength(1);
  });

  it("refuses the late end of a turn that the room closed itself", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    await runAlarmAfter(room, LEASE_MS);
    await runAlarmAfter(room, LEASE_MS);
    expect(await room.finish(aFinish("t2", { attempt: 2 }))).toEqual({ ok: false, error: "lease_lost" });
  });

  it("keeps a record that is larger than a row, without what it can do without", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    const finish = aFinish("t2", { sentences: [aSentence(0)] });
    const continuation = [{ role: "tool" as const, content: "货".repeat(700_000), tool_call_id: "c1" }];
    expect((await room.finish({ ...finish, trace: { ...finish.trace, continuation } })).ok).toBe(true);
    expect(await room.turn("t2")).toMatchObject({
      value: {
        reason: "record_too_large",
        sentences: [{ seq: 0 }],
        trace: { continuation: [], turnPrompt: "请回答。" },
      },
    });
  });
});

describe("interrupt", () => {
  it("ends the turn, stops its runner, and speaks the next one", async ({ expect }) => {
    const { room, name } = await openRoom();
    stoppingRooms.add(name);
    await room.post([aMessage("m1"), aMessage("m2")]);
    await leasesOf(name, 1);
    await room.say(say("t2", 1, 0));
    expect(await room.interrupt("cohost")).toEqual({ ok: true, value: { turn: "t2" } });
    await until(() => stopsOf(name).length > 0);
    expect(stopsOf(name)).toEqual(["t2/1"]);
    expect(await room.say(say("t2", 1, 0, 1))).toEqual({ ok: false, error: "lease_lost" });
    expect(await room.finish(aFinish("t2", { sentences: [aSentence(1)] }))).toEqual({ ok: false, error: "lease_lost" });
    expect(await readSpoken(room)).toEqual(["t2/0"]);
    expect(await readEnds(room)).toEqual([{ turn: "t2", outcome: "interrupted", reason: "cohost" }]);
    expect((await leasesOf(name, 2)).at(-1)).toMatchObject({ turn: "t3", attempt: 1 });
  });

  it("refuses when nothing is being spoken, and leaves what waits alone", async ({ expect }) => {
    const { room } = await openRoom();
    expect(await room.interrupt("operator")).toEqual({ ok: false, error: "turn_not_found" });
    expect(await readEnds(room)).toEqual([]);
  });

  it("stops a runner that lost its turn to another one, and never one that has finished", async ({ expect }) => {
    const { room, name } = await openRoom();
    stoppingRooms.add(name);
    await room.post([aMessage("m1"), aMessage("m2")]);
    await leasesOf(name, 1);
    await runAlarmAfter(room, LEASE_MS);
    await until(() => stopsOf(name).length > 0);
    await leasesOf(name, 2);
    await room.finish(aFinish("t2", { attempt: 2, sentences: [aSentence(0)] }));
    await leasesOf(name, 3);
    await room.interrupt("operator");
    await until(() => stopsOf(name).length > 1);
    expect(stopsOf(name)).toEqual(["t2/1", "t3/1"]);
  });
});

describe("abandon", () => {
  const abandon = (turn: string, attempt: number) => ({ turn, attempt, code: "harness_corrupt" as const });

  it("gives the turn to a second runner soon, and costs no more than the alarm", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1")]);
    const before = await readFrames(room);
    expect(await room.abandon(abandon("t2", 1))).toEqual({ ok: true, value: { spokenCount: 0, sayAtMs: null } });
    expect(await readFrames(room)).toEqual(before);
    advanceMs(100);
    expect(await room.abandon(abandon("t2", 1))).toEqual({ ok: true, value: { spokenCount: 0, sayAtMs: null } });
    await runAlarmAfter(room, 150);
    expect((await leasesOf(name, 2)).map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(await room.abandon(abandon("t2", 1))).toEqual({ ok: false, error: "lease_lost" });
  });

  it("ends the turn at once after the last attempt, and goes on with the next one", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    await room.abandon(abandon("t2", 1));
    await runAlarmAfter(room, 250);
    expect(await room.abandon(abandon("t2", 2))).toEqual({ ok: true, value: { spokenCount: 1, sayAtMs: null } });
    const ends = [{ turn: "t2", outcome: "fallback", reason: "harness_corrupt" }];
    expect(await readEnds(room)).toEqual(ends);
    expect(await room.turn("t2")).toMatchObject({
      value: { attempt: 2, reason: "harness_corrupt", trace: null, sentences: [{ seq: 0, kind: "fallback" }] },
    });
    expect((await leasesOf(name, 3)).at(-1)).toMatchObject({ turn: "t3", attempt: 1 });
    await evictDurableObject(room);
    const refused = { ok: false, error: "lease_lost" };
    expect(await room.abandon(abandon("t2", 2))).toEqual(refused);
    expect(await room.finish(aFinish("t2", { attempt: 2, sentences: [aSentence(1)] }))).toEqual(refused);
    expect(await readEnds(room)).toEqual(ends);
  });

  it("keeps an answer that was begun as the answer", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    await room.say(say("t2", 1, 0));
    await room.abandon(abandon("t2", 1));
    await runAlarmAfter(room, 250);
    expect(await room.abandon(abandon("t2", 2))).toEqual({ ok: true, value: { spokenCount: 1, sayAtMs: null } });
    expect(await readSpoken(room)).toEqual(["t2/0"]);
    expect(await readEnds(room)).toEqual([{ turn: "t2", outcome: "answered", reason: "harness_corrupt" }]);
  });

  it("waits for the lease's end when the room slept in between, unless it is told again", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    await room.abandon(abandon("t2", 1));
    await evictDurableObject(room);
    await runAlarmAfter(room, 250);
    expect((await readFrames(room)).filter(({ type }) => type === "turn-start")).toHaveLength(1);
    expect(await inRoom(room, (_, state) => state.storage.getAlarm())).toBe(Date.now() - 250 + LEASE_MS);
    await room.abandon(abandon("t2", 1));
    await runAlarmAfter(room, 250);
    expect((await leasesOf(name, 2)).at(-1)).toMatchObject({ turn: "t2", attempt: 2 });
    await evictDurableObject(room);
    expect(await room.abandon(abandon("t2", 2))).toEqual({ ok: true, value: { spokenCount: 1, sayAtMs: null } });
    expect((await leasesOf(name, 3)).at(-1)).toMatchObject({ turn: "t3", attempt: 1 });
  });
});

describe("alarm", () => {
  it("does nothing when nothing is due, however often it runs", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1")]);
    const before = await readFrames(room);
    await runAlarmAfter(room, LEASE_MS - 1);
    await runDurableObjectAlarm(room);
    expect(await readFrames(room)).toEqual(before);
    expect(await leasesOf(name, 1)).toHaveLength(1);
  });

  it("does what is due once, though it runs twice", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1")]);
    await runAlarmAfter(room, LEASE_MS);
    await runDurableObjectAlarm(room);
    await inRoom(room, (instance) => instance.alarm());
    expect((await leasesOf(name, 2)).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("ends a message that waited past its ttl and never hands it out", async ({ expect }) => {
    const { room, name } = await openRoom({ intake: { ttlMs: 3_000 } });
    await room.post([aMessage("m1"), aMessage("m2")]);
    await runAlarmAfter(room, 3_000);
    expect(await readEnds(room)).toEqual([{ turn: "t3", outcome: "expired", reason: "ttl" }]);
    await room.finish(aFinish("t2"));
    expect((await leasesOf(name, 1)).map(({ turn }) => turn)).toEqual(["t2"]);
    expect(await room.turn("t3")).toMatchObject({
      value: { outcome: "expired", trace: null, timings: { totalMs: 3_000 } },
    });
  });

  it("gives a second runner what the first one said", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1")]);
    await room.say(say("t2", 1, 0));
    await runAlarmAfter(room, LEASE_MS);
    expect((await leasesOf(name, 2))[1]).toMatchObject({ turn: "t2", attempt: 2, spoken: [aSentence(0)] });
    await room.finish(aFinish("t2", { attempt: 2, sentences: [aSentence(1, "喜欢就拍。")] }));
    expect(await readSpoken(room)).toEqual(["t2/0", "t2/1"]);
    expect(await room.turn("t2")).toMatchObject({ value: { attempt: 2, outcome: "answered" } });
  });

  it("says the fallback line itself when both runners are lost, and goes on with the next turn", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    await runAlarmAfter(room, LEASE_MS);
    await runAlarmAfter(room, LEASE_MS);
    expect(await readEnds(room)).toEqual([{ turn: "t2", outcome: "fallback", reason: "runner_lost" }]);
    expect(await room.turn("t2")).toMatchObject({ value: { trace: null, sentences: [{ kind: "fallback", seq: 0 }] } });
    expect((await leasesOf(name, 3)).map(({ turn, attempt }) => `${turn}/${attempt}`)).toEqual([
      "t2/1",
      "t2/2",
      "t3/1",
    ]);
  });

  it("does not wait for the deadline of a runner that refused to start, and stops after two", async ({ expect }) => {
    const { room, name } = await openRoom();
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    refusedRooms.add(name);
    await room.post([aMessage("m1")]);
    await until(() => errors.mock.calls.length === 1);
    await runAlarmAfter(room, 250);
    await until(() => errors.mock.calls.length === 2);
    await runAlarmAfter(room, 250);
    // What was thrown may quote what viewers wrote: the log has the place alone.
    const logged = JSON.stringify(errors.mock.calls);
    errors.mockRestore();
    expect(logged).toContain("turn-start");
    expect(logged).not.toContain("no runner today");
    expect((await leasesOf(name, 2)).map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(await readEnds(room)).toEqual([{ turn: "t2", outcome: "fallback", reason: "runner_lost" }]);
  });

  it.for([
    ["lost", (state: DurableObjectState) => state.storage.deleteAlarm()],
    ["overdue", (state: DurableObjectState) => state.storage.setAlarm(Date.now() - 1_000)],
    ["too late", (state: DurableObjectState) => state.storage.setAlarm(Date.now() + 3_600_000)],
  ] as const)("is set again by whatever wakes the room, when it was %s", async ([, spoil], { expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1")]);
    await inRoom(room, (_, state) => spoil(state));
    await evictDurableObject(room);
    await room.view();
    expect(await inRoom(room, (_, state) => state.storage.getAlarm())).toBe(Date.now() + LEASE_MS);
    await runAlarmAfter(room, LEASE_MS);
    expect((await leasesOf(name, 2)).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("is tried again by the room when it fails", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    advanceMs(LEASE_MS);
    const alarmAtMs = await inRoom(room, async (instance, state) => {
      state.storage.sql.exec("ALTER TABLE log RENAME TO hidden_log");
      instance.alarm();
      state.storage.sql.exec("ALTER TABLE hidden_log RENAME TO log");
      return state.storage.getAlarm();
    });
    expect(errors).toHaveBeenCalledTimes(1);
    errors.mockRestore();
    expect(alarmAtMs).toBe(Date.now() + 1_000);
    await runAlarmAfter(room, 1_000);
    expect((await readFrames(room)).at(-1)).toMatchObject({ type: "turn-start", attempt: 2 });
  });

  it("is left alone when the room has nothing to wait for", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    await room.finish(aFinish("t2"));
    await runAlarmAfter(room, LEASE_MS);
    expect(await inRoom(room, (_, state) => state.storage.getAlarm())).toBeNull();
  });
});

describe("a room that is evicted after every step", () => {
  it("says every sentence once and loses nothing", async ({ expect }) => {
    const { room, name } = await openRoom();
    const steps: readonly (() => Promise<unknown>)[] = [
      () => room.post([aMessage("m1")]),
      () => room.post([aMessage("m2", "有黑色吗")]),
      () => room.say(say("t2", 1, 0)),
      () => room.hear({ text: "大家看这款", speaker: "host" }),
      () => runAlarmAfter(room, LEASE_MS),
      () => room.say(say("t2", 1, 1)),
      () => room.say(say("t2", 2, 1)),
      () => room.say(say("t2", 2, 1)),
      () => room.finish(aFinish("t2", { attempt: 2, sentences: [aSentence(2)] })),
      () => room.finish(aFinish("t2", { attempt: 2, sentences: [aSentence(2)] })),
      () => room.finish(aFinish("t4", { sentences: [aSentence(0)] })),
    ];
    for (const step of steps) {
      await step();
      await evictDurableObject(room);
    }
    expect(await readSpoken(room)).toEqual(["t2/0", "t2/1", "t2/2", "t4/0"]);
    expect((await readEnds(room)).map(({ turn }) => turn)).toEqual(["t2", "t4"]);
    expect((await leasesOf(name, 3)).map(({ turn, attempt }) => `${turn}/${attempt}`)).toEqual([
      "t2/1",
      "t2/2",
      "t4/1",
    ]);
    expect(await room.turn("t2")).toMatchObject({
      value: { attempt: 2, messages: [{ id: "m1" }], sentences: [{ seq: 0 }, { seq: 1 }, { seq: 2 }] },
    });
  });
});
