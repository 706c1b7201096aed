import { describe, it } from "vitest";
import { BURST_GAP_MS_MEAN, BURST_MESSAGES_MEAN, drawArrivals } from "../../bench/load/arrivals.ts";

const PLAN = { rooms: 200, roomRate: 0.1, durationMs: 400_000, seed: 7 };

describe("drawArrivals", () => {
  it("gives each room its mean rate", ({ expect }) => {
    const arrivals = drawArrivals(PLAN);
    // 8,000 are wanted; the standard deviation is that of a Poisson process times the root of 5: 200.
    expect(arrivals.length).toBeGreaterThan(7_300);
    expect(arrivals.length).toBeLessThan(8_700);
    expect(new Set(arrivals.map(({ room }) => room)).size).toBe(PLAN.rooms);
  });

  it("comes in bursts: the count of a room varies more than a Poisson process's", ({ expect }) => {
    const counts = Array.from({ length: PLAN.rooms }, () => 0);
    for (const { room } of drawArrivals(PLAN)) counts[room] = (counts[room] ?? 0) + 1;
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
    const expected = 2 * BURST_MESSAGES_MEAN - 1;
    expect(variance / mean).toBeGreaterThan(expected * 0.6);
    expect(variance / mean).toBeLessThan(expected * 1.5);
  });

  it("puts short gaps between the messages of a burst", ({ expect }) => {
    const own = drawArrivals({ ...PLAN, rooms: 1, durationMs: 4_000_000 }).map(({ atMs }) => atMs);
    const gaps = own.slice(1).map((atMs, index) => atMs - (own[index] ?? 0));
    const short = gaps.filter((gap) => gap < BURST_GAP_MS_MEAN * 4);
    expect(short.length / gaps.length).toBeGreaterThan(0.5);
    expect(short.length / gaps.length).toBeLessThan(0.85);
  });

  it("is in the order of time, and within it", ({ expect }) => {
    const times = drawArrivals(PLAN).map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(PLAN.durationMs);
  });

  it("leaves the first rooms' arrivals as they are when more rooms come", ({ expect }) => {
    const few = drawArrivals({ ...PLAN, rooms: 3 });
    expect(drawArrivals({ ...PLAN, rooms: 9 }).filter(({ room }) => room < 3)).toEqual(few);
    expect(drawArrivals({ ...PLAN, rooms: 3, seed: 8 })).not.toEqual(few);
  });
});
