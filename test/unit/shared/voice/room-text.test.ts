import { describe, it } from "vitest";
import { readRoomText } from "../../../../shared/voice/room-text.ts";

const SENTENCE = { seq: 0, text: "39元", speech: "三十九元", kind: "answer" };
const said = { type: "sentence", seq: 7, atMs: 5, turn: "t1", sentence: SENTENCE };
const cut = { type: "interrupt", seq: 8, atMs: 6, turn: "t1", act: "stop", cause: "operator", resumes: false };

describe("readRoomText", () => {
  it("reads one frame, and a list of them in order", ({ expect }) => {
    expect(readRoomText(JSON.stringify(said))).toEqual([{ type: "sentence", atMs: 5, turn: "t1", sentence: SENTENCE }]);
    expect(readRoomText(JSON.stringify([said, cut])).map(({ type }) => type)).toEqual(["sentence", "interrupt"]);
  });

  it("passes over what it need not know, and still reads frames that have more in them", ({ expect }) => {
    const end = { type: "turn-end", seq: 9, atMs: 7, turn: "t1" };
    const text = JSON.stringify([{ type: "hello" }, end, 3, null, { ...said, mood: "glad" }]);
    expect(readRoomText(text)).toHaveLength(1);
    expect(["", "{", "[]", '"sentence"'].flatMap(readRoomText)).toEqual([]);
  });
});
