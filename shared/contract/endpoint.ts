/** An inference endpoint as operators configure it: one OpenAI-compatible server, and how much of it turns may use. */
import { z } from "zod";

/** Names an endpoint in URLs, records and metrics. */
export const endpointNameSchema = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, "1 to 40 of a-z, 0-9 and hyphen")
  .refine((name) => name !== "offline", "`offline` is the policy inside the Worker");

/** Request fields beyond OpenAI's own. A server that does not know one may refuse the whole request. */
export const endpointFieldSchema = z.enum([
  /** vLLM: lower is served first. An error unless the server runs priority scheduling. */
  "priority",
  /** vLLM: keeps one merchant's cached prompts apart from another's. */
  "cache_salt",
  /** vLLM, SGLang: turns thoughts off for templates that have a switch. */
  "chat_template_kwargs",
  /** vLLM, SGLang: usage in every chunk, the only way to know what an aborted call has cost. */
  "continuous_usage_stats",
]);
export type EndpointField = z.infer<typeof endpointFieldSchema>;

/** Most endpoints of a deployment: they travel together as one value of KV, and each is asked at most once a turn. */
export const ENDPOINTS_MAX = 32;

export const endpointConfigSchema = z.strictObject({
  /** With its path, usually `/v1`; without user, query or fragment. */
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .refine((text) => isBareUrl(text), "without user, query or fragment: a key belongs into a secret")
    .transform((text) => text.replace(/\/+$/, "")),
  model: z.string().min(1).max(200),
  kind: z.enum(["vllm", "sglang", "openai"]).default("vllm"),
  /**
   * Name of the secret that holds the key, as `<origin> <key>`: the deployment says where a key may go, and no operator can
   * send it elsewhere. Absent for a server without a key.
   */
  keyBinding: z
    .string()
    .regex(/^INFERENCE_KEY_[A-Z0-9_]{1,40}$/, "INFERENCE_KEY_ and 1 to 40 of A-Z 0-9 _")
    .optional(),
  /** `fallback` endpoints are asked when no `main` one can serve a turn in time. */
  tier: z.enum(["main", "fallback"]).default("main"),
  /** Calls that the server can run at once (vLLM's `--max-num-seqs`, SGLang's `--max-running-requests`). */
  slots: z.int().min(1).max(1_024).default(16),
  /** Share of the capacity that turns may use. Latency grows as idle ÷ (1 − utilisation), so 0.5 doubles it at most. */
  utilizationCeiling: z.number().min(0.05).max(1).default(0.5),
  /**
   * `adaptive` learns the capacity from latencies, up to `slots`; `fixed` takes `slots` for it; `unlimited` admits every turn
   * without asking, for a hosted model that keeps its own limits.
   */
  capacity: z.enum(["adaptive", "fixed", "unlimited"]).default("adaptive"),
  /** Request fields that the server takes. Absent: those that the check finds. */
  fields: z.array(endpointFieldSchema).max(8).optional(),
  /** The chat template opens `<think>` in the prompt and the server has no reasoning parser. */
  opensThinking: z.boolean().default(false),
  /** Longest wait for the response's headers, ms. */
  connectTimeoutMs: z.int().min(100).max(20_000).default(2_500),
  /** False: kept, and not asked. */
  enabled: z.boolean().default(true),
});
export type EndpointConfig = z.infer<typeof endpointConfigSchema>;

/** What a server was seen to do when it was checked. */
export const endpointCapabilitiesSchema = z.strictObject({
  checkedAtMs: z.int(),
  fields: z.array(endpointFieldSchema),
  /** It answered with a tool call when it was given a tool and asked for one. */
  tools: z.boolean(),
  /** Usage came with the stream. */
  streamingUsage: z.boolean(),
  /** A repeated prompt was reported as cached; `null` where the server says nothing about its cache. */
  reportsCachedTokens: z.boolean(),
  /** No thought came although thoughts were off. */
  thinkingOff: z.boolean(),
  /** `/metrics` of the server answers under the names of its kind. */
  metrics: z.boolean(),
  /** Wait for the first token of the check's plain call, ms. */
  firstTokenMs: z.number().nullable(),
});
export type EndpointCapabilities = z.infer<typeof endpointCapabilitiesSchema>;

export const endpointSchema = z.strictObject({
  name: endpointNameSchema,
  config: endpointConfigSchema,
  /** `null`: disabled, or from the deployment's settings, and so never checked. */
  capabilities: endpointCapabilitiesSchema.nullable(),
  updatedBy: z.string(),
  updatedAtMs: z.int(),
});

function isBareUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}
