/** What an endpoint's gate makes of a server's `Retry-After`. */
import { describe, it } from "vitest";
import { OPEN_MS_MIN } from "../../../../shared/inference/circuit-breaker.ts";
import { HOLD_MS_DEFAULT } from "../../../../shared/inference/endpoint-gate.ts";
import { GateBench } from "./gate-bench.ts";
import { aFailedCall } from "./simulated-load.ts";

describe("EndpointGate, of a server that asked to be left alone", () => {
  /** `a/1` holds one of two slots and was told to come back after so many ms. */
  function aPaused(retryAfterMs: number): GateBench {
    const bench = new GateBench(2);
    bench.ask("a/1");
    bench.report("a/1", [{ ...aFailedCall("model_rate_limited"), failure: { code: "x", retryAfterMs } }]);
    return bench;
  }

  it("gives no slot before, and says how long that is", ({ expect }) => {
    const bench = aPaused(2_000);
    bench.time.advance(500);
    bench.ask("b/1", { waitMsMax: 1_499 });
    bench.ask("c/1", { waitMsMax: 1_501 });
    const refusal = { admitted: false, reason: "busy", expectedWaitMs: 1_500 };
    expect(bench.answers.slice(1)).toEqual([{ key: "b/1", admission: refusal }]);
    expect([bench.gate.status().expectedWaitMs, bench.gate.nextWakeAtMs()]).toEqual([HOLD_MS_DEFAULT, 2_000]);
    bench.advance(1_500);
    expect(bench.answers.at(-1)).toEqual({ key: "c/1", admission: { admitted: true, waitedMs: 1_500 } });
  });

  it("refuses at once who waits and cannot be served in time any more", ({ expect }) => {
    const bench = new GateBench(1);
    for (const [key, waitMsMax] of [
      ["a/1", 0],
      ["b/1", 4_000],
      ["c/1", 9_000],
    ] as const) {
      bench.ask(key, { waitMsMax });
    }
    bench.end("a/1", [{ ...aFailedCall("model_unavailable"), failure: { code: "x", retryAfterMs: 5_000 } }]);
    expect([bench.log.slice(1), bench.use()]).toEqual([["b/1: busy"], [0, 1]]);
    bench.advance(5_000);
    expect(bench.log.at(-1)).toBe("c/1: yes");
  });

  it("lets turns that hold a slot go on", ({ expect }) => {
    const bench = aPaused(2_000);
    bench.ask("a/1");
    expect(bench.log).toEqual(["a/1: yes", "a/1: yes"]);
  });

  it("asks it again after a minute, whatever it said", ({ expect }) => {
    const bench = aPaused(86_400_000);
    bench.advance(59_999);
    bench.ask("b/1", { waitMsMax: 0 });
    bench.advance(1);
    bench.ask("c/1", { waitMsMax: 0 });
    expect(bench.log.slice(1)).toEqual(["b/1: busy", "c/1: yes"]);
  });

  it("keeps the breaker's probe until then", ({ expect }) => {
    const bench = aPaused(20_000);
    bench.openBreaker("a/1");
    bench.end("a/1");
    bench.advance(OPEN_MS_MIN);
    bench.ask("b/1");
    expect(bench.answers.at(-1)?.admission).toEqual({
      admitted: false,
      reason: "breaker_open",
      expectedWaitMs: 20_000 - OPEN_MS_MIN,
    });
    bench.advance(20_000 - OPEN_MS_MIN);
    bench.ask("b/2");
    expect(bench.log.at(-1)).toBe("b/2: yes");
  });
});
