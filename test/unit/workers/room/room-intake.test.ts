/** Which messages a room answers, together or apart, and in which order. */
import { describe, it } from "vitest";
import type { RoomNow } from "../../../../workers/room/room-draft.ts";
import {
  changeConfig,
  hearHost,
  interruptTurn,
  patchState,
  saySentences,
  takeStrategy,
  tickRoom,
  toLease,
  toStrategyInput,
} from "../../../../workers/room/room-step.ts";
import { findSpeaking } from "../../../../workers/room/room-state.ts";
import { EMPTY_TALLY, type RoomStrategy } from "../../../../shared/contract/strategy.ts";
import { strategyInputSchema, strategyPolicySchema } from "../../../../shared/contract/strategy.ts";
import { aBusyRoom, finish, said, take } from "./a-busy-room.ts";
import { HARNESS, NEWEST, START_MS, aLeasing, aRoom, aSentence, after, later } from "./a-room.ts";

/** Texts of the turns in the order in which they get the floor. */
function order(room: RoomNow): string[] {
  const texts: string[] = [];
  for (let now = finish(room).room; ;) {
    const turn = findSpeaking(now.state);
    if (turn === undefined) return texts;
    texts.push(turn.messages[0]?.text ?? "");
    now = finish(now).room;
  }
}

describe("merging", () => {
  it("answers what waits together and asks the same in one turn, however it is spelt", ({ expect }) => {
    const { dispositions, room } = take(
      aBusyRoom(),
      said("m1", "1号链接多少钱", { id: "v1" }),
      said("m2", "一号链接多少錢啊？？", { id: "v2" }),
      said("m3", "１号链接 多少钱😊", { id: "v3" }),
      said("m4", "2号链接多少钱", { id: "v4" }),
    );
    expect(dispositions.map(({ disposition, turn }) => [disposition, turn])).toEqual([
      ["queued", "t4"],
      ["merged", "t4"],
      ["merged", "t4"],
      ["queued", "t7"],
    ]);
    const record = finish(finish(room).room).step.records[0];
    expect(record).toMatchObject({ turn: "t4", askers: 3, messages: [{ id: "m1" }, { id: "m2" }, { id: "m3" }] });
  });

  it("joins no turn that is being spoken: its answer may be over", ({ expect }) => {
    const { dispositions } = take(aBusyRoom(), said("m1", "主播今天讲到几点呀"));
    expect(dispositions).toMatchObject([{ disposition: "queued" }]);
  });

  it("takes a viewer's burst for one question", ({ expect }) => {
    const viewer = { id: "v1" };
    let room = aBusyRoom();
    const first = take(room, said("m1", "多少钱", viewer));
    room = later(first.room, 1_000);
    const rest = take(room, said("m2", "？？", viewer), said("m3", "能便宜吗", viewer));
    expect(rest.dispositions).toMatchObject([
      { disposition: "dropped", reason: "noise" },
      { disposition: "merged", turn: first.dispositions[0]?.turn },
    ]);
    const late = take(later(rest.room, 6_000), said("m4", "有运费险吗", viewer));
    expect(late.dispositions).toMatchObject([{ disposition: "queued" }]);
  });

  it("keeps fifty messages of a turn and counts the rest", ({ expect }) => {
    let room = aBusyRoom();
    for (let batch = 0; batch < 3; batch += 1) {
      const texts = Array.from({ length: 40 }, (_, index) => said(`m${batch}-${index}`, "怎么买"));
      room = take(room, ...texts).room;
    }
    const turn = room.state.turns.at(-1);
    expect([turn?.askers, turn?.messages.length]).toEqual([120, 50]);
  });

  it("is off where the harness says so", ({ expect }) => {
    const room = aBusyRoom({ intake: { merges: false } });
    const { dispositions } = take(room, said("m1", "怎么买"), said("m2", "怎么买"));
    expect(dispositions.map(({ disposition }) => disposition)).toEqual(["queued", "queued"]);
  });
});

describe("dropping", () => {
  it("tells each message why, in one frame of the log", ({ expect }) => {
    const { dispositions, step } = take(aBusyRoom(), said("m1", "666666"), said("m2", "😂😂😂"), said("m3", "怎么买"));
    expect(dispositions).toMatchObject([
      { id: "m1", disposition: "dropped", reason: "noise", turn: null },
      { id: "m2", disposition: "dropped", reason: "noise", turn: null },
      { id: "m3", disposition: "queued", reason: null },
    ]);
    expect(step.frames.map(({ type }) => type)).toEqual(["message", "dropped"]);
    expect(step.frames[1]).toMatchObject({ messages: [{ message: { id: "m1" } }, { message: { id: "m2" } }] });
  });

  it("lets a viewer write so often and no more, and others as before", ({ expect }) => {
    const intake = { viewerMessagesMax: 2, viewerWindowMs: 10_000, merges: false };
    const room = aBusyRoom({ intake });
    const texts = ["怎么买", "有券吗", "包邮吗"].map((text, index) => said(`m${index + 1}`, text, { id: "v1" }));
    const taken = take(room, ...texts, said("m9", "怎么退", { id: "v2" }));
    expect(taken.dispositions.map(({ disposition, reason }) => reason ?? disposition)).toEqual([
      "queued",
      "queued",
      "viewer_rate",
      "queued",
    ]);
    const later10s = take(later(taken.room, 10_001), said("m10", "几点下播", { id: "v1" }));
    expect(later10s.dispositions).toMatchObject([{ disposition: "queued" }]);
  });

  it("does not answer a viewer twice within a moment", ({ expect }) => {
    let room = aBusyRoom();
    room = finish(room).room;
    room = finish(take(room, said("m1", "怎么买", { id: "v1" })).room).room;
    const soon = take(later(room, 5_000), said("m2", "怎么买啊", { id: "v1" }), said("m3", "怎么买", { id: "v2" }));
    expect(soon.dispositions.map(({ reason }) => reason)).toEqual(["repeated", null]);
    const late = take(later(room, 10_000), said("m4", "怎么买啊", { id: "v1" }));
    expect(late.dispositions).toMatchObject([{ reason: null }]);
  });
});

describe("what waits together", () => {
  it("waits as long as the last who asked may wait", ({ expect }) => {
    let room = aBusyRoom({ intake: { ttlMs: 30_000 } });
    room = take(room, said("m1", "2号多少钱", { id: "v1" })).room;
    room = take(later(room, 29_000), said("m2", "2号多少钱呀", { id: "v2" })).room;
    const expiredIn = (elapsedMs: number) =>
      tickRoom(later(room, elapsedMs)).records.flatMap(({ outcome, askers }) =>
        outcome === "expired" ? [askers] : [],
      );
    expect([expiredIn(29_999), expiredIn(30_000)]).toEqual([[], [2]]);
  });

  it("is no place for a second question of one of many", ({ expect }) => {
    const { dispositions } = take(
      aBusyRoom(),
      said("m1", "1号链接多少钱", { id: "v1" }),
      said("m2", "1号链接多少钱", { id: "v2" }),
      said("m3", "红色的能退吗", { id: "v2" }),
      said("m4", "红色的能退吗", { id: "v1" }),
    );
    expect(dispositions.map(({ disposition, turn }) => [disposition, turn])).toEqual([
      ["queued", "t4"],
      ["merged", "t4"],
      ["queued", "t6"],
      ["merged", "t6"],
    ]);
  });

  it("is about one product on screen", ({ expect }) => {
    let room = take(aBusyRoom(), said("m1", "这个多少钱", { id: "v1" })).room;
    const patched = patchState(room, { onScreenProductId: "p2" });
    if (!patched.ok) throw new Error(patched.error);
    room = after(room, patched.value);
    expect(take(room, said("m2", "这个多少钱", { id: "v2" })).dispositions).toMatchObject([{ disposition: "queued" }]);
  });

  it("holds no turn that gave up its place: a message like it opens a new one", ({ expect }) => {
    const { step } = take(
      aBusyRoom({ intake: { backlogMax: 1 } }),
      said("m1", "你好呀主播"),
      said("m2", "怎么下单"),
      said("m3", "你好呀主播"),
    );
    expect(step.records).toHaveLength(1);
    expect(step.state.turns.map(({ messages }) => messages.map(({ id }) => id))).toEqual([["m0"], ["m2"]]);
  });
});

describe("a change of configuration", () => {
  const change = { revision: 2, harness: { name: "live-host", version: "b".repeat(64) } };

  it("lets no answer go on that was made from what was sold before", ({ expect }) => {
    const step = changeConfig(aBusyRoom(), { ...change, changesFacts: true });
    expect(step.frames).toMatchObject([
      { type: "config" },
      { type: "interrupt", cause: "config", resumes: true },
      { type: "turn-start", attempt: 2 },
    ]);
  });

  it("leaves a turn on the harness that it began with", ({ expect }) => {
    const step = changeConfig(aBusyRoom(), { ...change, changesFacts: false });
    expect(step.frames.map(({ type }) => type)).toEqual(["config"]);
  });
});

describe("the strategist", () => {
  const strategy = (basedOnSeq: number): RoomStrategy => ({
    summary: "正在讲夏凉被，问尺码的多。",
    advice: "下一句讲尺码。",
    onScreenProductId: null,
    basedOnSeq,
    atMs: START_MS,
    source: "offline",
  });

  it("is told what was asked and what became of it, and its word goes with the next turn", ({ expect }) => {
    let room = aRoom({ strategy: strategyPolicySchema.parse({ isOn: true }) });
    room = take(room, said("m1", "1号链接有多大尺码"), said("m2", "多少钱")).room;
    room = finish(room).room;
    const input = toStrategyInput(room.state);
    expect(strategyInputSchema.parse(input)).toMatchObject({ previous: null, tally: { outcomes: { answered: 1 } } });
    room = after(room, takeStrategy(room, strategy(input.basedOnSeq)));
    expect([room.state.strategy, room.state.tally]).toEqual([strategy(input.basedOnSeq), EMPTY_TALLY]);
    const turn = findSpeaking(room.state);
    expect(turn && toLease(aLeasing(room), turn, room.mouth).strategy).toEqual(strategy(input.basedOnSeq));
  });

  it("cannot replace what is newer", ({ expect }) => {
    const room = aBusyRoom({ strategy: ON });
    const known = after(room, takeStrategy(room, strategy(3)));
    expect(known.state.strategy).toEqual(strategy(3));
    expect(takeStrategy(known, strategy(3)).frames).toEqual([]);
    expect(takeStrategy(known, strategy(2)).frames).toEqual([]);
  });

  it("counts nothing where the harness wants none", ({ expect }) => {
    expect(finish(aBusyRoom()).room.state.tally).toEqual(EMPTY_TALLY);
  });
});

describe("a full room", () => {
  it("lets go of what matters least: what waits, or what comes", ({ expect }) => {
    const { room, dispositions } = take(
      aBusyRoom({ intake: { backlogMax: 1 } }),
      said("m1", "你好呀主播"),
      said("m2", "怎么下单"),
      said("m3", "主播辛苦了"),
    );
    expect(dispositions.map(({ disposition, reason }) => [disposition, reason])).toEqual([
      ["queued", null],
      ["queued", null],
      ["dropped", "crowded"],
    ]);
    expect(order(room)).toEqual(["怎么下单"]);
  });

  it("keeps a record of the turn that gave up its place", ({ expect }) => {
    const { step } = take(aBusyRoom({ intake: { backlogMax: 1 } }), said("m1", "你好呀主播"), said("m2", "怎么下单"));
    expect(step.records).toMatchObject([{ outcome: "expired", reason: "crowded", messages: [{ id: "m1" }] }]);
  });

  it("still takes what joins a turn that waits", ({ expect }) => {
    const { dispositions } = take(
      aBusyRoom({ intake: { backlogMax: 1 } }),
      said("m1", "怎么下单"),
      said("m2", "怎么下单呀"),
    );
    expect(dispositions).toMatchObject([{ disposition: "queued" }, { disposition: "merged" }]);
  });

  it("lets what has waited long stay before what has just come", ({ expect }) => {
    const { room } = take(aBusyRoom({ intake: { backlogMax: 1 } }), said("m1", "面料是什么"));
    const soon = take(later(room, 2_000), said("m2", "怎么下单"));
    expect(soon.dispositions).toMatchObject([{ disposition: "queued" }]);
    const late = take(later(room, 29_000), said("m3", "你好呀主播"));
    expect(late.dispositions).toMatchObject([{ reason: "crowded" }]);
  });
});

describe("order", () => {
  it("is by what is asked, then by waiting, and the record tells why", ({ expect }) => {
    const { room } = take(aBusyRoom(), said("m1", "你好呀主播"), said("m2", "面料是什么"), said("m3", "怎么下单"));
    expect(order(room)).toEqual(["怎么下单", "面料是什么", "你好呀主播"]);
    const record = finish(finish(room).room).step.records[0];
    expect(record?.priority).toMatchObject({
      waiting: 3,
      parts: expect.arrayContaining([{ name: "buy", points: 30 }]),
    });
  });

  it("starves nobody: what has waited long comes first", ({ expect }) => {
    let { room } = take(aBusyRoom({ intake: { ttlMs: 600_000 } }), said("m1", "你好呀主播"));
    room = take(later(room, 90_000), said("m2", "怎么下单")).room;
    expect(order(room)).toEqual(["你好呀主播", "怎么下单"]);
  });

  it("prefers the product on screen", ({ expect }) => {
    let room = aBusyRoom();
    const patched = patchState(room, { onScreenProductId: "p2" });
    if (patched.ok) room = after(room, patched.value);
    room = take(room, said("m1", "1号链接多少钱"), said("m2", "2号链接多少钱")).room;
    expect(order(room)).toEqual(["2号链接多少钱", "1号链接多少钱"]);
  });

  it("lets a message expire by its own time", ({ expect }) => {
    const message = { ...said("m1", "面料是什么"), ttlMs: 2_000 };
    const { room } = take(aBusyRoom(), message, said("m2", "怎么下单"));
    const step = tickRoom(later(room, 2_000));
    expect(step.records).toMatchObject([{ outcome: "expired", messages: [{ id: "m1" }] }]);
  });
});

describe("interruption", () => {
  const speaking = (room: RoomNow) => findSpeaking(room.state);

  it("by a person who speaks: the turn waits again, and nobody speaks until it is quiet", ({ expect }) => {
    const room = aBusyRoom({ interruption: { hostSpeech: "stop" } });
    const step = hearHost(later(room, 500), { speaker: "小美", text: "我来说", isFinal: false });
    expect(step.frames).toMatchObject([{ type: "interrupt", cause: "host-speech", act: "stop", resumes: true }]);
    const quiet = after(later(room, 500), step);
    expect(speaking(quiet)).toBeUndefined();
    const still = hearHost(later(quiet, 1_000), { speaker: "小美", text: "大家看这里" });
    expect(still.leases).toEqual([]);
    const over = tickRoom(later(after(later(quiet, 1_000), still), 1_500));
    expect(over.leases).toEqual([{ turn: "t2", attempt: 2 }]);
  });

  it("drops a turn that had begun to answer, or was interrupted before", ({ expect }) => {
    const room = aBusyRoom({ interruption: { hostSpeech: "finish", quietMs: 0 } });
    const spoken = saySentences(room, { turn: "t2", attempt: 1, stateSeq: NEWEST, sentences: [aSentence(0)] });
    if (!spoken.ok) throw new Error(spoken.error);
    const heard = hearHost(after(room, spoken.value.step), { speaker: "小美", text: "我来说" });
    expect(heard.records).toMatchObject([{ turn: "t2", outcome: "interrupted", reason: "host-speech" }]);
    const once = after(room, hearHost(room, { speaker: "小美", text: "我来说" }));
    expect(hearHost(once, { speaker: "小美", text: "我再说" }).records).toMatchObject([{ outcome: "interrupted" }]);
  });

  it("counts no loss of a runner against a turn that waits again", ({ expect }) => {
    let room = aBusyRoom({ interruption: { hostSpeech: "stop", quietMs: 0 } });
    room = after(room, hearHost(room, { speaker: "小美", text: "我来说" }));
    expect(speaking(room)?.lease.attempt).toBe(2);
    const lost = tickRoom(later(room, 10_000));
    expect(lost.leases).toEqual([{ turn: "t2", attempt: 3 }]);
  });

  it("by another product on screen, where the turn is about the one before", ({ expect }) => {
    let room = aRoom({ interruption: { productSwitch: "stop" }, intake: { merges: true } });
    const shown = patchState(room, { onScreenProductId: "p1" });
    if (shown.ok) room = after(room, shown.value);
    room = take(room, said("m1", "这个多少钱")).room;
    const switched = patchState(room, { onScreenProductId: "p2" });
    expect(switched.ok && switched.value.frames.map(({ type }) => type)).toEqual(["state", "interrupt", "turn-start"]);
    const other = take(aRoom({ interruption: { productSwitch: "stop" } }), said("m1", "1号链接多少钱")).room;
    const first = patchState(other, { onScreenProductId: "p2" });
    expect(first.ok && first.value.frames.map(({ type }) => type)).toEqual(["state"]);
  });

  it("by a turn that matters much more", ({ expect }) => {
    const room = aBusyRoom({ interruption: { pointsAhead: 20 } });
    const { step } = take(room, said("m1", "怎么下单"));
    expect(step.frames.map(({ type }) => type)).toEqual(["message", "interrupt", "turn-start"]);
    expect(step.frames[1]).toMatchObject({ cause: "priority", act: "finish", resumes: true });
    expect(take(room, said("m2", "面料是什么")).step.frames.map(({ type }) => type)).toEqual(["message"]);
  });

  it("by an operator, for good", ({ expect }) => {
    const interrupted = interruptTurn(aBusyRoom(), { cause: "operator", act: "stop", reason: "operator" });
    expect(interrupted.ok && interrupted.value.step.records).toMatchObject([
      { outcome: "interrupted", reason: "operator" },
    ]);
  });
});

describe("a change of what the room sells", () => {
  it("refuses sentences that were made before it, and takes those made after", ({ expect }) => {
    let room = aBusyRoom();
    const patched = patchState(room, { skus: [{ skuId: "p1-blue", priceCents: 2_990 }] });
    if (!patched.ok) throw new Error(patched.error);
    room = after(room, patched.value);
    const say = (stateSeq: number) =>
      saySentences(room, { turn: "t2", attempt: 1, stateSeq, sentences: [aSentence(0)] });
    expect(say(0)).toEqual({ ok: false, error: "room_changed" });
    expect(say(room.state.stateSeq).ok).toBe(true);
    const filler = { ...aSentence(0), kind: "filler" as const };
    expect(saySentences(room, { turn: "t2", attempt: 1, stateSeq: 0, sentences: [filler] }).ok).toBe(true);
  });

  it("is a new configuration as well: what was made before it is looked at again", ({ expect }) => {
    const before = aBusyRoom();
    const room = after(before, changeConfig(before, { revision: 2, harness: HARNESS, changesFacts: false }));
    const say = (stateSeq: number) =>
      saySentences(room, { turn: "t2", attempt: 1, stateSeq, sentences: [aSentence(0)] }).ok;
    expect([say(before.state.stateSeq), say(room.state.stateSeq)]).toEqual([false, true]);
  });
});

describe("a strategist who was switched off", () => {
  it("is not heard any more, and what it said is forgotten", ({ expect }) => {
    const room = aBusyRoom({ strategy: ON });
    const told = after(room, takeStrategy(room, A_STRATEGY));
    expect(told.state.strategy).toEqual(A_STRATEGY);
    const off = { ...told, rules: { ...told.rules, policy: { ...told.rules.policy, strategy: OFF } } };
    const changed = changeConfig(off, { revision: 2, harness: HARNESS, changesFacts: false });
    expect(changed.state.strategy).toBeNull();
    expect(takeStrategy(after(off, changed), { ...A_STRATEGY, basedOnSeq: 99 }).frames).toEqual([]);
  });
});

const ON = strategyPolicySchema.parse({ isOn: true });
const OFF = strategyPolicySchema.parse({ isOn: false });
const A_STRATEGY: RoomStrategy = {
  summary: "大家都在问价格。",
  advice: "",
  onScreenProductId: null,
  basedOnSeq: 3,
  atMs: START_MS,
  source: "offline",
};
