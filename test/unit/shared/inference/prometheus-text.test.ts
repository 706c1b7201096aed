import fc from "fast-check";
import { describe, it, type ExpectStatic } from "vitest";
import type { EndpointStatus } from "../../../../shared/contract/endpoint-status.ts";
import { EndpointFigures } from "../../../../shared/inference/endpoint-figures.ts";
import { toPrometheusText } from "../../../../shared/inference/prometheus-text.ts";

describe("toPrometheusText", () => {
  it("is empty without endpoints", ({ expect }) => {
    expect(toPrometheusText([])).toBe("");
  });

  it("gives an endpoint's gauges, counters and flags in base units", ({ expect }) => {
    const text = toPrometheusText([aStatus({ name: "primary" })]);
    expect(text.split("\n")).toEqual(
      expect.arrayContaining([
        "# TYPE kaibo_endpoint_in_flight gauge",
        'kaibo_endpoint_in_flight{endpoint="primary"} 3',
        'kaibo_endpoint_waiting{endpoint="primary"} 2',
        'kaibo_endpoint_limit{endpoint="primary"} 7.5',
        'kaibo_endpoint_slots{endpoint="primary"} 8',
        'kaibo_endpoint_utilization{endpoint="primary"} 0.25',
        'kaibo_endpoint_expected_wait_seconds{endpoint="primary"} 0.125',
        'kaibo_endpoint_breaker_state{endpoint="primary",state="closed"} 0',
        'kaibo_endpoint_breaker_state{endpoint="primary",state="half_open"} 1',
        "# TYPE kaibo_endpoint_turns_total counter",
        'kaibo_endpoint_turns_total{endpoint="primary"} 1',
        'kaibo_endpoint_admitted_total{endpoint="primary"} 1',
        'kaibo_endpoint_sheds_total{endpoint="primary",reason="busy"} 1',
        'kaibo_endpoint_sheds_total{endpoint="primary",reason="queue_full"} 0',
        'kaibo_endpoint_calls_total{endpoint="primary"} 3',
        'kaibo_endpoint_call_failures_total{endpoint="primary",code="model_stalled"} 1',
        'kaibo_endpoint_calls_aborted_total{endpoint="primary"} 1',
        'kaibo_endpoint_retries_total{endpoint="primary"} 1',
        'kaibo_endpoint_input_tokens_total{endpoint="primary"} 300',
        'kaibo_endpoint_cached_tokens_total{endpoint="primary"} 90',
        'kaibo_endpoint_output_tokens_total{endpoint="primary"} 30',
        'kaibo_endpoint_acceptance_length{endpoint="primary"} 2',
        'kaibo_endpoint_engine_running{endpoint="primary"} 4',
        'kaibo_endpoint_engine_cache_hit_ratio{endpoint="primary"} 0.5',
        'kaibo_endpoint_alarm{endpoint="primary",code="shedding"} 1',
        'kaibo_endpoint_alarm{endpoint="primary",code="breaker_open"} 1',
        'kaibo_endpoint_alarm{endpoint="primary",code="cache_lost"} 0',
      ]),
    );
  });

  it("gives histograms of endpoints with cumulative buckets in seconds", ({ expect }) => {
    const lines = toPrometheusText([aStatus({ name: "p" })]).split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        "# TYPE kaibo_endpoint_turn_seconds histogram",
        'kaibo_endpoint_turn_seconds_bucket{endpoint="p",le="1.5"} 0',
        'kaibo_endpoint_turn_seconds_bucket{endpoint="p",le="2"} 1',
        'kaibo_endpoint_turn_seconds_bucket{endpoint="p",le="30"} 1',
        'kaibo_endpoint_turn_seconds_bucket{endpoint="p",le="+Inf"} 1',
        'kaibo_endpoint_turn_seconds_sum{endpoint="p"} 2',
        'kaibo_endpoint_turn_seconds_count{endpoint="p"} 1',
      ]),
    );
  });

  it("gives the core of a room's figures, its latencies as sums and counts", ({ expect }) => {
    const rooms = toPrometheusText([aStatus({ name: "p", room: "r" })])
      .split("\n")
      .filter((line) => line.startsWith("kaibo_room_"));
    expect(rooms).toEqual([
      'kaibo_room_in_flight{endpoint="p",room="r"} 3',
      'kaibo_room_waiting{endpoint="p",room="r"} 2',
      'kaibo_room_turns_total{endpoint="p",room="r"} 1',
      'kaibo_room_calls_total{endpoint="p",room="r"} 3',
      'kaibo_room_call_failures_total{endpoint="p",room="r",code="model_stalled"} 1',
      'kaibo_room_retries_total{endpoint="p",room="r"} 1',
      'kaibo_room_input_tokens_total{endpoint="p",room="r"} 300',
      'kaibo_room_cached_tokens_total{endpoint="p",room="r"} 90',
      'kaibo_room_output_tokens_total{endpoint="p",room="r"} 30',
      'kaibo_room_sheds_total{endpoint="p",room="r",reason="busy"} 1',
      'kaibo_room_first_sentence_seconds_sum{endpoint="p",room="r"} 0.9',
      'kaibo_room_first_sentence_seconds_count{endpoint="p",room="r"} 1',
      'kaibo_room_turn_seconds_sum{endpoint="p",room="r"} 2',
      'kaibo_room_turn_seconds_count{endpoint="p",room="r"} 1',
    ]);
  });

  it("leaves out what is not known", ({ expect }) => {
    const status = new EndpointFigures({ name: "offline", startedAtMs: 0 }).status({
      nowMs: 1,
      gate: null,
      rooms: new Map(),
    });
    const names = new Set(parse(toPrometheusText([status])).map(({ name }) => name));
    expect([...names].filter((name) => /limit|slots|utilization|breaker|engine|acceptance|room/.test(name))).toEqual(
      [],
    );
    expect(names).toContain("kaibo_endpoint_in_flight");
  });

  it("gives each family of metrics once, whatever the endpoints, as the format asks", ({ expect }) => {
    const samples = parse(
      toPrometheusText([aStatus({ name: "a" }), aStatus({ name: "b" }), aStatus({ name: "c", room: "other" })]),
    );
    expect(new Set(samples.map(({ labels }) => labels["endpoint"]))).toEqual(new Set(["a", "b", "c"]));
    expectCumulativeBuckets(samples, expect);
  });

  it.for(['quo"te', "back\\slash", "line\nend", "\\n", '直播间"\\\n', "{}=,# "])(
    "escapes names so that %j is read back",
    (name, { expect }) => {
      const samples = parse(toPrometheusText([aStatus({ name, room: name })]));
      expect(new Set(samples.map(({ labels }) => labels["endpoint"]))).toEqual(new Set([name]));
      expect(new Set(samples.flatMap(({ labels }) => labels["room"] ?? []))).toEqual(new Set([name]));
    },
  );

  it("is read back whatever the names and codes are", ({ expect }) => {
    const anyText = fc.string({ unit: fc.constantFrom('"', "\\", "\n", "n", "{", "}", ",", "播", " ") });
    fc.assert(
      fc.property(anyText, anyText, anyText, (name, room, code) => {
        const samples = parse(toPrometheusText([aStatus({ name, room, code })]));
        const failures = samples.filter(({ name: metric }) => metric === "kaibo_room_call_failures_total");
        expect(failures.map(({ labels }) => labels)).toEqual([{ endpoint: name, room, code }]);
      }),
    );
  });
});

type ParsedSample = { name: string; labels: Record<string, string>; value: number };

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ([^\n]+)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary)$/;
const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,(?=[a-zA-Z_]))?)*)\} ([+-]?(?:Inf|\d+(?:\.\d+)?(?:e[+-]?\d+)?)|NaN)$/;
const SUFFIXES: Readonly<Record<string, RegExp>> = {
  counter: /^$/,
  gauge: /^$/,
  histogram: /^_(bucket|sum|count)$/,
  summary: /^_(sum|count)$/,
};

/** A strict reader of the format: throws at the first line that is not as it should be. */
function parse(text: string): ParsedSample[] {
  check(text === "" || text.endsWith("\n"), "the last line has no end");
  const families = text.split(/^(?=# HELP )/m).filter((block) => block !== "");
  const names = families.map((block) => HELP.exec(block.split("\n")[0] ?? "")?.[1]);
  check(new Set(names).size === names.length, `a family twice: ${names.join(" ")}`);
  const samples = families.flatMap(parseFamily);
  const series = samples.map(({ name, labels }) => JSON.stringify([name, labels]));
  check(new Set(series).size === series.length, "a series twice");
  return samples;
}

function parseFamily(block: string): ParsedSample[] {
  const [help = "", type = "", ...lines] = block.split("\n").slice(0, -1);
  const [, helped = ""] = HELP.exec(help) ?? [];
  const [, typed, kind = ""] = TYPE.exec(type) ?? [];
  check(helped !== "" && helped === typed, `no family: ${help} ${type}`);
  check(kind !== "counter" || helped.endsWith("_total"), `no _total: ${helped}`);
  return lines.map((line) => {
    const sample = parseSample(line);
    check(sample.name.startsWith(helped), `outside of its family: ${line}`);
    check(SUFFIXES[kind]?.test(sample.name.slice(helped.length)) === true, `not of a ${kind}: ${line}`);
    return sample;
  });
}

function check(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

function parseSample(line: string): ParsedSample {
  const [, name, labelText, value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || labelText === undefined || value === undefined) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  for (const [, label, escaped] of labelText.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/g)) {
    if (label === undefined || escaped === undefined || label in labels) throw new Error(`a label twice: ${line}`);
    labels[label] = escaped.replaceAll(/\\(["\\n])/g, (_, char: string) => (char === "n" ? "\n" : char));
  }
  return { name, labels, value: value.endsWith("Inf") ? Number(value.replace("Inf", "Infinity")) : Number(value) };
}

function expectCumulativeBuckets(samples: readonly ParsedSample[], expect: ExpectStatic): void {
  const series = Map.groupBy(
    samples.filter(({ name }) => name.endsWith("_bucket")),
    ({ name, labels }) => `${name.replace(/_bucket$/, "")} ${labels["endpoint"]}`,
  );
  expect(series.size).toBe(4 * 3);
  for (const [key, buckets] of series) {
    const ends = buckets.map(({ labels }) => Number(labels["le"]?.replace("+Inf", "Infinity")));
    const counts = buckets.map(({ value }) => value);
    expect(ends).toEqual([...new Set(ends)].toSorted((a, b) => a - b));
    expect(ends.at(-1)).toBe(Number.POSITIVE_INFINITY);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    const [name, endpoint] = key.split(" ");
    const count = samples.find((sample) => sample.name === `${name}_count` && sample.labels["endpoint"] === endpoint);
    expect(counts.at(-1)).toBe(count?.value);
  }
}

function aStatus({
  name,
  room = "room",
  code = "model_stalled",
}: {
  name: string;
  room?: string;
  code?: string;
}): EndpointStatus {
  const figures = new EndpointFigures({ name, startedAtMs: 0 });
  figures.noteAdmission(room, { admitted: true, waitedMs: 30 }, 1000);
  figures.noteAdmission(room, { admitted: false, reason: "busy", expectedWaitMs: 10 }, 1000);
  const call = {
    failure: null,
    startedAtMs: 0,
    firstTokenMs: 70,
    totalMs: 100,
    inputTokens: 100,
    cachedTokens: 30,
    outputTokens: 10,
    acceptanceLength: 2,
    expectsCache: false,
  };
  const calls = [
    { ...call, failure: { code, retryAfterMs: null } },
    { ...call, startedAtMs: 100 },
    { ...call, startedAtMs: 200, failure: { code: "aborted", retryAfterMs: null } },
  ];
  figures.noteReport({ key: "k", room, calls, end: { firstSentenceMs: 900, totalMs: 2000, outcome: "said" } }, 1500);
  figures.noteEngine({ readAtMs: 1700, running: 4, waiting: 0, cacheHitShare: 0.5, acceptanceLength: null });
  return figures.status({
    nowMs: 2000,
    gate: {
      limit: 7.5,
      slots: 8,
      utilizationCeiling: 0.7,
      utilization: 0.25,
      inFlight: 3,
      waiting: 2,
      expectedWaitMs: 125,
      breaker: "half_open",
      breakerProbeAtMs: null,
    },
    rooms: new Map([[room, { inFlight: 3, waiting: 2 }]]),
  });
}
