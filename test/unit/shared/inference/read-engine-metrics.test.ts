import fc from "fast-check";
import { describe, it } from "vitest";
import { engineStatusSchema } from "../../../../shared/contract/endpoint-status.ts";
import { readEngineMetrics, type EngineCounters } from "../../../../shared/inference/read-engine-metrics.ts";

const VLLM = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="qwen"} 3.0
vllm:num_requests_running{engine="1",model_name="qwen"} 2.0
vllm:num_requests_waiting{engine="0",model_name="qwen"} 1.0
vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 40.0
vllm:prefix_cache_queries_total{engine="0",model_name="qwen"} 1e+06
vllm:prefix_cache_queries_created{engine="0",model_name="qwen"} 1.79e+09
vllm:prefix_cache_hits_total{engine="0",model_name="qwen"} 750000.0
vllm:spec_decode_num_drafts_total{engine="0",model_name="qwen"} 100.0
vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="qwen"} 200.0
vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="qwen"} 80.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",position="0"} 80.0
`;
const SGLANG = `sglang:num_running_reqs{model_name="qwen",tp_rank="0"} 4.0
sglang:num_queue_reqs{model_name="qwen",tp_rank="0"} 2.0
sglang:cache_hit_rate{dp_rank="0"} 0.5
sglang:cache_hit_rate{dp_rank="1"} 0.7
sglang:spec_accept_length{dp_rank="0"} 2.5
sglang:spec_accept_length{dp_rank="1"} 0.0
`;

describe("readEngineMetrics", () => {
  it("reads vLLM's, summed over its engines", ({ expect }) => {
    expect(read(VLLM)).toEqual({
      status: { readAtMs: 1000, running: 5, waiting: 1, cacheHitShare: 0.75, acceptanceLength: 1.8 },
      counters: { cacheQueries: 1_000_000, cacheHits: 750_000, drafts: 100, acceptedTokens: 80 },
    });
  });

  it("reads SGLang's shares as the mean of its engines, without one that has not drafted", ({ expect }) => {
    const { status, counters } = read(SGLANG);
    expect(status).toMatchObject({ running: 4, waiting: 2, acceptanceLength: 2.5 });
    expect(status.cacheHitShare).toBeCloseTo(0.6, 10);
    expect(counters).toEqual({ cacheQueries: null, cacheHits: null, drafts: null, acceptedTokens: null });
  });

  it("has no acceptance of a server that does not draft", ({ expect }) => {
    expect(read("sglang:spec_accept_length 0.0").status.acceptanceLength).toBeNull();
    expect(read("vllm:num_requests_running 0").status).toMatchObject({ running: 0, acceptanceLength: null });
  });

  it("takes counters without _total, and counts none twice", ({ expect }) => {
    const bare = VLLM.replaceAll("_total", "");
    expect(read(bare).counters).toEqual(read(VLLM).counters);
    expect(read(`${bare}${VLLM}`).counters).toEqual(read(VLLM).counters);
  });

  it("gives shares of the interval since an earlier read", ({ expect }) => {
    const before = { cacheQueries: 999_000, cacheHits: 749_900, drafts: 90, acceptedTokens: 60 };
    expect(read(VLLM, before).status).toMatchObject({ cacheHitShare: 0.1, acceptanceLength: 3 });
  });

  it("gives none of an interval in which nothing happened", ({ expect }) => {
    const { status, counters } = read(VLLM, read(VLLM).counters);
    expect(status).toMatchObject({ running: 5, cacheHitShare: null, acceptanceLength: null });
    expect(counters).toEqual(read(VLLM).counters);
  });

  it("gives those of all time when the server was started anew", ({ expect }) => {
    const before = { cacheQueries: 10, cacheHits: 10, drafts: 101, acceptedTokens: 10 };
    expect(read(VLLM, before).status).toEqual(read(VLLM).status);
  });

  it.for([
    { line: "vllm:num_requests_running 7", running: 7 },
    { line: "  vllm:num_requests_running\t7 1700000000000\r", running: 7 },
    { line: 'vllm:num_requests_running {a="x} 9 \\" {"} 7', running: 7 },
    { line: 'vllm:num_requests_running{a="}"} 7 # {trace="1"} 2', running: 7 },
    { line: "vllm:num_requests_running{} 7e0", running: 7 },
    { line: 'vllm:num_requests_running{a="never closed} 7', running: null },
    { line: "vllm:num_requests_running NaN", running: null },
    { line: "vllm:num_requests_running +Inf", running: null },
    { line: "vllm:num_requests_running -1", running: null },
    { line: "vllm:num_requests_running", running: null },
    { line: "# vllm:num_requests_running 7", running: null },
    { line: "x_vllm:num_requests_running 7", running: null },
  ])("reads $running from «$line»", ({ line, running }, { expect }) => {
    expect(read(`junk {{{\n${line}\n\n`).status.running).toBe(running);
  });

  it("reads a million characters and leaves out a line that this cuts", ({ expect }) => {
    const line = "vllm:num_requests_running 123\n";
    const fill = (chars: number) => `${"#".repeat(chars - 1)}\n`;
    expect(read(`${fill(1_000_000 - line.length)}${line}# more`).status.running).toBe(123);
    expect(read(`${line}${fill(1_000_000 - line.length)}${line}`).status.running).toBe(123);
    expect(read(`${fill(1_000_000 - 28)}${line}`).status.running).toBeNull();
    expect(read("#".repeat(2_000_000)).status.running).toBeNull();
  });

  it("never throws, and gives a status that its schema takes", ({ expect }) => {
    const names = fc.constantFrom(
      "vllm:prefix_cache_hits_total",
      "vllm:prefix_cache_queries_total",
      "sglang:spec_accept_length",
    );
    const parts = fc.oneof(
      names,
      fc.constantFrom("{", "}", '"', "\\", " ", "\n", "=", "1", "1e308", "5e-324", "-"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (text) => {
        const first = read(text.join(""));
        const second = read(text.toReversed().join(""), first.counters);
        for (const { status } of [first, second]) expect(engineStatusSchema.safeParse(status).error).toBeUndefined();
      }),
    );
  });
});

function read(text: string, before: EngineCounters | null = null) {
  return readEngineMetrics(text, { nowMs: 1000, before });
}
