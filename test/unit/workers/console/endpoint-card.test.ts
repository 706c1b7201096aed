import { describe, it } from "vitest";
import type { EndpointCapabilities, EndpointConfig } from "../../../../shared/contract/endpoint.ts";
import type { UseFigures } from "../../../../shared/contract/endpoint-status.ts";
import { toEndpointCard, totalOf } from "../../../../workers/console/endpoint-card.ts";
import { aGate, anEndpointStatus, anEndpointView, someFigures } from "./an-endpoint-view.ts";

describe("toEndpointCard", () => {
  it.for([
    { name: "works while its breaker is closed", status: withBreaker("closed"), state: "closed" },
    { name: "is left alone while its breaker is open", status: withBreaker("open"), state: "open" },
    { name: "is probed while its breaker is half open", status: withBreaker("half_open"), state: "half_open" },
    { name: "works when nothing guards it", status: anEndpointStatus({ gate: null }), state: "closed" },
    { name: "says nothing when its object does not answer", status: null, state: "unknown" },
  ])("$name", ({ status, state }, { expect }) => {
    expect(toEndpointCard(anEndpointView({ status })).state).toBe(state);
  });

  it("is disabled whatever its breaker says", ({ expect }) => {
    const { config } = anEndpointView();
    const view = anEndpointView({ config: { ...config, enabled: false }, status: withBreaker("open") });
    expect(toEndpointCard(view).state).toBe("disabled");
  });

  it("has no figures when its object does not answer", ({ expect }) => {
    expect(toEndpointCard(anEndpointView({ status: null })).now).toBeNull();
  });

  it("names the server by tier, kind and model", ({ expect }) => {
    const config: EndpointConfig = { ...anEndpointView().config, tier: "fallback", kind: "sglang", model: "m" };
    expect(toEndpointCard(anEndpointView({ config }))).toMatchObject({ tier: "fallback", kind: "sglang", model: "m" });
  });

  it("tells what is in use now, of how much", ({ expect }) => {
    const now = nowOf({ inFlight: 3, waiting: 2 }, aGate({ limit: 6.5, slots: 12, expectedWaitMs: 400 }));
    expect(now).toMatchObject({ inFlight: 3, waiting: 2, gate: { limit: 6.5, slots: 12, expectedWaitMs: 400 } });
  });

  it("estimates the first token from the buckets, and knows none before the first call", ({ expect }) => {
    const firstTokenMs = { bounds: [100, 200], counts: [10, 10, 0], sum: 2_000 };
    expect(nowOf({ firstTokenMs })).toMatchObject({ firstTokenP50Ms: 100, firstTokenP95Ms: 190 });
    expect(nowOf({})).toMatchObject({ firstTokenP50Ms: null, firstTokenP95Ms: null });
  });

  it.for([
    { name: "is a share of all prompt tokens", inputTokens: 200, cachedTokens: 150, reports: true, share: 0.75 },
    {
      name: "is zero where the server reports that nothing was cached",
      inputTokens: 200,
      cachedTokens: 0,
      reports: true,
      share: 0,
    },
    {
      name: "is unknown where the server does not report it",
      inputTokens: 200,
      cachedTokens: 0,
      reports: false,
      share: null,
    },
    {
      name: "is known where the server reports it after all",
      inputTokens: 200,
      cachedTokens: 20,
      reports: false,
      share: 0.1,
    },
    { name: "is unknown before anything was sent", inputTokens: 0, cachedTokens: 0, reports: true, share: null },
  ])("what was cached $name", ({ inputTokens, cachedTokens, reports, share }, { expect }) => {
    const card = toEndpointCard(
      anEndpointView({
        capabilities: capabilities({ reportsCachedTokens: reports }),
        status: anEndpointStatus({ figures: someFigures({ inputTokens, cachedTokens }) }),
      }),
    );
    expect(card.now?.cachedShare).toBe(share);
  });

  it("counts refusals and failures, most first, without those that never happened", ({ expect }) => {
    const now = nowOf({ refused: { cancelled: 1, busy: 3, queue_full: 0 }, failures: { b: 2, a: 2, c: 5 } });
    expect(now?.refusals).toEqual([
      { name: "busy", count: 3 },
      { name: "cancelled", count: 1 },
    ]);
    expect(now?.failures.map(({ name }) => name)).toEqual(["c", "a", "b"]);
    expect(totalOf(now?.failures ?? [])).toBe(9);
  });
});

function withBreaker(breaker: "closed" | "open" | "half_open") {
  return anEndpointStatus({ gate: aGate({ breaker }) });
}

function nowOf(figures: Partial<UseFigures>, gate = aGate()) {
  return toEndpointCard(anEndpointView({ status: anEndpointStatus({ gate, figures: someFigures(figures) }) })).now;
}

function capabilities(fields: Partial<EndpointCapabilities>): EndpointCapabilities {
  return {
    checkedAtMs: 0,
    fields: [],
    tools: true,
    streamingUsage: true,
    reportsCachedTokens: true,
    thinkingOff: true,
    metrics: true,
    firstTokenMs: null,
    ...fields,
  };
}
