/**
 * The yardstick: the same loop with bare `fetch`, as short as it can honestly be. The same endpoint, the same tools block
 * and prompt, the same two tool calls; no room, no hooks, no sentences, no record.
 */
let parsed;

export default {
  async fetch(request, env) {
    const { prompt, tools, product } = (parsed ??= JSON.parse(env.PROMPT));
    const messages = [...prompt, { role: "user", content: (await request.json()).text }];
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const run = async () => {
      for (;;) {
        const step = await callPolicy(env.BASE_URL, messages, tools, writer);
        if (step.calls.length === 0) break;
        messages.push({ role: "assistant", content: step.text, tool_calls: step.calls });
        for (const call of step.calls) {
          JSON.parse(call.function.arguments);
          messages.push({ role: "tool", tool_call_id: call.id, content: product });
        }
      }
      await writer.close();
    };
    void run();
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  },
};

async function callPolicy(baseUrl, messages, tools, writer) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "mock", stream: true, max_tokens: 400, tools, messages }),
  });
  const encoder = new TextEncoder();
  const calls = [];
  let text = "";
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
      if (delta?.content) {
        text += delta.content;
        await writer.write(encoder.encode(`data: ${JSON.stringify(delta.content)}\n\n`));
      }
      for (const part of delta?.tool_calls ?? []) {
        const call = (calls[part.index] ??= {
          id: part.id,
          type: "function",
          function: { name: part.function.name, arguments: "" },
        });
        call.function.arguments += part.function.arguments ?? "";
      }
    }
  }
  return { text, calls };
}
