import { describe, it } from "vitest";
import { ChatCounts, formatCounts } from "../../../../../workers/cli/chat/chat-counts.ts";

describe("ChatCounts", () => {
  it("has no line while nothing comes", ({ expect }) => {
    const counts = new ChatCounts();
    expect(lineOf(counts)).toBeNull();
    counts.receive();
    expect(lineOf(counts)).toBe("received 1 · posted 0 · dropped 0");
    expect(lineOf(counts)).toBeNull();
  });

  it("names dispositions and reasons, the most frequent first, and the longest lag since the last line", ({
    expect,
  }) => {
    const counts = new ChatCounts();
    for (let index = 0; index < 6; index += 1) counts.receive();
    counts.drop("gift");
    counts.post("queued", null);
    counts.post("merged", null);
    counts.post("merged", null);
    counts.post("dropped", "noise");
    counts.drop("noise");
    counts.noteLag(1_240);
    counts.noteLag(400);
    expect(lineOf(counts)).toBe("received 6 · posted 4 (merged 2, queued 1) · dropped 3 (noise 2, gift 1) · lag 1.2 s");
    counts.noteLag(90);
    counts.noteBacklog({ waiting: 12, max: 200 });
    counts.receive();
    expect(lineOf(counts)).toContain("lag 0.1 s · backlog 12 of 200");
  });

  it("gives the same as figures, for programs", ({ expect }) => {
    const counts = new ChatCounts();
    counts.receive();
    counts.post("queued", null);
    counts.drop("gift");
    counts.noteBacklog({ waiting: 12, max: 200 });
    const figures = { received: 1, posted: 1, dispositions: { queued: 1 }, dropped: 1, reasons: { gift: 1 } };
    expect(counts.take()).toEqual({ ...figures, lagMs: null, backlog: { waiting: 12, max: 200 } });
  });
});

function lineOf(counts: ChatCounts): string | null {
  const figures = counts.take();
  return figures === null ? null : formatCounts(figures);
}
