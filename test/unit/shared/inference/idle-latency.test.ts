import { describe, it } from "vitest";
import {
  type CallTimes,
  IDLE_BATCH_CALLS_MIN,
  IDLE_FIRST_CALLS,
  IDLE_WINDOW_MS,
  IdleLatency,
  readCallTimes,
} from "../../../../shared/inference/idle-latency.ts";
import { aCall, aFailedCall } from "./simulated-load.ts";

/** 200 ms to the first token, then 10 ms a token, times the factor. */
function times(factor: number, uncachedTokens = 200): CallTimes {
  return { firstTokenMs: 200 * factor, totalMs: 700 * factor, outputTokens: 50, uncachedTokens };
}

function takeBatch(idle: IdleLatency, batch: { times: CallTimes; stretch?: number; nowMs?: number }): void {
  const found = { stretch: batch.stretch ?? 1, batchCalls: 1, nowMs: batch.nowMs ?? 0 };
  for (let call = 0; call < IDLE_BATCH_CALLS_MIN; call += 1) idle.take(batch.times, found);
}

describe("IdleLatency", () => {
  it("knows nothing before its first calls, whose mean stands in until a batch is whole", ({ expect }) => {
    const idle = new IdleLatency(null);
    const seen = Array.from({ length: IDLE_BATCH_CALLS_MIN }, (_, index) => {
      idle.take(times(index < IDLE_FIRST_CALLS ? 1 : 2.5), { stretch: 1, batchCalls: 1, nowMs: 0 });
      return [idle.stretchOf(times(1)), idle.batches, idle.isStale(0)];
    });
    expect(seen.slice(0, IDLE_FIRST_CALLS - 1)).toEqual([1, 2, 3].map(() => [null, 0, true]));
    expect(seen.slice(IDLE_FIRST_CALLS - 1, -1)).toEqual(seen.slice(IDLE_FIRST_CALLS, -1).concat([[1, 1, true]]));
    // Four calls of 1 and eight of 2.5: a mean of 2.
    expect(seen.at(-1)).toEqual([0.5, 2, false]);
  });

  it("lets nothing stand in for another class of prompts, once one is known", ({ expect }) => {
    const idle = new IdleLatency(null);
    for (let call = 1; call < IDLE_BATCH_CALLS_MIN; call += 1) {
      for (const uncachedTokens of [200, 2_000]) {
        idle.take(times(1, uncachedTokens), { stretch: 1, batchCalls: 1, nowMs: 0 });
      }
    }
    expect([idle.stretchOf(times(1)), idle.stretchOf(times(1, 2_000)), idle.batches]).toEqual([1, null, 1]);
  });

  it("tells how much longer a call took, whatever its length", ({ expect }) => {
    const idle = new IdleLatency(null);
    takeBatch(idle, { times: times(1) });
    const long = { firstTokenMs: 400, totalMs: 2_400, outputTokens: 100, uncachedTokens: 100 };
    expect([idle.stretchOf(times(3)), idle.stretchOf(long)]).toEqual([3, 2]);
  });

  it("takes out what the calls in flight are thought to have cost", ({ expect }) => {
    const idle = new IdleLatency(null);
    takeBatch(idle, { times: times(1.25), stretch: 1.25 });
    expect(idle.stretchOf(times(2))).toBeCloseTo(2, 10);
  });

  it.for([
    { learned: 0, asked: 256, isKnown: true },
    { learned: 256, asked: 257, isKnown: false },
    { learned: 257, asked: 512, isKnown: true },
    { learned: 512, asked: 513, isKnown: false },
    { learned: 10_000_000, asked: 400_000, isKnown: true },
  ])("a prompt of $learned tokens tells of one of $asked: $isKnown", ({ learned, asked, isKnown }, { expect }) => {
    const idle = new IdleLatency(null);
    takeBatch(idle, { times: times(1, learned) });
    expect(idle.stretchOf(times(1, asked)) !== null).toBe(isKnown);
  });

  it("learns a faster server at once", ({ expect }) => {
    const idle = new IdleLatency(null);
    takeBatch(idle, { times: times(2) });
    takeBatch(idle, { times: times(1) });
    expect(idle.stretchOf(times(1))).toBe(1);
  });

  it("learns a slower server within two windows, not at once", ({ expect }) => {
    const idle = new IdleLatency(null);
    takeBatch(idle, { times: times(1), nowMs: 0 });
    takeBatch(idle, { times: times(2), nowMs: 1_000 });
    takeBatch(idle, { times: times(2), nowMs: IDLE_WINDOW_MS });
    expect(idle.stretchOf(times(2))).toBe(2);
    takeBatch(idle, { times: times(2), nowMs: 2 * IDLE_WINDOW_MS });
    expect(idle.stretchOf(times(2))).toBe(1);
  });

  it("goes on with what it has while it sees nothing new", ({ expect }) => {
    const idle = new IdleLatency(null);
    takeBatch(idle, { times: times(1), nowMs: 0 });
    expect([idle.isStale(IDLE_WINDOW_MS - 1), idle.isStale(IDLE_WINDOW_MS)]).toEqual([false, true]);
    expect(idle.stretchOf(times(2))).toBe(2);
  });

  it("is the same after it was saved", ({ expect }) => {
    const idle = new IdleLatency(null);
    takeBatch(idle, { times: times(1), nowMs: 0 });
    const again = new IdleLatency(idle.save());
    expect([again.stretchOf(times(2)), again.isStale(IDLE_WINDOW_MS - 1), again.isStale(IDLE_WINDOW_MS)]).toEqual([
      2,
      false,
      true,
    ]);
  });
});

describe("readCallTimes", () => {
  it("counts the tokens that were not cached", ({ expect }) => {
    expect(readCallTimes(aCall({ inputTokens: 900, cachedTokens: 800 }))?.uncachedTokens).toBe(100);
    expect(readCallTimes(aCall({ inputTokens: 900, cachedTokens: null }))?.uncachedTokens).toBe(900);
  });

  it.for([
    { name: "failed", call: aFailedCall("aborted") },
    { name: "gave no token", call: aCall({ firstTokenMs: null }) },
    { name: "has no count of tokens", call: aCall({ outputTokens: 0 }) },
    { name: "gave all at once", call: aCall({ firstTokenMs: 700 }) },
    { name: "has no number", call: aCall({ totalMs: Number.NaN }) },
  ])("does not read a call that $name", ({ call }, { expect }) => {
    expect(readCallTimes(call)).toBeNull();
  });
});
