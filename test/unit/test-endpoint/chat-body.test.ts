import { describe, it } from "vitest";
import { readChatBody, renderOutput, renderPrompt } from "../../endpoint/chat-body.ts";
import { toErrorBody } from "../../endpoint/dialects.ts";
import { emulatorOptionsSchema, type EmulatorOptions } from "../../endpoint/options.ts";

const BODY = { model: "kaibo-emulated", messages: [{ role: "user", content: "你好" }] };
const TOOLS = [{ type: "function", function: { name: "f" } }];

describe("readChatBody", () => {
  it.for<[string, object | undefined, Partial<EmulatorOptions>, number | null]>([
    ["no JSON", undefined, {}, 400],
    ["no messages", { messages: [] }, {}, 400],
    ["another model", { model: "other" }, {}, 404],
    ["vLLM: a priority without priority scheduling", { priority: 4 }, {}, 400],
    ["vLLM: priority 0 without it", { priority: 0 }, {}, null],
    ["vLLM: a priority with it", { priority: 4 }, { priority: true }, null],
    ["vLLM: a salt of 128", { cache_salt: "a".repeat(128) }, {}, null],
    ["vLLM: a salt of 129", { cache_salt: "a".repeat(129) }, {}, 400],
    ["vLLM: a salt with a slash", { cache_salt: "a/b" }, {}, 400],
    ["vLLM: an empty salt", { cache_salt: "" }, {}, 400],
    ["vLLM: tools without a parser", { tools: TOOLS }, { noTools: true }, 400],
    ["vLLM: a field nobody knows", { nonsense: 1 }, {}, null],
    ["SGLang: everything vLLM refuses", { priority: 4, cache_salt: "a/b" }, { kind: "sglang" }, null],
    ["OpenAI: priority", { priority: 0 }, { kind: "openai" }, 400],
    ["OpenAI: chat_template_kwargs", { chat_template_kwargs: {} }, { kind: "openai" }, 400],
    ["OpenAI: running usage", { stream_options: { continuous_usage_stats: true } }, { kind: "openai" }, 400],
    ["OpenAI: its own fields", { tools: TOOLS, stream_options: { include_usage: true } }, { kind: "openai" }, null],
  ])("%s", ([, change, options, status], { expect }) => {
    const json = change === undefined ? undefined : { ...BODY, ...change };
    const read = readChatBody(json, emulatorOptionsSchema.parse(options));
    expect("error" in read ? read.error.status : null).toBe(status);
  });
});

describe("toErrorBody", () => {
  const error = { status: 404, message: "gone", param: "model" };

  it("has each server's form", ({ expect }) => {
    expect(toErrorBody("vllm", error)).toMatchObject({ error: { type: "NotFoundError", code: 404 } });
    expect(toErrorBody("sglang", error)).toMatchObject({ object: "error", type: "NotFoundError", code: 404 });
    expect(toErrorBody("openai", error)).toMatchObject({
      error: { type: "invalid_request_error", code: "model_not_found" },
    });
  });
});

describe("renderPrompt", () => {
  it("gives the next call a prompt that begins with this one and its answer", ({ expect }) => {
    const calls = [{ name: "f", argumentsText: '{"a":1}' }];
    const first = { ...BODY, tools: TOOLS };
    const made = {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "1", function: { name: "f", arguments: '{"a":1}' } }],
    };
    const second = { ...first, messages: [...first.messages, made, { role: "tool", content: "好" }] };
    expect(renderPrompt(second).startsWith(renderPrompt(first) + renderOutput("", calls))).toBe(true);
  });
});
