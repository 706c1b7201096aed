import { describe, it } from "vitest";
import type { AdmissionLimits } from "../../../../shared/contract/admission.ts";
import { AdaptiveLimit } from "../../../../shared/inference/adaptive-limit.ts";
import { aCall, aFailedCall, SimulatedLoad, type SimulatedServer } from "./simulated-load.ts";

const MINUTE_MS = 60_000;

function limitsOf(limits: Partial<AdmissionLimits> = {}): AdmissionLimits {
  return { slots: 16, utilizationCeiling: 0.5, capacity: "adaptive", updatedAtMs: 1, ...limits };
}

function aLimit(limits: Partial<AdmissionLimits> = {}): AdaptiveLimit {
  const limit = new AdaptiveLimit(null);
  limit.configure(limitsOf(limits));
  return limit;
}

function aLoad(server: Partial<SimulatedServer>, limits: Partial<AdmissionLimits> = {}, seed = 1): SimulatedLoad {
  const load = new SimulatedLoad({
    server: { capacity: 16, idleFactor: 1, noise: 0.1, ...server },
    limits: limitsOf({ slots: 64, ...limits }),
    seed,
  });
  load.demand = load.limits.slots;
  return load;
}

/** Turns in flight, oneself included, at which latency is idle ÷ (1 − ceiling). */
function idealOf(capacity: number, ceiling: number): number {
  return 1 + capacity * (1 / (1 - ceiling) - 1);
}

describe("AdaptiveLimit", () => {
  it.for([
    { capacity: "fixed", slots: 16, utilizationCeiling: 0.5, limit: 8 },
    { capacity: "fixed", slots: 5, utilizationCeiling: 0.5, limit: 2 },
    { capacity: "fixed", slots: 1, utilizationCeiling: 0.05, limit: 1 },
    { capacity: "fixed", slots: 7, utilizationCeiling: 1, limit: 7 },
    { capacity: "fixed", slots: 100, utilizationCeiling: 0.29, limit: 29 },
    { capacity: "adaptive", slots: 16, utilizationCeiling: 0.5, limit: 8 },
  ] as const)(
    "starts at $limit for $slots slots ($capacity, $utilizationCeiling)",
    ({ limit, ...limits }, { expect }) => {
      expect(aLimit(limits).current(0)).toBe(limit);
    },
  );

  it("is one before it is configured, whatever is reported", ({ expect }) => {
    const limit = new AdaptiveLimit(null);
    limit.take(aFailedCall("model_rate_limited"), 1, 0);
    limit.noteLoad(1, 1, 0);
    expect([limit.current(0), limit.utilization(0)]).toEqual([1, null]);
  });

  it("stays within new slots, and keeps what it learned of them", ({ expect }) => {
    const limit = aLimit();
    limit.configure(limitsOf({ slots: 4 }));
    expect(limit.current(0)).toBe(4);
    limit.configure(limitsOf({ slots: 64 }));
    expect(limit.current(0)).toBe(4);
  });

  it.for([
    { code: "model_rate_limited", limit: 70 },
    { code: "model_timed_out", limit: 90 },
    { code: "model_stalled", limit: 90 },
    { code: "model_unavailable", limit: 100 },
    { code: "aborted", limit: 100 },
  ])("is $limit of 100 after $code, once a second", ({ code, limit: expected }, { expect }) => {
    const limit = aLimit({ slots: 200 });
    for (let call = 0; call < 20; call += 1) limit.take(aFailedCall(code), 50, 5_000 + call * 49);
    expect(limit.current(5_999)).toBe(expected);
    limit.take(aFailedCall(code), 50, 6_000);
    expect(limit.current(6_000)).toBe(Math.floor((expected * expected) / 100));
  });

  it("is never below one", ({ expect }) => {
    const limit = aLimit();
    for (let second = 0; second < 60; second += 1) limit.take(aFailedCall("model_rate_limited"), 1, second * 1_000);
    expect(limit.current(60_000)).toBe(1);
  });

  it("does not learn from failures while it is fixed", ({ expect }) => {
    const limit = aLimit({ capacity: "fixed" });
    limit.take(aFailedCall("model_rate_limited"), 1, 5_000);
    expect([limit.current(5_000), limit.save().limit]).toEqual([8, 8]);
  });

  it("does not grow while nobody reaches it", ({ expect }) => {
    const limit = aLimit();
    for (let call = 0; call < 1_000; call += 1) {
      limit.noteLoad(6, 0, call * 100);
      limit.take(aCall(), 1, call * 100);
    }
    expect(limit.current(100_000)).toBe(8);
  });

  it("dips to see the idle server, then grows by one per window of calls while it is reached and latency is low", ({
    expect,
  }) => {
    const limit = aLimit();
    const seen = new Set<number>();
    for (let call = 0; call < 1_000; call += 1) {
      limit.noteLoad(16, 0, call * 10);
      limit.take(aCall(), 1, call * 10);
      seen.add(limit.current(call * 10));
    }
    expect([...seen]).toEqual([3, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });

  it("is out of the dip of a new endpoint after its first few calls", ({ expect }) => {
    const limit = aLimit();
    const seen = Array.from({ length: 5 }, (_, call) => {
      limit.noteLoad(16, 10, call * 500);
      limit.take(aCall(), 1, call * 500);
      return limit.current(call * 500);
    });
    expect(seen).toEqual([3, 3, 3, 8, 8]);
  });

  it("tells utilisation by latency once there were enough calls, and not for longer than a minute", ({ expect }) => {
    const limit = aLimit();
    for (let call = 0; call < 20; call += 1) limit.take(aCall(), 1, 0);
    expect(limit.utilization(0)).toBe(0);
    for (let call = 0; call < 100; call += 1) limit.take(aCall({ firstTokenMs: 800, totalMs: 2_800 }), 8, 1_000);
    expect(limit.utilization(1_000)).toBeCloseTo(0.75, 2);
    expect(limit.utilization(61_000)).toBeNull();
  });

  it.for(
    [
      { capacity: 5, slots: 32, ceiling: 0.5 },
      { capacity: 16, slots: 64, ceiling: 0.5 },
      { capacity: 16, slots: 64, ceiling: 0.3 },
      { capacity: 16, slots: 100, ceiling: 0.7 },
      { capacity: 48, slots: 64, ceiling: 0.5 },
    ].flatMap((one) => [0, 0.1, 0.25].map((noise, index) => ({ ...one, noise, seed: index + 1 }))),
  )(
    "comes to rest where the ceiling is: capacity $capacity, $slots slots, ceiling $ceiling, noise $noise",
    ({ capacity, slots, ceiling, noise, seed }, { expect }) => {
      const load = aLoad({ capacity, noise }, { slots, utilizationCeiling: ceiling }, seed);
      load.run(15 * MINUTE_MS);
      const ideal = idealOf(capacity, ceiling);
      const rest = load.run(20 * MINUTE_MS);
      expect(rest).toBeGreaterThanOrEqual(Math.floor(ideal * 0.8));
      expect(rest).toBeLessThanOrEqual(Math.ceil(ideal * 1.2));
      expect(load.inFlightMax).toBeLessThanOrEqual(slots);
    },
  );

  it.for([
    { change: "less capacity", before: { capacity: 32 }, after: { capacity: 8 } },
    { change: "more capacity", before: { capacity: 8 }, after: { capacity: 32 } },
    { change: "a slower model", before: { idleFactor: 1 }, after: { idleFactor: 2 } },
    { change: "a faster model", before: { idleFactor: 2 }, after: { idleFactor: 1 } },
  ])("finds the ceiling again after a change to $change", ({ before, after }, { expect }) => {
    const load = aLoad(before);
    load.run(15 * MINUTE_MS);
    Object.assign(load.server, after);
    load.run(20 * MINUTE_MS);
    const ideal = idealOf(load.server.capacity, 0.5);
    const rest = load.run(20 * MINUTE_MS);
    expect(rest).toBeGreaterThanOrEqual(Math.floor(ideal * 0.8));
    expect(rest).toBeLessThanOrEqual(Math.ceil(ideal * 1.2));
  });

  it("goes up to all slots of a server that has more, and no further", ({ expect }) => {
    const load = aLoad({ capacity: 500 }, { slots: 24 });
    expect(load.run(20 * MINUTE_MS)).toBe(24);
    expect(load.inFlightMax).toBe(24);
  });

  it("gives up little for its dips under load that never ends", ({ expect }) => {
    const dipping = aLoad({ noise: 0 });
    const steady = aLoad({ noise: 0 }, { capacity: "fixed", slots: 34 });
    for (const load of [dipping, steady]) {
      load.run(20 * MINUTE_MS);
      load.endedCount = 0;
      load.run(20 * MINUTE_MS);
    }
    expect(dipping.endedCount / steady.endedCount).toBeGreaterThan(0.93);
  });

  it("begins where it was when it was saved", ({ expect }) => {
    const load = aLoad({});
    load.run(20 * MINUTE_MS);
    const { limit: saved } = load.gate.save();
    const again = new AdaptiveLimit(saved);
    again.configure(load.limits);
    expect(again.save()).toEqual(saved);
    expect(saved.limit).toBeGreaterThan(10);
  });
});
