/** Builders of what the API says of endpoints, for the page's tests. A test names only the field that it is about. */
import { endpointConfigSchema } from "../../../../shared/contract/endpoint.ts";
import type {
  EndpointStatus,
  GateStatus,
  HistogramData,
  UseFigures,
} from "../../../../shared/contract/endpoint-status.ts";
import type { EndpointView } from "../../../../shared/contract/http-api.ts";

const NO_VALUES: HistogramData = { bounds: [100, 200], counts: [0, 0, 0], sum: 0 };

export function anEndpointView(fields: Partial<EndpointView> = {}): EndpointView {
  return {
    name: "h20",
    source: "stored",
    config: endpointConfigSchema.parse({ baseUrl: "http://gpu.test/v1", model: "qwen" }),
    capabilities: null,
    revision: 1,
    updatedBy: "op",
    updatedAtMs: 0,
    status: anEndpointStatus(),
    ...fields,
  };
}

export function anEndpointStatus(fields: Partial<EndpointStatus> = {}): EndpointStatus {
  return {
    name: "h20",
    sinceMs: 0,
    gate: aGate(),
    figures: someFigures(),
    acceptanceLength: null,
    engine: null,
    alarms: [],
    rooms: [],
    ...fields,
  };
}

export function aGate(fields: Partial<GateStatus> = {}): GateStatus {
  return {
    limit: 8,
    slots: 16,
    utilizationCeiling: 0.5,
    utilization: null,
    inFlight: 0,
    waiting: 0,
    expectedWaitMs: 0,
    breaker: "closed",
    breakerProbeAtMs: null,
    ...fields,
  };
}

export function someFigures(fields: Partial<UseFigures> = {}): UseFigures {
  return {
    inFlight: 0,
    waiting: 0,
    admitted: 0,
    refused: {},
    turns: 0,
    calls: 0,
    failures: {},
    aborted: 0,
    retries: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    waitMs: NO_VALUES,
    firstTokenMs: NO_VALUES,
    firstSentenceMs: NO_VALUES,
    turnMs: NO_VALUES,
    ...fields,
  };
}
