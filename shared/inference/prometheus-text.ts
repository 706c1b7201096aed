/**
 * The figures of endpoints in the Prometheus text format 0.0.4, units as Prometheus has them: seconds, ratios, counters
 * that end in `_total`. Sources: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format and
 * https://prometheus.io/docs/practices/naming/
 */
import { refusalReasonSchema } from "../contract/admission.ts";
import {
  alarmCodeSchema,
  breakerStateSchema,
  type EndpointStatus,
  type GateStatus,
  type HistogramData,
  type UseFigures,
} from "../contract/endpoint-status.ts";
import { countOf } from "../contract/histogram.ts";

/** What `/metrics` answers with. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string>>;
type Sample = {
  /** What the sample's name has more than its family's, such as `_sum`. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
};
type Family<Source> = {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly help: string;
  readonly read: (source: Source) => readonly Sample[];
};

/** The same for an endpoint and for a room at it. */
const USE_FAMILIES: readonly Family<UseFigures>[] = [
  family("in_flight", "gauge", "Turns that have a slot.", (use) => one(use.inFlight)),
  family("waiting", "gauge", "Turns that wait for a slot.", (use) => one(use.waiting)),
  family("turns_total", "counter", "Turns that have ended.", (use) => one(use.turns)),
  family("calls_total", "counter", "Model calls, failed ones too.", (use) => one(use.calls)),
  family("call_failures_total", "counter", "Failed calls by error code.", (use) => each("code", use.failures)),
  family("retries_total", "counter", "Calls after one of the same turn that failed here.", (use) => one(use.retries)),
  family("input_tokens_total", "counter", "Tokens of prompts.", (use) => one(use.inputTokens)),
  family("cached_tokens_total", "counter", "Prompt tokens found in the prefix cache.", (use) => one(use.cachedTokens)),
  family("output_tokens_total", "counter", "Tokens of answers.", (use) => one(use.outputTokens)),
];

const SHEDS_HELP = "Turns refused by reason.";
const FIRST_SENTENCE_HELP = "From acceptance of a turn to its first sentence.";
const TURN_HELP = "Whole turns.";

const ENDPOINT_FAMILIES: readonly Family<EndpointStatus>[] = [
  ...USE_FAMILIES.map((use) => ({ ...use, read: ({ figures }: EndpointStatus) => use.read(figures) })),
  // Every reason from the start: a rate cannot see the first of a series that was not there before.
  family("sheds_total", "counter", SHEDS_HELP, ({ figures }) =>
    refusalReasonSchema.options.map((reason) => ({ labels: { reason }, value: figures.refused[reason] ?? 0 })),
  ),
  family("admitted_total", "counter", "Turns that were given a slot.", ({ figures }) => one(figures.admitted)),
  family("calls_aborted_total", "counter", "Calls that their turn no longer wanted.", ({ figures }) =>
    one(figures.aborted),
  ),
  family("wait_seconds", "histogram", "Waits for a slot.", ({ figures }) => histogram(figures.waitMs)),
  family("first_token_seconds", "histogram", "From a call to its first words or tool call.", ({ figures }) =>
    histogram(figures.firstTokenMs),
  ),
  family("first_sentence_seconds", "histogram", FIRST_SENTENCE_HELP, ({ figures }) =>
    histogram(figures.firstSentenceMs),
  ),
  family("turn_seconds", "histogram", TURN_HELP, ({ figures }) => histogram(figures.turnMs)),
  family("limit", "gauge", "Turns that may be in flight at once.", gateFigure("limit")),
  family("slots", "gauge", "Slots as configured.", gateFigure("slots")),
  family("utilization", "gauge", "Share of the capacity in use, 0 to 1.", gateFigure("utilization")),
  family("expected_wait_seconds", "gauge", "Wait of a turn that came now.", ({ gate }) =>
    one(gate && seconds(gate.expectedWaitMs)),
  ),
  family("breaker_state", "gauge", "1 for the state that the breaker is in.", ({ gate }) =>
    gate === null ? [] : flags("state", breakerStateSchema.options, [gate.breaker]),
  ),
  family("acceptance_length", "gauge", "Tokens per step of speculative decoding over the last calls.", (status) =>
    one(status.acceptanceLength),
  ),
  family("engine_running", "gauge", "Requests that the server works on, by itself.", ({ engine }) =>
    one(engine?.running),
  ),
  family("engine_waiting", "gauge", "Requests that wait in the server, by itself.", ({ engine }) =>
    one(engine?.waiting),
  ),
  family("engine_cache_hit_ratio", "gauge", "Prompt tokens found in the prefix cache, by the server.", ({ engine }) =>
    one(engine?.cacheHitShare),
  ),
  family("engine_acceptance_length", "gauge", "Tokens per step, by the server.", ({ engine }) =>
    one(engine?.acceptanceLength),
  ),
  family("engine_read_timestamp_seconds", "gauge", "When the server's own figures were read.", ({ engine }) =>
    one(engine && seconds(engine.readAtMs)),
  ),
  family("alarm", "gauge", "1 while something needs a person.", ({ alarms }) =>
    flags(
      "code",
      alarmCodeSchema.options,
      alarms.map((alarm) => alarm.code),
    ),
  ),
];

/** Fewer than an endpoint's, and no buckets: an endpoint may have figures of hundreds of rooms. */
const ROOM_FAMILIES: readonly Family<UseFigures>[] = [
  ...USE_FAMILIES,
  family("sheds_total", "counter", SHEDS_HELP, (use) => each("reason", use.refused)),
  family("first_sentence_seconds", "summary", FIRST_SENTENCE_HELP, (use) => sumAndCount(use.firstSentenceMs)),
  family("turn_seconds", "summary", TURN_HELP, (use) => sumAndCount(use.turnMs)),
];

/**
 * All figures of `statuses` as one text, each family of metrics once. Names of endpoints are to differ from one another:
 * Prometheus takes a series once only.
 */
export function toPrometheusText(statuses: readonly EndpointStatus[]): string {
  const endpoints = statuses.map((status) => ({ labels: { endpoint: status.name }, source: status }));
  const rooms = statuses.flatMap((status) =>
    status.rooms.map(({ room, figures }) => ({ labels: { endpoint: status.name, room }, source: figures })),
  );
  return [
    ...ENDPOINT_FAMILIES.map((metrics) => familyText("kaibo_endpoint_", metrics, endpoints)),
    ...ROOM_FAMILIES.map((metrics) => familyText("kaibo_room_", metrics, rooms)),
  ].join("");
}

function familyText<Source>(
  prefix: string,
  { name, type, help, read }: Family<Source>,
  sources: readonly { readonly labels: Labels; readonly source: Source }[],
): string {
  const lines = sources.flatMap(({ labels, source }) =>
    read(source).map(
      (sample) =>
        `${prefix}${name}${sample.suffix ?? ""}${labelText({ ...labels, ...sample.labels })} ${numberText(sample.value)}\n`,
    ),
  );
  if (lines.length === 0) return "";
  return `# HELP ${prefix}${name} ${help}\n# TYPE ${prefix}${name} ${type}\n${lines.join("")}`;
}

function family<Source>(
  name: string,
  type: Family<Source>["type"],
  help: string,
  read: Family<Source>["read"],
): Family<Source> {
  return { name, type, help, read };
}

/** No sample of what is not known. */
function one(value: number | null | undefined): Sample[] {
  return value === null || value === undefined ? [] : [{ value }];
}

function each(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([key, value]) => ({ labels: { [label]: key }, value }));
}

function flags(label: string, options: readonly string[], on: readonly string[]): Sample[] {
  return options.map((option) => ({ labels: { [label]: option }, value: on.includes(option) ? 1 : 0 }));
}

function gateFigure(key: "limit" | "slots" | "utilization"): (status: { gate: GateStatus | null }) => Sample[] {
  return ({ gate }) => one(gate?.[key]);
}

function histogram(data: HistogramData): Sample[] {
  let below = 0;
  const buckets = data.counts.map((count, bucket): Sample => {
    below += count;
    const bound = data.bounds[bucket];
    const le = numberText(bound === undefined ? Number.POSITIVE_INFINITY : seconds(bound));
    return { suffix: "_bucket", labels: { le }, value: below };
  });
  return [...buckets, ...sumAndCount(data)];
}

function sumAndCount(data: HistogramData): Sample[] {
  return [
    { suffix: "_sum", value: seconds(data.sum) },
    { suffix: "_count", value: countOf(data) },
  ];
}

function seconds(ms: number): number {
  return ms / 1000;
}

/** As Go reads numbers; JavaScript writes only the infinite ones differently. */
function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value
    .replaceAll("\\", String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`);
}
