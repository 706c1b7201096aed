/** Reads what an inference server says about itself, now and then. */
import { AppError } from "../../shared/errors/app-error.ts";
import type { EngineStatus } from "../../shared/contract/endpoint-status.ts";
import { type EngineCounters, readEngineMetrics } from "../../shared/inference/read-engine-metrics.ts";
import { systemClock } from "../platform/system-clock.ts";
import { usableEndpoints, type UsableEndpoint } from "./endpoint-directory.ts";

/** Time between two reads, ms: the scrape interval that Prometheus has by default. */
const READ_EVERY_MS = 15_000;
/** Limit on one read, ms. */
const READ_LIMIT_MS = 2_000;
/** Bytes of one read. An engine with many metrics gives about 200 kB. */
const READ_BYTES_MAX = 2_000_000;

export class EngineWatch {
  readonly #env: Env;
  readonly #name: string;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #counters: EngineCounters | null = null;

  constructor(env: Env, name: string) {
    this.#env = env;
    this.#name = name;
  }

  /** `null`: it was read just now, or the server does not tell. */
  async read(): Promise<EngineStatus | null> {
    const nowMs = systemClock.nowMs();
    if (nowMs - this.#readAtMs < READ_EVERY_MS) return null;
    this.#readAtMs = nowMs;
    try {
      const endpoints = await usableEndpoints(this.#env, () => {});
      const endpoint = endpoints.find(({ name }) => name === this.#name);
      if (endpoint === undefined || endpoint.config.kind === "openai") return null;
      const { status, counters } = readEngineMetrics(await fetchMetrics(endpoint), { nowMs, before: this.#counters });
      this.#counters = counters;
      return status;
    } catch {
      // Figures of the engine are an extra: calls report most of them too.
      return null;
    }
  }
}

async function fetchMetrics({ config, apiKey }: UsableEndpoint): Promise<string> {
  const response = await fetch(new URL("/metrics", config.baseUrl), {
    headers: apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
    redirect: "manual",
    signal: AbortSignal.timeout(READ_LIMIT_MS),
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new AppError("model_unavailable", "The server shows no metrics");
  }
  return readText(response.body);
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > READ_BYTES_MAX) break;
  }
  return text;
}
