import { describe, it } from "vitest";
import type { RoomFrame } from "../../../../shared/contract/room-frame.ts";
import {
  applyFrame,
  applyHello,
  applyRoomView,
  floorState,
  HISTORY_FRAMES,
  LINES_KEPT_MAX,
  MESSAGES_KEPT_MAX,
  openRoom,
  skipTo,
  turnPhase,
  TURNS_KEPT_MAX,
} from "../../../../workers/console/frame-store.ts";
import {
  aHello,
  aMessage,
  anInterrupt,
  aSentence,
  aState,
  aTurnEnd,
  aTurnStart,
  aWholeTurn,
  HARNESS,
} from "../../../helpers/frames.ts";
import { aView, modelAfter } from "./models.ts";

/** 20,000 messages are ten seconds of a flood. They take a tenth of this; a slow machine may need more. */
const FLOOD_MS_MAX = 10_000;

describe("openRoom", () => {
  it.for([
    { name: "a young room is read from its first frame", seq: HISTORY_FRAMES, openTurns: [], lastSeq: 0 },
    { name: "an old room is read some frames back", seq: HISTORY_FRAMES + 1, openTurns: [], lastSeq: 1 },
    { name: "an open turn is read from its first message", seq: 5_000, openTurns: ["t90", "t77"], lastSeq: 76 },
    { name: "an id without a number does not move the start", seq: 5_000, openTurns: ["t?"], lastSeq: 4_400 },
  ])("$name", ({ seq, openTurns, lastSeq }, { expect }) => {
    expect(openRoom(aView({ seq, openTurns })).lastSeq).toBe(lastSeq);
  });
});

describe("applyFrame", () => {
  it("follows a turn from its message to its end", ({ expect }) => {
    const [message, start, sentence, end] = aWholeTurn();
    const frames = [message, start, sentence, end].filter((frame) => frame !== undefined);
    const phases = frames.map((_, index) => turnPhase(modelAfter(frames.slice(0, index + 1)), "t1"));
    expect(phases).toEqual(["waiting", "thinking", "speaking", "answered"]);
    const model = modelAfter(frames);
    expect(model.waiting.size).toBe(0);
    expect(model.turns).toMatchObject([
      {
        id: "t1",
        question: "1号链接多少钱",
        askedBy: "小鱼",
        acceptedAtMs: 1_000,
        waitedMs: 100,
        harness: HARNESS,
        end: { outcome: "answered" },
      },
    ]);
    expect(model.heard).toMatchObject([{ text: "今天只要 39.9 元。", turn: "t1", kind: "answer" }]);
  });

  it("applies each frame once, however often and in whatever order it comes again", ({ expect }) => {
    const frames = aWholeTurn();
    const once = modelAfter(frames);
    const again = [...frames, ...frames.toReversed()].reduce(
      (model, frame) => applyFrame(model, frame, frame.atMs).model,
      once,
    );
    expect(again).toBe(once);
    expect(applyFrame(once, aMessage(), 0).verdict).toBe("duplicate");
  });

  it("refuses a frame that would leave a hole, and changes nothing", ({ expect }) => {
    const model = modelAfter([aMessage()]);
    const { model: after, verdict } = applyFrame(model, aSentence({ seq: 3 }), 0);
    expect(verdict).toBe("gap");
    expect(after).toBe(model);
  });

  it("counts a frame of a type that it does not know", ({ expect }) => {
    const { model, verdict } = applyFrame(modelAfter([aMessage()]), { type: "unknown", body: {}, seq: 2 }, 0);
    expect(verdict).toBe("applied");
    expect(model.lastSeq).toBe(2);
    expect(model.missedCount).toBe(0);
  });

  it("says a sentence once even when the room numbers it twice", ({ expect }) => {
    const model = modelAfter([aMessage(), aTurnStart(), aSentence({ seq: 3 }), aSentence({ seq: 4 })]);
    expect(model.heard).toHaveLength(1);
    expect(model.lastSeq).toBe(4);
  });

  it("merges the messages of one turn and keeps the first one's time and words", ({ expect }) => {
    const merged = aMessage({ seq: 2, turn: "t1", atMs: 1_050, message: { id: "m2", text: "多少钱呀" } });
    const model = modelAfter([aMessage(), merged]);
    expect(model.waiting.get("t1")).toEqual({
      acceptedAtMs: 1_000,
      question: "1号链接多少钱",
      askedBy: "小鱼",
      viewerId: "v1",
      messageCount: 2,
      askers: 2,
    });
    expect(model.messages).toMatchObject([{ seq: 1, text: "1号链接多少钱", askers: 2 }]);
    const late = aMessage({ seq: 4, turn: "t1", message: { id: "m4", text: "价格" } });
    const started = modelAfter([aMessage(), merged, aTurnStart({ seq: 3, messageIds: ["m1", "m2"] }), late]);
    expect(started.turns[0]?.messageCount).toBe(3);
    expect(started.messages).toMatchObject([{ seq: 1, askers: 3 }]);
    expect(started.turns[0]?.askers).toBe(3);
    expect(started.waiting.size).toBe(0);
  });

  it("gives the first viewer's further words a line of their own, and counts that viewer once", ({ expect }) => {
    const say = (seq: number, viewer: string, text: string) =>
      aMessage({ seq, turn: "t1", message: { id: `m${seq}`, text, viewer: { id: viewer } } });
    const model = modelAfter([
      say(1, "v1", "有货吗"),
      say(2, "v1", "蓝色的"),
      say(3, "v1", "有货吗"),
      say(4, "v2", "蓝色的"),
      say(5, "v3", "还有货吗"),
    ]);
    expect(model.messages.map(({ text, askers }) => [text, askers])).toEqual([
      ["有货吗", 2],
      ["蓝色的", 2],
    ]);
    expect(model.waiting.get("t1")).toMatchObject({ messageCount: 5, askers: 3 });
  });

  it("keeps the wait of the first attempt when a second one takes over", ({ expect }) => {
    const model = modelAfter([
      aMessage(),
      aTurnStart(),
      aTurnStart({ seq: 3, attempt: 2, waitedMs: 9_000, atMs: 10_000 }),
    ]);
    expect(model.turns).toMatchObject([{ attempt: 2, waitedMs: 100, startedAtMs: 1_100 }]);
  });

  it("shows a turn whose beginning is older than the history", ({ expect }) => {
    const model = modelAfter([aSentence({ seq: 1 }), aTurnEnd({ seq: 2, atMs: 2_000 })]);
    expect(model.turns).toMatchObject([
      { question: null, acceptedAtMs: 1_100, waitedMs: 100, sentences: [{ seq: 0 }] },
    ]);
  });

  it("counts an expired turn as ended although it never began", ({ expect }) => {
    const model = modelAfter([aMessage(), aTurnEnd({ seq: 2, outcome: "expired", reason: "ttl" })]);
    expect(turnPhase(model, "t1")).toBe("expired");
    expect(model.waiting.size).toBe(0);
  });

  it("keeps turns that waited in vain apart, so that they push no answer out", ({ expect }) => {
    const frames: RoomFrame[] = aWholeTurn();
    for (let seq = 5; seq < 5 + 4 * TURNS_KEPT_MAX; seq += 2) {
      const turn = `t${seq}`;
      frames.push(aMessage({ seq, turn }), aTurnEnd({ seq: seq + 1, turn, outcome: "expired", reason: "crowded" }));
    }
    const model = modelAfter(frames);
    expect(model.turns).toMatchObject([{ id: "t1", end: { outcome: "answered" } }]);
    expect(model.expired.byReason).toEqual(new Map([["crowded", 2 * TURNS_KEPT_MAX]]));
    expect(model.expired.latest.length).toBeLessThan(2 * TURNS_KEPT_MAX);
  });

  it("counts dropped messages by reason, and lets none of them into the chat", ({ expect }) => {
    const messages = (["noise", "noise", "advertising"] as const).map((reason, index) => ({
      message: { id: `d${index}`, text: "666" },
      reason,
    }));
    const model = modelAfter([aMessage(), { type: "dropped", seq: 2, atMs: 5, messages }]);
    expect(model.messages).toHaveLength(1);
    expect(model.dropped).toMatchObject({ count: 3, latest: [{ reason: "noise" }, { reason: "noise" }, {}] });
    expect(model.dropped.byReason).toEqual(
      new Map([
        ["noise", 2],
        ["advertising", 1],
      ]),
    );
  });

  it("takes from the stage what a stopped voice had not begun to say", ({ expect }) => {
    const say = (seq: number, place: number) =>
      aSentence({ seq, speakingMs: 2_000, sentence: { ...aSentence().sentence, seq: place } });
    const speaking = modelAfter([aMessage(), aTurnStart(), say(3, 0), say(4, 1), say(5, 2)]);
    expect([speaking.heard.length, speaking.voiceUntilMs]).toEqual([3, 7_400]);
    const heard = { sentences: 2, lastMs: 500 };
    const lost = anInterrupt({ seq: 6, atMs: 3_900, heard });
    const stopped = applyFrame(speaking, lost, 0).model;
    expect(stopped.heard.map(({ place }) => place)).toEqual([0, 1]);
    expect(stopped.voiceUntilMs).toBe(3_900);
    expect(applyFrame(speaking, { ...lost, act: "finish" }, 0).model.voiceUntilMs).toBe(5_400);
  });

  it("says anew what an interrupted turn had not been heard to say", ({ expect }) => {
    const lost = anInterrupt({ seq: 4, resumes: true, heard: { sentences: 0, lastMs: 0 } });
    const model = modelAfter([
      aMessage(),
      aTurnStart(),
      aSentence(),
      lost,
      aTurnStart({ seq: 5, attempt: 2 }),
      aSentence({ seq: 6, sentence: { ...aSentence().sentence, text: "三到五天发货。" } }),
    ]);
    expect(model.heard.map(({ text }) => text)).toEqual(["三到五天发货。"]);
    expect(model.turns).toMatchObject([{ attempt: 2, sentences: [{ text: "三到五天发货。" }] }]);
  });

  it("makes no turn of an interruption whose turn is older than the history", ({ expect }) => {
    expect(modelAfter([anInterrupt({ seq: 1 })]).turns).toEqual([]);
  });

  it("keeps the last strategy", ({ expect }) => {
    const strategy = {
      summary: "观众多在问发货。",
      advice: "先讲发货时间。",
      onScreenProductId: null,
      basedOnSeq: 0,
      atMs: 900,
      source: "offline" as const,
    };
    expect(modelAfter([{ type: "strategy", seq: 1, atMs: 1_000, strategy }]).strategy).toEqual(strategy);
  });

  it("takes ten seconds of a flood in far less time, within its bounds", ({ expect }) => {
    const burst = Array.from({ length: 20_000 }, (_, index) =>
      aMessage({ seq: index + 1, turn: `t${index % 3 === 0 ? index + 1 : 1 + (index % 997)}` }),
    );
    const startedMs = performance.now();
    const model = modelAfter(burst);
    expect(performance.now() - startedMs).toBeLessThan(FLOOD_MS_MAX);
    expect(model.messages.length).toBeLessThanOrEqual(MESSAGES_KEPT_MAX);
    expect(model.waiting.size).toBeLessThanOrEqual(1_000);
  });

  it("takes a human host's words as a line of no turn", ({ expect }) => {
    const model = modelAfter([{ type: "host-speech", seq: 1, atMs: 5, speaker: "阿珍", text: "欢迎新来的家人" }]);
    expect(model.heard).toMatchObject([{ turn: null, speaker: "阿珍", kind: "host-speech" }]);
  });

  it("lays live prices and stock over each other", ({ expect }) => {
    const price = aState({ seq: 1, patch: { skus: [{ skuId: "p1-blue", priceCents: 2_990 }] } });
    const stock = aState({ seq: 2, patch: { skus: [{ skuId: "p1-blue", stock: 3 }] } });
    const model = modelAfter([price, stock, aState({ seq: 3, patch: { onScreenProductId: "p1" } })]);
    expect(model.skuOverrides).toEqual({ "p1-blue": { priceCents: 2_990, stock: 3 } });
    expect(model.onScreenProductId).toBe("p1");
    expect(modelAfter([aState(), aState({ seq: 2, patch: { onScreenProductId: null } })]).onScreenProductId).toBeNull();
  });

  it("does not go back in time when the history has older states than the view", ({ expect }) => {
    const snapshot = { onScreenProductId: "p2", skuOverrides: {}, heard: [] };
    expect(modelAfter([aState({ seq: 1 })], aView({ seq: 1, snapshot })).onScreenProductId).toBe("p2");
    expect(modelAfter([aState({ seq: 1 }), aState({ seq: 2 })], aView({ seq: 1, snapshot })).onScreenProductId).toBe(
      "p1",
    );
  });

  it("announces a new configuration and takes its harness at once", ({ expect }) => {
    const harness = { name: "live-host", version: "b".repeat(64) };
    const model = modelAfter([{ type: "config", seq: 1, atMs: 5, revision: 2, harness }]);
    expect(model).toMatchObject({ revision: 1, announcedRevision: 2, harness });
  });

  it("learns the server's clock from live frames only, from the one that came fastest", ({ expect }) => {
    const view = aView({ seq: 1 });
    const history = applyFrame(openRoom(view), aMessage({ atMs: 1_000 }), 900_000).model;
    expect(history.skewMs).toBeNull();
    const slow = applyFrame(history, aMessage({ seq: 2, atMs: 2_000 }), 1_800).model;
    expect(slow.skewMs).toBe(200);
    expect(applyFrame(slow, aMessage({ seq: 3, atMs: 3_000 }), 2_750).model.skewMs).toBe(250);
    expect(applyFrame(slow, aMessage({ seq: 3, atMs: 3_000 }), 2_900).model.skewMs).toBe(200);
  });

  it("keeps bounded numbers of messages, turns and lines, the newest of each", ({ expect }) => {
    const frames: RoomFrame[] = [];
    for (let turn = 0; turn < MESSAGES_KEPT_MAX + 50; turn += 1) frames.push(...aWholeTurn(1 + turn * 4));
    const model = modelAfter(frames);
    expect(model.messages).toHaveLength(MESSAGES_KEPT_MAX);
    expect(model.turns).toHaveLength(TURNS_KEPT_MAX);
    expect(model.heard).toHaveLength(LINES_KEPT_MAX);
    const newest = `t${1 + (MESSAGES_KEPT_MAX + 49) * 4}`;
    expect([model.messages.at(-1)?.turn, model.turns.at(-1)?.id, model.heard.at(-1)?.turn]).toEqual([
      newest,
      newest,
      newest,
    ]);
    expect(turnPhase(model, "t1")).toBe("past");
  });

  it("remembers a waiting question that the message list no longer shows", ({ expect }) => {
    const burst = Array.from({ length: MESSAGES_KEPT_MAX + 20 }, (_, index) => aMessage({ seq: index + 1 }));
    const start = aTurnStart({ seq: burst.length + 1, turn: "t1" });
    expect(modelAfter([...burst, start]).turns).toMatchObject([{ id: "t1", question: "1号链接多少钱" }]);
    expect(modelAfter(burst).waiting.size).toBe(burst.length);
  });
});

describe("floorState", () => {
  const say = aSentence({ speakingMs: 3_000 });
  it.for([
    { name: "a question that waits", frames: [aMessage()], state: "standby" },
    { name: "an answer that is made", frames: [aMessage(), aTurnStart()], state: "thinking" },
    { name: "an answer that is spoken", frames: [aMessage(), aTurnStart(), aSentence()], state: "on-air" },
    { name: "one that has ended", frames: aWholeTurn(), state: "standby" },
    { name: "one whose voice goes on", frames: [aMessage(), aTurnStart(), say, aTurnEnd()], state: "on-air" },
    {
      name: "one that waits again",
      frames: [aMessage(), aTurnStart(), aSentence(), anInterrupt({ resumes: true })],
      state: "standby",
    },
  ])("$name: $state", ({ frames, state }, { expect }) => {
    expect(floorState(modelAfter(frames), 2_000)).toBe(state);
  });

  it("is over when the voice is through", ({ expect }) => {
    const model = modelAfter([aMessage(), aTurnStart(), say, aTurnEnd()]);
    expect([floorState(model, 4_399), floorState(model, 4_400)]).toEqual(["on-air", "standby"]);
  });
});

describe("applyHello", () => {
  it("changes nothing but the history's end when the room still has what comes next", ({ expect }) => {
    const model = modelAfter([aMessage()]);
    expect(applyHello(model, aHello({ seq: 9, firstSeq: 2 }))).toEqual({ ...model, historySeq: 9 });
  });

  it("goes on at the room's first frame and counts what was missed", ({ expect }) => {
    const model = modelAfter([aMessage({ seq: 1 }), aMessage({ seq: 2 })]);
    const after = applyHello(model, aHello({ seq: 90, firstSeq: 50, openTurns: ["t2"] }));
    expect(after).toMatchObject({ lastSeq: 49, missedCount: 47 });
    expect([...after.waiting.keys()]).toEqual(["t2"]);
  });

  it("misses nothing when the history merely begins later", ({ expect }) => {
    const model = openRoom(aView({ seq: 10 }));
    expect(applyHello(model, aHello({ seq: 10, firstSeq: 5 }))).toMatchObject({ lastSeq: 4, missedCount: 0 });
  });
});

describe("skipTo", () => {
  it("never goes back", ({ expect }) => {
    const model = modelAfter([aMessage()]);
    expect(skipTo(model, 1, [])).toBe(model);
  });
});

describe("applyRoomView", () => {
  it("takes configuration and live values of a view that is new enough", ({ expect }) => {
    const model = modelAfter([aState({ seq: 1 })]);
    const snapshot = { onScreenProductId: "p9", skuOverrides: {}, heard: [] };
    expect(applyRoomView(model, aView({ seq: 1, revision: 2, snapshot }))).toMatchObject({
      revision: 2,
      onScreenProductId: "p9",
      stateSeq: 1,
    });
  });

  it("keeps live values that are newer than the view", ({ expect }) => {
    const model = modelAfter([aState({ seq: 1 }), aState({ seq: 2, patch: { onScreenProductId: "p1" } })]);
    const snapshot = { onScreenProductId: "p9", skuOverrides: {}, heard: [] };
    expect(applyRoomView(model, aView({ seq: 1, revision: 2, snapshot }))).toMatchObject({
      revision: 2,
      onScreenProductId: "p1",
    });
  });
});
