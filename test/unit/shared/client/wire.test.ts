import { describe, it } from "vitest";
import { roomFrameSchema } from "../../../../shared/contract/room-frame.ts";
import { parseStreamText } from "../../../../shared/client/wire.ts";
import { aHello, aMessage, aState } from "../../../helpers/frames.ts";

describe("parseStreamText", () => {
  it("knows every frame type of the contract", ({ expect }) => {
    const types = roomFrameSchema.options.map((option) => option.shape.type.value);
    const parsed = types.map((type) => parseStreamText(JSON.stringify({ type, seq: 1, atMs: 1 }))[0]?.type);
    expect(parsed).toEqual(types);
  });

  it.for([aHello(), aMessage(), aState()])("gives a $type frame as it was sent", (frame, { expect }) => {
    expect(parseStreamText(JSON.stringify(frame))).toEqual([frame]);
  });

  it("gives a type that it does not know with its place", ({ expect }) => {
    expect(parseStreamText('{"type":"applause","seq":7,"atMs":1}')).toEqual([
      { type: "unknown", seq: 7, body: { type: "applause", seq: 7, atMs: 1 } },
    ]);
  });

  it("gives the frames of an array in their order, without what is none", ({ expect }) => {
    const text = JSON.stringify([aMessage({ seq: 4 }), null, "pong", [aMessage()], aState({ seq: 5 })]);
    expect(parseStreamText(text)).toEqual([aMessage({ seq: 4 }), aState({ seq: 5 })]);
  });

  it.for([
    "",
    "pong",
    "null",
    "[1]",
    "[]",
    '{"seq":1}',
    '"x"',
    '{"seq":1.5,"type":"x"}',
    '{"type":"hello","protocol":"kaibo.v2","seq":1}',
  ])("takes %s for no frame", (text, { expect }) => {
    expect(parseStreamText(text)).toEqual([]);
  });
});
