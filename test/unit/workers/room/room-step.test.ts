import { describe, it } from "vitest";
import { findSpeaking, nextWakeAtMs, shortenLease } from "../../../../workers/room/room-state.ts";
import {
  abandonTurn,
  changeConfig,
  finishTurn,
  hearHost,
  loseRunner,
  saySentences,
  tickRoom,
  toLease,
  TURN_SENTENCES_MAX,
  TURN_SPEECH_CHARS_MAX,
} from "../../../../workers/room/room-step.ts";
import { admitMessages } from "../../../../workers/room/admit-messages.ts";
import type { RoomNow, RoomStep } from "../../../../workers/room/room-draft.ts";
import { HARNESS, NEWEST, START_MS, aFinish, aLeasing, aMessage, aRoom, aSentence, aTrace } from "./a-room.ts";
import { after, endsIn, later, post, spokenIn, typesOf } from "./a-room.ts";

/** Deadline of 8 s and grace of 2 s. */
const LEASE_MS = 10_000;

function say(now: RoomNow, ...seqs: readonly number[]): RoomStep {
  const said = saySentences(now, {
    stateSeq: NEWEST,
    turn: "t2",
    attempt: 1,
    sentences: seqs.map((seq) => aSentence(seq)),
  });
  if (!said.ok) throw new Error(said.error);
  return said.value.step;
}

describe("admitMessages", () => {
  it("gives an idle room's first message the floor in the same step", ({ expect }) => {
    const step = post(aRoom(), "m1");
    expect(typesOf(step.frames)).toEqual(["message", "turn-start"]);
    expect(step.leases).toEqual([{ turn: "t2", attempt: 1 }]);
  });

  it("lets later messages wait while one is spoken: the room has one mouth", ({ expect }) => {
    const now = aRoom();
    const step = post(after(now, post(now, "m1")), "m2", "m3");
    expect(typesOf(step.frames)).toEqual(["message", "message"]);
    expect(step.leases).toEqual([]);
  });

  it("names the turn after its message's number", ({ expect }) => {
    const admitted = admitMessages(aRoom(), [aMessage("m1"), aMessage("m2")], new Map());
    expect(admitted.dispositions).toMatchObject([
      { id: "m1", disposition: "queued", turn: "t2", seq: 2 },
      { id: "m2", disposition: "queued", turn: "t3", seq: 3 },
    ]);
  });

  it("answers a known id as the first time and changes nothing", ({ expect }) => {
    const admitted = admitMessages(aRoom(), [aMessage("m1")], new Map([["m1", { turn: "t2", seq: 2 }]]));
    expect(admitted).toMatchObject({
      step: { frames: [] },
      dispositions: [{ id: "m1", disposition: "duplicate", turn: "t2", seq: 2 }],
    });
  });

  it("takes an id that comes twice in one batch once", ({ expect }) => {
    const admitted = admitMessages(aRoom(), [aMessage("m1"), aMessage("m1", "再问一次")], new Map());
    expect(admitted.dispositions.map(({ disposition, turn }) => [disposition, turn])).toEqual([
      ["queued", "t2"],
      ["duplicate", "t2"],
    ]);
  });

  it.for([
    [4, 0],
    [5, 1],
  ] as const)("takes a batch of %i in an idle room with a backlog of 3, but for %i", ([count, dropped], { expect }) => {
    const messages = Array.from({ length: count }, (_, index) => aMessage(`m${index}`));
    const { dispositions } = admitMessages(aRoom({ intake: { backlogMax: 3 } }), messages, new Map());
    expect(dispositions.filter(({ reason }) => reason === "crowded")).toHaveLength(dropped);
  });

  it("answers duplicates though the backlog is full", ({ expect }) => {
    const now = aRoom({ intake: { backlogMax: 1 } });
    const full = after(now, post(now, "m1", "m2"));
    const { dispositions } = admitMessages(full, [aMessage("m2")], new Map([["m2", { turn: "t3", seq: 3 }]]));
    expect(dispositions).toMatchObject([{ disposition: "duplicate", turn: "t3" }]);
  });

  it("counts nothing that has expired", ({ expect }) => {
    const now = aRoom({ intake: { backlogMax: 1, ttlMs: 1_000 } });
    const full = after(now, post(now, "m1", "m2"), 1_000);
    const step = post(full, "m3");
    expect(endsIn(step.frames)).toEqual([{ turn: "t3", outcome: "expired", reason: "ttl" }]);
  });
});

describe("tickRoom", () => {
  it("changes nothing when nothing is due, however often it runs", ({ expect }) => {
    const now = aRoom();
    const busy = after(now, post(now, "m1", "m2"), LEASE_MS - 1);
    expect(tickRoom(busy)).toEqual({ state: busy.state, frames: [], records: [], leases: [] });
  });

  it.for([
    [29_999, []],
    [30_000, [{ turn: "t3", outcome: "expired", reason: "ttl" }]],
  ] as const)("ends a message that waits for 30 s by %i ms: %o", ([elapsedMs, ends], { expect }) => {
    const now = aRoom({ deadlineMs: 25_000, intake: { ttlMs: 30_000 } });
    let room = after(now, post(now, "m1", "m2"), 20_000);
    room = after(room, say(room, 0));
    // The first turn goes to its second runner in between; the second keeps waiting.
    room = after(room, tickRoom(later(room, 8_000)), elapsedMs - 20_000);
    expect(endsIn(tickRoom(room).frames)).toEqual(ends);
  });

  it("keeps a record of what expired, without a trace", ({ expect }) => {
    const now = aRoom({ intake: { ttlMs: 1_000 } });
    const step = tickRoom(after(now, post(now, "m1", "m2"), 1_000));
    expect(step.records).toMatchObject([
      { turn: "t3", attempt: 0, outcome: "expired", reason: "ttl", trace: null, harness: HARNESS },
    ]);
  });

  it("gives a lost turn to a second runner, with what was said", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"), 1_000);
    room = after(room, say(room, 0), LEASE_MS - 1_000);
    const step = tickRoom(room);
    expect(step.leases).toEqual([{ turn: "t2", attempt: 2 }]);
    const turn = findSpeaking(step.state);
    expect(turn && toLease(aLeasing(room), turn, room.mouth)).toMatchObject({
      attempt: 2,
      spoken: [aSentence(0)],
      deadlineAtMs: START_MS + LEASE_MS + 8_000,
      acceptedAtMs: START_MS,
    });
  });

  it("lets a turn end on the harness that it began with", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"), 1_000);
    room = after(
      room,
      changeConfig(room, { revision: 2, harness: { name: "live-host", version: "b".repeat(64) }, changesFacts: false }),
      LEASE_MS,
    );
    const step = tickRoom(room);
    expect(findSpeaking(step.state)?.lease).toMatchObject({ attempt: 2, harness: HARNESS, configRevision: 2 });
  });

  it("says the fallback line when the second runner is lost too", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"), LEASE_MS);
    room = after(room, tickRoom(room), LEASE_MS);
    const step = tickRoom(room);
    expect(step.frames).toMatchObject([
      { type: "sentence", turn: "t2", sentence: { seq: 0, kind: "fallback", text: "稍等，我请同事看一下。" } },
      { type: "turn-end", turn: "t2", outcome: "fallback", reason: "runner_lost", activity: null },
    ]);
    expect(step.state.turns).toEqual([]);
  });

  it("says nothing more when an answer was begun before both runners were lost", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"));
    room = after(room, say(room, 0), LEASE_MS);
    room = after(room, tickRoom(room), LEASE_MS);
    const step = tickRoom(room);
    expect(spokenIn(step.frames)).toEqual([]);
    expect(endsIn(step.frames)).toEqual([{ turn: "t2", outcome: "answered", reason: "runner_lost" }]);
  });

  it.for([
    ["filler", ["t2/1"]],
    ["fallback", []],
  ] as const)("after a lone %s it says %o", ([kind, said], { expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"));
    const spoken = saySentences(room, {
      stateSeq: NEWEST,
      turn: "t2",
      attempt: 1,
      sentences: [{ ...aSentence(0), kind }],
    });
    room = after(room, spoken.ok ? spoken.value.step : post(room), LEASE_MS);
    room = after(room, tickRoom(room), LEASE_MS);
    const step = tickRoom(room);
    expect(spokenIn(step.frames)).toEqual(said);
    expect(endsIn(step.frames)).toEqual([{ turn: "t2", outcome: "fallback", reason: "runner_lost" }]);
  });

  it("gives the floor to the next turn in the step that ends one", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1", "m2"), LEASE_MS);
    room = after(room, tickRoom(room), LEASE_MS);
    expect(tickRoom(room).leases).toEqual([{ turn: "t3", attempt: 1 }]);
  });

  it("does not wait for the deadline when the runner is known to be lost", ({ expect }) => {
    const now = aRoom();
    const room = after(now, post(now, "m1"));
    const lost = { ...room, state: shortenLease(room.state, "t2", 1, room.nowMs + 250) };
    expect(nextWakeAtMs(lost.state)).toBe(room.nowMs + 250);
    expect(tickRoom(later(lost, 249)).leases).toEqual([]);
    expect(tickRoom(later(lost, 250)).leases).toEqual([{ turn: "t2", attempt: 2 }]);
    expect(shortenLease(room.state, "t2", 2, 0)).toEqual(room.state);
  });
});

describe("toLease", () => {
  it("says how new the room's knowledge of releases is", ({ expect }) => {
    const now = aRoom();
    const step = post(now, "m1");
    const turn = findSpeaking(step.state);
    const seqOf = (release?: { seq: number }) =>
      turn && toLease(aLeasing(after(now, step), release), turn, now.mouth).releaseSeq;
    expect([seqOf(), seqOf({ seq: 7 })]).toEqual([0, 7]);
  });
});

describe("saySentences", () => {
  it("says each sentence once, whatever is repeated", ({ expect }) => {
    const now = aRoom();
    const room = after(now, post(now, "m1"));
    const first = say(room, 0, 1);
    expect(spokenIn(first.frames)).toEqual(["t2/0", "t2/1"]);
    expect(say(after(room, first), 0, 1).frames).toEqual([]);
    expect(spokenIn(say(after(room, first), 1, 2).frames)).toEqual(["t2/2"]);
  });

  it.for([
    [[1], "invalid_request"],
    [[0, 2], "invalid_request"],
    [[1, 0], "invalid_request"],
  ] as const)("refuses sentences %o, which leave a gap", ([seqs, error], { expect }) => {
    const now = aRoom();
    const sentences = seqs.map((seq) => aSentence(seq));
    expect(saySentences(after(now, post(now, "m1")), { stateSeq: NEWEST, turn: "t2", attempt: 1, sentences })).toEqual({
      ok: false,
      error,
    });
  });

  it.for([
    ["another attempt", { turn: "t2", attempt: 2 }],
    ["a turn that waits", { turn: "t3", attempt: 1 }],
    ["a turn that never was", { turn: "t9", attempt: 1 }],
  ] as const)("refuses %s", ([, ref], { expect }) => {
    const now = aRoom();
    const said = saySentences(after(now, post(now, "m1", "m2")), {
      stateSeq: NEWEST,
      ...ref,
      sentences: [aSentence(0)],
    });
    expect(said).toEqual({ ok: false, error: "lease_lost" });
  });

  it("refuses the first runner once there is a second", ({ expect }) => {
    const now = aRoom();
    const room = after(now, post(now, "m1"), LEASE_MS);
    const taken = after(room, tickRoom(room));
    const request = { turn: "t2", sentences: [aSentence(0)] };
    expect(saySentences(taken, { stateSeq: NEWEST, ...request, attempt: 1 })).toEqual({
      ok: false,
      error: "lease_lost",
    });
    expect(saySentences(taken, { stateSeq: NEWEST, ...request, attempt: 2 }).ok).toBe(true);
  });

  it.for([
    [TURN_SENTENCES_MAX, 1, true],
    [TURN_SENTENCES_MAX + 1, 1, false],
    [1, TURN_SPEECH_CHARS_MAX / 2, true],
    [1, TURN_SPEECH_CHARS_MAX / 2 + 1, false],
  ] as const)("takes %i sentences of %i characters: %s", ([count, chars, fits], { expect }) => {
    const now = aRoom();
    const sentences = Array.from({ length: count }, (_, seq) => aSentence(seq, "好".repeat(chars)));
    const said = saySentences(after(now, post(now, "m1")), { stateSeq: NEWEST, turn: "t2", attempt: 1, sentences });
    expect(said.ok).toBe(fits);
  });

  it("lets later turns hear what was said and who said it", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"));
    room = after(room, hearHost(room, { speaker: "小美", text: "家人们晚上好" }));
    expect(say(room, 0).state.snapshot.heard.map(({ speaker, text }) => [speaker, text])).toEqual([
      ["小美", "家人们晚上好"],
      ["ai-host", "这款三十九块九。"],
    ]);
  });
});

describe("finishTurn", () => {
  it("says the last sentences, ends the turn and starts the next one in one step", ({ expect }) => {
    const now = aRoom();
    const room = after(now, post(now, "m1", "m2"), 700);
    const finished = finishTurn(room, aFinish({ sentences: [aSentence(0)] }));
    expect(finished.ok && typesOf(finished.value.step.frames)).toEqual(["sentence", "turn-end", "turn-start"]);
    expect(finished.ok && finished.value.step.leases).toEqual([{ turn: "t3", attempt: 1 }]);
  });

  it("keeps what the turn saw, said and took", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"), 300);
    room = after(room, say(room, 0), 200);
    const finished = finishTurn(room, aFinish({ sentences: [aSentence(0), aSentence(1, "喜欢就拍。")] }));
    expect(finished.ok && finished.value.step.records).toMatchObject([
      {
        schema: "kaibo.turn/1",
        turn: "t2",
        attempt: 1,
        messages: [{ id: "m1" }],
        harness: HARNESS,
        configRevision: 1,
        outcome: "answered",
        timings: { waitedMs: 0, firstSentenceMs: 300, totalMs: 500 },
        sentences: [
          { seq: 0, atMs: 300 },
          { seq: 1, text: "喜欢就拍。", atMs: 500 },
        ],
        trace: aTrace(),
      },
    ]);
  });

  it("refuses an old attempt and leaves the turn open", ({ expect }) => {
    const now = aRoom();
    const room = after(now, post(now, "m1"), LEASE_MS);
    expect(finishTurn(after(room, tickRoom(room)), aFinish())).toEqual({ ok: false, error: "lease_lost" });
  });
});

describe("abandonTurn", () => {
  const abandon = (now: RoomNow, attempt: number, turn = "t2") => {
    const abandoned = abandonTurn(now, { turn, attempt, code: "harness_corrupt" });
    if (!abandoned.ok) throw new Error(abandoned.error);
    return abandoned.value;
  };
  /** The room at the moment in which the second runner gets the turn. */
  const atSecond = (...ids: readonly string[]): RoomNow => {
    const now = aRoom();
    const room = after(now, post(now, ...ids), LEASE_MS);
    return after(room, tickRoom(room));
  };

  it("gives the turn to a second runner soon, and writes nothing until then", ({ expect }) => {
    const now = aRoom();
    const room = after(now, post(now, "m1"), 100);
    const { step, said } = abandon(room, 1);
    expect([step.frames, step.records, step.leases, said.spokenCount]).toEqual([[], [], [], 0]);
    expect(tickRoom(after(room, step, 249)).leases).toEqual([]);
    expect(tickRoom(after(room, step, 250)).leases).toEqual([{ turn: "t2", attempt: 2 }]);
  });

  it("is harmless when it comes twice: the second runner does not wait longer", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"), 100);
    room = after(room, abandon(room, 1).step, 200);
    expect(abandon(room, 1).step.state).toEqual(room.state);
  });

  it("counts what the first runner said, and lets the second one go on from there", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"));
    room = after(room, say(room, 0), 100);
    const { step, said } = abandon(room, 1);
    expect(said.spokenCount).toBe(1);
    const turn = findSpeaking(tickRoom(after(room, step, 250)).state);
    expect(turn && toLease(aLeasing(room), turn, room.mouth)).toMatchObject({
      attempt: 2,
      spoken: [aSentence(0)],
    });
  });

  it("ends the turn in this step after the last attempt, for the runner's reason, and starts the next one", ({
    expect,
  }) => {
    const { step, said } = abandon(atSecond("m1", "m2"), 2);
    expect(step.frames).toMatchObject([
      { type: "sentence", turn: "t2", sentence: { seq: 0, kind: "fallback", text: "稍等，我请同事看一下。" } },
      { type: "turn-end", turn: "t2", outcome: "fallback", reason: "harness_corrupt", activity: null },
      { type: "turn-start", turn: "t3", attempt: 1 },
    ]);
    expect(step.records).toMatchObject([
      { turn: "t2", attempt: 2, outcome: "fallback", reason: "harness_corrupt", trace: null },
    ]);
    expect(step.leases).toEqual([{ turn: "t3", attempt: 1 }]);
    expect(said.spokenCount).toBe(1);
  });

  it("says nothing more when an answer was begun", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"));
    room = after(room, say(room, 0), LEASE_MS);
    const { step, said } = abandon(after(room, tickRoom(room)), 2);
    expect(spokenIn(step.frames)).toEqual([]);
    expect(endsIn(step.frames)).toEqual([{ turn: "t2", outcome: "answered", reason: "harness_corrupt" }]);
    expect(said.spokenCount).toBe(1);
  });

  it.for([
    ["the runner that was replaced", { turn: "t2", attempt: 1 }],
    ["a runner to come", { turn: "t2", attempt: 3 }],
    ["a turn that waits", { turn: "t3", attempt: 0 }],
    ["a turn that never was", { turn: "t9", attempt: 1 }],
  ] as const)("refuses %s", ([, ref], { expect }) => {
    expect(abandonTurn(atSecond("m1", "m2"), { ...ref, code: "internal" })).toEqual({ ok: false, error: "lease_lost" });
  });

  it("refuses the second time after the last attempt", ({ expect }) => {
    const room = atSecond("m1");
    const ended = after(room, abandon(room, 2).step);
    expect(abandonTurn(ended, { turn: "t2", attempt: 2, code: "internal" })).toEqual({
      ok: false,
      error: "lease_lost",
    });
  });
});

describe("loseRunner", () => {
  it("changes nothing for a runner that was replaced", ({ expect }) => {
    const now = aRoom();
    let room = after(now, post(now, "m1"), LEASE_MS);
    room = after(room, tickRoom(room));
    expect(loseRunner(room, { turn: "t2", attempt: 1 })).toEqual(room.state);
    expect(nextWakeAtMs(loseRunner(room, { turn: "t2", attempt: 2 }))).toBe(room.nowMs + 250);
  });
});
