/** An OpenAI-compatible server behind `fetch`, which a test bends where it wants. */
import { type EndpointConfig, endpointConfigSchema } from "../../../../shared/contract/endpoint.ts";
import { checkEndpoint, type EndpointCheck } from "../../../../workers/inference/check-endpoint.ts";

export const NOW_MS = 1_800_000_000_000;
export const BASE_URL = "http://gpu.test:8000/v1";

export type Body = {
  readonly messages: readonly { readonly content: string }[];
  readonly tools?: readonly unknown[];
};
type Answer<Value> = Value | Promise<Value>;
type Script = {
  readonly kind?: "vllm" | "sglang";
  readonly models?: () => Answer<Response>;
  /** Nothing: the good server's answer. */
  readonly chat?: (body: Body) => Answer<Response | undefined>;
  readonly metrics?: () => Answer<Response>;
};

/** A good vLLM, except for what the script answers. */
export function aServer({ kind = "vllm", ...script }: Script = {}) {
  const urls: string[] = [];
  const keys: (string | null)[] = [];
  const bodies: { readonly text: string; readonly body: Body }[] = [];
  let inFlight = 0;
  let inFlightMax = 0;
  const answerTo = async (url: string, body: string): Promise<Response> => {
    if (url.endsWith("/models")) return script.models?.() ?? Response.json({ data: [{ id: "qwen" }, { id: "bge" }] });
    if (url.endsWith("/metrics")) return script.metrics?.() ?? new Response(`${kind}:num_requests_running 0\n`);
    // The check wrote it a moment ago.
    const parsed = parseBody(body);
    bodies.push({ text: parsed.messages[0]?.content ?? "", body: parsed });
    return (await script.chat?.(parsed)) ?? goodAnswer(parsed);
  };
  return {
    urls,
    keys,
    bodies,
    inFlightMax: () => inFlightMax,
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const url = new Request(input).url;
      urls.push(url);
      keys.push(new Headers(init?.headers).get("authorization"));
      inFlight += 1;
      inFlightMax = Math.max(inFlightMax, inFlight);
      try {
        await Promise.resolve();
        return await answerTo(url, typeof init?.body === "string" ? init.body : "");
      } finally {
        inFlight -= 1;
      }
    },
  };
}

function parseBody(text: string): Body {
  return JSON.parse(text);
}

function goodAnswer(body: Body): Response {
  if (body.tools !== undefined) return sse([toolDelta('{"link": 1}'), finish("tool_calls"), usage()]);
  return answer("收到", isLong(body) ? 1_488 : null);
}

export const isLong = (body: Body) => (body.messages[0]?.content.length ?? 0) > 1_000;
export const isPlain = (body: Body) => body.messages[0]?.content.includes("收到") ?? false;

export function answer(content: string, cachedTokens: number | null = null): Response {
  return sse([used(text(content)), finish("stop"), usage(cachedTokens)]);
}

export function sse(chunks: readonly object[]): Response {
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
  return new Response(`${events}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}

export function delta(fields: object): object {
  return { choices: [{ index: 0, delta: fields, finish_reason: null }] };
}

export function text(content: string): object {
  return delta({ content });
}

/** A chunk with usage so far. */
export function used(chunk: object): object {
  return { ...chunk, usage: { prompt_tokens: 8, completion_tokens: 1 } };
}

export function toolDelta(argumentsText: string, name = "get_price"): object {
  return delta({
    tool_calls: [{ index: 0, id: "c1", type: "function", function: { name, arguments: argumentsText } }],
  });
}

export function finish(reason: string): object {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
}

export function usage(cachedTokens: number | null = null): object {
  const details = cachedTokens === null ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } };
  return { choices: [], usage: { prompt_tokens: 1_500, completion_tokens: 2, ...details } };
}

export function error(status: number, message: string): Response {
  return Response.json({ error: { message, type: "BadRequestError", code: status } }, { status });
}

export function html(status: number): Response {
  return new Response("<!doctype html><title>hi</title>", { status, headers: { "content-type": "text/html" } });
}

/** The check of `qwen` at {@link BASE_URL}, unless the configuration says else. */
export function check(
  server: Pick<ReturnType<typeof aServer>, "fetch">,
  config: Partial<EndpointConfig> = {},
  apiKey = "",
): Promise<EndpointCheck> {
  return checkEndpoint({ config: aConfig(config), apiKey, nowMs: NOW_MS, fetch: server.fetch });
}

export function aConfig(config: Partial<EndpointConfig>): EndpointConfig {
  return endpointConfigSchema.parse({ baseUrl: BASE_URL, model: "qwen", ...config });
}
