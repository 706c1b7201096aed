/** A call that nobody wants any more, or that outlasts its turn: what is heard, and when the server is left. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { FALLBACK_LINE, openBench, untilLogged, type Bench } from "./fault-bench.ts";
import { askOffline, releaseHarnesses, script, SENTENCES, TOOL_CALLS } from "./fault-rows.ts";

/** How soon after an interrupt the server sees its client go, ms. Seen from here, with the times of two more requests. */
const GONE_MS_MAX = 100;
/** How much slower than it should a machine may be. */
const SLOWNESS_MAX = 3;
/** Limit on turns that are to reach it, ms, and what a turn may take beyond. */
const DEADLINE_MS = 1_500;
const WORK_MS = 300;

const LONG = { firstByteTimeoutMs: 20_000, betweenChunksTimeoutMs: 20_000 };
const [FIRST = ""] = SENTENCES;

let bench: Bench;
let offline: readonly string[];

beforeAll(async () => {
  bench = await openBench();
  await releaseHarnesses(bench);
  await bench.release({ name: "patient-host", budgets: { ...LONG, deadlineMs: 20_000 } });
  await bench.release({ name: "hasty-host", budgets: { ...LONG, deadlineMs: DEADLINE_MS } });
  await bench.release({
    name: "hasty-strict-host",
    budgets: { ...LONG, deadlineMs: DEADLINE_MS },
    model: { offlineFallback: false },
  });
  offline = await askOffline(bench);
});
afterAll(() => bench.stop());

describe("an interrupt", () => {
  it.for([
    ["connect", []],
    ["before-first-byte", []],
    ["before-first-sentence", []],
    ["mid-sentence", [FIRST]],
    ["mid-tool-call", []],
  ] as const)(
    "%s: the server sees its client go at once, and nothing more is said",
    async ([at, heard], { expect }) => {
      const room = await bench.openRoom({ harness: "patient-host", endpoints: 1 });
      await script(bench.own, at === "mid-tool-call" ? [{ toolCalls: TOOL_CALLS }, {}] : []);
      await bench.own.setFaults([{ fault: "stall", at }]);
      const turn = await room.ask();
      await untilLogged(bench.own, ({ finish }) => finish === "fault:stall");
      if (heard.length > 0) await room.follow(({ type }) => type === "sentence");

      const answer = await room.interrupt("cohost");
      const answeredAtMs = performance.now();
      const { running } = await untilLogged(bench.own, ({ closedByClient }) => closedByClient);
      expect(performance.now() - answeredAtMs).toBeLessThan(GONE_MS_MAX * SLOWNESS_MAX);
      expect([await answer.json(), running]).toEqual([{ turn }, 0]);

      // Another turn goes by: words of the first would stand between.
      await script(bench.own, []);
      const next = await room.ask();
      expect(await room.record(next)).toMatchObject({ outcome: "answered", reason: null });
      const frames = await room.follow((frame) => frame.type === "turn-end" && frame.turn === next);
      const spoken = frames.flatMap((frame) => (frame.type === "sentence" ? [[frame.turn, frame.sentence.text]] : []));
      expect(spoken).toEqual([...heard.map((text) => [turn, text]), ...SENTENCES.map((text) => [next, text])]);
      const record = await room.record(turn);
      expect(record).toMatchObject({ outcome: "interrupted", reason: "cohost" });
      expect(record.sentences.map(({ text }) => text)).toEqual(heard);
      expect((await bench.own.stats()).requests).toBe(2);
      await room.close();
    },
  );
});

describe("a stream that stalls until the deadline", () => {
  it.for([
    ["before-first-byte", "hasty-host", { outcome: "answered", reason: null }, () => offline],
    ["mid-sentence", "hasty-host", { outcome: "answered", reason: null }, () => [FIRST, ...offline]],
    [
      "before-first-byte",
      "hasty-strict-host",
      { outcome: "fallback", reason: "deadline_exceeded" },
      () => [FALLBACK_LINE],
    ],
    ["mid-sentence", "hasty-strict-host", { outcome: "answered", reason: "deadline_exceeded" }, () => [FIRST]],
  ] as const)(
    "%s, %s: the turn ends in time, and the server is left",
    async ([at, harness, end, heard], { expect }) => {
      const room = await bench.openRoom({ harness, endpoints: 1 });
      await script(bench.own, []);
      await bench.own.setFaults([{ fault: "stall", at, count: -1 }]);
      const record = await room.record(await room.ask());
      expect(record).toMatchObject(end);
      expect(record.sentences.map(({ text }) => text)).toEqual(heard());
      expect(record.timings.totalMs).toBeLessThan(DEADLINE_MS + WORK_MS * SLOWNESS_MAX);
      const { requests } = await untilLogged(bench.own, ({ closedByClient }) => closedByClient);
      expect(requests).toBe(1);
      await room.close();
    },
  );
});
