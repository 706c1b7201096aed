/** A room that changes under the answer: no sentence that has become untrue is heard. */
import { describe, it } from "vitest";
import type { Sentence } from "../../../../../shared/contract/sentence.ts";
import type { SayResult } from "../../../../../shared/contract/turn-lease.ts";
import { aHarness } from "../../../../helpers/harnesses.ts";
import { aLease } from "../../../../helpers/rooms.ts";
import { startTurn, textsOf, type TurnOptions } from "../../../../helpers/turns.ts";

const CHEAPER = {
  snapshot: { onScreenProductId: null, skuOverrides: { "p1-blue": { priceCents: 2_990 } }, heard: [] },
  stateSeq: 9,
};

/** A room whose price falls when a turn says its `at`-th word to it. */
function aRoom(at: number) {
  const heard: string[] = [];
  const calls: number[] = [];
  let asked = 0;
  const say = async (sentences: readonly Sentence[], stateSeq: number): Promise<SayResult> => {
    calls.push(stateSeq);
    asked += 1;
    if (asked >= at && stateSeq < CHEAPER.stateSeq) return { ok: false, error: "room_changed", now: CHEAPER };
    heard.push(...textsOf(sentences));
    return { ok: true, value: { spokenCount: heard.length, sayAtMs: null } };
  };
  return { heard, calls, say };
}

const lease = aLease({ messages: [{ id: "m1", text: "1号链接多少钱" }] });
const run = (options: Pick<TurnOptions, "answers" | "say">) => startTurn({ harness: aHarness(), lease, ...options });

describe("a change of price", () => {
  it("takes back what is untrue, tells the policy what holds now, and goes on", async ({ expect }) => {
    const room = aRoom(2);
    const turn = run({
      answers: [{ texts: ["毛巾是纯棉的。", "现在39.9元。", "喜欢就拍。"] }, { texts: ["现在29.9元。"] }],
      say: room.say,
    });
    const end = await turn.end;
    expect([...room.heard, ...textsOf(end.sentences)]).toEqual(["毛巾是纯棉的。", "现在29.9元。"]);
    expect(end).toMatchObject({ outcome: "answered", reason: null });
    const [, again] = turn.model.requests;
    expect(again?.body).toContain("29.9");
    expect(again?.messages.at(-1)?.content).toMatch(/room\.changed[\s\S]*39\.9/u);
  });

  it("keeps what still holds", async ({ expect }) => {
    const room = aRoom(1);
    const turn = run({ answers: [{ texts: ["毛巾是纯棉的。", "摸着很软。"] }], say: room.say });
    const end = await turn.end;
    expect([...room.heard, ...textsOf(end.sentences)]).toEqual(["毛巾是纯棉的。", "摸着很软。"]);
    expect(turn.model.requests).toHaveLength(1);
    expect(room.calls.slice(0, 2)).toEqual([0, 9]);
  });

  it("holds against a policy that says the old price again", async ({ expect }) => {
    const room = aRoom(1);
    const stubborn = { texts: ["现在39.9元。"] };
    const turn = run({ answers: [stubborn, stubborn, stubborn, stubborn], say: room.say });
    const end = await turn.end;
    expect([...room.heard, ...textsOf(end.sentences)].filter((text) => text.includes("39.9"))).toEqual([]);
    expect(end).toMatchObject({ outcome: "fallback", reason: "hook:room.changed" });
  });

  it("at the turn's end stays taken back, whatever changes next", async ({ expect }) => {
    const turn = run({ answers: [{ texts: ["现在39.9元。"] }], say: () => new Promise(() => {}) });
    const end = await turn.end;
    const { changed } = aHarness().bundle.lines;
    expect(textsOf(end.recheck(CHEAPER).sentences)).toEqual([changed]);
    const skuOverrides = { "p1-blue": { priceCents: 2_990, stock: 3 } };
    const next = { snapshot: { ...CHEAPER.snapshot, skuOverrides }, stateSeq: 12 };
    expect(textsOf(end.recheck(next).sentences)).toEqual([changed]);
  });

  it("at the turn's end gives the harness's own line for what is no longer true", async ({ expect }) => {
    const turn = run({
      answers: [{ texts: ["现在39.9元。"] }],
      say: () => new Promise(() => {}),
    });
    const end = await turn.end;
    expect(textsOf(end.sentences)).toEqual(["现在39.9元。"]);
    expect(end.recheck(CHEAPER).sentences).toMatchObject([
      { seq: 0, kind: "fallback", text: "刚刚信息有更新，价格和库存以页面显示的为准哈。" },
    ]);
  });
});
