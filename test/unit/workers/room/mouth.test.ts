import { describe, it } from "vitest";
import { Mouth, PREPARE_MS, SAY_AHEAD_MS } from "../../../../workers/room/mouth.ts";
import { estimateSpeakingMs } from "../../../../shared/speech/speaking-time.ts";

const SPEECH = "这款三十九块九。";
const SPEECH_MS = estimateSpeakingMs(SPEECH);

const sentence = (seq: number, turn = "t2") => ({ turn, seq, text: SPEECH, speech: SPEECH, kind: "answer" as const });

function aMouth(...said: readonly (readonly [seq: number, atMs: number, turn?: string])[]): Mouth {
  const mouth = new Mouth();
  mouth.isOpen = true;
  for (const [seq, atMs, turn] of said) mouth.say(sentence(seq, turn), atMs);
  return mouth;
}

describe("Mouth", () => {
  it("keeps no time where nobody speaks", ({ expect }) => {
    const mouth = new Mouth();
    expect(mouth.say(sentence(0), 1_000)).toBeUndefined();
    expect([
      mouth.sayAtMs,
      mouth.busyUntilMs,
      mouth.soundingTurn(1_000, "stop"),
      mouth.cut("t2", "stop", 1_000),
    ]).toEqual([null, 0, null, undefined]);
  });

  it("speaks one sentence after the other, and wants the next shortly before it is through", ({ expect }) => {
    const mouth = aMouth([0, 1_000], [1, 1_200]);
    expect(mouth.sayAtMs).toBe(1_000 + 2 * SPEECH_MS - SAY_AHEAD_MS);
    expect(mouth.busyUntilMs).toBe(1_000 + 2 * SPEECH_MS - PREPARE_MS);
  });

  it("begins at once after a silence", ({ expect }) => {
    expect(aMouth([0, 1_000], [1, 60_000]).sayAtMs).toBe(60_000 + SPEECH_MS - SAY_AHEAD_MS);
  });

  it.for([
    ["sooner", -700],
    ["later", 900],
  ] as const)("goes by what the voice says where it is through %s than was thought", ([, byMs], { expect }) => {
    const mouth = aMouth([0, 1_000], [1, 1_000]);
    const atMs = 1_000 + SPEECH_MS + byMs;
    mouth.noteSpoken("t2", 0, atMs);
    const pace = 1 + 0.3 * (byMs / SPEECH_MS);
    expect(mouth.sayAtMs).toBe(atMs + Math.round(SPEECH_MS * pace) - SAY_AHEAD_MS);
    mouth.noteSpoken("t2", 0, 1);
    mouth.noteSpoken("t9", 0, 1);
    expect(mouth.sayAtMs).toBe(atMs + Math.round(SPEECH_MS * pace) - SAY_AHEAD_MS);
  });

  it.for([0.8, 1.25, 1.6])("learns the pace of a voice that takes %f times the estimate", (pace, { expect }) => {
    const mouth = aMouth();
    let atMs = 1_000;
    for (let seq = 0; seq < 12; seq += 1) {
      mouth.say(sentence(seq), atMs);
      atMs += SPEECH_MS * pace;
      mouth.noteSpoken("t2", seq, atMs);
    }
    expect((mouth.say(sentence(12), atMs) ?? 0) / SPEECH_MS).toBeCloseTo(pace, 1);
  });

  it("knows whose words are heard, though their turn has ended", ({ expect }) => {
    const mouth = aMouth([0, 1_000], [0, 1_500, "t5"]);
    expect([1_001, 1_000 + SPEECH_MS, 1_000 + 2 * SPEECH_MS].map((atMs) => mouth.soundingTurn(atMs, "finish"))).toEqual(
      ["t2", "t5", null],
    );
  });

  it.for([
    ["stop", 0],
    ["finish", SPEECH_MS - 400],
  ] as const)("tells what was heard of a turn that is cut off (%s), and is free then", ([act, restMs], { expect }) => {
    const mouth = aMouth([0, 1_000], [1, 1_000], [2, 1_000]);
    const atMs = 1_000 + SPEECH_MS + 400;
    expect(mouth.cut("t2", act, atMs)).toEqual({ sentences: 2, lastMs: 400 });
    expect(mouth.sayAtMs).toBe(atMs + restMs - SAY_AHEAD_MS);
  });

  it("has said nothing of a turn whose first sentence waits behind another's", ({ expect }) => {
    const mouth = aMouth([0, 1_000], [0, 1_200, "t5"]);
    expect(mouth.cut("t5", "stop", 1_300)).toEqual({ sentences: 0, lastMs: 0 });
    expect(mouth.soundingTurn(1_300, "finish")).toBe("t2");
  });

  it("takes the floor once from a turn that finishes its sentence, and can still be silenced", ({ expect }) => {
    const mouth = aMouth([0, 1_000], [1, 1_000]);
    mouth.cut("t2", "finish", 1_100);
    expect([mouth.soundingTurn(1_200, "finish"), mouth.soundingTurn(1_200, "stop")]).toEqual([null, "t2"]);
  });

  it("knows what it has not begun", ({ expect }) => {
    const mouth = aMouth([0, 1_000], [1, 1_000], [0, 1_000, "t5"]);
    expect(mouth.unbegun(1_100).map(({ turn, seq }) => `${turn}/${seq}`)).toEqual(["t2/1", "t5/0"]);
  });

  it("learns nothing from a sentence that was cut off", ({ expect }) => {
    const mouth = aMouth([0, 1_000]);
    mouth.cut("t2", "stop", 1_200);
    mouth.noteSpoken("t2", 0, 1_250);
    expect(mouth.say(sentence(0, "t5"), 2_000)).toBe(SPEECH_MS);
  });

  it("speaks another turn's words the sooner for what it does not say", ({ expect }) => {
    const mouth = aMouth([0, 1_000], [1, 1_000], [0, 1_000, "t5"]);
    mouth.cut("t2", "stop", 1_400);
    expect(mouth.sayAtMs).toBe(1_400 + SPEECH_MS - SAY_AHEAD_MS);
  });

  it("begins anew with a voice that comes: it speaks nothing from before, at a pace of its own", ({ expect }) => {
    const mouth = aMouth();
    for (let seq = 0; seq < 12; seq += 1) {
      mouth.say(sentence(seq), 1_000 + seq);
      mouth.noteSpoken("t2", seq, 1_001 + seq);
    }
    mouth.say(sentence(12), 2_000);
    mouth.isOpen = false;
    mouth.isOpen = true;
    expect(mouth.soundingTurn(2_001, "stop")).toBeNull();
    expect(mouth.say(sentence(0, "t5"), 3_000)).toBe(SPEECH_MS);
    mouth.isOpen = true;
    expect(mouth.soundingTurn(3_001, "stop")).toBe("t5");
  });
});
