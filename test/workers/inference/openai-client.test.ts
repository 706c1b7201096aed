/** What goes to the endpoint, and what each failure of it becomes. */
import { describe, it } from "vitest";
import type { ChatStreamPart } from "../../../shared/agent/stream/chat-stream.ts";
import type { EndpointField } from "../../../shared/contract/endpoint.ts";
import type { EndpointCall } from "../../../shared/inference/endpoint-client.ts";
import { createOpenAiClient } from "../../../workers/inference/openai-client.ts";

const OK = 'data: {"choices":[{"index":0,"delta":{"content":"好的。"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

const ALL_FIELDS: readonly EndpointField[] = [
  "priority",
  "cache_salt",
  "chat_template_kwargs",
  "continuous_usage_stats",
];

async function ask(
  answer: (init: RequestInit) => Promise<Response>,
  changes: Partial<EndpointCall> = {},
  { fields = ALL_FIELDS, opensThinking = false }: { fields?: readonly EndpointField[]; opensThinking?: boolean } = {},
) {
  const bodies: string[] = [];
  const client = createOpenAiClient({
    baseUrl: "https://endpoint.example/v1",
    model: "m",
    apiKey: "key",
    fields: new Set(fields),
    opensThinking,
    connectTimeoutMs: 1_000,
    fetch: async (_url, init) => {
      bodies.push(typeof init?.body === "string" ? init.body : "");
      return answer(init ?? {});
    },
  });
  const parts: ChatStreamPart[] = [];
  const request: EndpointCall = {
    messages: [{ role: "user", content: "多少钱" }],
    tools: [],
    temperature: 0.3,
    topP: null,
    maxOutputTokens: 100,
    thinking: false,
    firstByteTimeoutMs: 1_000,
    betweenChunksTimeoutMs: 1_000,
    callIdPrefix: "t1_0",
    priority: 4,
    cacheSalt: "5a17",
    totalTimeoutMs: 5_000,
    signal: new AbortController().signal,
    ...changes,
  };
  for await (const batch of client.stream(request)) parts.push(...batch);
  return { parts, bodies };
}

const end = (parts: readonly ChatStreamPart[]) => parts.at(-1);

describe("createOpenAiClient", () => {
  it("streams, caps the output, turns thinking off and asks for usage in every chunk", async ({ expect }) => {
    const { parts, bodies } = await ask(async () => new Response(OK));
    expect(parts).toContainEqual({ type: "text-delta", text: "好的。" });
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({
      stream: true,
      max_tokens: 100,
      priority: 4,
      cache_salt: "5a17",
      chat_template_kwargs: { enable_thinking: false },
      stream_options: { include_usage: true, continuous_usage_stats: true },
    });
  });

  it("ends the body with the messages, so that one call's bytes are a prefix of the next one's", async ({ expect }) => {
    const messages = [{ role: "user" as const, content: "多少钱" }];
    const first = (await ask(async () => new Response(OK), { messages })).bodies[0] ?? "";
    const next =
      (await ask(async () => new Response(OK), { messages: [...messages, { role: "assistant", content: "好" }] }))
        .bodies[0] ?? "";
    expect(next.startsWith(first.slice(0, -2))).toBe(true);
  });

  it("leaves out every field that the server does not take", async ({ expect }) => {
    const { bodies } = await ask(async () => new Response(OK), {}, { fields: [] });
    expect(bodies[0]).not.toMatch(/chat_template_kwargs|continuous_usage_stats|priority|cache_salt/u);
  });

  it("speaks nothing before a closing tag, where the server's template opens the thought", async ({ expect }) => {
    const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    const body = `${delta("先想：底价很低。</thi")}${delta("nk>白色19.9元。")}${OK.replace("好的。", "")}`;
    const { parts } = await ask(async () => new Response(body), {}, { opensThinking: true });
    const text = parts.map((part) => (part.type === "text-delta" ? part.text : "")).join("");
    expect(text).toBe("白色19.9元。");
  });

  it.for([
    [302, "model_misconfigured"],
    [400, "model_refused"],
    [401, "model_misconfigured"],
    [403, "model_misconfigured"],
    [404, "model_misconfigured"],
    [422, "model_refused"],
    [429, "model_rate_limited"],
    [500, "model_unavailable"],
    [503, "model_unavailable"],
  ] as const)("a %i is %s, asked once", async ([status, code], { expect }) => {
    const { parts, bodies } = await ask(async () => Response.json({ error: { message: "x" } }, { status }));
    expect([end(parts), bodies.length]).toMatchObject([{ type: "end", finish: "error", code }, 1]);
  });

  it("passes on how long the server asks to be left alone", async ({ expect }) => {
    const busy = new Response(null, { status: 503, headers: { "retry-after": "2" } });
    expect(end((await ask(async () => busy)).parts)).toMatchObject({ retryAfterMs: 2_000 });
  });

  it("an answer that outlasts the call's time is model_timed_out, with what came before", async ({ expect }) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"第一"}}]}\n\n'));
      },
    });
    const { parts } = await ask(async () => new Response(body), { totalTimeoutMs: 30 });
    expect(parts).toMatchObject([{ text: "第一" }, { type: "usage" }, { finish: "error", code: "model_timed_out" }]);
  });

  it("a connection that fails is model_unavailable", async ({ expect }) => {
    const { parts } = await ask(() => Promise.reject(new TypeError("connection refused")));
    expect(end(parts)).toMatchObject({ finish: "error", code: "model_unavailable" });
  });

  it("headers that do not come in time are model_timed_out, and the call is aborted", async ({ expect }) => {
    let aborted = false;
    const { parts } = await ask(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => {
            aborted = true;
            reject(new DOMException("aborted", "AbortError"));
          });
        }),
      { firstByteTimeoutMs: 20 },
    );
    expect([end(parts), aborted]).toMatchObject([{ finish: "error", code: "model_timed_out" }, true]);
  });

  it("an answer without end is broken off long before it fills the memory, and its connection is closed", async ({
    expect,
  }) => {
    const thought = `data: ${JSON.stringify({ choices: [{ delta: { reasoning: "想".repeat(100_000) } }] })}\n\n`;
    const chunk = new TextEncoder().encode(thought);
    let chunks = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(chunk);
      },
      cancel() {
        isCancelled = true;
      },
    });
    const { parts } = await ask(async () => new Response(body));
    expect(end(parts)).toMatchObject({ finish: "error", code: "model_stream_broken" });
    expect([chunks < 40, isCancelled]).toEqual([true, true]);
  });

  it.for([
    ["invalid_request_error", "invalid_request_error"],
    ["refused key", "model_stream_broken"],
    ["bad:key", "model_stream_broken"],
  ] as const)("a server's code %j is recorded as %s", async ([code, recorded], { expect }) => {
    const body = `data: ${JSON.stringify({ error: { code, message: "key" } })}\n\n`;
    expect(end((await ask(async () => new Response(body))).parts)).toMatchObject({ finish: "error", code: recorded });
  });

  it("an abort by the engine is no wish of the turn: the stream is broken", async ({ expect }) => {
    const body = 'data: {"choices":[{"delta":{"content":"第一"},"finish_reason":"abort"}]}\n\ndata: [DONE]\n\n';
    const { parts } = await ask(async () => new Response(body));
    expect(end(parts)).toMatchObject({ finish: "error", code: "model_stream_broken" });
  });

  it("an abort by the turn ends the stream as aborted", async ({ expect }) => {
    const abort = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"第一"}}]}\n\n'));
        abort.abort();
      },
    });
    const { parts } = await ask(async () => new Response(body), { signal: abort.signal });
    expect(end(parts)).toMatchObject({ type: "end", finish: "aborted" });
  });
});
