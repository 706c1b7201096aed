/** `/metrics` of the engines, in their own names, as Prometheus text. */
import type { Engine } from "./engine.ts";
import type { EngineKind } from "./options.ts";

/** The text for a kind of server; `null` where it has no metrics of its own. */
export function toMetricsText(kind: EngineKind, engine: Engine, model: string): string | null {
  const labels = `model_name="${model.replace(/["\\\n]/g, "_")}"`;
  switch (kind) {
    case "vllm":
      return `${toVllmLines(engine, labels).join("\n")}\n`;
    case "sglang":
      return `${toSglangLines(engine, labels).join("\n")}\n`;
    case "openai":
      return null;
  }
}

type Sample = readonly [name: string, type: "gauge" | "counter", value: number];

/** Names of `vllm/v1/metrics/loggers.py`. Nothing is ever preempted here: the KV cache of running sequences has no end. */
function toVllmLines(engine: Engine, labels: string): string[] {
  const { figures } = engine;
  const samples: Sample[] = [
    ["num_requests_running", "gauge", engine.running],
    ["num_requests_waiting", "gauge", engine.waiting],
    ["kv_cache_usage_perc", "gauge", engine.cacheUsage],
    ["num_preemptions_total", "counter", 0],
    ["prefix_cache_queries_total", "counter", figures.promptTokens],
    ["prefix_cache_hits_total", "counter", figures.cachedTokens],
    ["prompt_tokens_total", "counter", figures.promptTokens],
    ["generation_tokens_total", "counter", figures.outputTokens],
    ["request_success_total", "counter", figures.finishedRequests],
    ["spec_decode_num_drafts_total", "counter", figures.drafts],
    ["spec_decode_num_draft_tokens_total", "counter", figures.drafts],
    ["spec_decode_num_accepted_tokens_total", "counter", figures.acceptedDrafts],
  ];
  return [
    ...toLines("vllm", samples, labels),
    ...figures.firstTokenS.toLines("vllm:time_to_first_token_seconds", labels),
    ...figures.requestS.toLines("vllm:e2e_request_latency_seconds", labels),
    ...figures.queueS.toLines("vllm:request_queue_time_seconds", labels),
  ];
}

/** Names of SGLang's `metrics/collector.py`. */
function toSglangLines(engine: Engine, labels: string): string[] {
  const { figures } = engine;
  const samples: Sample[] = [
    ["num_running_reqs", "gauge", engine.running],
    ["num_queue_reqs", "gauge", engine.waiting],
    ["token_usage", "gauge", engine.cacheUsage],
    ["cache_hit_rate", "gauge", figures.promptTokens === 0 ? 0 : figures.cachedTokens / figures.promptTokens],
    ["cached_tokens_total", "counter", figures.cachedTokens],
    ["prompt_tokens_total", "counter", figures.promptTokens],
    ["generation_tokens_total", "counter", figures.outputTokens],
    ["num_requests_total", "counter", figures.finishedRequests],
    ["spec_accept_length", "gauge", figures.acceptanceLength ?? 0],
    ["spec_accept_rate", "gauge", figures.drafts === 0 ? 0 : figures.acceptedDrafts / figures.drafts],
    ["num_retracted_reqs", "gauge", 0],
  ];
  return [
    ...toLines("sglang", samples, labels),
    ...figures.firstTokenS.toLines("sglang:time_to_first_token_seconds", labels),
    ...figures.requestS.toLines("sglang:e2e_request_latency_seconds", labels),
    ...figures.queueS.toLines("sglang:queue_time_seconds", labels),
  ];
}

function toLines(engine: string, samples: readonly Sample[], labels: string): string[] {
  return samples.flatMap(([name, type, value]) => [
    `# TYPE ${engine}:${name} ${type}`,
    `${engine}:${name}{${labels}} ${value}`,
  ]);
}
