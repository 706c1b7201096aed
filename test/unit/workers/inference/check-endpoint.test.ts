import { createServer, type RequestListener } from "node:http";
import { describe, it, onTestFinished } from "vitest";
import { checkEndpoint } from "../../../../workers/inference/check-endpoint.ts";
import {
  aConfig,
  BASE_URL,
  check,
  NOW_MS,
  answer,
  aServer,
  type Body,
  delta,
  error,
  finish,
  html,
  isLong,
  isPlain,
  sse,
  text,
  toolDelta,
  usage,
  used,
} from "./a-server.ts";

describe("checkEndpoint", () => {
  it("finds what a good server does, and nothing to say about it", async ({ expect }) => {
    const { capabilities, problems, warnings } = await check(aServer());
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(capabilities).toEqual({
      checkedAtMs: NOW_MS,
      fields: ["priority", "cache_salt", "chat_template_kwargs", "continuous_usage_stats"],
      tools: true,
      streamingUsage: true,
      reportsCachedTokens: true,
      thinkingOff: true,
      metrics: true,
      firstTokenMs: expect.any(Number),
    });
  });

  it("asks for the answer as turns do: streamed, short, with usage, thoughts off and the fields that are in use", async ({
    expect,
  }) => {
    const server = aServer();
    await check(server, { fields: ["chat_template_kwargs"] });
    const plain = server.bodies.find(({ text }) => text.includes("收到"))?.body;
    expect(plain).toMatchObject({
      model: "qwen",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 256,
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(plain).not.toHaveProperty("priority");
    expect(plain).not.toHaveProperty("cache_salt");
  });

  it("has at most three calls in flight", async ({ expect }) => {
    const server = aServer();
    await check(server);
    expect(server.inFlightMax()).toBe(3);
  });

  it("sends the key to the server alone, to its metrics too", async ({ expect }) => {
    const server = aServer();
    await check(server, {}, "sk-1");
    expect(new Set(server.keys)).toEqual(new Set(["Bearer sk-1"]));
    expect(new Set(server.urls.map((url) => new URL(url).origin))).toEqual(new Set(["http://gpu.test:8000"]));
    const keyless = aServer();
    await check(keyless);
    expect(new Set(keyless.keys)).toEqual(new Set([null]));
  });
});

describe("checkEndpoint, for a server that cannot be used", () => {
  it("says that nothing listens at the address", async ({ expect }) => {
    // Port 9 is `discard`: nobody listens on it here.
    const found = await checkEndpoint({
      config: aConfig({ baseUrl: "http://127.0.0.1:9/v1" }),
      apiKey: "",
      nowMs: NOW_MS,
    });
    expect(found.problems).toEqual([{ field: "baseUrl", reason: expect.stringContaining("cannot be reached") }]);
    expect(found.capabilities.tools).toBe(false);
  });

  it("gives up on a server that hangs when its connect limit is over", async ({ expect }) => {
    const url = await listen(() => undefined);
    const { problems } = await checkEndpoint({
      config: aConfig({ baseUrl: `${url}/v1`, connectTimeoutMs: 100 }),
      apiKey: "",
      nowMs: NOW_MS,
    });
    expect(problems).toEqual([{ field: "baseUrl", reason: expect.stringContaining("within 100 ms") }]);
  });

  it("does not follow a redirect, and says where it leads", async ({ expect }) => {
    const seen: (string | undefined)[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.end("{}");
    });
    const url = await listen((_, response) => {
      response.writeHead(301, { location: `${other}/v1/models` }).end();
    });
    const config = aConfig({ baseUrl: `${url}/v1` });
    const { problems } = await checkEndpoint({ config, apiKey: "sk-1", nowMs: NOW_MS });
    expect(problems).toEqual([{ field: "baseUrl", reason: expect.stringContaining(`${other}/v1/models`) }]);
    expect(seen).toEqual([]);
  });

  it.for([
    ["a web page", () => html(200), "baseUrl", "web page"],
    ["no list", () => Response.json({ status: "ok" }), "baseUrl", "no list of models"],
    ["no JSON", () => new Response("ok"), "baseUrl", "no list of models"],
    ["another model", () => Response.json({ data: [{ id: "llama" }, { id: "phi" }] }), "model", "It has: llama, phi"],
    ["no model", () => Response.json({ data: null }), "model", "no model"],
    ["an error", () => new Response("boom", { status: 500 }), "baseUrl", "HTTP 500: boom"],
    ["a dead origin", () => html(521), "baseUrl", "nothing listens"],
    ["a refused IP address", () => new Response("error code: 1003", { status: 403 }), "baseUrl", "bare IP"],
  ] as const)("names the field when /models has %s, and asks no more", async ([, models, field, words], { expect }) => {
    const server = aServer({ models });
    const { problems } = await check(server);
    expect(problems).toEqual([{ field, reason: expect.stringContaining(words) }]);
    expect(server.urls).toEqual([`${BASE_URL}/models`]);
  });

  it("names ten models at most", async ({ expect }) => {
    const data = Array.from({ length: 12 }, (_, n) => ({ id: `m${n}` }));
    const { problems } = await check(aServer({ models: () => Response.json({ data }) }));
    expect(problems[0]?.reason).toContain("m9");
    expect(problems[0]?.reason).not.toContain("m10");
  });

  it.for([401, 403] as const)("tells a missing key from a wrong one at HTTP %i", async (status, { expect }) => {
    const models = () => new Response("no", { status });
    const without = await check(aServer({ models }));
    expect(without.problems).toEqual([{ field: "keyBinding", reason: expect.stringContaining("wants a key") }]);
    const wrong = await check(aServer({ models }), { keyBinding: "INFERENCE_KEY_GPU" }, "sk-1");
    expect(wrong.problems).toEqual([
      { field: "keyBinding", reason: expect.stringContaining("refused the key of INFERENCE_KEY_GPU") },
    ]);
  });

  it("finds a key that only the chat call asks for", async ({ expect }) => {
    const { problems } = await check(aServer({ chat: () => new Response("no", { status: 401 }) }));
    expect(problems).toEqual([{ field: "keyBinding", reason: expect.stringContaining("wants a key") }]);
  });

  it("does not call a cloud's metadata service", async ({ expect }) => {
    const server = aServer();
    const { problems } = await check(server, { baseUrl: "http://169.254.169.254/v1" });
    expect(problems).toEqual([{ field: "baseUrl", reason: expect.stringContaining("metadata") }]);
    expect(server.urls).toEqual([]);
  });

  it("does not send a key that no header can carry", async ({ expect }) => {
    const server = aServer();
    const { problems } = await check(server, {}, "sk-1\n");
    expect(problems).toEqual([{ field: "keyBinding", reason: expect.stringContaining("white space") }]);
    expect(server.urls).toEqual([]);
  });

  it.for([
    ["the model is not served", () => error(404, "The model `qwen` does not exist."), "model", "does not exist"],
    [
      "a plain call is refused",
      () => error(400, "max_tokens is not supported"),
      "model",
      "max_tokens is not supported",
    ],
    ["the answer is a web page", () => html(200), "baseUrl", "web page"],
    ["the answer is one JSON", () => Response.json({ choices: [] }), "baseUrl", "does not stream"],
    ["the answer has no event", () => new Response("好的"), "baseUrl", "does not stream"],
    ["an error comes in the stream", () => sse([{ error: { message: "out of memory" } }]), "model", "out of memory"],
    ["the gateway fails", () => error(502, ""), "baseUrl", "HTTP 502"],
  ] as const)("names the field when %s", async ([, chat, field, words], { expect }) => {
    const { problems } = await check(aServer({ chat }));
    expect(problems).toEqual([{ field, reason: expect.stringContaining(words) }]);
  });

  it("takes a 404 of both paths for a wrong base URL, unless it speaks of the model", async ({ expect }) => {
    const models = () => error(404, "Not Found");
    const wrongUrl = await check(aServer({ models, chat: () => error(404, "Not Found") }));
    expect(wrongUrl.problems).toEqual([{ field: "baseUrl", reason: expect.stringContaining("/v1") }]);
    const wrongModel = await check(aServer({ models, chat: () => error(404, "model 'qwen' not found") }));
    expect(wrongModel.problems).toEqual([{ field: "model", reason: expect.stringContaining("not found") }]);
  });
});

describe("checkEndpoint, for a server that lacks something", () => {
  it("tolerates a server without /models", async ({ expect }) => {
    const found = await check(aServer({ models: () => error(404, "Not Found") }));
    expect(found.problems).toEqual([]);
    expect(found.warnings).toEqual([{ field: "baseUrl", reason: expect.stringContaining("HTTP 404") }]);
    expect(found.capabilities.tools).toBe(true);
  });

  it.for(["before", "within"] as const)(
    "leaves out a field that the server refuses %s its stream",
    async (when, { expect }) => {
      const words = "Got priority 1 but Priority scheduling is not enabled.";
      const refusal = () => (when === "before" ? error(400, words) : sse([{ error: { message: words, code: 400 } }]));
      const server = aServer({ chat: (body) => ("priority" in body ? refusal() : undefined) });
      const { capabilities, problems, warnings } = await check(server);
      expect(problems).toEqual([]);
      expect(warnings).toEqual([{ field: "fields", reason: expect.stringContaining("--scheduling-policy priority") }]);
      expect(capabilities.fields).toEqual(["cache_salt", "chat_template_kwargs", "continuous_usage_stats"]);
      expect(capabilities.tools).toBe(true);
    },
  );

  it.for([
    ["priority", (body: Body) => "priority" in body],
    ["cache_salt", (body: Body) => "cache_salt" in body],
    ["chat_template_kwargs", (body: Body) => "chat_template_kwargs" in body],
    ["continuous_usage_stats", (body: Body) => JSON.stringify(body).includes("continuous_usage_stats")],
  ] as const)("counts a refused %s as a problem when the configuration lists it", async ([field, has], { expect }) => {
    const server = aServer({ chat: (body) => (has(body) ? error(422, "extra fields not permitted") : undefined) });
    const { problems } = await check(server, { fields: [field] });
    expect(problems).toEqual([
      { field: "fields", reason: expect.stringMatching(`refuses \`${field}\`.*take it out of fields`) },
    ]);
  });

  it("does not count a busy server as one that refuses", async ({ expect }) => {
    const server = aServer({ chat: (body) => ("priority" in body ? error(429, "busy") : undefined) });
    const { capabilities, problems, warnings } = await check(server, { fields: ["priority"] });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([{ field: "fields", reason: expect.stringContaining("not known: HTTP 429, busy") }]);
    expect(capabilities.fields).not.toContain("priority");
  });

  it("says nothing of fields and metrics that an `openai` server never had", async ({ expect }) => {
    const known = new Set(["model", "stream", "stream_options", "temperature", "max_tokens", "messages"]);
    const isStrict = (body: Body) => Object.keys(body).every((key) => known.has(key) || key.startsWith("tool"));
    const server = aServer({
      chat: (body) =>
        isStrict(body) && !JSON.stringify(body).includes("continuous") ? undefined : error(400, "Unrecognized"),
      metrics: () => error(404, ""),
    });
    const { capabilities, problems, warnings } = await check(server, { kind: "openai" });
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(capabilities).toMatchObject({ fields: [], metrics: false, tools: true });
    expect(server.urls).not.toContain("http://gpu.test:8000/metrics");
  });

  it.for([
    ["vllm", "--enable-auto-tool-choice --tool-call-parser"],
    ["sglang", "--tool-call-parser"],
    ["openai", "--jinja"],
  ] as const)("tells the flags of %s when tool calls come as text", async ([kind, flag], { expect }) => {
    const text = '<tool_call>{"name": "get_price", "arguments": {"link": 1}}</tool_call>';
    const server = aServer({ chat: (body) => (body.tools === undefined ? undefined : answer(text)) });
    const { capabilities, problems } = await check(server, { kind });
    expect(problems).toEqual([{ field: "kind", reason: expect.stringContaining(flag) }]);
    expect(capabilities.tools).toBe(false);
  });

  it.for([
    ["refuses tools", () => error(400, '"auto" tool choice requires --enable-auto-tool-choice'), "kind", "requires"],
    ["makes no call", () => answer("我没有工具。"), "model", "the model did not"],
    ["breaks the arguments", () => sse([toolDelta('{"link":'), finish("tool_calls")]), "kind", "broken"],
    ["invents a tool", () => sse([toolDelta("{}", "sell"), finish("tool_calls")]), "kind", "broken"],
    ["fails", () => error(500, "boom"), "model", "HTTP 500, boom"],
  ] as const)("counts it as a problem when the server %s", async ([, tool, field, words], { expect }) => {
    const server = aServer({ chat: (body) => (body.tools === undefined ? undefined : tool()) });
    const { capabilities, problems } = await check(server);
    expect(problems).toEqual([{ field, reason: expect.stringContaining(words) }]);
    expect(capabilities.tools).toBe(false);
  });

  it.for([
    ["says nothing", null, "vllm", "--enable-prompt-tokens-details"],
    ["says nothing", null, "sglang", "--enable-cache-report"],
    ["found nothing", 0, "vllm", "not found in the prefix cache"],
  ] as const)("warns when a server %s of its cache (%s, %s)", async ([, cached, kind, words], { expect }) => {
    const server = aServer({ chat: (body) => (isLong(body) ? answer("六十个。", cached) : undefined), kind });
    const { capabilities, problems, warnings } = await check(server, { kind });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([{ field: "kind", reason: expect.stringContaining(words) }]);
    expect(capabilities.reportsCachedTokens).toBe(false);
  });

  it("sends one long prompt twice, one after the other", async ({ expect }) => {
    const server = aServer();
    await check(server);
    const long = server.bodies.filter(({ body }) => isLong(body));
    expect(long).toHaveLength(2);
    expect(long[0]).toEqual(long[1]);
    expect(long[0]?.text.length).toBeGreaterThan(1_500);
  });

  it.for(["", "sglang:num_running_reqs 1\n"])(
    "warns when /metrics has no names of the kind: %j",
    async (text, { expect }) => {
      const { capabilities, problems, warnings } = await check(aServer({ metrics: () => new Response(text) }));
      expect(problems).toEqual([]);
      expect(warnings).toEqual([{ field: "kind", reason: expect.stringContaining("/metrics") }]);
      expect(capabilities.metrics).toBe(false);
    },
  );

  it("warns when usage comes at the end only, or not at all", async ({ expect }) => {
    const late = await check(
      aServer({ chat: (body) => (isPlain(body) ? sse([text("收到"), finish("stop"), usage()]) : undefined) }),
    );
    expect(late.warnings).toEqual([{ field: "fields", reason: expect.stringContaining("at the end only") }]);
    expect(late.capabilities.streamingUsage).toBe(true);
    const none = await check(
      aServer({ chat: (body) => (isPlain(body) ? sse([text("收到"), finish("stop")]) : undefined) }),
    );
    expect(none.warnings).toEqual([{ field: "kind", reason: expect.stringContaining("No usage") }]);
    expect(none.capabilities.streamingUsage).toBe(false);
  });

  it("counts an answer without text as a problem, and warns of one without an end", async ({ expect }) => {
    const silent = await check(aServer({ chat: (body) => (isPlain(body) ? answer("") : undefined) }));
    expect(silent.problems).toEqual([{ field: "model", reason: expect.stringContaining("no text") }]);
    const endless = await check(
      aServer({ chat: (body) => (isPlain(body) ? sse([used(text("用户要")), finish("length")]) : undefined) }),
    );
    expect(endless.problems).toEqual([]);
    expect(endless.warnings).toEqual([{ field: "model", reason: expect.stringContaining("had no end") }]);
  });
});

describe("checkEndpoint, for thoughts that were not wanted", () => {
  it.for([
    [
      "a closing tag alone",
      [text("用户要我说"), text("收到</thi"), text("nk>收到")],
      false,
      "problem",
      "opensThinking: true",
    ],
    ["a closing tag alone, as configured", [text("用户要我说</think>收到")], true, "warning", "Thoughts come"],
    ["no tag, though one is configured", [text("收到")], true, "problem", "opensThinking: false"],
    ["both tags", [text("<think>用户</think>收到")], false, "warning", "Thoughts come"],
    ["thoughts in their tags alone", [text("<think>用户要")], false, "problem", "Only thoughts"],
    ["vLLM's reasoning", [delta({ reasoning: "用户" }), text("收到")], false, "warning", "Thoughts come"],
    ["SGLang's reasoning alone", [delta({ reasoning_content: "用户" })], false, "problem", "Only thoughts"],
  ] as const)("judges %s", async ([, chunks, opensThinking, severity, words], { expect }) => {
    const chat = (body: Body) => (isPlain(body) ? sse([...chunks.map(used), finish("stop"), usage()]) : undefined);
    const found = await check(aServer({ chat }), { opensThinking });
    const [named, other] = severity === "problem" ? [found.problems, found.warnings] : [found.warnings, found.problems];
    expect(named).toEqual([{ field: expect.any(String), reason: expect.stringContaining(words) }]);
    expect(other).toEqual([]);
    expect(found.capabilities.thinkingOff).toBe(words === "opensThinking: false");
  });

  it("takes an empty pair of tags for no thought", async ({ expect }) => {
    const found = await check(
      aServer({ chat: (body) => (isPlain(body) ? answer("<think>\n\n</think>\n\n收到") : undefined) }),
    );
    expect(found).toMatchObject({ problems: [], warnings: [], capabilities: { thinkingOff: true } });
  });
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}
