/** Builders of a room's frames. A test names only the field that it is about. */
import type { HelloFrame, RoomFrame } from "../../shared/contract/room-frame.ts";

type FrameOf<Type extends RoomFrame["type"]> = Extract<RoomFrame, { type: Type }>;
export const HARNESS = { name: "live-host", version: "a".repeat(64) };

export function aHello(fields: Partial<HelloFrame> = {}): HelloFrame {
  return { type: "hello", protocol: "kaibo.v1", room: "room-1", seq: 0, firstSeq: 1, openTurns: [], ...fields };
}

export function aMessage(fields: Partial<FrameOf<"message">> = {}): FrameOf<"message"> {
  const { seq = 1 } = fields;
  const message = { id: `m${seq}`, text: "1号链接多少钱", viewer: { id: "v1", name: "小鱼" } };
  return { type: "message", seq, atMs: 1_000, turn: `t${seq}`, message, ...fields };
}

export function aTurnStart(fields: Partial<FrameOf<"turn-start">> = {}): FrameOf<"turn-start"> {
  const base = { seq: 2, atMs: 1_100, turn: "t1", attempt: 1, messageIds: ["m1"], harness: HARNESS, waitedMs: 100 };
  return { type: "turn-start", ...base, ...fields };
}

export function aSentence(fields: Partial<FrameOf<"sentence">> = {}): FrameOf<"sentence"> {
  const sentence = { seq: 0, text: "今天只要 39.9 元。", speech: "今天只要三十九块九。", kind: "answer" as const };
  return { type: "sentence", seq: 3, atMs: 1_400, turn: "t1", sentence, ...fields };
}

export function aTurnEnd(fields: Partial<FrameOf<"turn-end">> = {}): FrameOf<"turn-end"> {
  const timings = { waitedMs: 100, firstSentenceMs: 400, totalMs: 900 };
  const base = { seq: 4, atMs: 1_900, turn: "t1", outcome: "answered" as const, reason: null, timings, activity: null };
  return { type: "turn-end", ...base, ...fields };
}

export function aState(fields: Partial<FrameOf<"state">> = {}): FrameOf<"state"> {
  return { type: "state", seq: 1, atMs: 1_000, patch: { onScreenProductId: "p1" }, ...fields };
}

export function anInterrupt(fields: Partial<FrameOf<"interrupt">> = {}): FrameOf<"interrupt"> {
  const base = { seq: 4, atMs: 1_600, turn: "t1", cause: "operator" as const, act: "stop" as const, resumes: false };
  return { type: "interrupt", ...base, ...fields };
}

/** A whole turn, from the message at `seq` on. */
export function aWholeTurn(seq = 1, timings = aTurnEnd().timings): RoomFrame[] {
  const turn = `t${seq}`;
  return [
    aMessage({ seq, turn }),
    aTurnStart({ seq: seq + 1, turn, messageIds: [`m${seq}`] }),
    aSentence({ seq: seq + 2, turn }),
    aTurnEnd({ seq: seq + 3, turn, timings }),
  ];
}
