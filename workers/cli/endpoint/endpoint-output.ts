/** What `kaibo endpoint` prints for people. Pure. No colours: it reads the same in a terminal, a pipe and a log. */
import type { EndpointCapabilities, EndpointConfig } from "../../../shared/contract/endpoint.ts";
import type { EndpointStatus, HistogramData } from "../../../shared/contract/endpoint-status.ts";
import type {
  EndpointChecked,
  EndpointView,
  EndpointProblem,
  EndpointSaved,
} from "../../../shared/contract/http-api.ts";
import { NONE, timeOf } from "../format-cells.ts";
import { formatTable } from "../format-table.ts";

const LIST_HEAD = [
  "name",
  "tier",
  "kind",
  "model",
  "state",
  "limit",
  "in flight",
  "waiting",
  "first token",
  "acceptance",
  "alarms",
];

const BREAKER_STATES = { closed: "ready", open: "breaker open", half_open: "breaker half open" } as const;

/** One line each, in columns. */
export function formatEndpoints(endpoints: readonly EndpointView[]): string {
  if (endpoints.length === 0) {
    return "There is no endpoint: the offline policy answers.\nA first one: npx kaibo endpoint set <name> --url U --model M\n";
  }
  return formatTable([LIST_HEAD, ...endpoints.map(rowOf)]);
}

/** Configuration, capabilities and state. */
export function formatEndpoint(view: EndpointView): string {
  const { name, source, config, capabilities, status, revision, updatedBy, updatedAtMs } = view;
  const origin =
    source === "settings" ? "from the deployment's settings" : `changed ${timeOf(updatedAtMs)} by ${updatedBy}`;
  const lines = [
    `${name}: ${origin}${revision === null ? "" : `, revision ${revision}`}`,
    formatPairs(pairsOf(config)),
    capabilities === null
      ? "Never checked.\n"
      : `Checked ${timeOf(capabilities.checkedAtMs)}:\n${formatCapabilities(capabilities)}`,
    status === null ? "Not in use yet.\n" : formatStatus(status, config),
  ];
  return lines.join("\n");
}

/** What a check found: a line for each capability, then what is to be done. */
export function formatCheck({ name, capabilities, problems, warnings }: EndpointChecked): string {
  const found = capabilities === null ? "" : formatCapabilities(capabilities);
  const findings = formatFindings("problem", problems) + formatFindings("warning", warnings);
  return found + (findings === "" ? `${name}: good\n` : findings);
}

/** What became of `set`. */
export function formatSaved({ name, config, capabilities, warnings }: EndpointSaved): string {
  const state = config.enabled
    ? "was checked and saved; turns use it"
    : "was saved; it is disabled, and no turn uses it";
  const found = capabilities === null ? "" : formatCapabilities(capabilities);
  return `${found}${formatFindings("warning", warnings)}${name} ${state}\n`;
}

function rowOf({ name, config, status }: EndpointView): string[] {
  const known = [name, config.tier, config.kind, config.model, stateOf(config, status)];
  if (status === null) return [...known, NONE, NONE, NONE, NONE, NONE, NONE];
  const { gate, figures, acceptanceLength, alarms } = status;
  return [
    ...known,
    gate === null ? NONE : `${round(gate.limit)}/${gate.slots}`,
    `${figures.inFlight}`,
    `${figures.waiting}`,
    formatMedian(figures.firstTokenMs),
    acceptanceLength?.toFixed(2) ?? NONE,
    alarms.map(({ code }) => code).join(",") || NONE,
  ];
}

function stateOf(config: EndpointConfig, status: EndpointStatus | null): string {
  if (!config.enabled) return "disabled";
  if (status === null) return NONE;
  return BREAKER_STATES[status.gate?.breaker ?? "closed"];
}

/** The bucket that holds the median: `≤300 ms`, or `>10000 ms` beyond the last bound. */
function formatMedian({ bounds, counts }: HistogramData): string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return NONE;
  let seen = 0;
  const bucket = counts.findIndex((count) => (seen += count) * 2 >= total);
  const bound = bounds[bucket];
  return bound === undefined ? `>${bounds.at(-1) ?? 0} ms` : `≤${bound} ms`;
}

function pairsOf(config: EndpointConfig): [name: string, value: string][] {
  return [
    ["url", config.baseUrl],
    ["model", `${config.model}, ${config.kind}`],
    ["key", config.keyBinding ?? "none"],
    ["tier", config.tier],
    ["slots", `${config.slots}, ${config.capacity}, turns may use ${Math.round(config.utilizationCeiling * 100)} %`],
    ["fields", config.fields === undefined ? "those that the check finds" : config.fields.join(", ") || "none"],
    ["thoughts", config.opensThinking ? "the answer begins inside one" : "not opened by the template"],
    ["connect limit", `${config.connectTimeoutMs} ms`],
    ["enabled", config.enabled ? "yes" : "no"],
  ];
}

/** A line for each, ✓ or ✗, and what its absence costs. */
function formatCapabilities(found: EndpointCapabilities): string {
  const lines: [has: boolean, text: string][] = [
    [found.tools, found.tools ? "tools" : "tools: a harness can do nothing without them"],
    [found.thinkingOff, found.thinkingOff ? "thoughts off" : "thoughts off: thoughts came, or could not be looked for"],
    [found.streamingUsage, found.streamingUsage ? "usage in the stream" : "usage in the stream: tokens are estimated"],
    [
      found.reportsCachedTokens,
      found.reportsCachedTokens ? "cached tokens" : "cached tokens: a lost prefix cache goes unseen",
    ],
    [found.metrics, found.metrics ? "metrics" : "metrics: the server's own queue and cache go unseen"],
    [found.fields.length > 0, `request fields: ${found.fields.join(", ") || "only OpenAI's own"}`],
    [
      found.firstTokenMs !== null,
      `first token${found.firstTokenMs === null ? ": none came" : ` ${round(found.firstTokenMs)} ms`}`,
    ],
  ];
  return lines.map(([has, text]) => `${has ? "✓" : "✗"} ${text}\n`).join("");
}

function formatFindings(severity: "problem" | "warning", findings: readonly EndpointProblem[]): string {
  return findings.map(({ field, reason }) => `${severity} ${field}: ${reason}\n`).join("");
}

function formatStatus(status: EndpointStatus, config: EndpointConfig): string {
  const { gate, figures, engine, alarms } = status;
  const pairs: [string, string][] = [["state", stateOf(config, status)]];
  if (gate !== null) pairs.push(["limit", `${round(gate.limit)} turns of ${gate.slots} slots`]);
  pairs.push(
    [
      "turns",
      `${figures.inFlight} in flight, ${figures.waiting} waiting, ${figures.turns} since ${timeOf(status.sinceMs)}`,
    ],
    ["calls", `${figures.calls}, ${sum(Object.values(figures.failures))} failed, ${figures.retries} retried`],
    ["refused", `${sum(Object.values(figures.refused))}`],
    ["first token", `p50 ${formatMedian(figures.firstTokenMs)}`],
    ["acceptance", status.acceptanceLength?.toFixed(2) ?? NONE],
  );
  if (engine !== null) {
    pairs.push([
      "server",
      `${engine.running ?? NONE} running, ${engine.waiting ?? NONE} waiting, cache ${share(engine.cacheHitShare)}`,
    ]);
  }
  return `Since ${timeOf(status.sinceMs)}:\n${formatPairs(pairs)}${alarms.map(({ code, message }) => `alarm ${code}: ${message}\n`).join("")}`;
}

function formatPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  return formatTable(pairs.map(([name, value]) => [`  ${name}`, value]));
}

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}

function share(value: number | null): string {
  return value === null ? NONE : `${Math.round(value * 100)} %`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
