import { describe, it } from "vitest";
import {
  SENTENCE_AGE_MS_MAX,
  type VoiceEffect,
  VoiceQueue,
  WAITING_MAX,
} from "../../../../shared/voice/voice-queue.ts";

const SECOND = new Uint8Array(48_000);

/** A queue with its time at 0, and what it does, in short. */
function aQueue(speed = 1) {
  const queue = new VoiceQueue(speed);
  const show = (effects: readonly VoiceEffect[]) => effects.map(short);
  return {
    offer: (name: string, { atMs = 0, nowMs = 0 } = {}) => {
      const [turn = "", seq] = name.split(".");
      const sentence = { seq: Number(seq), text: name, speech: name, kind: "answer" } as const;
      return show(queue.offer({ turn, sentence, atMs }, nowMs));
    },
    audio: (id: number, bytes = SECOND, nowMs = 0) => show(queue.takeAudio(id, bytes, nowMs)),
    end: (id: number, nowMs = 0) => show(queue.end(id, { type: "end", marks: null }, nowMs)),
    fail: (id: number) => show(queue.end(id, { type: "failed", code: "speech_unavailable" }, 0)),
    interrupt: (turn: string, act: "stop" | "finish") => show(queue.interrupt(turn, act, 0)),
  };
}

function short(effect: VoiceEffect): string {
  if (effect.type === "audio") return `audio ${effect.bytes.length}`;
  if (effect.type !== "tell") return `${effect.type} ${effect.id}`;
  const { frame } = effect;
  if (frame.type === "speech-cancel") return `cancel ${frame.turn} ${frame.act}`;
  if (frame.type === "hello") return "hello";
  const name = `${frame.type.slice("speech-".length)} ${frame.turn}.${frame.seq}`;
  if (frame.type === "speech-end") return `${name} ${frame.durationMs}`;
  return frame.type === "speech-failed" ? `${name} ${frame.code}` : name;
}

describe("VoiceQueue", () => {
  it("asks for two sentences at once, and sends the first as it comes", ({ expect }) => {
    const queue = aQueue();
    expect(["a.0", "a.1", "a.2"].map((name) => queue.offer(name))).toEqual([["request 1"], ["request 2"], []]);
    expect(queue.audio(1)).toEqual(["start a.0", "audio 48000"]);
    expect(queue.audio(1)).toEqual(["audio 48000"]);
    expect(queue.end(1)).toEqual(["end a.0 2000", "request 3"]);
  });

  it("keeps the next one's audio until its turn comes", ({ expect }) => {
    const queue = aQueue();
    for (const name of ["a.0", "a.1", "a.2"]) queue.offer(name);
    expect([queue.audio(2), queue.end(2), queue.audio(1)]).toEqual([[], [], ["start a.0", "audio 48000"]]);
    expect(queue.end(1)).toEqual(["end a.0 1000", "start a.1", "audio 48000", "end a.1 1000", "request 3"]);
  });

  it("starts a sentence with its first audio, and not before", ({ expect }) => {
    const queue = aQueue();
    queue.offer("a.0");
    expect(queue.audio(1, new Uint8Array(0))).toEqual([]);
    expect(queue.audio(1, SECOND.subarray(0, 2))).toEqual(["start a.0", "audio 2"]);
  });

  it("tells how long a sentence will take, by the voice's speed", ({ expect }) => {
    const startOf = (speed: number) => {
      const queue = new VoiceQueue(speed);
      const sentence = { seq: 0, text: "毛巾", speech: "毛巾摸起来又软又厚", kind: "answer" } as const;
      queue.offer({ turn: "a", sentence, atMs: 0 }, 0);
      const [start] = queue.takeAudio(1, SECOND, 0);
      return start?.type === "tell" && start.frame.type === "speech-start" ? start.frame.estimatedMs : null;
    };
    expect([startOf(1), startOf(2)]).toEqual([2_000, 1_000]);
  });

  it("goes on with the next sentence after one that failed, at whatever point", ({ expect }) => {
    const queue = aQueue();
    for (const name of ["a.0", "a.1", "a.2"]) queue.offer(name);
    queue.audio(1);
    expect(queue.fail(2)).toEqual([]);
    expect(queue.fail(1)).toEqual(["failed a.0 speech_unavailable", "failed a.1 speech_unavailable", "request 3"]);
    expect(queue.audio(3)).toEqual(["start a.2", "audio 48000"]);
  });

  it("takes an answer without audio for none", ({ expect }) => {
    const queue = aQueue();
    queue.offer("a.0");
    expect(queue.end(1)).toEqual(["failed a.0 speech_invalid"]);
  });

  it("stops: requests end, and no byte follows", ({ expect }) => {
    const queue = aQueue();
    for (const name of ["a.0", "a.1", "a.2"]) queue.offer(name);
    queue.audio(1);
    expect(queue.interrupt("a", "stop")).toEqual(["abort 1", "abort 2", "cancel a stop"]);
    expect([queue.audio(1), queue.audio(2), queue.end(1)]).toEqual([[], [], []]);
  });

  it("finishes: the sentence that has started is sent to its end, others are not", ({ expect }) => {
    const queue = aQueue();
    for (const name of ["a.0", "a.1", "b.0"]) queue.offer(name);
    queue.audio(1);
    queue.audio(2);
    expect(queue.interrupt("a", "finish")).toEqual(["abort 2", "cancel a finish", "request 3"]);
    expect([queue.audio(1), queue.end(1)]).toEqual([["audio 48000"], ["end a.0 2000"]]);
  });

  it("finishes: what has not started is not sent", ({ expect }) => {
    const queue = aQueue();
    queue.offer("a.0");
    expect(queue.interrupt("a", "finish")).toEqual(["abort 1", "cancel a finish"]);
    expect(queue.audio(1)).toEqual([]);
  });

  it("leaves other turns alone, and speaks a turn again that resumes", ({ expect }) => {
    const queue = aQueue();
    for (const name of ["a.0", "b.0"]) queue.offer(name);
    queue.audio(2);
    expect(queue.interrupt("a", "stop")).toEqual(["abort 1", "cancel a stop", "start b.0", "audio 48000"]);
    expect(queue.end(2)).toEqual(["end b.0 1000"]);
    expect(queue.offer("a.0")).toEqual(["request 3"]);
  });

  it("does not begin a sentence that is too old when its turn comes", ({ expect }) => {
    const queue = aQueue();
    for (const name of ["a.0", "a.1", "a.2"]) queue.offer(name);
    queue.audio(1);
    expect(queue.end(1, SENTENCE_AGE_MS_MAX)).toEqual(["end a.0 1000", "request 3"]);
    expect(queue.audio(2, SECOND, SENTENCE_AGE_MS_MAX + 1)).toEqual([
      "abort 2",
      "failed a.1 speech_late",
      "abort 3",
      "failed a.2 speech_late",
    ]);
    const fresh = { atMs: SENTENCE_AGE_MS_MAX, nowMs: SENTENCE_AGE_MS_MAX + 1 };
    expect(queue.offer("b.0", fresh)).toEqual(["request 4"]);
  });

  it("ends a sentence that has started, however old it is by then", ({ expect }) => {
    const queue = aQueue();
    queue.offer("a.0");
    queue.audio(1);
    expect(queue.end(1, SENTENCE_AGE_MS_MAX * 2)).toEqual(["end a.0 1000"]);
  });

  it("is empty when everything has been sent or told", ({ expect }) => {
    const queue = new VoiceQueue(1);
    const sentence = { seq: 0, text: "a", speech: "a", kind: "answer" } as const;
    const seen = [queue.isEmpty];
    queue.offer({ turn: "a", sentence, atMs: 0 }, 0);
    queue.takeAudio(1, SECOND, 0);
    seen.push(queue.isEmpty);
    queue.end(1, { type: "end", marks: null }, 0);
    expect([...seen, queue.isEmpty]).toEqual([true, false, true]);
  });

  it("holds so many and no more: the one that waits longest gives way", ({ expect }) => {
    const queue = aQueue();
    for (let seq = 0; seq < WAITING_MAX + 2; seq += 1) queue.offer(`a.${seq}`);
    expect(queue.offer("b.0")).toEqual(["failed a.2 speech_late"]);
    queue.audio(1);
    expect(queue.end(1)).toEqual(["end a.0 1000", `request 4`]);
  });
});
