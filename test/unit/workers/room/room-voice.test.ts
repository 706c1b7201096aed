/** A room that keeps time with its voice. */
import { describe, it } from "vitest";
import { estimateSpeakingMs } from "../../../../shared/speech/speaking-time.ts";
import { PREPARE_MS, SAY_AHEAD_MS } from "../../../../workers/room/mouth.ts";
import { LEASE_GRACE_MS, findSpeaking, nextWakeAtMs } from "../../../../workers/room/room-state.ts";
import {
  finishTurn,
  hearHost,
  interruptTurn,
  patchState,
  saySentences,
  tickRoom,
  toLease,
} from "../../../../workers/room/room-step.ts";
import { floorFreeAtMs } from "../../../../workers/room/settle-room.ts";
import type { RoomNow } from "../../../../workers/room/room-draft.ts";
import {
  NEWEST,
  START_MS,
  aFinish,
  aLeasing,
  aRoom,
  aSentence,
  after,
  later,
  post,
  typesOf,
  type PolicyFields,
} from "./a-room.ts";

/** Takes 6 s to say, about. */
const LONG = "这款蚕丝被是六斤的，一米八的床正好，冬天盖一床就够，";
const LONG_MS = estimateSpeakingMs(LONG);

function aSpokenRoom(policy: PolicyFields = {}): RoomNow {
  const room = aRoom(policy);
  room.mouth.isOpen = true;
  return after(room, post(room, "m1", "m2"));
}

function say(now: RoomNow, turn: string, ...seqs: readonly number[]) {
  const sentences = seqs.map((seq) => aSentence(seq, LONG));
  const said = saySentences(now, { stateSeq: NEWEST, turn, attempt: 1, sentences });
  if (!said.ok) throw new Error(said.error);
  return { ...said.value, room: after(now, said.value.step) };
}

function finish(now: RoomNow, turn: string, ...seqs: readonly number[]): RoomNow {
  const sentences = seqs.map((seq) => aSentence(seq, LONG));
  const finished = finishTurn(now, aFinish({ turn, sentences }));
  if (!finished.ok) throw new Error(finished.error);
  return after(now, finished.value.step);
}

describe("a room with a voice", () => {
  it("tells how long a sentence takes, and when it wants the next", ({ expect }) => {
    const { step, said } = say(aSpokenRoom(), "t2", 0);
    expect(step.frames).toMatchObject([{ type: "sentence", speakingMs: LONG_MS }]);
    expect(said).toEqual({ spokenCount: 1, sayAtMs: START_MS + LONG_MS - SAY_AHEAD_MS });
  });

  it("waits for a runner as long as its sentence is spoken", ({ expect }) => {
    const { room } = say(aSpokenRoom(), "t2", 0);
    expect(findSpeaking(room.state)?.lease.expiresAtMs).toBe(START_MS + LONG_MS + 8_000 + LEASE_GRACE_MS);
  });

  it("begins the next turn while the last sentence is spoken, and wakes for it", ({ expect }) => {
    const room = finish(aSpokenRoom(), "t2", 0);
    expect(findSpeaking(room.state)).toBeUndefined();
    const dueAtMs = START_MS + LONG_MS - PREPARE_MS;
    expect(nextWakeAtMs(room.state, floorFreeAtMs(room))).toBe(dueAtMs);
    expect(tickRoom(later(room, LONG_MS - PREPARE_MS - 1)).leases).toEqual([]);
    const due = later(room, LONG_MS - PREPARE_MS);
    const step = tickRoom(due);
    expect(step.leases).toEqual([{ turn: "t3", attempt: 1 }]);
    const next = findSpeaking(step.state);
    expect(next && toLease(aLeasing(room), next, room.mouth)).toMatchObject({
      sayAtMs: START_MS + LONG_MS - SAY_AHEAD_MS,
    });
  });

  it("begins it sooner where the voice is through sooner", ({ expect }) => {
    const room = finish(aSpokenRoom(), "t2", 0);
    room.mouth.noteSpoken("t2", 0, START_MS + 100);
    expect(tickRoom(later(room, 100)).leases).toEqual([{ turn: "t3", attempt: 1 }]);
  });

  it("begins it at once when the voice is gone", ({ expect }) => {
    const room = finish(aSpokenRoom(), "t2", 0);
    room.mouth.isOpen = false;
    expect(tickRoom(room).leases).toEqual([{ turn: "t3", attempt: 1 }]);
  });

  it("keeps how much was heard of a turn that is cut off", ({ expect }) => {
    const { room } = say(aSpokenRoom(), "t2", 0, 1);
    const interrupted = interruptTurn(later(room, 1_500), { cause: "operator", act: "stop", reason: "operator" });
    expect(interrupted.ok && interrupted.value.step).toMatchObject({
      frames: [{ type: "interrupt", turn: "t2", heard: { sentences: 1, lastMs: 1_500 } }, { type: "turn-end" }, {}],
      records: [{ outcome: "interrupted", heard: { sentences: 1, lastMs: 1_500 } }],
    });
  });

  it("silences a turn that has ended and is still spoken, and goes on with the next", ({ expect }) => {
    const room = later(finish(aSpokenRoom(), "t2", 0), 500);
    const interrupted = interruptTurn(room, { cause: "operator", act: "stop", reason: "operator" });
    expect(interrupted.ok && [interrupted.value.turn, typesOf(interrupted.value.step.frames)]).toEqual([
      "t2",
      ["interrupt", "turn-start"],
    ]);
    expect(interrupted.ok && interrupted.value.step.records).toEqual([]);
  });

  it("takes the floor from the turn that sounds and from the one that is only being made", ({ expect }) => {
    let room = finish(aSpokenRoom({ interruption: { hostSpeech: "stop" } }), "t2", 0);
    room = later(room, LONG_MS - PREPARE_MS);
    room = after(room, tickRoom(room), 200);
    const step = hearHost(room, { speaker: "小美", text: "我来说" });
    expect(step.frames).toMatchObject([
      { type: "interrupt", turn: "t2", resumes: false },
      { type: "interrupt", turn: "t3", resumes: true },
      { type: "host-speech" },
    ]);
  });

  it("takes the floor once from a turn that is falling silent, however often the person goes on", ({ expect }) => {
    let room = aSpokenRoom({ interruption: { hostSpeech: "finish" } });
    room = later(say(room, "t2", 0).room, 500);
    const first = hearHost(room, { speaker: "小美", text: "我", isFinal: false });
    expect(typesOf(first.frames)).toEqual(["interrupt", "turn-end"]);
    const second = hearHost(after(room, first, 300), { speaker: "小美", text: "我来说", isFinal: false });
    expect(second.frames).toEqual([]);
  });

  it("waits anew when it was interrupted, so that it does not expire at once", ({ expect }) => {
    const room = later(aSpokenRoom({ deadlineMs: 25_000, interruption: { hostSpeech: "stop" } }), 20_000);
    const step = hearHost(room, { speaker: "小美", text: "我来说" });
    expect(step.state.turns.map(({ id, waitsUntilMs }) => [id, waitsUntilMs - START_MS])).toEqual([
      ["t2", 50_000],
      ["t3", 30_000],
    ]);
  });

  it("takes back what it said ahead and what a new price has made untrue, and goes on from what was heard", ({
    expect,
  }) => {
    let room = aSpokenRoom();
    const said = saySentences(room, {
      stateSeq: NEWEST,
      turn: "t2",
      attempt: 1,
      sentences: [aSentence(0, LONG), aSentence(1, "蓝色的三十九块九。")],
    });
    if (!said.ok) throw new Error(said.error);
    room = after(room, said.value.step, 1_000);
    const patched = patchState(room, { skus: [{ skuId: "p1-blue", priceCents: 2_990 }] });
    expect(patched.ok && patched.value.frames).toMatchObject([
      { type: "state" },
      { type: "interrupt", turn: "t2", cause: "room-change", act: "finish", resumes: true, heard: { sentences: 1 } },
    ]);
  });

  it("asks again what was answered but not heard", ({ expect }) => {
    let room = finish(aSpokenRoom({ interruption: { hostSpeech: "stop", quietMs: 0 } }), "t2", 0);
    room = later(room, LONG_MS - SAY_AHEAD_MS);
    room = after(room, tickRoom(room));
    room = say(room, "t3", 0).room;
    const step = hearHost(later(room, 100), { speaker: "小美", text: "我来说" });
    expect(step.frames).toMatchObject([
      { type: "interrupt", turn: "t2" },
      { type: "interrupt", turn: "t3", resumes: true, heard: { sentences: 0 } },
      { type: "host-speech" },
      { type: "turn-start", turn: "t3", attempt: 2 },
    ]);
    expect(findSpeaking(step.state)?.sentences).toEqual([]);
  });

  it("takes back what is untrue of each turn that it has said ahead", ({ expect }) => {
    const untrue = aSentence(0, "蓝色的三十九块九。");
    let room = aSpokenRoom();
    const finished = finishTurn(room, aFinish({ turn: "t2", sentences: [aSentence(0, LONG), { ...untrue, seq: 1 }] }));
    if (!finished.ok) throw new Error(finished.error);
    room = after(room, finished.value.step, 2 * LONG_MS - PREPARE_MS);
    room.mouth.noteSpoken("t2", 0, room.nowMs);
    room = after(later(room, -100), tickRoom(room));
    const said = saySentences(room, { stateSeq: NEWEST, turn: "t3", attempt: 1, sentences: [untrue] });
    if (!said.ok) throw new Error(said.error);
    const patched = patchState(after(room, said.value.step), { skus: [{ skuId: "p1-blue", priceCents: 2_990 }] });
    expect(patched.ok && patched.value.frames.slice(0, 3)).toMatchObject([
      { type: "state" },
      { type: "interrupt", turn: "t2", cause: "room-change", resumes: false },
      { type: "interrupt", turn: "t3", cause: "room-change", resumes: true, heard: { sentences: 0 } },
    ]);
  });

  it.for([
    ["operator", false, ["t3"]],
    ["host-speech", true, ["t2", "t3"]],
  ] as const)(
    "silences by %s a turn that finishes a sentence and waits to go on",
    ([cause, resumes, left], { expect }) => {
      let room = aSpokenRoom({ interruption: { hostSpeech: "finish" } });
      const filler = { ...aSentence(0, LONG), kind: "filler" as const };
      const said = saySentences(room, { stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [filler] });
      if (!said.ok) throw new Error(said.error);
      room = after(room, said.value.step, 300);
      room = after(room, hearHost(room, { speaker: "小美", text: "我", isFinal: false }), 300);
      const silenced = interruptTurn(room, { cause, act: "stop", reason: cause });
      if (!silenced.ok) throw new Error(silenced.error);
      const { frames, records, state } = silenced.value.step;
      expect(frames[0]).toMatchObject({ type: "interrupt", turn: "t2", resumes, heard: { sentences: 1, lastMs: 600 } });
      expect(records.map(({ turn, attempt, outcome }) => [turn, attempt, outcome])).toEqual(
        resumes ? [] : [["t2", 1, "interrupted"]],
      );
      expect(state.turns.map(({ id }) => id)).toEqual(left);
    },
  );

  it("lets no first sentence wait longer than its runner may", ({ expect }) => {
    const room = aSpokenRoom();
    room.mouth.say({ ...aSentence(0, LONG.repeat(5)), turn: "t1" }, START_MS);
    const turn = findSpeaking(room.state);
    expect(turn && toLease(aLeasing(room), turn, room.mouth).sayAtMs).toBe(turn?.lease.deadlineAtMs);
  });

  it("gives the place of the one that will speak to nobody while the last one is still heard", ({ expect }) => {
    let room = aRoom({ intake: { backlogMax: 1 } });
    room.mouth.isOpen = true;
    room = finish(after(room, post(room, "m1")), "t2", 0);
    expect(post(room, "m2", "m3").state.turns).toHaveLength(1);
  });
});
