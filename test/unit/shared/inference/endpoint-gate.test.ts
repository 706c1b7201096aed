import fc from "fast-check";
import { describe, it } from "vitest";
import { gateStatusSchema } from "../../../../shared/contract/endpoint-status.ts";
import { OPEN_MS_MIN } from "../../../../shared/inference/circuit-breaker.ts";
import {
  EndpointGate,
  HOLD_MS_DEFAULT,
  readSavedGate,
  SLOT_GRACE_MS,
  WAITING_MAX_MIN,
} from "../../../../shared/inference/endpoint-gate.ts";
import { GateBench } from "./gate-bench.ts";
import { aCall, aFailedCall } from "./simulated-load.ts";

describe("EndpointGate", () => {
  it("admits at once up to the limit, then in order as slots are given back", ({ expect }) => {
    const bench = new GateBench(2);
    for (const key of ["a/1", "b/1", "c/1", "d/1"]) bench.ask(key);
    expect([bench.log, bench.use()]).toEqual([
      ["a/1: yes", "b/1: yes"],
      [2, 2],
    ]);
    bench.time.advance(700);
    bench.end("a/1");
    expect(bench.answers.at(-1)).toEqual({ key: "c/1", admission: { admitted: true, waitedMs: 700 } });
    bench.gate.cancel("b/1");
    expect([bench.log.at(-1), bench.use()]).toEqual(["d/1: yes", [2, 0]]);
  });

  it("keeps the slot while a report does not end the turn, and gives it back once", ({ expect }) => {
    const bench = new GateBench(1);
    bench.ask("a/1");
    bench.report("a/1", [aCall()]);
    expect(bench.use()).toEqual([1, 0]);
    for (const _ of [1, 2]) bench.end("a/1");
    bench.end("never/1");
    bench.gate.cancel("never/1");
    expect(bench.use()).toEqual([0, 0]);
  });

  it("a turn that asks again keeps its slot under its new deadline", ({ expect }) => {
    const bench = new GateBench(1);
    bench.ask("a/1", { deadlineAtMs: 1_000 });
    bench.ask("a/1", { deadlineAtMs: 9_000 });
    expect([bench.log, bench.use()]).toEqual([
      ["a/1: yes", "a/1: yes"],
      [1, 0],
    ]);
    expect(bench.gate.nextWakeAtMs()).toBe(9_000 + SLOT_GRACE_MS);
  });

  it("a waiting turn that asks again takes its own place", ({ expect }) => {
    const bench = new GateBench(1);
    for (const key of ["a/1", "b/1", "b/1"]) bench.ask(key);
    expect([bench.log, bench.use()]).toEqual([
      ["a/1: yes", "b/1: cancelled"],
      [1, 1],
    ]);
    bench.end("a/1");
    expect(bench.log.at(-1)).toBe("b/1: yes");
  });

  it("answers a waiting turn that is cancelled", ({ expect }) => {
    const bench = new GateBench(1);
    for (const key of ["a/1", "b/1"]) bench.ask(key);
    bench.gate.cancel("b/1");
    expect([bench.log.at(-1), bench.use()]).toEqual(["b/1: cancelled", [1, 0]]);
  });

  it("takes newer limits from a request, never older ones", ({ expect }) => {
    const bench = new GateBench(2);
    bench.ask("a/1", { limits: { ...bench.limits, updatedAtMs: 5 } });
    bench.ask("b/1", { limits: { ...bench.limits, slots: 9, updatedAtMs: 4 } });
    expect(bench.gate.status()).toMatchObject({ limit: 2, slots: 2 });
    bench.ask("c/1", { limits: { ...bench.limits, slots: 3, updatedAtMs: 6 } });
    expect([bench.gate.status().limit, bench.use()]).toEqual([3, [3, 0]]);
  });

  describe("refuses", () => {
    it.for([
      { name: "now or never", request: { waitMsMax: 0 }, reason: "busy" },
      { name: "a wait longer than it may be", request: { waitMsMax: 1_499 }, reason: "busy" },
      { name: "a wait just as long", request: { waitMsMax: 1_500 }, reason: null },
      { name: "a turn that would end after its deadline", request: { deadlineAtMs: 4_499 }, reason: "busy" },
      { name: "a turn that would end just in time", request: { deadlineAtMs: 4_500 }, reason: null },
    ])("$name: $reason", ({ request, reason }, { expect }) => {
      const bench = new GateBench(2);
      for (const key of ["a/1", "b/1"]) bench.ask(key);
      bench.ask("c/1", request);
      const refusal = { key: "c/1", admission: { admitted: false, reason, expectedWaitMs: HOLD_MS_DEFAULT / 2 } };
      expect(bench.answers.slice(2)).toEqual(reason === null ? [] : [refusal]);
    });

    it("nothing for its deadline while a slot is free", ({ expect }) => {
      const bench = new GateBench(1);
      bench.ask("a/1", { waitMsMax: 0, deadlineAtMs: 1 });
      expect(bench.log).toEqual(["a/1: yes"]);
    });

    it("by how long turns hold their slots of late", ({ expect }) => {
      const bench = new GateBench(1);
      for (let turn = 0; turn < 100; turn += 1) {
        bench.ask(`a/${turn}`);
        bench.time.advance(100);
        bench.end(`a/${turn}`);
      }
      bench.ask("a/x");
      bench.ask("b/1", { waitMsMax: 110 });
      bench.ask("c/1", { waitMsMax: 110 });
      expect([bench.log.at(-1), bench.use()]).toEqual(["c/1: busy", [1, 1]]);
      expect(bench.gate.status().expectedWaitMs).toBeCloseTo(200, 0);
    });

    it.for([
      { name: "its longest wait is over", request: { waitMsMax: 4_000 } },
      { name: "it is out of time", request: { deadlineAtMs: 6_000 } },
    ])("a waiting turn when $name", ({ request }, { expect }) => {
      const bench = new GateBench(1);
      bench.ask("a/1");
      bench.ask("b/1", request);
      const dueAtMs = bench.gate.nextWakeAtMs() ?? 0;
      bench.time.advance(dueAtMs - 1);
      bench.gate.tick();
      expect(bench.use()).toEqual([1, 1]);
      bench.time.advance(1);
      bench.gate.tick();
      expect([bench.log.at(-1), bench.use()]).toEqual(["b/1: busy", [1, 0]]);
    });

    it("the turn after the last that may wait, unless a louder merchant gives way", ({ expect }) => {
      const bench = new GateBench(1);
      const patient = { waitMsMax: 1e9, deadlineAtMs: 1e10 };
      for (let turn = 0; turn <= WAITING_MAX_MIN; turn += 1) bench.ask(`a/${turn}`, patient);
      bench.ask("a/late", patient);
      expect([bench.log.at(-1), bench.use()]).toEqual(["a/late: queue_full", [1, WAITING_MAX_MIN]]);
      bench.ask("b/1", { ...patient, merchant: "quiet" });
      expect([bench.log.at(-1), bench.use()]).toEqual([`a/${WAITING_MAX_MIN}: queue_full`, [1, WAITING_MAX_MIN]]);
      bench.end("a/0");
      expect(bench.log.at(-1)).toBe("b/1: yes");
    });
  });

  describe("in the background", () => {
    it.for([
      { slots: 1, turns: 0, isAdmitted: true },
      { slots: 1, turns: 1, isAdmitted: false },
      { slots: 2, turns: 0, isAdmitted: true },
      { slots: 2, turns: 1, isAdmitted: false },
      { slots: 3, turns: 1, isAdmitted: true },
    ])(
      "with $turns of $slots slots in use, work is admitted: $isAdmitted",
      ({ slots, turns, isAdmitted }, { expect }) => {
        const bench = new GateBench(slots);
        for (let turn = 0; turn < turns; turn += 1) bench.ask(`a/${turn}`);
        bench.ask("b/1", { priority: 9 });
        expect(bench.log.includes("b/1: yes")).toBe(isAdmitted);
      },
    );

    it("work waits while turns pass it, and goes when enough is free", ({ expect }) => {
      const bench = new GateBench(2);
      bench.ask("a/1");
      bench.ask("b/1", { priority: 9 });
      bench.ask("c/1");
      expect(bench.log).toEqual(["a/1: yes", "c/1: yes"]);
      bench.end("a/1");
      expect(bench.use()).toEqual([1, 1]);
      bench.end("c/1");
      expect(bench.log.at(-1)).toBe("b/1: yes");
    });
  });

  it("takes back the slot of a turn that is long past its deadline", ({ expect }) => {
    const bench = new GateBench(1);
    bench.ask("a/1", { deadlineAtMs: 5_000 });
    bench.ask("b/1");
    expect(bench.gate.nextWakeAtMs()).toBe(5_000 + SLOT_GRACE_MS);
    bench.advance(5_000 + SLOT_GRACE_MS - 1);
    expect(bench.log).toEqual(["a/1: yes"]);
    bench.advance(1);
    expect([bench.log, bench.use()]).toEqual([
      ["a/1: yes", "b/1: yes"],
      [1, 0],
    ]);
  });

  it("has nothing to wake for when nobody is there", ({ expect }) => {
    const bench = new GateBench(1);
    expect(bench.gate.nextWakeAtMs()).toBeNull();
    bench.ask("a/1");
    bench.end("a/1");
    expect(bench.gate.nextWakeAtMs()).toBeNull();
  });

  describe("with its breaker", () => {
    it("answers who waits and who comes while it is open", ({ expect }) => {
      const bench = new GateBench(1);
      for (const key of ["a/1", "b/1"]) bench.ask(key);
      bench.openBreaker("a/1");
      bench.time.advance(1_000);
      bench.ask("c/1");
      const refusal = (expectedWaitMs: number) => ({ admitted: false, reason: "breaker_open", expectedWaitMs });
      expect(bench.answers.slice(1)).toEqual([
        { key: "b/1", admission: refusal(OPEN_MS_MIN) },
        { key: "c/1", admission: refusal(OPEN_MS_MIN - 1_000) },
      ]);
      expect(bench.gate.status()).toMatchObject({ breaker: "open", breakerProbeAtMs: OPEN_MS_MIN, waiting: 0 });
    });

    it("grants nobody the slot whose last report opens it", ({ expect }) => {
      const bench = new GateBench(1);
      for (const key of ["a/1", "b/1"]) bench.ask(key);
      bench.end(
        "a/1",
        Array.from({ length: 5 }, () => aFailedCall("model_unavailable")),
      );
      expect([bench.log.at(-1), bench.use()]).toEqual(["b/1: breaker_open", [0, 0]]);
    });

    it("lets one turn try, and all after its first success", ({ expect }) => {
      const bench = new GateBench(4);
      bench.ask("a/1");
      bench.openBreaker("a/1");
      bench.time.advance(OPEN_MS_MIN);
      for (const key of ["b/1", "c/1"]) bench.ask(key);
      expect(bench.log.slice(1)).toEqual(["b/1: yes", "c/1: breaker_open"]);
      bench.report("b/1", [aCall()]);
      bench.ask("c/2");
      expect([bench.log.at(-1), bench.gate.status().breaker]).toEqual(["c/2: yes", "closed"]);
    });

    it.for([
      { how: "is cancelled", end: (bench: GateBench) => bench.gate.cancel("b/1") },
      { how: "ends without a call", end: (bench: GateBench) => bench.end("b/1") },
      { how: "is lost", end: (bench: GateBench) => bench.advance(600_000 + SLOT_GRACE_MS) },
    ])("lets another turn try when the first $how", ({ end }, { expect }) => {
      const bench = new GateBench(4);
      bench.ask("a/1");
      bench.openBreaker("a/1");
      bench.time.advance(OPEN_MS_MIN);
      bench.ask("b/1");
      end(bench);
      bench.ask("c/1");
      expect(bench.log.at(-1)).toBe("c/1: yes");
    });

    it("does not spend the probe on a turn that gets no slot", ({ expect }) => {
      const bench = new GateBench(1);
      bench.ask("a/1");
      bench.openBreaker("a/1");
      bench.time.advance(OPEN_MS_MIN);
      bench.ask("b/1");
      bench.end("a/1");
      bench.ask("b/2");
      expect(bench.log.slice(1)).toEqual(["b/1: breaker_open", "b/2: yes"]);
    });
  });

  it("an answer may call back into the gate", ({ expect }) => {
    const bench = new GateBench(1);
    bench.ask("a/1", {}, () => {
      bench.ask("b/1", {}, () => bench.end("b/1"));
      bench.ask("c/1", {}, () => bench.gate.cancel("c/1"));
      bench.end("a/1");
    });
    expect([bench.log, bench.use()]).toEqual([
      ["a/1: yes", "b/1: yes", "c/1: yes"],
      [0, 0],
    ]);
  });

  it("counts by room what runs and what waits", ({ expect }) => {
    const bench = new GateBench(2);
    for (const key of ["a/1", "a/2", "a/3", "b/1"]) bench.ask(key);
    expect(Object.fromEntries(bench.gate.countsByRoom())).toEqual({
      a: { inFlight: 2, waiting: 1 },
      b: { inFlight: 0, waiting: 1 },
    });
  });

  it("tells its state in the shape of the contract, also before the first turn", ({ expect }) => {
    const bench = new GateBench(2);
    expect(gateStatusSchema.safeParse(bench.gate.status()).success).toBe(true);
    for (const key of ["a/1", "b/1", "c/1"]) bench.ask(key);
    expect(bench.gate.status()).toEqual({
      limit: 2,
      slots: 2,
      utilizationCeiling: 1,
      utilization: null,
      inFlight: 2,
      waiting: 1,
      expectedWaitMs: HOLD_MS_DEFAULT,
      breaker: "closed",
      breakerProbeAtMs: null,
    });
  });

  it("goes on with what it learned when it is started anew", ({ expect }) => {
    const bench = new GateBench(4);
    bench.ask("a/1");
    bench.time.advance(13_000);
    bench.end(
      "a/1",
      Array.from({ length: 20 }, () => aCall()),
    );
    const saved = bench.gate.save();
    const stored: unknown = structuredClone(saved);
    expect(readSavedGate(stored)).toEqual(saved);
    const again = new EndpointGate({ clock: bench.time, saved: readSavedGate(stored) });
    expect([again.save(), saved.holdMs]).toEqual([saved, 4_000]);
  });

  it.for([
    { name: "nothing", stored: undefined },
    { name: "another version", stored: { ...new GateBench(1).gate.save(), version: 2 } },
    { name: "another shape", stored: { version: 1, holdMs: 5 } },
    { name: "no number", stored: { ...new GateBench(1).gate.save(), holdMs: Number.NaN } },
  ])("starts afresh from $name", ({ stored }, { expect }) => {
    expect(readSavedGate(stored)).toBeNull();
  });

  it("serves a quiet merchant's turn next, however loud another one is", ({ expect }) => {
    const merchantAt = fc.record({ slots: fc.integer({ min: 1, max: 6 }), flood: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(merchantAt, fc.integer({ min: 0, max: 20 }), ({ slots, flood }, endedBefore) => {
        const bench = new GateBench(slots);
        for (let turn = 0; turn < slots + flood; turn += 1) bench.ask(`loud${turn % 3}/${turn}`, { merchant: "loud" });
        const admitted = (): string[] =>
          bench.log.filter((line) => line.endsWith("yes")).map((line) => line.slice(0, -5));
        for (let ended = 0; ended < Math.min(endedBefore, flood); ended += 1) bench.end(admitted()[ended] ?? "");
        // As little patience as one slot's end asks for.
        bench.ask("quiet/1", { merchant: "quiet", waitMsMax: 2 * HOLD_MS_DEFAULT });
        bench.end(admitted().findLast((key) => key.startsWith("loud")) ?? "");
        expect(admitted()).toContain("quiet/1");
      }),
    );
  });

  it("loses no slot, answers each request once and keeps its bounds, whatever comes", ({ expect }) => {
    const key = fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(4)).map(([room, turn]) => `${room}/${turn}`);
    const failure = fc.constantFrom("", "aborted", "model_unavailable", "model_rate_limited", "model_timed_out");
    const step = fc.oneof(
      fc.record({
        do: fc.constant("ask" as const),
        key,
        priority: fc.constantFrom(0, 4, 4, 7, 9),
        waitMsMax: fc.constantFrom(0, 2_000, 60_000),
        lastsMs: fc.constantFrom(3_000, 20_000, 90_000),
        cancels: fc.option(key, { nil: null }),
      }),
      fc.record({ do: fc.constant("cancel" as const), key }),
      fc.record({ do: fc.constant("report" as const), key, failure, isEnd: fc.boolean() }),
      fc.record({ do: fc.constant("advance" as const), byMs: fc.integer({ min: 0, max: 9_000 }) }),
    );
    const run = fc.record({
      slots: fc.integer({ min: 1, max: 5 }),
      isFixed: fc.boolean(),
      steps: fc.array(step, { maxLength: 80 }),
    });
    fc.assert(
      fc.property(run, ({ slots, isFixed, steps }) => {
        const bench = new GateBench(slots);
        bench.limits = { ...bench.limits, capacity: isFixed ? "fixed" : "adaptive" };
        let asked = 0;
        for (const one of steps) {
          if (one.do === "ask") {
            asked += 1;
            const { priority, waitMsMax, cancels } = one;
            bench.ask(one.key, { priority, waitMsMax, deadlineAtMs: bench.time.nowMs() + one.lastsMs }, () => {
              if (cancels !== null) bench.gate.cancel(cancels);
            });
          } else if (one.do === "cancel") bench.gate.cancel(one.key);
          else if (one.do === "advance") bench.advance(one.byMs);
          else {
            const calls = [one.failure === "" ? aCall() : aFailedCall(one.failure)];
            if (one.isEnd) bench.end(one.key, calls);
            else bench.report(one.key, calls);
          }
          const { inFlight, waiting, limit } = bench.gate.status();
          expect(bench.answers.length + waiting).toBe(asked);
          expect(inFlight).toBeLessThanOrEqual(slots);
          expect(limit).toBeGreaterThanOrEqual(1);
          expect(limit).toBeLessThanOrEqual(slots);
          // A turn waits only while no slot is free; work in the background leaves one.
          if (waiting > 0) expect(inFlight).toBeGreaterThanOrEqual(Math.max(1, limit - 1));
        }
        bench.advance(200_000);
        expect([bench.use(), bench.answers.length, bench.gate.nextWakeAtMs()]).toEqual([[0, 0], asked, null]);
      }),
      { numRuns: 300 },
    );
  });
});
