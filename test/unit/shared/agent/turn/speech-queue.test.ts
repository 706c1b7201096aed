import { describe, it } from "vitest";
import { pause } from "../../../../../shared/core/timer.ts";
import { FakeTime } from "../../../../helpers/fake-timer.ts";
import { createSpeechQueue, type SpeechQueuePorts } from "../../../../../shared/agent/turn/speech-queue.ts";
import type { Sentence } from "../../../../../shared/contract/sentence.ts";
import type { SayResult } from "../../../../../shared/contract/turn-lease.ts";

const sentence = (seq: number): Sentence => ({ seq, text: `第${seq}句。`, speech: `第${seq}句。`, kind: "answer" });
const OK: SayResult = { ok: true, value: { spokenCount: 0, sayAtMs: null } };

const atOnce = () => Promise.resolve();

/** A room whose answers the test gives one by one. */
function aRoom() {
  const calls: number[][] = [];
  const answers: ((result: SayResult | Error) => void)[] = [];
  const say = (sentences: readonly Sentence[]) => {
    calls.push(sentences.map(({ seq }) => seq));
    return new Promise<SayResult>((resolve, reject) => {
      answers.push((result) => (result instanceof Error ? reject(result) : resolve(result)));
    });
  };
  const settle = async () => {
    for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
  };
  const answer = async (result: SayResult | Error) => {
    answers.shift()?.(result);
    await settle();
  };
  return { calls, say, answer };
}

const ports = (room: ReturnType<typeof aRoom>, onLost: () => void = () => {}): SpeechQueuePorts => ({
  say: room.say,
  clock: { nowMs: () => 0 },
  pause: atOnce,
  sayAtMs: null,
  stopped: null,
  onLost,
  onChanged: (_now, unsaid) => unsaid.slice(0, 1),
});

describe("createSpeechQueue", () => {
  it("sends what still holds again when the room has changed, and forgets the rest", async ({ expect }) => {
    const room = aRoom();
    const queue = createSpeechQueue(ports(room));
    for (const seq of [0, 1, 2]) queue.push(sentence(seq));
    const snapshot = { onScreenProductId: null, skuOverrides: {}, heard: [] };
    await room.answer({ ok: false, error: "room_changed", now: { snapshot, stateSeq: 7 } });
    expect(room.calls).toEqual([[0], [0]]);
    await room.answer(OK);
    expect([room.calls, queue.drain()]).toEqual([[[0], [0]], []]);
  });

  it("sends the first sentence at once, and what comes meanwhile together", async ({ expect }) => {
    const room = aRoom();
    const queue = createSpeechQueue(ports(room));
    for (const seq of [0, 1, 2]) queue.push(sentence(seq));
    expect(room.calls).toEqual([[0]]);
    await room.answer(OK);
    expect(room.calls).toEqual([[0], [1, 2]]);
  });

  it("gives back what the room has not confirmed, in order, without waiting", async ({ expect }) => {
    const room = aRoom();
    const queue = createSpeechQueue(ports(room));
    for (const seq of [0, 1, 2, 3]) queue.push(sentence(seq));
    await room.answer(OK);
    expect(room.calls).toEqual([[0], [1, 2, 3]]);
    queue.push(sentence(4));
    expect(queue.drain().map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    await room.answer(OK);
    expect(room.calls).toHaveLength(2);
  });

  it("repeats a call that failed on the way", async ({ expect }) => {
    const room = aRoom();
    const queue = createSpeechQueue(ports(room));
    queue.push(sentence(0));
    await room.answer(new Error("Network connection lost"));
    expect(room.calls).toEqual([[0], [0]]);
  });

  it("tells once that the turn is lost, and sends no more", async ({ expect }) => {
    const room = aRoom();
    let lostCount = 0;
    const queue = createSpeechQueue(
      ports(room, () => {
        lostCount += 1;
      }),
    );
    queue.push(sentence(0));
    queue.push(sentence(1));
    await room.answer({ ok: false, error: "lease_lost" });
    queue.push(sentence(2));
    expect([lostCount, room.calls, queue.drain()]).toEqual([1, [[0]], []]);
  });

  it("keeps the sentences of a room that cannot be reached, for the end of the turn", async ({ expect }) => {
    const room = aRoom();
    let lost = false;
    const queue = createSpeechQueue(
      ports(room, () => {
        lost = true;
      }),
    );
    queue.push(sentence(0));
    queue.push(sentence(1));
    for (let tries = 0; tries < 4; tries += 1) await room.answer(new Error("gone"));
    expect([lost, room.calls.length]).toEqual([false, 4]);
    expect(queue.drain().map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it("sends them with the next sentence, when the room is back", async ({ expect }) => {
    const room = aRoom();
    const queue = createSpeechQueue(ports(room));
    queue.push(sentence(0));
    for (let tries = 0; tries < 4; tries += 1) await room.answer(new Error("gone"));
    queue.push(sentence(1));
    expect(room.calls.at(-1)).toEqual([0, 1]);
  });

  it("waits longer from try to try", async ({ expect }) => {
    const room = aRoom();
    const pauses: number[] = [];
    const pause = async (delayMs: number) => {
      pauses.push(delayMs);
    };
    createSpeechQueue({ ...ports(room), pause }).push(sentence(0));
    for (let tries = 0; tries < 4; tries += 1) await room.answer(new Error("gone"));
    expect(pauses).toEqual([50, 200, 800]);
  });
});

describe("a queue that keeps time with the room's voice", () => {
  /** A room whose voice takes 3 s a sentence. */
  function aSpokenRoom() {
    const time = new FakeTime();
    const calls: [seqs: number[], atMs: number][] = [];
    const stop = new AbortController();
    const settle = async () => {
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    };
    const queue = createSpeechQueue({
      say: async (sentences) => {
        calls.push([sentences.map(({ seq }) => seq), time.nowMs()]);
        return { ok: true, value: { spokenCount: 0, sayAtMs: time.nowMs() + 3_000 } };
      },
      clock: time,
      pause: (delayMs) => pause(time, delayMs),
      sayAtMs: 1_000,
      stopped: stop.signal,
      onLost: () => {},
      onChanged: (_now, unsaid) => unsaid.slice(0, 1),
    });
    const wait = async (byMs: number) => {
      time.advance(byMs);
      await settle();
    };
    return { queue, calls, stop, wait };
  }

  it("says each sentence by itself when its time has come", async ({ expect }) => {
    const { queue, calls, wait } = aSpokenRoom();
    for (const seq of [0, 1, 2]) queue.push(sentence(seq));
    await wait(999);
    expect(calls).toEqual([]);
    for (const byMs of [1, 3_000, 3_000]) await wait(byMs);
    expect(calls).toEqual([
      [[0], 1_000],
      [[1], 4_000],
      [[2], 7_000],
    ]);
  });

  it("leaves the last sentence to the end of the turn, at its time", async ({ expect }) => {
    const { queue, calls, wait } = aSpokenRoom();
    for (const seq of [0, 1]) queue.push(sentence(seq));
    let isDue = false;
    void queue.lastDue().then(() => {
      isDue = true;
    });
    await wait(1_000);
    await wait(2_999);
    expect([calls.length, isDue]).toEqual([1, false]);
    await wait(1);
    expect([calls.length, isDue, queue.drain().map(({ seq }) => seq)]).toEqual([1, true, [1]]);
  });

  it("waits for nothing when the room no longer wants the turn", async ({ expect }) => {
    const { queue, calls, stop, wait } = aSpokenRoom();
    for (const seq of [0, 1]) queue.push(sentence(seq));
    const due = queue.lastDue();
    stop.abort();
    await due;
    await wait(10_000);
    expect(calls).toEqual([]);
  });

  it("is due at once when there is nothing left to say", async ({ expect }) => {
    const { queue } = aSpokenRoom();
    await expect(queue.lastDue()).resolves.toBeUndefined();
  });
});
