/** What the page tells of an inference endpoint. Words are the view's. */
import type { BreakerState, EndpointAlarm, EndpointStatus } from "../../shared/contract/endpoint-status.ts";
import { quantile } from "../../shared/contract/histogram.ts";
import type { EndpointView } from "../../shared/contract/http-api.ts";

/** The breaker's state, unless the endpoint is disabled or says nothing. */
export type EndpointState = BreakerState | "disabled" | "unknown";

export type Tally = { readonly name: string; readonly count: number };

export type EndpointCard = {
  readonly name: string;
  readonly tier: EndpointView["config"]["tier"];
  readonly kind: string;
  readonly model: string;
  readonly state: EndpointState;
  /** The figures; `null` while its object says nothing. */
  readonly now: EndpointNow | null;
};

export type EndpointNow = {
  readonly sinceMs: number;
  readonly inFlight: number;
  readonly waiting: number;
  /** Absent for the policy inside the Worker, which admits every turn. */
  readonly gate: { readonly limit: number; readonly slots: number; readonly expectedWaitMs: number } | null;
  readonly firstTokenP50Ms: number | null;
  readonly firstTokenP95Ms: number | null;
  /** Share of prompt tokens that were cached, 0 to 1; `null` where nothing was sent or the server does not say. */
  readonly cachedShare: number | null;
  readonly acceptanceLength: number | null;
  readonly turns: number;
  readonly calls: number;
  /** By reason, most first. */
  readonly refusals: readonly Tally[];
  /** By error code, most first. */
  readonly failures: readonly Tally[];
  readonly alarms: readonly Pick<EndpointAlarm, "code" | "sinceMs" | "message">[];
};

export function toEndpointCard(view: EndpointView): EndpointCard {
  const { name, config, status } = view;
  return {
    name,
    tier: config.tier,
    kind: config.kind,
    model: config.model,
    state: toState(config.enabled, status),
    now: status === null ? null : toNow(status, view.capabilities?.reportsCachedTokens ?? true),
  };
}

/** Sum of the counts. */
export function totalOf(tallies: readonly Tally[]): number {
  return tallies.reduce((total, { count }) => total + count, 0);
}

function toState(isEnabled: boolean, status: EndpointStatus | null): EndpointState {
  if (!isEnabled) return "disabled";
  if (status === null) return "unknown";
  return status.gate?.breaker ?? "closed";
}

function toNow(status: EndpointStatus, reportsCachedTokens: boolean): EndpointNow {
  const { gate, figures } = status;
  const { inputTokens, cachedTokens } = figures;
  // What is cached of a server that never says so counts as 0, which is not the same as none.
  const isCacheKnown = inputTokens > 0 && (reportsCachedTokens || cachedTokens > 0);
  return {
    sinceMs: status.sinceMs,
    inFlight: figures.inFlight,
    waiting: figures.waiting,
    gate: gate && { limit: gate.limit, slots: gate.slots, expectedWaitMs: gate.expectedWaitMs },
    firstTokenP50Ms: quantile(figures.firstTokenMs, 0.5),
    firstTokenP95Ms: quantile(figures.firstTokenMs, 0.95),
    cachedShare: isCacheKnown ? cachedTokens / inputTokens : null,
    acceptanceLength: status.acceptanceLength,
    turns: figures.turns,
    calls: figures.calls,
    refusals: toTallies(figures.refused),
    failures: toTallies(figures.failures),
    alarms: status.alarms,
  };
}

/** What never happened is left out; equals are in the order of their names, so that they do not change places. */
function toTallies(counts: Readonly<Record<string, number | undefined>>): Tally[] {
  return Object.entries(counts)
    .map(([name, count = 0]) => ({ name, count }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
