/** A turn in a room that keeps time with its voice. */
import { describe, it } from "vitest";
import type { Sentence } from "../../../../../shared/contract/sentence.ts";
import type { LiveFacts, SayResult } from "../../../../../shared/contract/turn-lease.ts";
import { aHarness } from "../../../../helpers/harnesses.ts";
import { aLease } from "../../../../helpers/rooms.ts";
import { startTurn, textsOf } from "../../../../helpers/turns.ts";

const SENTENCE_MS = 3_000;
const CHEAPER = {
  snapshot: { onScreenProductId: null, skuOverrides: { "p1-blue": { priceCents: 2_990 } }, heard: [] },
  stateSeq: 9,
};

/** Runs a turn whose room's voice is free at 1 s and which changes after the first sentence, and lets `forMs` pass in steps. */
async function speakFor(
  forMs: number,
  { texts, changes = [] }: { texts: readonly string[]; changes?: readonly LiveFacts[] },
) {
  const said: [text: string, atMs: number][] = [];
  let madeAtMs: number | null = null;
  const turn = startTurn({
    harness: aHarness(),
    lease: aLease({ sayAtMs: 1_000, messages: [{ id: "m1", text: "1号链接多少钱" }] }),
    answers: [{ texts: [...texts] }],
    say: async (sentences: readonly Sentence[], stateSeq: number): Promise<SayResult> => {
      const nowMs = turn.time.nowMs();
      const now = said.length === 0 ? undefined : changes.find((change) => change.stateSeq > stateSeq);
      if (now !== undefined) return { ok: false, error: "room_changed", now };
      for (const text of textsOf(sentences)) said.push([text, nowMs]);
      return { ok: true, value: { spokenCount: said.length, sayAtMs: nowMs + SENTENCE_MS } };
    },
    onMade: () => {
      madeAtMs = turn.time.nowMs();
    },
  });
  let endedAtMs: number | null = null;
  void turn.end.then(() => {
    endedAtMs = turn.time.nowMs();
  });
  for (let atMs = 0; atMs < forMs; atMs += 500) {
    for (let turns = 0; turns < 100; turns += 1) await Promise.resolve();
    turn.time.advance(500);
  }
  for (let turns = 0; turns < 100; turns += 1) await Promise.resolve();
  return { said, turn, madeAtMs: () => madeAtMs, endedAtMs: () => endedAtMs };
}

describe("a turn whose words wait for the voice", () => {
  it("says them one by one, ends with the last one, and asks the endpoint no longer than it needs", async ({
    expect,
  }) => {
    const texts = ["毛巾是纯棉的。", "现在39.9元。", "喜欢就拍。"];
    const { said, turn, madeAtMs, endedAtMs } = await speakFor(10_000, { texts });
    expect(said).toEqual([
      ["毛巾是纯棉的。", 1_000],
      ["现在39.9元。", 4_000],
    ]);
    expect([madeAtMs(), endedAtMs()]).toEqual([0, 7_000]);
    expect(textsOf((await turn.end).sentences)).toEqual(["喜欢就拍。"]);
  });

  it("never says what became untrue while it waited", async ({ expect }) => {
    const texts = ["毛巾是纯棉的。", "现在39.9元。", "喜欢就拍。"];
    const { said, turn } = await speakFor(12_000, { texts, changes: [CHEAPER] });
    const { sentences } = await turn.end;
    const { changed } = aHarness().bundle.lines;
    expect([...said.map(([text]) => text), ...textsOf(sentences)]).toEqual(["毛巾是纯棉的。", changed]);
  });

  it("has a line left for what a second change makes untrue, though the first one's line was waiting", async ({
    expect,
  }) => {
    const soldOut = { "p1-blue": { priceCents: 2_990, stock: 0 } };
    const changes = [CHEAPER, { snapshot: { ...CHEAPER.snapshot, skuOverrides: soldOut }, stateSeq: 12 }];
    const texts = ["毛巾是纯棉的。", "蓝色有货。", "现在39.9元。"];
    const { said, turn } = await speakFor(12_000, { texts, changes });
    const { sentences } = await turn.end;
    const { changed } = aHarness().bundle.lines;
    expect([...said.map(([text]) => text), ...textsOf(sentences)]).toEqual(["毛巾是纯棉的。", changed]);
  });

  it("bridges no silence while the turn before is still spoken", async ({ expect }) => {
    const turn = startTurn({
      harness: aHarness({
        lines: { fallback: ["稍后回复您。"], filler: ["这个我看一下哈。"], fillerAfterMs: 1_500 },
      }),
      lease: aLease({ sayAtMs: 6_000 }),
      answers: [{ texts: [], hangs: true }],
    });
    for (let step = 0; step < 11; step += 1) {
      turn.time.advance(500);
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    }
    expect(turn.heard).toEqual([]);
    turn.time.advance(500);
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    expect(turn.heard.map(({ kind }) => kind)).toEqual(["filler"]);
  });
});
