import { describe, it } from "vitest";
import { z } from "zod";
import { parseJson } from "../../../../shared/core/json.ts";
import { answerChat, toCompletion, toSse } from "../../../../shared/offline/offline-endpoint.ts";
import { aBody, aRequest, aTool } from "./a-chat-request.ts";

const chunkSchema = z.object({
  object: z.literal("chat.completion.chunk"),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.literal(0),
      delta: z.object({
        role: z.string().optional(),
        content: z.string().optional(),
        tool_calls: z.array(z.unknown()).optional(),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }).optional(),
});
const errorSchema = z.object({ error: z.object({ message: z.string(), type: z.string(), code: z.string() }) });

function chunksOf(sse: string) {
  const payloads = sse.split("\n\n").filter((event) => event !== "" && event !== "data: [DONE]");
  return payloads.map((event) => chunkSchema.parse(parseJson(event.replace("data: ", ""))));
}

describe("answerChat", () => {
  it("answers a plain request with one completion", ({ expect }) => {
    const answer = answerChat(JSON.stringify(aBody()));
    expect(answer).toMatchObject({ status: 200, contentType: "application/json; charset=utf-8" });
    expect(parseJson(answer.body)).toMatchObject({
      object: "chat.completion",
      model: "offline-policy",
      choices: [{ index: 0, message: { role: "assistant" }, finish_reason: "stop" }],
    });
  });

  it("streams a request that asks for it: role, deltas, finish reason, [DONE]", ({ expect }) => {
    const answer = answerChat(JSON.stringify(aBody({ stream: true, questions: ["2号多少钱，包邮吗"] })));
    expect(answer.contentType).toContain("text/event-stream");
    expect(answer.body.endsWith("data: [DONE]\n\n")).toBe(true);
    const deltas = chunksOf(answer.body).map((chunk) => chunk.choices[0]);
    expect(deltas[0]?.delta.role).toBe("assistant");
    expect(deltas.at(-1)?.finish_reason).toBe("stop");
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.map((choice) => choice?.delta.content ?? "").join("")).toContain("159.5元");
  });

  it.for([
    ["", "invalid_json"],
    ["{", "invalid_json"],
    ["[]", "invalid_request"],
    ['{"model":"m"}', "invalid_request"],
    ['{"model":"m","messages":[]}', "invalid_request"],
    ['{"model":"m","messages":[{"role":"judge","content":"x"}]}', "invalid_request"],
    ['{"model":"m","messages":[{"role":"user","content":7}]}', "invalid_request"],
  ] as const)("refuses %s with %s", ([body, code], { expect }) => {
    const answer = answerChat(body);
    expect(answer.status).toBe(400);
    expect(errorSchema.parse(parseJson(answer.body)).error).toMatchObject({ type: "invalid_request_error", code });
  });

  it.for([
    [{ role: "user", content: "你好" }],
    [
      {
        role: "user",
        content: [{ type: "text", text: '<evidence source="messages">\n{"text":"多少钱"}\n</evidence>' }],
      },
    ],
    [{ role: "user", content: '<evidence source="messages">\n{"text":""}\n{"x":1}\nnull\n7\n</evidence>' }],
    [
      {
        role: "user",
        content:
          '<evidence source="catalogue">\n{"link":"x"}\n[]\n</evidence>\n<evidence source="messages">\n{"text":"多少钱"}',
      },
    ],
    [{ role: "assistant", content: null, tool_calls: [{ id: "a", function: { name: "x" } }] }],
    [{ role: "tool", content: "{{{" }],
  ] as const)("answers odd but valid messages with some text: %j", ([message], { expect }) => {
    const answer = answerChat(JSON.stringify({ model: "m", messages: [message] }));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatch(/"content":"[^"]/);
  });
});

describe("toSse", () => {
  it("sends usage only when it is asked for", ({ expect }) => {
    const reply = { kind: "text", sentences: ["39.9元。"] } as const;
    expect(chunksOf(toSse(reply, aRequest(), 10)).at(-1)?.usage).toBeUndefined();
    const asking = { ...aRequest(), stream_options: { include_usage: true } };
    const last = chunksOf(toSse(reply, asking, 10)).at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage?.total_tokens).toBeGreaterThan(10);
  });

  it("sends tool calls with an id, their index and the finish reason tool_calls", ({ expect }) => {
    const reply = { kind: "tool-calls", calls: [{ name: "get_price", argumentsText: "{}" }] } as const;
    const chunks = chunksOf(toSse(reply, aRequest({ tools: [aTool("get_price")] }), 1));
    expect(chunks[1]?.choices[0]?.delta.tool_calls).toEqual([
      { index: 0, id: "call_1", type: "function", function: { name: "get_price", arguments: "{}" } },
    ]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
  });
});

describe("toCompletion", () => {
  it("gives the same id to the same text", ({ expect }) => {
    const idOf = (text: string) => toCompletion({ kind: "text", sentences: [text] }, aRequest(), 1);
    expect(idOf("好的。")).toEqual(idOf("好的。"));
    expect(idOf("好的。")).not.toEqual(idOf("不好。"));
  });
});
