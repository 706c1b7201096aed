/**
 * How long the emulated GPU takes. An emulation: no figure of a real H20 was found, and these are none.
 * README.md has the arithmetic.
 */

/**
 * Prompt tokens computed in a millisecond, shared by all sequences in prefill. An estimate for compute of H20's class:
 * 12,000 to 17,000 tokens a second (296 TFLOPS FP8, 6 GFLOP a token, 25 to 35 % of it used).
 */
export const PREFILL_TOKENS_PER_MS = 14;

/**
 * One step with nobody else on the GPU, ms. With 1.75 tokens a step, 80 tokens take 46 steps, here half a second.
 * By the run below, 1.4 s are then 231 tokens an answer: an assumption, as its page gives no output length.
 */
export const STEP_MS_IDLE = 10.6;

/**
 * What each running sequence adds to a step, as a share of the idle step. GPUStack's run of Qwen3.5-35B-A3B-FP8 with one
 * MTP draft on one H200 has mean latencies of 1.50, 2.52, 3.28 and 6.79 s at 1, 4, 8 and 16 requests a second. By Little's
 * law 1.5, 10, 26 and 109 were in flight, so latency is about 1.4 s + 0.049 s x in flight.
 * Source: https://docs.gpustack.ai/latest/performance-lab/qwen3.5-35b-a3b/h200-latency/
 */
export const STEP_GROWTH_PER_SEQUENCE = 0.035;

/** Time of one engine step, ms: every sequence that decodes gets a token and perhaps its draft. */
export function stepMs(running: number): number {
  return STEP_MS_IDLE * (1 + STEP_GROWTH_PER_SEQUENCE * running);
}
