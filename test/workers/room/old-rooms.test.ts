/** Rooms that earlier versions wrote, as they wrote them: each wakes, goes on with its turns and takes new ones. */
import { evictDurableObject } from "cloudflare:test";
import { describe, it } from "vitest";
import { UNKNOWN_RELEASE } from "../../../shared/contract/room-release.ts";
import { LEASE_GRACE_MS } from "../../../workers/room/room-state.ts";
import { RoomStorage } from "../../../workers/room/room-storage.ts";
import { NEWEST, aMessage, aSentence } from "../../unit/workers/room/a-room.ts";
import {
  HARNESS,
  type RoomStub,
  aFinish,
  aPolicy,
  inRoom,
  openRoom,
  readEnds,
  runAlarmAfter,
  useRoomClock,
} from "./open-room.ts";

useRoomClock();

const SNAPSHOT = { onScreenProductId: "p2", skuOverrides: { "p1-blue": { stock: 2 } }, heard: [] };
const FALLBACK = { text: "稍等，我请同事看一下。", speech: "稍等，我请同事看一下。" };
const INTAKE = {
  ttlMs: 40_000,
  backlogMax: 7,
  viewerMessagesMax: 8,
  viewerWindowMs: 10_000,
  repeatMs: 10_000,
  dropsNoise: true,
  merges: false,
  priority: { rules: [], pointsPerViewerLevel: 0.2, pointsPerAsker: 3, pointsPerSecond: 1 },
};
const INTERRUPTION = { hostSpeech: "keep", quietMs: 1_500, productSwitch: "keep", priority: "finish", resumes: true };

/** From before there was an order of messages. */
const FIRST = {
  policy: { deadlineMs: 8_000, ttlMs: 40_000, backlogMax: 7, fallback: FALLBACK },
  room: {},
  turn: {},
  lease: {},
};

/** With an order and interruptions, from before voices and strategists. */
const ORDERED = {
  policy: { deadlineMs: 8_000, intake: INTAKE, interruption: INTERRUPTION, fallback: FALLBACK },
  room: { stateSeq: 0 },
  turn: { askers: 1, priority: null, attemptsBefore: 0 },
  lease: { stateSeq: 0 },
};

type Version = typeof FIRST | typeof ORDERED;

/** Puts a room of that version on disk, with a turn that is spoken and one that waits, and a log that goes on from there. */
async function writeRoom(room: RoomStub, { policy, room: state, turn, lease }: Version): Promise<void> {
  const nowMs = Date.now();
  const aTurn = (id: string) => ({
    id,
    acceptedAtMs: nowMs,
    messages: [aMessage(`m-${id}`)],
    waitedMs: null,
    lease: null,
    sentences: [],
    ...turn,
  });
  const times = { deadlineAtMs: nowMs + 8_000, expiresAtMs: nowMs + 8_000 + LEASE_GRACE_MS };
  const spoken = { attempt: 1, ...times, harness: HARNESS, configRevision: 1, snapshot: SNAPSHOT, ...lease };
  const turns = [{ ...aTurn("t2"), waitedMs: 0, lease: spoken }, aTurn("t3")];
  const checkpoint = { lastSeq: 4, revision: 1, harness: HARNESS, snapshot: SNAPSHOT, ...state, turns };
  const { seq, text, speech, kind } = aSentence(0);
  const said = { seq: 5, atMs: nowMs, type: "sentence", turn: "t2", sentence: { seq, text, speech, kind } };
  await inRoom(room, (_, { storage }) => {
    const write = (key: string, value: unknown) =>
      storage.sql.exec("UPDATE room SET value = ? WHERE key = ?", JSON.stringify(value), key);
    write("policy", policy);
    write("checkpoint", checkpoint);
    storage.sql.exec("DELETE FROM room WHERE key IN ('release', 'harness')");
    storage.sql.exec("INSERT INTO log (seq, at_ms, frames) VALUES (5, ?, ?)", nowMs, JSON.stringify([said]));
  });
  await evictDurableObject(room);
}

describe.for([
  ["the first version", FIRST],
  ["the one that ordered messages", ORDERED],
] as const)("a room of %s", ([, version]) => {
  it("wakes with its turns, and in the present form", async ({ expect }) => {
    const { room } = await openRoom();
    await writeRoom(room, version);
    const nowMs = Date.now();
    const stored = await inRoom(room, (_, { storage }) => {
      const loaded = new RoomStorage(storage).load();
      return loaded === null ? null : { policy: loaded.policy, state: loaded.state, release: loaded.release };
    });
    expect(stored?.release).toEqual(UNKNOWN_RELEASE);
    expect(stored?.policy).toMatchObject({ intake: { ttlMs: 40_000, backlogMax: 7 }, strategy: { isOn: false } });
    expect(stored?.policy.interruption).toEqual(INTERRUPTION);
    expect(stored?.state).toMatchObject({
      stateSeq: 0,
      strategy: null,
      tally: { questions: [] },
      snapshot: { onScreenProductId: "p2" },
      turns: [
        { id: "t2", askers: 1, priority: null, attemptsBefore: 0, onScreenProductId: null, lease: { stateSeq: 0 } },
        { id: "t3", lease: null, onScreenProductId: null },
      ],
    });
    expect(stored?.state.turns[0]?.sentences).toMatchObject([{ seq: 0 }]);
    expect(stored?.state.turns[1]?.waitsUntilMs).toBe(nowMs + 30_000);
  });

  it("goes on with them, and takes new messages", async ({ expect }) => {
    const { room } = await openRoom();
    await writeRoom(room, version);
    const say = { stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(1)] };
    expect(await room.say(say)).toMatchObject({ ok: true, value: { spokenCount: 2 } });
    expect(await room.finish(aFinish("t2"))).toMatchObject({ ok: true });
    expect(await room.post([aMessage("new")])).toMatchObject({ value: { results: [{ disposition: "queued" }] } });
    await evictDurableObject(room);
    expect(await room.finish(aFinish("t3", { sentences: [aSentence(0)] }))).toMatchObject({ ok: true });
    expect(await readEnds(room)).toMatchObject([
      { turn: "t2", outcome: "answered" },
      { turn: "t3", outcome: "answered" },
    ]);
  });

  it("takes part in releases from then on", async ({ expect }) => {
    const { room } = await openRoom();
    await writeRoom(room, version);
    const trial = { id: "s", arm: "canary" } as const;
    const harness = { name: "live-host", version: "b".repeat(64) };
    const change = { channel: "production", merchant: "m1", harness, policy: aPolicy(), sessionContext: [] };
    await room.refuseVersion({ version: harness.version, code: "harness_corrupt", seq: 0 });
    await evictDurableObject(room);
    expect(await room.view()).toMatchObject({ value: { release: { seq: 0, refused: { code: "harness_corrupt" } } } });
    await room.adopt({ ...change, release: { seq: 7, trial } });
    await evictDurableObject(room);
    const taken = { revision: 2, harness, release: { seq: 7, trial, refused: null } };
    expect(await room.view()).toMatchObject({ value: taken });
  });

  it("lets what has waited too long go", async ({ expect }) => {
    const { room } = await openRoom();
    await writeRoom(room, version);
    await runAlarmAfter(room, 30_000);
    expect(await readEnds(room)).toEqual([{ turn: "t3", outcome: "expired", reason: "ttl" }]);
  });
});
