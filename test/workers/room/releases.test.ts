/** What a room knows of releases, and what it tells of the turns of a trial. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import type { RoomRelease } from "../../../shared/contract/room-release.ts";
import type { HarnessChange } from "../../../workers/room/live-room.ts";
import { aMessage, aSentence } from "../../unit/workers/room/a-room.ts";
import { failingTrials, notedTurnsOf } from "./noted-turns.ts";
import { RoomStorage } from "../../../workers/room/room-storage.ts";
import {
  HARNESS,
  LEASE_MS,
  aFinish,
  aPolicy,
  aSetup,
  advanceMs,
  inRoom,
  openRoom,
  readEnds,
  readTypes,
  runAlarmAfter,
} from "./open-room.ts";
import { type RoomStub, useRoomClock } from "./open-room.ts";
import { leasesOf } from "./started-leases.ts";

useRoomClock();

/** A version that production serves from row `seq` of the audit log on. */
const aChange = (digit: string, release: HarnessChange["release"]): HarnessChange => ({
  channel: "production",
  merchant: "m1",
  harness: { name: "live-host", version: digit.repeat(64) },
  policy: aPolicy(),
  sessionContext: [],
  release,
});

async function readRelease(room: RoomStub): Promise<RoomRelease> {
  const view = await room.view();
  if (!view.ok) throw new Error(view.error);
  return view.value.release;
}

async function versionOf(room: RoomStub): Promise<string | undefined> {
  const setup = await room.setup();
  return setup.ok ? setup.value.harness.version[0] : undefined;
}

/** Posts a message and ends its turn at once. */
async function answer(room: RoomStub, id: string): Promise<void> {
  const posted = await room.post([aMessage(id)]);
  const turn = posted.ok ? posted.value.results[0]?.turn : undefined;
  if (typeof turn !== "string") throw new Error("it was not queued");
  await room.finish(aFinish(turn));
}

describe("adopt", () => {
  it("changes nothing for an older answer than the room has heard of, even after a sleep", async ({ expect }) => {
    const { room } = await openRoom();
    await room.adopt(aChange("c", { seq: 8, trial: null }));
    await evictDurableObject(room);
    expect(await room.adopt(aChange("b", { seq: 7, trial: { id: "s", arm: "canary" } }))).toEqual({
      ok: true,
      value: { revision: 2, seq: 2, hasChanged: false },
    });
    expect([await versionOf(room), await readRelease(room)]).toEqual(["c", { seq: 8, trial: null, refused: null }]);
    expect(await readTypes(room)).toEqual(["config", "config"]);
  });

  it("takes the answer of the same row, and each later one", async ({ expect }) => {
    const { room } = await openRoom();
    for (const [digit, seq] of [
      ["b", 7],
      ["c", 7],
      ["d", 8],
    ] as const) {
      await room.adopt(aChange(digit, { seq, trial: null }));
      expect(await versionOf(room)).toBe(digit);
    }
  });

  it("ends with the latest of many releases, in whichever order they come", async ({ expect }) => {
    const { room } = await openRoom();
    const changes = [3, 5, 1, 4, 2].map((seq) => aChange(`${seq}`, { seq, trial: null }));
    await Promise.all(changes.map((change) => room.adopt(change)));
    expect([await versionOf(room), (await readRelease(room)).seq]).toEqual(["5", 5]);
  });

  it("saves another release of the same content without a frame, and keeps it over a sleep", async ({ expect }) => {
    const { room } = await openRoom();
    await room.adopt(aChange("b", { seq: 7, trial: null }));
    const trial = { id: "s", arm: "baseline" } as const;
    expect(await room.adopt(aChange("b", { seq: 9, trial }))).toEqual({
      ok: true,
      value: { revision: 2, seq: 2, hasChanged: false },
    });
    await evictDurableObject(room);
    expect(await readRelease(room)).toEqual({ seq: 9, trial, refused: null });
    expect(await readTypes(room)).toEqual(["config", "config"]);
  });

  it("keeps over a sleep what a release changes, and what the room is configured with after it", async ({ expect }) => {
    const { room } = await openRoom();
    const sessionContext = ["今天满减"];
    await room.adopt({ ...aChange("b", { seq: 7, trial: null }), sessionContext });
    await evictDurableObject(room);
    const taken = { revision: 2, harness: { version: "b".repeat(64) }, sessionContext };
    expect(await room.setup()).toMatchObject({ value: { ...taken, config: aSetup().config } });
    await room.configure({ setup: aSetup({ title: "换季清仓" }), policy: aPolicy() });
    await evictDurableObject(room);
    const configured = { revision: 3, harness: HARNESS, sessionContext: [], config: { title: "换季清仓" } };
    expect(await room.setup()).toMatchObject({ value: configured });
  });

  it("brings the version's rules, and what was said under the ones before stays as it was", async ({ expect }) => {
    const { room } = await openRoom({ intake: { ttlMs: 40_000 } });
    await room.post([aMessage("m1"), aMessage("m2")]);
    const postedAtMs = Date.now();
    advanceMs(1_000);
    const policy = aPolicy({ intake: { backlogMax: 1, ttlMs: 5_000 } });
    await room.adopt({ ...aChange("b", { seq: 7, trial: null }), policy });
    await evictDurableObject(room);
    const turns = await inRoom(room, (_, { storage }) => new RoomStorage(storage).load()?.state.turns ?? []);
    expect(turns.map(({ waitsUntilMs }) => waitsUntilMs - postedAtMs)).toEqual([40_000, 40_000]);
    expect(await room.post([aMessage("m3")])).toMatchObject({ value: { backlog: { waiting: 1, max: 1 } } });
  });

  it("writes nothing when all is as it was", async ({ expect }) => {
    const { room } = await openRoom();
    const change = aChange("b", { seq: 7, trial: { id: "s", arm: "canary" } });
    const rowsOf = async () => {
      const view = await room.view();
      return view.ok ? view.value.rowsWritten : Number.NaN;
    };
    await room.adopt(change);
    const before = await rowsOf();
    await room.adopt(change);
    expect(await rowsOf()).toBe(before);
  });

  it("tells the next turns' runners how new it is", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    await room.adopt(aChange("b", { seq: 7, trial: null }));
    await room.finish(aFinish("t2"));
    expect((await leasesOf(name, 2)).map(({ releaseSeq }) => releaseSeq)).toEqual([0, 7]);
  });
});

describe("configure", () => {
  it("says what is known with a configuration, and forgets it for a room that names its version", async ({
    expect,
  }) => {
    const { room } = await openRoom();
    const trial = { id: "s", arm: "canary" } as const;
    await room.configure({ setup: aSetup({ title: "换季清仓" }), policy: aPolicy(), release: { seq: 7, trial } });
    expect(await readRelease(room)).toEqual({ seq: 7, trial, refused: null });
    await room.configure({ setup: aSetup(), policy: aPolicy() });
    await evictDurableObject(room);
    expect(await readRelease(room)).toEqual({ seq: 0, trial: null, refused: null });
  });
});

describe("refuseVersion", () => {
  const bad = "f".repeat(64);

  it("shows what the room should run and could not take, while it keeps what it has", async ({ expect }) => {
    const { room } = await openRoom();
    const trial = { id: "s", arm: "baseline" } as const;
    await room.adopt(aChange("b", { seq: 7, trial }));
    await room.refuseVersion({ version: bad, code: "harness_corrupt", seq: 7 });
    const refused = { version: bad, code: "harness_corrupt", atMs: Date.now() };
    expect([await versionOf(room), await readRelease(room)]).toEqual(["b", { seq: 7, trial, refused }]);
    await evictDurableObject(room);
    expect(await readRelease(room)).toEqual({ seq: 7, trial, refused });
    expect(await readTypes(room)).toEqual(["config", "config"]);
  });

  it("keeps the time of the first refusal, and notes another version or reason", async ({ expect }) => {
    const { room } = await openRoom();
    const firstMs = Date.now();
    const refuseLater = async (version: string, code: string) => {
      await room.refuseVersion({ version, code, seq: 7 });
      const { refused } = await readRelease(room);
      advanceMs(1_000);
      return refused?.atMs;
    };
    expect(await refuseLater(bad, "harness_corrupt")).toBe(firstMs);
    expect(await refuseLater(bad, "harness_corrupt")).toBe(firstMs);
    expect(await refuseLater(bad, "harness_unsigned")).toBe(firstMs + 2_000);
    expect(await refuseLater("e".repeat(64), "harness_unsigned")).toBe(firstMs + 3_000);
  });

  it.for([
    ["another version", "c", 2],
    ["the version that the room has", "b", 1],
  ] as const)("is forgotten with the next release that the room takes: %s", async ([, digit, more], { expect }) => {
    const { room } = await openRoom();
    await room.adopt(aChange("b", { seq: 7, trial: null }));
    await room.refuseVersion({ version: bad, code: "harness_corrupt", seq: 7 });
    await room.adopt(aChange(digit, { seq: 8, trial: null }));
    await evictDurableObject(room);
    expect(await readRelease(room)).toEqual({ seq: 8, trial: null, refused: null });
    expect(await readTypes(room)).toHaveLength(1 + more);
  });

  it("stays where the answer that comes is older than what the room knows", async ({ expect }) => {
    const { room } = await openRoom();
    await room.adopt(aChange("b", { seq: 7, trial: null }));
    await room.refuseVersion({ version: bad, code: "harness_corrupt", seq: 7 });
    await room.adopt(aChange("c", { seq: 6, trial: null }));
    expect(await readRelease(room)).toMatchObject({ seq: 7, refused: { version: bad } });
  });

  it("is passed over when it is older than what the room knows, and is as new as it says otherwise", async ({
    expect,
  }) => {
    const { room } = await openRoom();
    await room.adopt(aChange("b", { seq: 7, trial: null }));
    await room.refuseVersion({ version: bad, code: "harness_corrupt", seq: 6 });
    expect(await readRelease(room)).toMatchObject({ seq: 7, refused: null });
    await room.refuseVersion({ version: bad, code: "harness_corrupt", seq: 9 });
    expect(await readRelease(room)).toMatchObject({ seq: 9, refused: { version: bad } });
  });

  it("writes nothing in a room that was never configured", async ({ expect }) => {
    const room = env.LIVE_ROOM.getByName(crypto.randomUUID());
    await room.refuseVersion({ version: bad, code: "harness_corrupt", seq: 7 });
    expect(await room.view()).toEqual({ ok: false, error: "room_not_found" });
    const first = await room.configure({ setup: aSetup(), policy: aPolicy() });
    expect([first, await readRelease(room)]).toEqual([
      { ok: true, value: { revision: 1, seq: 1 } },
      { seq: 0, trial: null, refused: null },
    ]);
  });
});

describe("a room in a trial", () => {
  const inTrial = (arm: "canary" | "baseline", seq = 7) => aChange("b", { seq, trial: { id: "s", arm } });

  it.for(["canary", "baseline"] as const)(
    "tells of each ended turn once, though its end comes twice: %s",
    async (arm, { expect }) => {
      const { room, name } = await openRoom();
      await room.adopt(inTrial(arm));
      await room.post([aMessage("m1"), aMessage("m2")]);
      advanceMs(900);
      const finish = aFinish("t3", { sentences: [aSentence(0)] });
      await room.finish(finish);
      await room.finish(finish);
      await evictDurableObject(room);
      await room.finish(finish);
      await room.finish(aFinish("t4", { outcome: "fallback", reason: "harness_corrupt" }));
      const [first, second, ...more] = await notedTurnsOf(name, 2);
      const told = { harness: "live-host", trial: "s", arm, room: name, error: false, blocked: false, totalMs: 900 };
      expect([first, second, more]).toEqual([{ ...told, fallback: false }, { ...told, fallback: true }, []]);
    },
  );

  it("tells of a turn whose runners were both lost", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.adopt(inTrial("canary"));
    await room.post([aMessage("m1")]);
    await runAlarmAfter(room, LEASE_MS);
    await runAlarmAfter(room, LEASE_MS);
    expect(await notedTurnsOf(name, 1)).toMatchObject([{ error: true, fallback: true, totalMs: 2 * LEASE_MS }]);
  });

  it("does not tell of a turn that began on another version", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1")]);
    await room.adopt(inTrial("canary"));
    await room.finish(aFinish("t2", { outcome: "fallback" }));
    await answer(room, "m2");
    expect(await notedTurnsOf(name, 1)).toMatchObject([{ fallback: false }]);
  });

  it("does not tell of a turn that expired before anybody had it", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.adopt({ ...inTrial("canary"), policy: aPolicy({ intake: { ttlMs: 5_000 } }) });
    await room.post([aMessage("m1"), aMessage("m2")]);
    await runAlarmAfter(room, 5_000);
    await room.finish(aFinish("t3"));
    await answer(room, "m3");
    expect((await notedTurnsOf(name, 2)).map(({ totalMs }) => totalMs)).toEqual([5_000, 0]);
    expect(await readEnds(room)).toMatchObject([{ turn: "t4", outcome: "expired" }, { turn: "t3" }, {}]);
  });

  it("tells of nothing between two trials, and then for the arm that it is in by now", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.adopt(inTrial("canary"));
    await answer(room, "m1");
    await room.adopt(aChange("b", { seq: 8, trial: null }));
    await answer(room, "m2");
    await room.adopt(aChange("b", { seq: 9, trial: { id: "next", arm: "baseline" } }));
    await answer(room, "m3");
    expect((await notedTurnsOf(name, 2)).map(({ trial, arm }) => `${trial}/${arm}`)).toEqual([
      "s/canary",
      "next/baseline",
    ]);
  });

  it("goes on when nobody takes its figures", async ({ expect }) => {
    const { room, name } = await openRoom();
    failingTrials.add("broken");
    await room.adopt(aChange("b", { seq: 7, trial: { id: "broken", arm: "canary" } }));
    await room.post([aMessage("m1"), aMessage("m2")]);
    expect((await room.finish(aFinish("t3"))).ok).toBe(true);
    await room.adopt(inTrial("canary", 8));
    expect((await room.finish(aFinish("t4"))).ok).toBe(true);
    expect(await notedTurnsOf(name, 1)).toMatchObject([{ trial: "s" }]);
  });
});
