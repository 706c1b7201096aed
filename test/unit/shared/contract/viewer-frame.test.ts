import { describe, it } from "vitest";
import type { RoomFrame } from "../../../../shared/contract/room-frame.ts";
import { toViewerFrame } from "../../../../shared/contract/viewer-frame.ts";

const base = { seq: 7, atMs: 1_000 };

describe("toViewerFrame", () => {
  it("shows who asks by name, never by id", ({ expect }) => {
    const message = { id: "m1", text: "有黑色吗", viewer: { id: "openid-8841", name: "张***" } };
    const frame = toViewerFrame({ ...base, type: "message", turn: "t7", message });
    expect(frame).toEqual({
      ...base,
      type: "message",
      turn: "t7",
      message: { id: "m1", text: "有黑色吗", viewer: { name: "张***" } },
    });
  });

  it("shows nobody where a viewer has no name", ({ expect }) => {
    const message = { id: "m1", text: "有黑色吗", viewer: { id: "openid-8841" } };
    expect(JSON.stringify(toViewerFrame({ ...base, type: "message", turn: "t7", message }))).not.toContain("viewer");
  });

  it("hides what hooks and tools did and why the turn ended so", ({ expect }) => {
    const frame: RoomFrame = {
      ...base,
      type: "turn-end",
      turn: "t7",
      outcome: "fallback",
      reason: "hook:forbidden-words",
      timings: { waitedMs: 1, firstSentenceMs: 2, totalMs: 3 },
      activity: { steps: 1, tools: [], hooks: [{ hook: "forbidden-words", verdict: "deny", reason: "全网最低" }] },
    };
    expect(toViewerFrame(frame)).toEqual({ ...frame, reason: null, activity: null });
  });

  it("leaves what is spoken as it is", ({ expect }) => {
    const sentence = { seq: 0, text: "39.9元。", speech: "三十九块九。", kind: "answer" as const };
    const frame: RoomFrame = { ...base, type: "sentence", turn: "t7", sentence };
    expect(toViewerFrame(frame)).toBe(frame);
  });
});
