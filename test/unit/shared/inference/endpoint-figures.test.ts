import { describe, it } from "vitest";
import type { CallReport, RefusalReason, UseReport } from "../../../../shared/contract/admission.ts";
import {
  ROOMS_WITH_FIGURES_MAX,
  endpointStatusSchema,
  type EngineStatus,
  type GateStatus,
} from "../../../../shared/contract/endpoint-status.ts";
import { countOf } from "../../../../shared/contract/histogram.ts";
import { EndpointFigures } from "../../../../shared/inference/endpoint-figures.ts";

describe("EndpointFigures", () => {
  it("counts admissions and their waits, and refusals by reason", ({ expect }) => {
    const figures = theFigures();
    figures.noteAdmission("a", { admitted: true, waitedMs: 30 }, 1000);
    figures.noteAdmission("a", { admitted: true, waitedMs: 0 }, 1000);
    for (const reason of ["busy", "busy", "cancelled"] as const) figures.noteAdmission("b", refused(reason), 1000);
    const status = statusOf(figures);
    expect(status.figures).toMatchObject({ admitted: 2, refused: { busy: 2, cancelled: 1 }, waitMs: { sum: 30 } });
    expect(countOf(status.figures.waitMs)).toBe(2);
    expect(roomOf(status, "a")).toMatchObject({ admitted: 2, refused: {} });
    expect(roomOf(status, "b")).toMatchObject({ admitted: 0, refused: { busy: 2, cancelled: 1 } });
  });

  it("sums the calls and the ends of turns, for the endpoint and for each room", ({ expect }) => {
    const figures = theFigures();
    figures.noteReport(
      aReport({
        room: "a",
        calls: [
          aCall({ inputTokens: 100, cachedTokens: 60, outputTokens: 7, firstTokenMs: 80 }),
          aCall({ inputTokens: 10, cachedTokens: null, outputTokens: 3, firstTokenMs: null }),
        ],
        end: { firstSentenceMs: 900, totalMs: 2000, outcome: "said" },
      }),
      1000,
    );
    figures.noteReport(aReport({ room: "b", calls: [], end: { firstSentenceMs: null, totalMs: 50, outcome: "x" } }), 1);
    const status = statusOf(figures);
    expect(status.figures).toMatchObject({ turns: 2, calls: 2, inputTokens: 110, cachedTokens: 60, outputTokens: 10 });
    expect(status.figures).toMatchObject({
      firstTokenMs: { sum: 80 },
      firstSentenceMs: { sum: 900 },
      turnMs: { sum: 2050 },
    });
    expect([status.figures.firstTokenMs, status.figures.firstSentenceMs].map(countOf)).toEqual([1, 1]);
    expect(roomOf(status, "a")).toMatchObject({ turns: 1, calls: 2, turnMs: { sum: 2000 } });
    expect(roomOf(status, "b")).toMatchObject({ turns: 1, calls: 0, turnMs: { sum: 50 } });
  });

  it("counts aborted calls apart from failures, which it counts by code", ({ expect }) => {
    const figures = theFigures();
    figures.noteReport(aReport({ calls: ["aborted", "model_stalled", "model_stalled"].map(aFailure) }), 1000);
    expect(statusOf(figures).figures).toMatchObject({ calls: 3, aborted: 1, failures: { model_stalled: 2 } });
  });

  it("counts failures of more codes than it can name together", ({ expect }) => {
    const figures = theFigures();
    const codes = Array.from({ length: 43 }, (_, index) => `code_${index}`);
    figures.noteReport(aReport({ calls: [...codes, "code_0", "__proto__"].map(aFailure) }), 1000);
    const { failures } = statusOf(figures).figures;
    expect(Object.keys(failures)).toEqual([...codes.slice(0, 40), "other"]);
    expect(failures).toMatchObject({ code_0: 2, code_39: 1, other: 4 });
  });

  it.for<{ what: string; reports: UseReport[]; retries: number }>([
    { what: "none fail", reports: [aReport({ calls: [at(0, null), at(100, null)] })], retries: 0 },
    {
      what: "the next works",
      reports: [aReport({ calls: [at(0, "x")] }), aReport({ calls: [at(100, null), at(300, null)] })],
      retries: 1,
    },
    {
      what: "two fail and a third works",
      reports: [aReport({ calls: [at(0, "x"), at(100, "x"), at(200, null)] })],
      retries: 2,
    },
    {
      what: "one fails after a call that is told of later, and none follows",
      reports: [aReport({ calls: [at(100, "x")] }), aReport({ calls: [at(0, null)] })],
      retries: 0,
    },
    {
      what: "calls before, between and after failures are told of later",
      reports: [
        aReport({ calls: [at(100, "x")] }),
        aReport({ calls: [at(300, "x")] }),
        aReport({ calls: [at(0, null), at(200, null), at(400, null)] }),
      ],
      retries: 2,
    },
    { what: "another began before the failure", reports: [aReport({ calls: [at(0, "x"), at(50, null)] })], retries: 0 },
    { what: "a call was aborted", reports: [aReport({ calls: [at(0, "aborted"), at(100, null)] })], retries: 0 },
    {
      what: "another turn's call follows",
      reports: [aReport({ key: "a/1", calls: [at(0, "x")] }), aReport({ key: "a/2", calls: [at(100, null)] })],
      retries: 0,
    },
    {
      what: "the turn has ended in between",
      reports: [
        aReport({ calls: [at(0, "x")], end: { firstSentenceMs: null, totalMs: 1, outcome: "x" } }),
        aReport({ calls: [at(100, null)] }),
      ],
      retries: 0,
    },
  ])("counts $retries retries when $what", ({ reports, retries }, { expect }) => {
    const figures = theFigures();
    for (const report of reports) figures.noteReport(report, 1000);
    const status = statusOf(figures);
    expect([status.figures.retries, roomOf(status, "a")?.retries]).toEqual([retries, retries]);
  });

  it("keeps the figures of the rooms seen last, the latest first", ({ expect }) => {
    const figures = theFigures();
    const see = (room: string) => figures.noteAdmission(room, { admitted: true, waitedMs: 0 }, 1000);
    for (let index = 0; index < ROOMS_WITH_FIGURES_MAX; index += 1) see(`room-${index}`);
    see("room-0");
    see("one-more");
    const rooms = statusOf(figures).rooms.map(({ room }) => room);
    expect(rooms).toHaveLength(ROOMS_WITH_FIGURES_MAX);
    expect(rooms.slice(0, 2)).toEqual(["one-more", "room-0"]);
    expect(rooms).not.toContain("room-1");
    expect(statusOf(figures).figures.admitted).toBe(ROOMS_WITH_FIGURES_MAX + 2);
  });

  it("has what is in flight and waiting from the gate and the rooms, rooms without figures too", ({ expect }) => {
    const figures = theFigures();
    figures.noteAdmission("a", { admitted: true, waitedMs: 0 }, 1000);
    const status = figures.status({
      nowMs: 2000,
      gate: aGate({ inFlight: 3, waiting: 2 }),
      rooms: new Map([["b", { inFlight: 2, waiting: 1 }]]),
    });
    expect(status.figures).toMatchObject({ inFlight: 3, waiting: 2 });
    expect(roomOf(status, "a")).toMatchObject({ inFlight: 0, waiting: 0 });
    expect(roomOf(status, "b")).toMatchObject({ inFlight: 2, waiting: 1, admitted: 0 });
  });

  it("sums the rooms where there is no gate", ({ expect }) => {
    const rooms = new Map([
      ["a", { inFlight: 1, waiting: 0 }],
      ["b", { inFlight: 2, waiting: 4 }],
    ]);
    expect(theFigures().status({ nowMs: 1, gate: null, rooms }).figures).toMatchObject({ inFlight: 3, waiting: 4 });
  });

  it("gives a status that its schema takes", ({ expect }) => {
    const figures = theFigures();
    figures.noteAdmission("a", refused("queue_full"), 1000);
    figures.noteReport(aReport({ calls: [aCall({ acceptanceLength: 2.5 }), aFailure("x")] }), 1500);
    figures.noteEngine(anEngine({ running: 2 }));
    const status = figures.status({ nowMs: 2000, gate: aGate({ breaker: "open" }), rooms: new Map() });
    expect(endpointStatusSchema.safeParse(status).error).toBeUndefined();
    expect(status).toMatchObject({ name: "primary", sinceMs: 500, engine: { running: 2 }, acceptanceLength: 2.5 });
  });
});

describe("EndpointFigures, acceptance", () => {
  it("is all tokens of the last 50 calls over all their steps", ({ expect }) => {
    const figures = theFigures();
    figures.noteReport(aReport({ calls: [aCall({ outputTokens: 9000, acceptanceLength: 1 })] }), 1000);
    // 30 steps and 10 steps.
    const calls = [aCall({ outputTokens: 60, acceptanceLength: 2 }), aCall({ outputTokens: 30, acceptanceLength: 3 })];
    for (let pair = 0; pair < 25; pair += 1) figures.noteReport(aReport({ calls }), 1000);
    expect(statusOf(figures).acceptanceLength).toBeCloseTo(90 / 40, 10);
  });

  it("is what the server says when calls say nothing, or null", ({ expect }) => {
    const figures = theFigures();
    figures.noteReport(aReport({ calls: [aCall({ acceptanceLength: null })] }), 1000);
    expect(statusOf(figures).acceptanceLength).toBeNull();
    figures.noteEngine(anEngine({ acceptanceLength: 1.9 }));
    expect(statusOf(figures).acceptanceLength).toBe(1.9);
    figures.noteReport(aReport({ calls: [aCall({ acceptanceLength: 2.4 })] }), 1000);
    expect(statusOf(figures).acceptanceLength).toBeCloseTo(2.4, 10);
  });

  it("is low by 20 calls, not by 19", ({ expect }) => {
    const figures = theFigures();
    const note = (count: number) =>
      figures.noteReport(aReport({ calls: Array.from({ length: count }, () => aCall({ acceptanceLength: 1.2 })) }), 1);
    note(19);
    expect(alarmsOf(figures)).toEqual([]);
    note(1);
    expect(alarmsOf(figures)).toEqual(["acceptance_low"]);
  });

  it("is low by what the server says", ({ expect }) => {
    const figures = theFigures();
    figures.noteEngine(anEngine({ acceptanceLength: 1.3 }));
    expect(alarmsOf(figures)).toEqual(["acceptance_low"]);
    figures.noteEngine(anEngine({ acceptanceLength: 1.8 }));
    expect(alarmsOf(figures)).toEqual([]);
  });
});

describe("EndpointFigures, alarms", () => {
  it("looks for the cache in the last 20 calls that should have found it", ({ expect }) => {
    const figures = theFigures();
    const note = (count: number, call: Partial<CallReport>) =>
      figures.noteReport(aReport({ calls: Array.from({ length: count }, () => aCall(call)) }), 1000);
    note(20, { expectsCache: false, cachedTokens: 0 });
    note(20, { expectsCache: true, cachedTokens: null });
    note(3, { expectsCache: true, cachedTokens: 8 });
    note(5, { expectsCache: true, cachedTokens: 0 });
    expect(statusOf(figures).alarms).toMatchObject([
      { code: "cache_lost", message: expect.stringContaining("5 of the last 8 calls") },
    ]);
    note(16, { expectsCache: true, cachedTokens: 8 });
    expect(alarmsOf(figures)).toEqual(["cache_lost"]);
    note(1, { expectsCache: true, cachedTokens: 8 });
    expect(alarmsOf(figures)).toEqual([]);
  });

  it.for<{ reason: RefusalReason; isShed: boolean }>([
    { reason: "busy", isShed: true },
    { reason: "queue_full", isShed: true },
    { reason: "breaker_open", isShed: false },
    { reason: "cancelled", isShed: false },
  ])("takes a refusal for want of a slot as shedding ($isShed): $reason", ({ reason, isShed }, { expect }) => {
    const figures = theFigures();
    figures.noteAdmission("a", refused(reason), 1000);
    expect(alarmsOf(figures)).toEqual(isShed ? ["shedding"] : []);
  });

  it("has been shedding since the first refusal, and counts those since", ({ expect }) => {
    const figures = theFigures();
    for (const nowMs of [1000, 50_000, 100_000]) figures.noteAdmission("a", refused("busy"), nowMs);
    const on = figures.status({ nowMs: 160_000, gate: null, rooms: new Map() }).alarms;
    expect(on).toMatchObject([{ sinceMs: 1000, message: expect.stringContaining("3 turns were") }]);
    expect(figures.status({ nowMs: 160_001, gate: null, rooms: new Map() }).alarms).toEqual([]);
    figures.noteAdmission("a", refused("busy"), 200_000);
    const again = figures.status({ nowMs: 200_000, gate: null, rooms: new Map() }).alarms;
    expect(again).toMatchObject([{ sinceMs: 200_000, message: expect.stringContaining("1 turn was") }]);
  });

  it("tells each change of an alarm once", ({ expect }) => {
    const figures = theFigures();
    const take = (breaker: GateStatus["breaker"], nowMs: number) =>
      figures.takeAlarmChanges({ nowMs, gate: aGate({ breaker }) }).map(({ code, isOn }) => ({ code, isOn }));
    expect(take("closed", 1000)).toEqual([]);
    expect(take("open", 2000)).toEqual([{ code: "breaker_open", isOn: true }]);
    expect(take("half_open", 3000)).toEqual([]);
    expect(take("closed", 4000)).toEqual([{ code: "breaker_open", isOn: false }]);
    expect(take("closed", 5000)).toEqual([]);
  });

  it("does not take the changes by giving the status", ({ expect }) => {
    const figures = theFigures();
    figures.noteAdmission("a", refused("busy"), 1000);
    statusOf(figures);
    expect(figures.takeAlarmChanges({ nowMs: 2000, gate: null })).toMatchObject([{ code: "shedding", isOn: true }]);
  });
});

function theFigures(): EndpointFigures {
  return new EndpointFigures({ name: "primary", startedAtMs: 500 });
}

function statusOf(figures: EndpointFigures) {
  return figures.status({ nowMs: 2000, gate: null, rooms: new Map() });
}

function alarmsOf(figures: EndpointFigures) {
  return statusOf(figures).alarms.map(({ code }) => code);
}

function roomOf(status: ReturnType<typeof statusOf>, name: string) {
  return status.rooms.find(({ room }) => room === name)?.figures;
}

function refused(reason: RefusalReason) {
  return { admitted: false, reason, expectedWaitMs: 0 } as const;
}

function aReport(report: Partial<UseReport>): UseReport {
  return { key: "a/1", room: "a", calls: [], end: null, ...report };
}

function aCall(call: Partial<CallReport>): CallReport {
  return {
    failure: null,
    startedAtMs: 0,
    firstTokenMs: 50,
    totalMs: 100,
    inputTokens: 100,
    cachedTokens: 90,
    outputTokens: 10,
    acceptanceLength: null,
    expectsCache: false,
    ...call,
  };
}

function aFailure(code: string): CallReport {
  return aCall({ failure: { code, retryAfterMs: null }, cachedTokens: null });
}

/** A call of 100 ms. */
function at(startedAtMs: number, failure: string | null): CallReport {
  return aCall({ startedAtMs, failure: failure === null ? null : { code: failure, retryAfterMs: null } });
}

function anEngine(engine: Partial<EngineStatus>): EngineStatus {
  return { readAtMs: 1000, running: null, waiting: null, cacheHitShare: null, acceptanceLength: null, ...engine };
}

function aGate(gate: Partial<GateStatus>): GateStatus {
  return {
    limit: 8,
    slots: 8,
    utilizationCeiling: 0.7,
    utilization: null,
    inFlight: 0,
    waiting: 0,
    expectedWaitMs: 0,
    breaker: "closed",
    breakerProbeAtMs: null,
    ...gate,
  };
}
