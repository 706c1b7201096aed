import { describe, it } from "vitest";
import type { TurnRecord } from "../../../../shared/contract/turn-record.ts";
import { timelineScaleMs, toTimeline } from "../../../../workers/console/timeline.ts";
import type { TurnItem } from "../../../../workers/console/turn-item.ts";
import { aMessage, anInterrupt, aTurnEnd, aTurnStart, aWholeTurn, HARNESS } from "../../../helpers/frames.ts";
import { modelAfter } from "./models.ts";

const activity = {
  steps: 2,
  tools: [
    { tool: "get_price", ms: 30, outcome: "tool-result" },
    { tool: "check_stock", ms: 50, outcome: "tool-error" },
  ],
  hooks: [{ hook: "price-grounding", verdict: "rewrite", reason: "价格不符" }],
};

function theTurn(model: { turns: readonly TurnItem[] }): TurnItem {
  const [turn] = model.turns;
  if (turn === undefined) throw new Error("the model has no turn");
  return turn;
}

function aRecord(trace: Partial<NonNullable<TurnRecord["trace"]>>): TurnRecord {
  const timings = { waitedMs: 100, firstSentenceMs: 400, totalMs: 900 };
  return {
    schema: "kaibo.turn/1",
    room: "room-1",
    turn: "t1",
    attempt: 1,
    messages: [],
    harness: HARNESS,
    configRevision: 1,
    snapshot: { onScreenProductId: null, skuOverrides: {}, heard: [] },
    acceptedAtMs: 1_000,
    endedAtMs: 1_900,
    outcome: "answered",
    reason: null,
    timings,
    sentences: [],
    trace: {
      configRevision: 1,
      prefixDigest: "x",
      turnPrompt: "",
      continuation: [],
      model: { endpoint: "offline", model: "m" },
      steps: [],
      hooks: [],
      hookRuns: 0,
      ...trace,
    },
  };
}

describe("toTimeline", () => {
  it("fills an ended turn with waiting, thinking and speaking, back to back", ({ expect }) => {
    const timeline = toTimeline(theTurn(modelAfter(aWholeTurn())), null, 99_999);
    expect(timeline.phases).toMatchObject([
      { kind: "waiting", startMs: 0, endMs: 100 },
      { kind: "thinking", startMs: 100, endMs: 400 },
      { kind: "speaking", startMs: 400, endMs: 900 },
    ]);
    expect(timeline).toMatchObject({ sentencesMs: [400], totalMs: 900, firstSentenceMs: 400, isOpen: false });
  });

  it("lets an open turn grow with the server's clock", ({ expect }) => {
    const turn = theTurn(modelAfter([aMessage(), aTurnStart()]));
    expect(toTimeline(turn, null, 1_700)).toMatchObject({
      isOpen: true,
      totalMs: 700,
      firstSentenceMs: null,
      phases: [{ kind: "waiting" }, { kind: "thinking", endMs: 700 }],
    });
  });

  it("marks where a turn lost the floor", ({ expect }) => {
    const turn = theTurn(modelAfter([aMessage(), aTurnStart(), anInterrupt({ seq: 3, atMs: 1_600 })]));
    expect(toTimeline(turn, null, 1_700).interruptsMs).toEqual([600]);
  });

  it("shows an expired turn as nothing but waiting", ({ expect }) => {
    const timings = { waitedMs: 30_000, firstSentenceMs: null, totalMs: 30_000 };
    const { latest } = modelAfter([aMessage(), aTurnEnd({ seq: 2, outcome: "expired", timings })]).expired;
    const turn = theTurn({ turns: latest });
    expect(toTimeline(turn, null, 0).phases).toMatchObject([{ kind: "waiting", startMs: 0, endMs: 30_000 }]);
  });

  it("guesses the place of tools before the record is read, and says so", ({ expect }) => {
    const turn = theTurn(modelAfter([aMessage(), aTurnStart(), aTurnEnd({ seq: 3, activity })]));
    const { tools, hooks } = toTimeline(turn, null, 0);
    expect(tools).toMatchObject([
      { name: "get_price", startMs: 320, endMs: 350, isPlaceGuessed: true },
      { name: "check_stock", startMs: 350, endMs: 400, outcome: "tool-error" },
    ]);
    expect(hooks).toMatchObject([{ name: "price-grounding", outcome: "rewrite", isPlaceGuessed: true }]);
  });

  it("never guesses a tool into the time of waiting", ({ expect }) => {
    const slow = { ...activity, tools: [{ tool: "get_price", ms: 5_000, outcome: "tool-result" }] };
    const turn = theTurn(modelAfter([aMessage(), aTurnStart(), aTurnEnd({ seq: 3, activity: slow })]));
    expect(toTimeline(turn, null, 0).tools).toMatchObject([{ startMs: 100, endMs: 5_100 }]);
  });

  it("places steps, tools and hooks exactly once the record is read", ({ expect }) => {
    const call = {
      callId: "c",
      tool: "get_price",
      argumentsText: "{}",
      outcome: "tool-result" as const,
      code: null,
      output: "",
      startedMs: 60,
      endedMs: 90,
    };
    const step = {
      index: 0,
      startedMs: 5,
      firstDeltaMs: 20,
      endedMs: 50,
      finish: "tool_calls",
      code: null,
      text: "",
      usage: null,
      toolCalls: [call],
    };
    const hook = { hook: "h", event: "PreUtterance", verdict: "deny" as const, reason: "", atMs: 200, subject: "" };
    const record = aRecord({ steps: [step], hooks: [hook] });
    const timeline = toTimeline(theTurn(modelAfter(aWholeTurn())), record, 0);
    expect(timeline.steps).toMatchObject([{ name: "1", startMs: 105, endMs: 150, outcome: "tool_calls" }]);
    expect(timeline.tools).toMatchObject([{ startMs: 160, endMs: 190, isPlaceGuessed: false }]);
    expect(timeline.hooks).toMatchObject([{ startMs: 300, endMs: 300, outcome: "deny" }]);
  });
});

describe("timelineScaleMs", () => {
  it.for([
    { name: "no turns have a short scale", totals: [], scale: 2_000 },
    { name: "the last length that fits", totals: [3_000], scale: 3_000 },
    { name: "one ms more takes the next step", totals: [3_001], scale: 5_000 },
    {
      name: "one long turn in ten does not flatten the others",
      totals: [...Array.from({ length: 9 }, () => 900), 60_000],
      scale: 2_000,
    },
    { name: "beyond the steps it goes by minutes", totals: [130_000], scale: 180_000 },
  ])("$name", ({ totals, scale }, { expect }) => {
    expect(timelineScaleMs(totals)).toBe(scale);
  });
});
