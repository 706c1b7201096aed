import { describe, it } from "vitest";
import type { EndpointAlarm } from "../../../../shared/contract/endpoint-status.ts";
import {
  SHEDDING_MS,
  alarmChanges,
  judgeAlarms,
  type AlarmFacts,
} from "../../../../shared/inference/endpoint-alarms.ts";

describe("judgeAlarms", () => {
  it("finds nothing in an endpoint that does well", ({ expect }) => {
    expect(judgeAlarms([], theFacts({}), 1000)).toEqual([]);
  });

  it.for<{ what: string; facts: Partial<AlarmFacts>; wasOn: boolean; isOn: boolean }>([
    { what: "4 misses", facts: cache(4, 4), wasOn: false, isOn: false },
    { what: "5 misses", facts: cache(5, 5), wasOn: false, isOn: true },
    { what: "half of the calls", facts: cache(20, 10), wasOn: false, isOn: true },
    { what: "under half of the calls", facts: cache(20, 9), wasOn: false, isOn: false },
    { what: "a fifth of the calls, once on", facts: cache(20, 4), wasOn: true, isOn: true },
    { what: "under a fifth of the calls, once on", facts: cache(20, 3), wasOn: true, isOn: false },
  ])("says that the cache is lost ($isOn) after $what", ({ facts, wasOn, isOn }, { expect }) => {
    expect(codes(judgeAlarms(wasOn ? [on("cache_lost")] : [], theFacts(facts), 1000))).toEqual(
      isOn ? ["cache_lost"] : [],
    );
  });

  it.for([
    { acceptanceLength: 1.5, wasOn: false, isOn: false },
    { acceptanceLength: 1.49, wasOn: false, isOn: true },
    { acceptanceLength: 1.59, wasOn: true, isOn: true },
    { acceptanceLength: 1.6, wasOn: true, isOn: false },
    { acceptanceLength: null, wasOn: false, isOn: false },
    { acceptanceLength: null, wasOn: true, isOn: true },
  ])(
    "says that acceptance is low ($isOn) at $acceptanceLength, on before: $wasOn",
    ({ acceptanceLength, wasOn, isOn }, { expect }) => {
      const before = wasOn ? [on("acceptance_low")] : [];
      expect(codes(judgeAlarms(before, theFacts({ acceptanceLength }), 1000))).toEqual(isOn ? ["acceptance_low"] : []);
    },
  );

  it.for([
    { breaker: null, isOn: false },
    { breaker: "closed", isOn: false },
    { breaker: "open", isOn: true },
    { breaker: "half_open", isOn: true },
  ] as const)("says that the breaker is open ($isOn) when it is $breaker", ({ breaker, isOn }, { expect }) => {
    expect(codes(judgeAlarms([], theFacts({ breaker }), 1000))).toEqual(isOn ? ["breaker_open"] : []);
  });

  it("says that turns are refused until none was for a minute", ({ expect }) => {
    const facts = theFacts({ shed: { turns: 3, lastAtMs: 5000 } });
    expect(codes(judgeAlarms([], facts, 5000 + SHEDDING_MS))).toEqual(["shedding"]);
    expect(judgeAlarms([on("shedding")], facts, 5001 + SHEDDING_MS)).toEqual([]);
  });

  it("keeps the beginning of an alarm that stays, with the message of now", ({ expect }) => {
    const first = judgeAlarms([], theFacts(cache(8, 5)), 1000);
    const second = judgeAlarms(first, theFacts(cache(9, 6)), 2000);
    expect(second.map(({ sinceMs }) => sinceMs)).toEqual([1000]);
    expect(second[0]?.message).toContain("6 of the last 9 calls");
  });

  it.for<{ facts: Partial<AlarmFacts>; says: string }>([
    { facts: cache(8, 5), says: "5 of the last 8 calls found none of their prompt in the prefix cache; check " },
    { facts: { acceptanceLength: 1.234 }, says: "gives 1.23 tokens a step; check " },
    { facts: { breaker: "open" }, says: "no turn is sent to the endpoint" },
    { facts: { breaker: "half_open" }, says: "a probe" },
    { facts: { shed: { turns: 1, lastAtMs: 0 } }, says: "1 turn was refused" },
    { facts: { shed: { turns: 2, lastAtMs: 0 } }, says: "2 turns were refused" },
  ])("says what happened: $says", ({ facts, says }, { expect }) => {
    expect(judgeAlarms([], theFacts(facts), 1000)[0]?.message).toContain(says);
  });
});

describe("alarmChanges", () => {
  it("tells what began and what ended, not what stayed", ({ expect }) => {
    const changes = alarmChanges([on("shedding"), on("cache_lost")], [on("cache_lost"), on("breaker_open")]);
    expect(changes.map(({ code, isOn }) => ({ code, isOn }))).toEqual([
      { code: "breaker_open", isOn: true },
      { code: "shedding", isOn: false },
    ]);
    expect(changes.map(({ message }) => message)).toEqual(["m", expect.stringContaining("No turn was refused")]);
  });
});

function theFacts(facts: Partial<AlarmFacts>): AlarmFacts {
  return { cache: { calls: 20, misses: 0 }, acceptanceLength: null, breaker: null, shed: null, ...facts };
}

function cache(calls: number, misses: number): Pick<AlarmFacts, "cache"> {
  return { cache: { calls, misses } };
}

function on(code: EndpointAlarm["code"]): EndpointAlarm {
  return { code, sinceMs: 500, message: "m" };
}

function codes(alarms: readonly EndpointAlarm[]) {
  return alarms.map(({ code }) => code);
}
