import { describe, it } from "vitest";
import type { RoomFrame } from "../../../../../shared/contract/room-frame.ts";
import { toViewerFrame } from "../../../../../shared/contract/viewer-frame.ts";
import { formatFrame } from "../../../../../workers/cli/room/frame-output.ts";
import { aMessage, anInterrupt, aSentence, aState, aTurnEnd, aTurnStart, HARNESS } from "../../../../helpers/frames.ts";

const paint = (_: string, text: string) => text;
const words = { paint, productNames: new Map([["p1", "纯棉毛巾"]]) };
const strategy = {
  summary: "观众在问尺码。",
  advice: "先讲尺码。",
  onScreenProductId: "p1",
  basedOnSeq: 3,
  atMs: 1,
  source: "offline" as const,
};
const DROPPED: RoomFrame = {
  type: "dropped",
  seq: 9,
  atMs: 1_000,
  messages: [
    { message: { id: "m1", text: "666" }, reason: "noise" },
    { message: { id: "m2", text: "加微信", viewer: { id: "v2" } }, reason: "advertising" },
  ],
};

/** The line without its time, which is of this machine's zone. */
const lineOf = (frame: Parameters<typeof formatFrame>[0]) => formatFrame(frame, words).replace(/^[\d: ]{8} /, "");

describe("formatFrame", () => {
  it.for<[frame: Parameters<typeof formatFrame>[0], line: string]>([
    [aMessage({ seq: 12 }), "   12 message     t12 小鱼: 1号链接多少钱\n"],
    [aTurnStart(), "    2 turn-start  t1 waited 100 ms · live-host@aaaaaaaa\n"],
    [
      aTurnStart({ attempt: 2, priority: { points: 30.4, parts: [], waiting: 5 } }),
      "    2 turn-start  t1 waited 100 ms · live-host@aaaaaaaa · attempt 2 · 30 points, first of 5\n",
    ],
    [aSentence(), "    3 sentence    t1 今天只要 39.9 元。\n"],
    [
      aSentence({ sentence: { seq: 0, text: "稍等", speech: "稍等", kind: "filler" } }),
      "    3 sentence    t1 稍等 (filler)\n",
    ],
    [aTurnEnd(), "    4 turn-end    t1 answered · first sentence 400 ms · 900 ms\n"],
    [
      aTurnEnd({
        outcome: "fallback",
        reason: "model_stalled",
        timings: { waitedMs: 1, firstSentenceMs: null, totalMs: 900 },
        activity: {
          steps: 1,
          tools: [{ tool: "find_product", ms: 3.2, outcome: "tool-error" }],
          hooks: [{ hook: "price", verdict: "deny", reason: "x" }],
        },
      }),
      "    4 turn-end    t1 fallback (model_stalled) · 900 ms · 1 step · find_product 3 ms tool-error · price: deny\n",
    ],
    [DROPPED, "    9 dropped     a viewer: 666 (noise); v2: 加微信 (advertising)\n"],
    [anInterrupt({ resumes: true }), "    4 interrupt   t1 operator: stop, resumes later\n"],
    [
      { type: "host-speech", seq: 5, atMs: 1, speaker: "小美", text: "欢迎\n大家" },
      "    5 host-speech 小美: 欢迎 大家\n",
    ],
    [aState(), "    1 state       on screen p1 纯棉毛巾\n"],
    [
      aState({
        patch: {
          onScreenProductId: null,
          skus: [
            { skuId: "s1", priceCents: 3990, stock: 0 },
            { skuId: "s2", stock: 4 },
          ],
        },
      }),
      "    1 state       nothing on screen · s1 39.90 yuan stock 0 · s2 stock 4\n",
    ],
    [{ type: "strategy", seq: 6, atMs: 1, strategy }, "    6 strategy    观众在问尺码。 → 先讲尺码。\n"],
    [
      { type: "config", seq: 100_000, atMs: 1, revision: 4, harness: HARNESS },
      "100000 config      revision 4, live-host@aaaaaaaa\n",
    ],
    [{ type: "unknown", seq: 7, body: { type: "poll" } }, "    7 unknown     poll\n"],
  ])("is one line: %#", ([frame, line], { expect }) => {
    expect(lineOf(frame)).toBe(line);
  });

  it("shows what viewers get, with less in it", ({ expect }) => {
    expect(lineOf(toViewerFrame(DROPPED))).toBe("    9 dropped\n");
    expect(lineOf(toViewerFrame({ type: "strategy", seq: 6, atMs: 1, strategy }))).toBe("    6 strategy\n");
    expect(lineOf(toViewerFrame(aMessage()))).toContain("小鱼: 1号链接多少钱");
  });

  it("begins with the time on this machine's clock", ({ expect }) => {
    const atMs = new Date(2026, 11, 3, 20, 15, 3).getTime();
    expect(formatFrame(aState({ atMs }), words)).toMatch(/^20:15:03 {5}1 /);
  });

  it("paints what is heard otherwise than what is asked", ({ expect }) => {
    const painted = { ...words, paint: (style: string, text: string) => `<${style}>${text}` };
    expect(formatFrame(aSentence(), painted)).toContain("<green>sentence");
    expect(formatFrame(aMessage(), painted)).toContain("<cyan>message");
  });
});
