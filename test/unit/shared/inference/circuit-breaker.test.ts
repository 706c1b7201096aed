import { describe, it } from "vitest";
import {
  CircuitBreaker,
  FAILURES_IN_A_ROW_MAX,
  OPEN_MS_MAX,
  OPEN_MS_MIN,
} from "../../../../shared/inference/circuit-breaker.ts";

/** `x` fails, `.` is served. */
function take(breaker: CircuitBreaker, calls: string, nowMs = 0): void {
  for (const call of calls) breaker.take("r/1", call === "x" ? "model_unavailable" : null, nowMs);
}

describe("CircuitBreaker", () => {
  it.for([
    { name: "four failures in a row", calls: "xxxx", state: "closed" },
    { name: "five failures in a row", calls: "xxxxx", state: "open" },
    { name: "five failures with a success between", calls: "xxx.xx", state: "closed" },
    { name: "half of nine calls", calls: "x.x.x.x.x", state: "closed" },
    { name: "half of ten calls", calls: "x.x.x.x.x.", state: "open" },
    { name: "four of ten calls", calls: "..x.x.x.x.", state: "closed" },
    {
      name: "ten failures among thirty calls, none among the last twenty",
      calls: `x...x...x.${".".repeat(20)}x`,
      state: "closed",
    },
    {
      name: "half of the last twenty calls after many served ones",
      calls: `${".".repeat(40)}${"x.".repeat(10)}`,
      state: "open",
    },
  ])("is $state after $name", ({ calls, state }, { expect }) => {
    const breaker = new CircuitBreaker();
    take(breaker, calls);
    expect(breaker.state(0)).toBe(state);
  });

  it.for([
    { code: "model_misconfigured", state: "open" },
    { code: "model_unavailable", state: "open" },
    { code: "model_timed_out", state: "open" },
    { code: "a code of the future", state: "open" },
    { code: "aborted", state: "closed" },
    { code: "model_refused", state: "closed" },
    { code: "model_output_truncated", state: "closed" },
    { code: "model_rate_limited", state: "closed" },
  ])("is $state after many calls that ended with $code", ({ code, state }, { expect }) => {
    const breaker = new CircuitBreaker();
    for (let count = 0; count < 20; count += 1) breaker.take("r/1", code, 0);
    expect(breaker.state(0)).toBe(state);
  });

  it.for([
    { code: "aborted", state: "open" },
    { code: "model_rate_limited", state: "open" },
    { code: "model_refused", state: "closed" },
  ])("is $state when $code comes between the failures of a row", ({ code, state }, { expect }) => {
    const breaker = new CircuitBreaker();
    take(breaker, "xxx");
    breaker.take("r/1", code, 0);
    take(breaker, "xx");
    expect(breaker.state(0)).toBe(state);
  });

  it("lets one probe pass when it has been open long enough", ({ expect }) => {
    const breaker = new CircuitBreaker();
    take(breaker, "xxxxx", 100);
    expect([breaker.probeAtMs, breaker.canAdmit(100 + OPEN_MS_MIN - 1)]).toEqual([100 + OPEN_MS_MIN, false]);
    const nowMs = 100 + OPEN_MS_MIN;
    expect([breaker.state(nowMs), breaker.canAdmit(nowMs)]).toEqual(["half_open", true]);
    breaker.admit("r/2", nowMs);
    expect([breaker.state(nowMs), breaker.canAdmit(nowMs)]).toEqual(["half_open", false]);
  });

  it("closes with the probe's success, and forgets what was before", ({ expect }) => {
    const breaker = new CircuitBreaker();
    take(breaker, "xxxxx");
    breaker.admit("r/2", OPEN_MS_MIN);
    breaker.take("r/2", null, OPEN_MS_MIN);
    take(breaker, "x".repeat(FAILURES_IN_A_ROW_MAX - 1), OPEN_MS_MIN);
    expect([breaker.state(OPEN_MS_MIN), breaker.probeAtMs]).toEqual(["closed", null]);
  });

  it("stays open twice as long after each failed probe, up to a minute, and starts over once it closed", ({
    expect,
  }) => {
    const breaker = new CircuitBreaker();
    const openMs: number[] = [];
    let nowMs = 0;
    take(breaker, "xxxxx");
    for (let probe = 0; probe < 6; probe += 1) {
      openMs.push((breaker.probeAtMs ?? 0) - nowMs);
      nowMs = breaker.probeAtMs ?? 0;
      breaker.admit("r/2", nowMs);
      breaker.take("r/2", "model_unavailable", nowMs);
    }
    expect(openMs).toEqual([5_000, 10_000, 20_000, 40_000, OPEN_MS_MAX, OPEN_MS_MAX]);
    nowMs = breaker.probeAtMs ?? 0;
    breaker.admit("r/3", nowMs);
    breaker.take("r/3", null, nowMs);
    take(breaker, "xxxxx", nowMs);
    expect(breaker.probeAtMs).toBe(nowMs + OPEN_MS_MIN);
  });

  it("does not listen to calls of earlier turns until the probe has told", ({ expect }) => {
    const breaker = new CircuitBreaker();
    take(breaker, "xxxxx");
    breaker.take("r/9", null, 10);
    breaker.admit("r/2", OPEN_MS_MIN);
    breaker.take("r/9", null, OPEN_MS_MIN);
    breaker.take("r/9", "model_unavailable", OPEN_MS_MIN);
    expect(breaker.state(OPEN_MS_MIN)).toBe("half_open");
  });

  it.for([
    { code: null, state: "closed" },
    { code: "model_unavailable", state: "open" },
  ])("is $state when a probe that gave its slot back reports $code after that", ({ code, state }, { expect }) => {
    const breaker = new CircuitBreaker();
    take(breaker, "xxxxx");
    breaker.admit("r/2", OPEN_MS_MIN);
    breaker.release("r/2");
    breaker.take("r/2", code, OPEN_MS_MIN);
    expect(breaker.state(OPEN_MS_MIN)).toBe(state);
  });

  it("lets another probe pass when one ended without a word", ({ expect }) => {
    const breaker = new CircuitBreaker();
    take(breaker, "xxxxx");
    breaker.admit("r/2", OPEN_MS_MIN);
    breaker.take("r/2", "aborted", OPEN_MS_MIN);
    breaker.release("r/9");
    expect(breaker.canAdmit(OPEN_MS_MIN)).toBe(false);
    breaker.release("r/2");
    expect(breaker.canAdmit(OPEN_MS_MIN)).toBe(true);
  });
});
