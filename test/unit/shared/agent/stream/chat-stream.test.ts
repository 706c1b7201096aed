import fc from "fast-check";
import { describe, it } from "vitest";
import {
  ChatStreamAssembler,
  type ChatStreamOptions,
  type StreamEnd,
} from "../../../../../shared/agent/stream/chat-stream.ts";
import { mergeText } from "./provider-fixtures.ts";

const OPTIONS: ChatStreamOptions = { thinking: false, callIdPrefix: "t7" };

const delta = (fields: object, finish: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });
const text = (content: string) => delta({ content });
const toolCall = delta({ tool_calls: [{ index: 0, id: "a", function: { name: "get_price", arguments: "{}" } }] });

/** The text, the called names and the end that the events give. */
function assemble(payloads: readonly string[], options: ChatStreamOptions = OPTIONS, interruption?: StreamEnd) {
  const assembler = new ChatStreamAssembler(options);
  const parts = [...payloads.flatMap((payload) => assembler.push(payload)), ...assembler.end(interruption)];
  return {
    text: parts.flatMap((part) => (part.type === "text-delta" ? [part.text] : [])).join(""),
    calls: parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCall.name] : [])),
    ends: parts.flatMap((part) => (part.type === "end" ? [part.finish] : [])),
    codes: parts.flatMap((part) => (part.type === "end" ? [part.code] : [])),
    assembler,
  };
}

describe("ChatStreamAssembler", () => {
  it("gives text with the event that brings it, and tool calls only at the end", ({ expect }) => {
    const assembler = new ChatStreamAssembler(OPTIONS);
    expect(assembler.push(text("还有"))).toEqual([{ type: "text-delta", text: "还有" }]);
    expect(assembler.push(toolCall)).toEqual([]);
    expect(assembler.push(delta({}, "tool_calls"))).toEqual([]);
    expect(assembler.push("[DONE]").map((part) => part.type)).toEqual(["tool-call", "usage", "end"]);
    expect(assembler.isEnded).toBe(true);
    expect(assembler.push(text("鬼影"))).toEqual([]);
    expect(assembler.end()).toEqual([]);
  });

  it.for(["[DONE]", " [DONE]", "[DONE] ", "[DONE]\n"])("ends at %j", (done, { expect }) => {
    expect(assemble([text("好"), delta({}, "stop"), done, text("鬼影")]).text).toBe("好");
  });

  it.for<{ finish: string; ends: string }>([
    { finish: "stop", ends: "stop" },
    { finish: "eos_token", ends: "stop" },
    { finish: "length", ends: "length" },
    { finish: "abort", ends: "aborted" },
    { finish: "content_filter", ends: "content-filter" },
    { finish: "error", ends: "error" },
    { finish: "__proto__", ends: "incomplete" },
    { finish: "", ends: "incomplete" },
  ])("reads finish $finish as $ends", ({ finish, ends }, { expect }) => {
    expect(assemble([text("好"), delta({}, finish)]).ends).toEqual([ends]);
  });

  it.for(["length", "abort", "content_filter", "error", "", "weird"])(
    "gives no tool call after finish %j: half a call must not run",
    (finish, { expect }) => {
      expect(assemble([toolCall, delta({}, finish)]).calls).toEqual([]);
    },
  );

  it.for(["stop", "tool_calls", "function_call", "eos"])(
    "runs the calls that are there after %s",
    (finish, { expect }) => {
      expect(assemble([toolCall, delta({}, finish)])).toMatchObject({ calls: ["get_price"], ends: ["tool-calls"] });
    },
  );

  it("takes calls from the event that also says the finish", ({ expect }) => {
    const last = delta({ tool_calls: [{ function: { name: "get_stock" } }] }, "stop");
    expect(assemble([last]).calls).toEqual(["get_stock"]);
  });

  it("drops white space before the first real text, and keeps it after", ({ expect }) => {
    expect(assemble([text("\n"), text(" \n你好"), text("\n\n宝宝"), delta({}, "stop")]).text).toBe("你好\n\n宝宝");
  });

  it("releases at the end what only looked like a tag", ({ expect }) => {
    expect(assemble([text("价格<"), delta({}, "stop")]).text).toBe("价格<");
    expect(assemble([text("价格<")], OPTIONS, { finish: "error", code: "model_stalled" }).text).toBe("价格<");
  });

  describe("with an answer that came only as reasoning", () => {
    const reasoning = [delta({ reasoning: "39.9元" }), delta({}, "stop")];

    it("says it when thoughts were off", ({ expect }) => {
      expect(assemble(reasoning).text).toBe("39.9元");
    });

    it.for<{ name: string; payloads: string[]; options?: ChatStreamOptions }>([
      { name: "thoughts were on", payloads: reasoning, options: { ...OPTIONS, thinking: true } },
      { name: "a tool was called", payloads: [delta({ reasoning: "查价" }), toolCall, delta({}, "stop")] },
      { name: "the engine aborted", payloads: [delta({ reasoning: "查" }), delta({}, "abort")] },
      { name: "the provider failed", payloads: [delta({ reasoning: "查" }), '{"error":{"message":"x"}}'] },
      { name: "it is only white space", payloads: [delta({ reasoning: "\n\n" }), delta({}, "stop")] },
    ])("says nothing when $name", ({ payloads, options }, { expect }) => {
      expect(assemble(payloads, options).text).toBe("");
    });

    it("says only the content when there is any", ({ expect }) => {
      expect(
        assemble([delta({ reasoning: "想" }), text("39.9元"), delta({ reasoning: "再想" }), delta({}, "stop")]).text,
      ).toBe("39.9元");
    });

    it.for([
      { reasoning: ["用户想问价格</thi", "nk>\n\n39.9元"], said: "39.9元" },
      { reasoning: ["<think>想</think>39.9元<tool_call>x</tool_call>"], said: "39.9元" },
    ])("says nothing of the tagged thoughts in $reasoning", ({ reasoning: pieces, said }, { expect }) => {
      expect(assemble([...pieces.map((piece) => delta({ reasoning_content: piece })), delta({}, "stop")]).text).toBe(
        said,
      );
    });
  });

  it("keeps what leaked, for the record", ({ expect }) => {
    const leaked = text('好<tool_call>{"name":"get_price"}</tool_call>');
    expect(assemble([leaked, delta({}, "stop")]).assembler.leakedToolCalls).toEqual(['{"name":"get_price"}']);
    const inReasoning = delta({ reasoning: "<tool_call>a</tool_call>" });
    expect(assemble([inReasoning, delta({}, "stop")]).assembler.leakedToolCalls).toEqual(["a"]);
  });

  it("counts what is no JSON object and goes on; blank events do not count", ({ expect }) => {
    const { assembler, ends, text: said } = assemble(["{oops", "[]", "3", "", " ", text("好"), delta({}, "stop")]);
    expect([assembler.skippedCount, ends, said]).toEqual([3, ["stop"], "好"]);
  });

  it.for<{ payload: string; code: string | null }>([
    { payload: '{"error":{"code":"rate_limit_exceeded","message":"x"}}', code: "rate_limit_exceeded" },
    { payload: '{"error":{"code":503}}', code: "503" },
    { payload: '{"error":{"code":null,"type":"overloaded"}}', code: "overloaded" },
    { payload: '{"error":{}}', code: null },
    { payload: '{"error":"loading"}', code: null },
    { payload: '{"object":"error","code":400}', code: "400" },
    { payload: '{"error":{"code":7},"choices":[{"delta":{"content":"丢"}}]}', code: "7" },
  ])("ends as an error at $payload, and whole when it comes after the finish", ({ payload, code }, { expect }) => {
    expect(assemble([text("好"), payload, text("丢")])).toMatchObject({ text: "好", ends: ["error"], codes: [code] });
    expect(assemble([text("好"), delta({}, "stop"), payload])).toMatchObject({ text: "好", ends: ["stop"] });
    expect(assemble([toolCall, delta({}, "stop"), payload])).toMatchObject({
      calls: ["get_price"],
      ends: ["tool-calls"],
    });
  });

  it("limits what it keeps of a provider's words", ({ expect }) => {
    const assembler = new ChatStreamAssembler(OPTIONS);
    const [end] = assembler.push(JSON.stringify({ error: { code: "c".repeat(999), message: "m".repeat(999) } }));
    expect(end).toEqual({ type: "end", finish: "error", code: "c".repeat(64), detail: "m".repeat(300) });
  });

  it("lets an error after the finish stand back, but not an abort", ({ expect }) => {
    const whole = [text("好"), delta({}, "stop")];
    expect(assemble(whole, OPTIONS, { finish: "error", code: "model_stalled" }).ends).toEqual(["stop"]);
    expect(assemble(whole, OPTIONS, { finish: "aborted", code: null }).ends).toEqual(["aborted"]);
    expect(assemble([toolCall, delta({}, "stop")], OPTIONS, { finish: "aborted", code: null }).calls).toEqual([]);
  });

  it("keeps the last usage of an aborted answer", ({ expect }) => {
    const assembler = new ChatStreamAssembler(OPTIONS);
    for (const n of [1, 2]) {
      assembler.push(
        JSON.stringify({ choices: [{ delta: { content: "好" } }], usage: { prompt_tokens: 9, completion_tokens: n } }),
      );
    }
    assembler.push(JSON.stringify({ choices: [{ delta: { content: "好" } }], usage: null }));
    expect(assembler.end({ finish: "aborted", code: null })[0]).toMatchObject({
      usage: { inputTokens: 9, outputTokens: 2, estimated: false },
    });
  });

  it("never throws, and ends exactly once, whatever the events", ({ expect }) => {
    const odd = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom("[DONE]", toolCall, text("好"), delta({}, "stop")),
      fc
        .record({
          choices: fc.oneof(
            fc.jsonValue(),
            fc.array(fc.record({ delta: fc.jsonValue(), finish_reason: fc.jsonValue() })),
          ),
          usage: fc.jsonValue(),
          metrics: fc.jsonValue(),
        })
        .map((value) => JSON.stringify(value)),
      fc
        .record({ content: fc.jsonValue(), tool_calls: fc.array(fc.jsonValue()), reasoning: fc.jsonValue() })
        .map((fields) => delta(fields)),
    );
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 12 }), fc.boolean(), (payloads, thinking) => {
        const assembler = new ChatStreamAssembler({ ...OPTIONS, thinking });
        const parts = mergeText([...payloads.flatMap((payload) => assembler.push(payload)), ...assembler.end()]);
        const order = ["text-delta", "tool-call", "usage", "end"];
        const places = parts.map((part) => order.indexOf(part.type));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(parts.filter((part) => part.type === "end")).toHaveLength(1);
        expect(parts.filter((part) => part.type === "usage").length).toBeLessThan(2);
      }),
    );
  });
});
