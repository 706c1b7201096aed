/** What goes to the endpoint, and what each failure of it becomes. */
import { describe, it } from "vitest";
import type { ModelRequest } from "../../../shared/agent/model-client.ts";
import type { ChatStreamPart } from "../../../shared/agent/stream/chat-stream.ts";
import { createModelClient } from "../../../workers/platform/openai-model-client.ts";

const OK = 'data: {"choices":[{"index":0,"delta":{"content":"好的。"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

async function ask(
  answer: (init: RequestInit) => Promise<Response>,
  changes: Partial<ModelRequest> = {},
  { kind = "vllm", opensThinking = false }: { kind?: "vllm" | "openai"; opensThinking?: boolean } = {},
) {
  const bodies: string[] = [];
  const client = createModelClient({
    name: "test",
    baseUrl: "https://endpoint.example/v1",
    model: "m",
    apiKey: "key",
    kind,
    opensThinking,
    fetch: async (_url, init) => {
      bodies.push(typeof init?.body === "string" ? init.body : "");
      return answer(init ?? {});
    },
  });
  const parts: ChatStreamPart[] = [];
  const request: ModelRequest = {
    messages: [{ role: "user", content: "多少钱" }],
    tools: [],
    temperature: 0.3,
    topP: null,
    maxOutputTokens: 100,
    thinking: false,
    firstByteTimeoutMs: 1_000,
    betweenChunksTimeoutMs: 1_000,
    callIdPrefix: "t1_0",
    signal: new AbortController().signal,
    ...changes,
  };
  for await (const batch of client.stream(request)) parts.push(...batch);
  return { parts, bodies };
}

const end = (parts: readonly ChatStreamPart[]) => parts.at(-1);

describe("createModelClient", () => {
  it("streams, caps the output, turns thinking off and asks for usage in every chunk", async ({ expect }) => {
    const { parts, bodies } = await ask(async () => new Response(OK));
    expect(parts).toContainEqual({ type: "text-delta", text: "好的。" });
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({
      stream: true,
      max_tokens: 100,
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

  it("leaves out what only vLLM and SGLang know, for a server that refuses it", async ({ expect }) => {
    const { bodies } = await ask(async () => new Response(OK), {}, { kind: "openai" });
    expect(bodies[0]).not.toMatch(/chat_template_kwargs|continuous_usage_stats/u);
  });

  it("speaks nothing before a closing tag, where the server's template opens the thought", async ({ expect }) => {
    const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    const body = `${delta("先想：底价很低。</thi")}${delta("nk>白色19.9元。")}${OK.replace("好的。", "")}`;
    const { parts } = await ask(async () => new Response(body), {}, { opensThinking: true });
    const text = parts.map((part) => (part.type === "text-delta" ? part.text : "")).join("");
    expect(text).toBe("白色19.9元。");
  });

  it.for([
    [429, "model_unavailable"],
    [500, "model_unavailable"],
    [503, "model_unavailable"],
    [400, "model_refused"],
    [401, "model_refused"],
    [404, "model_refused"],
  ] as const)("a %i is %s, asked once", async ([status, code], { expect }) => {
    const { parts, bodies } = await ask(async () => Response.json({ error: { message: "x" } }, { status }));
    expect([end(parts), bodies.length]).toMatchObject([{ type: "end", finish: "error", code }, 1]);
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
