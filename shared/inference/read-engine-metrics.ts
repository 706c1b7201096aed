/** Reads what an inference server says about itself, in the Prometheus text of vLLM or of SGLang. */
import type { EngineStatus } from "../contract/endpoint-status.ts";

/** What is read of the text; vLLM's, with its histograms, has about 50 KB. The rest is not looked at. */
const METRICS_CHARS_MAX = 1_000_000;

/** What only grows while a server runs; `null` for what it does not say. */
export type EngineCounters = {
  /** Tokens of prompts, and those of them that were found in the prefix cache. */
  readonly cacheQueries: number | null;
  readonly cacheHits: number | null;
  /** Steps of speculative decoding, and the drafted tokens that were right. */
  readonly drafts: number | null;
  readonly acceptedTokens: number | null;
};

/**
 * The names that are read. Sources: https://docs.vllm.ai/en/stable/usage/metrics/ and
 * https://docs.sglang.io/docs/references/production_metrics. Of several names of one figure the first that the text has
 * is taken: the Prometheus client of Python ends the names of counters in `_total`, other exporters do not.
 */
const NAMES = {
  running: ["vllm:num_requests_running", "sglang:num_running_reqs"],
  waiting: ["vllm:num_requests_waiting", "sglang:num_queue_reqs"],
  cacheQueries: ["vllm:prefix_cache_queries_total", "vllm:prefix_cache_queries"],
  cacheHits: ["vllm:prefix_cache_hits_total", "vllm:prefix_cache_hits"],
  drafts: ["vllm:spec_decode_num_drafts_total", "vllm:spec_decode_num_drafts"],
  acceptedTokens: ["vllm:spec_decode_num_accepted_tokens_total", "vllm:spec_decode_num_accepted_tokens"],
  cacheHitShare: ["sglang:cache_hit_rate"],
  acceptanceLength: ["sglang:spec_accept_length"],
} as const satisfies Record<string, readonly string[]>;
const WANTED: ReadonlySet<string> = new Set(Object.values(NAMES).flat());

/** Of one name, over all its labels: a server with several engines has a line for each. */
type Samples = { readonly sum: number; readonly count: number; readonly aboveZero: number };

/**
 * Reads the Prometheus text of a vLLM or SGLang server; `before` (an earlier read of the same server) makes shares and
 * acceptance those of the interval rather than of all time: `null` if nothing happened in it. Counters that fell say
 * that the server was started anew; then they are of the time since. Never throws: what it cannot read is not there.
 */
export function readEngineMetrics(
  text: string,
  options: { nowMs: number; before: EngineCounters | null },
): { status: EngineStatus; counters: EngineCounters } {
  const read = readSamples(text);
  const samplesOf = (figure: keyof typeof NAMES) => NAMES[figure].map((name) => read.get(name)).find(Boolean);
  const sum = (figure: keyof typeof NAMES) => samplesOf(figure)?.sum ?? null;
  const counters: EngineCounters = {
    cacheQueries: sum("cacheQueries"),
    cacheHits: sum("cacheHits"),
    drafts: sum("drafts"),
    acceptedTokens: sum("acceptedTokens"),
  };
  const since = growth(options.before, counters);
  const hits = ratio(since.cacheHits, since.cacheQueries);
  const accepted = ratio(since.acceptedTokens, since.drafts);
  const share = samplesOf("cacheHitShare");
  const length = samplesOf("acceptanceLength");
  return {
    status: {
      readAtMs: options.nowMs,
      running: sum("running"),
      waiting: sum("waiting"),
      cacheHitShare: hits ?? ratio(share?.sum ?? null, share?.count ?? null),
      // A step gives the tokens that were right and one that the model itself adds. In SGLang, 0 is of an engine that has
      // not drafted yet.
      acceptanceLength: accepted === null ? ratio(length?.sum ?? null, length?.aboveZero ?? null) : 1 + accepted,
    },
    counters,
  };
}

function readSamples(text: string): ReadonlyMap<string, Samples> {
  const read = new Map<string, Samples>();
  // A line that the limit cuts is left out: half a number is a wrong one.
  const end = text.length > METRICS_CHARS_MAX ? text.lastIndexOf("\n", METRICS_CHARS_MAX) : text.length;
  for (let at = 0; at < end;) {
    const lineEnd = text.indexOf("\n", at);
    const next = lineEnd === -1 ? end : Math.min(lineEnd, end);
    readLine(text.slice(at, next), read);
    at = next + 1;
  }
  return read;
}

/** `name value`, `name{label="…",…} value`, each with a time that may follow. Source: https://prometheus.io/docs/instrumenting/exposition_formats/ */
function readLine(line: string, read: Map<string, Samples>): void {
  const name = /^\s*([a-zA-Z_:][\w:]*)\s*/.exec(line);
  if (name?.[1] === undefined || !WANTED.has(name[1])) return;
  const word = /^\s*(\S+)/.exec(line.slice(afterLabels(line, name[0].length)))?.[1];
  const value = Number(word ?? Number.NaN);
  // `NaN` fails both comparisons.
  if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) return;
  const { sum, count, aboveZero } = read.get(name[1]) ?? { sum: 0, count: 0, aboveZero: 0 };
  read.set(name[1], { sum: sum + value, count: count + 1, aboveZero: aboveZero + (value > 0 ? 1 : 0) });
}

/** Where the labels that begin at `at` end, `at` if none do; their values may have braces. */
function afterLabels(line: string, at: number): number {
  if (line.charAt(at) !== "{") return at;
  let isQuoted = false;
  for (let index = at; index < line.length; index += 1) {
    const char = line.charAt(index);
    if (isQuoted && char === "\\") index += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === "}" && !isQuoted) return index + 1;
  }
  return line.length;
}

/** What each counter grew by; from zero if there is no earlier read or the server was started anew since. */
function growth(before: EngineCounters | null, now: EngineCounters): EngineCounters {
  const keys = ["cacheQueries", "cacheHits", "drafts", "acceptedTokens"] as const;
  if (before === null || keys.some((key) => (now[key] ?? 0) < (before[key] ?? 0))) return now;
  const grown = (key: (typeof keys)[number]) => {
    const value = now[key];
    return value === null ? null : value - (before[key] ?? 0);
  };
  return {
    cacheQueries: grown("cacheQueries"),
    cacheHits: grown("cacheHits"),
    drafts: grown("drafts"),
    acceptedTokens: grown("acceptedTokens"),
  };
}

/** `null` without both, or when there is nothing to share. */
function ratio(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null) return null;
  const share = part / whole;
  return Number.isFinite(share) ? share : null;
}
