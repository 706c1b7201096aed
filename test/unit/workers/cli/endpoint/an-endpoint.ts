/** Answers of the endpoint routes for tests; a test names only what it is about. */
import { endpointConfigSchema, type EndpointCapabilities } from "../../../../../shared/contract/endpoint.ts";
import type { EndpointStatus } from "../../../../../shared/contract/endpoint-status.ts";
import type { EndpointView } from "../../../../../shared/contract/http-api.ts";

export const CAPABILITIES: EndpointCapabilities = {
  checkedAtMs: Date.UTC(2026, 11, 3, 5),
  fields: ["priority", "cache_salt"],
  tools: true,
  streamingUsage: true,
  reportsCachedTokens: true,
  thinkingOff: true,
  metrics: true,
  firstTokenMs: 84.25,
};

export function anEndpoint(view: Partial<Omit<EndpointView, "config">> & { config?: object } = {}): EndpointView {
  const { config, ...rest } = view;
  return {
    name: "h20",
    source: "stored",
    config: endpointConfigSchema.parse({ baseUrl: "http://gpu:8000/v1", model: "Qwen3", ...config }),
    capabilities: CAPABILITIES,
    revision: 3,
    updatedBy: "ops",
    updatedAtMs: Date.UTC(2026, 11, 3, 4),
    status: null,
    ...rest,
  };
}

/** @param firstTokens - Counts of first tokens up to 100 ms, up to 300 ms, and later. */
export function aStatus(status: Partial<EndpointStatus> = {}, firstTokens = [4, 6, 0]): EndpointStatus {
  const none = { bounds: [100, 300], counts: [0, 0, 0], sum: 0 };
  return {
    name: "h20",
    sinceMs: Date.UTC(2026, 11, 3, 3),
    gate: {
      limit: 8.04,
      slots: 16,
      utilizationCeiling: 0.5,
      utilization: 0.31,
      inFlight: 3,
      waiting: 1,
      expectedWaitMs: 120,
      breaker: "closed",
      breakerProbeAtMs: null,
    },
    figures: {
      inFlight: 3,
      waiting: 1,
      admitted: 12,
      refused: { busy: 2, queue_full: 1 },
      turns: 9,
      calls: 20,
      failures: { model_stalled: 2 },
      aborted: 0,
      retries: 1,
      inputTokens: 0,
      cachedTokens: 0,
      outputTokens: 0,
      waitMs: none,
      firstTokenMs: { ...none, counts: firstTokens },
      firstSentenceMs: none,
      turnMs: none,
    },
    acceptanceLength: 1.8,
    engine: null,
    alarms: [],
    rooms: [],
    ...status,
  };
}
