/** What each body in `test/fixtures/provider/` means: the text, calls, usage and end that we must read from it. */
import type { ChatStreamPart, StreamEnd } from "../../../../../shared/agent/stream/chat-stream.ts";
import type { StreamUsage } from "../../../../../shared/agent/stream/read-usage.ts";
import type { RequestedToolCall } from "../../../../../shared/agent/stream/tool-call-collector.ts";

export type ProviderFixture = {
  /** File name without `.sse`. */
  readonly name: string;
  readonly text?: string;
  readonly calls?: readonly RequestedToolCall[];
  readonly end?: StreamEnd;
  /** The usual usage chunk if absent; `null` if there must be none. */
  readonly usage?: StreamUsage | null;
  /** The socket fails after the body's last byte. */
  readonly breaks?: boolean;
  readonly startsInsideThinking?: boolean;
};

const USAGE: StreamUsage = {
  inputTokens: 812,
  outputTokens: 9,
  cachedTokens: 784,
  reasoningTokens: null,
  estimated: false,
};
const STOP: StreamEnd = { finish: "stop", code: null };
const TOOL_CALLS: StreamEnd = { finish: "tool-calls", code: null };
const EMPTY: StreamEnd = { finish: "error", code: "model_empty_stream" };
const ID = "chatcmpl-tool-9c1e";
const PLAIN = "这款面膜今天39.9元，拍下送小样🎉";

function guessed(outputTokens: number): StreamUsage {
  return { inputTokens: 0, outputTokens, cachedTokens: null, reasoningTokens: null, estimated: true };
}

function call(name: string, argumentsText: string, id = ID): RequestedToolCall {
  return { id, name, argumentsText };
}

const TWO_CALLS = [call("get_price", '{"a":1}', "t1"), call("get_stock", '{"b":2}', "t2")];

export const PROVIDER_FIXTURES: readonly ProviderFixture[] = [
  // Framing.
  { name: "plain-text", text: PLAIN },
  { name: "crlf", text: PLAIN },
  { name: "cr-only", text: PLAIN },
  { name: "mixed-line-ends", text: PLAIN },
  { name: "no-space-after-data", text: PLAIN },
  { name: "keep-alive-comments", text: PLAIN },
  { name: "byte-order-mark", text: PLAIN },
  { name: "named-events-and-ids", text: PLAIN },
  { name: "data-over-several-lines", text: PLAIN },
  { name: "no-line-end-at-end", text: PLAIN },
  // Ends.
  { name: "first-chunk-without-role", text: "有货的宝宝" },
  { name: "finish-but-no-done", text: "有货的宝宝" },
  { name: "finish-but-no-done", text: "有货的宝宝", breaks: true },
  { name: "done-but-no-finish", text: "有货的宝宝", end: { finish: "incomplete", code: null }, usage: guessed(4) },
  { name: "ends-without-finish", text: "有货的宝宝", end: { finish: "incomplete", code: null }, usage: guessed(4) },
  { name: "empty-body", end: EMPTY, usage: null },
  { name: "only-comments", end: EMPTY, usage: null },
  { name: "only-done", end: EMPTY, usage: null },
  {
    name: "socket-dies-mid-json",
    text: "库存还有3件",
    end: { finish: "error", code: "model_stream_broken", detail: "socket closed" },
    usage: guessed(5),
    breaks: true,
  },
  { name: "socket-dies-mid-json", text: "库存还有3件", end: { finish: "incomplete", code: null }, usage: guessed(5) },
  { name: "bytes-after-done", text: "好的" },
  { name: "finish-abort", text: "这款", end: { finish: "aborted", code: null } },
  { name: "finish-length", text: "这款面膜", end: { finish: "length", code: null } },
  { name: "finish-content-filter", text: "这款", end: { finish: "content-filter", code: null } },
  {
    name: "finish-unknown",
    text: "这款这款这款",
    end: { finish: "incomplete", code: null, detail: "finish repetition" },
  },
  { name: "two-finish-chunks", text: "好的" },
  {
    name: "finish-tool-calls-without-call",
    text: "我查一下",
    end: { finish: "incomplete", code: null, detail: "finish tool_calls without a call" },
  },
  // Missing and null fields.
  { name: "delta-null", text: "还有3件" },
  { name: "no-delta", text: "还有3件" },
  { name: "null-fields", text: "还有3件" },
  { name: "garbage-lines", text: "好的" },
  { name: "only-garbage", end: { ...EMPTY, detail: "3 events were no JSON object" }, usage: null },
  // Errors inside a 200.
  {
    name: "error-mid-stream",
    text: "这款面膜",
    end: { finish: "error", code: "500", detail: "EngineCore encountered an issue" },
    usage: guessed(3),
  },
  {
    name: "error-without-choices",
    text: "这款面膜",
    end: { finish: "error", code: "503", detail: "The request is aborted: scheduler is down" },
    usage: guessed(3),
  },
  { name: "error-flat", end: { finish: "error", code: "400", detail: "max_tokens is too large" }, usage: null },
  {
    name: "error-text",
    text: "这款",
    end: { finish: "error", code: null, detail: "model runner has unexpectedly stopped" },
    usage: guessed(2),
  },
  {
    name: "error-beside-choices",
    text: "这款",
    end: { finish: "error", code: "server_error", detail: "Provider disconnected" },
    usage: guessed(2),
  },
  // Thoughts and leaks.
  { name: "think-in-content", text: "39.9元" },
  { name: "think-tags-split", text: "39.9元" },
  { name: "think-tags-split", text: "39.9元", startsInsideThinking: true },
  { name: "think-closes-into-tool-call", text: "稍等哈" },
  { name: "leaked-tool-call", text: "我查一下" },
  { name: "reasoning-beside-content", text: "39.9元" },
  { name: "answer-in-reasoning", text: "39.9元，拍2号链接" },
  {
    name: "speech-in-three-deltas",
    text: "家人们好，今天这款面膜39.9元！拍下送小样，库存还有3件，喜欢的抓紧。谢谢大家",
  },
  { name: "angle-brackets", text: "价格<100，S<M<L>XL 都有货，XL<L吗<" },
  { name: "inert-end-marker", text: "他说_<isend>是什么" },
  // Tool calls.
  { name: "tool-call", calls: [call("get_price", '{"sku": "面膜A1"}')] },
  { name: "arguments-null", calls: [call("list_coupons", "")] },
  { name: "arguments-absent", calls: [call("list_coupons", "")] },
  { name: "arguments-object", calls: [call("get_price", '{"sku":"A1"}')] },
  { name: "arguments-invalid", calls: [call("get_price", '{"sku":')] },
  { name: "arguments-doubled", calls: [call("get_price", '{"a":1}"{\\"a\\":1}"')] },
  { name: "tool-call-finish-stop", text: "稍等", calls: [call("get_price", '{"sku":"A1"}')] },
  { name: "tool-call-without-index", calls: [call("get_price", '{"sku":"A1"}')] },
  { name: "two-calls-same-index", calls: TWO_CALLS },
  { name: "two-calls-in-one-delta", calls: TWO_CALLS },
  { name: "two-calls-interleaved", calls: TWO_CALLS },
  {
    name: "two-calls-without-id-or-index",
    calls: [call("get_price", '{"sku":"A1"}', "call_t7_0"), call("get_price", '{"sku":"B2"}', "call_t7_1")],
  },
  {
    name: "index-gap",
    calls: [call("get_price", '{"a":1}'), call("get_stock", '{"b":2}', "chatcmpl-tool-b7d2")],
  },
  {
    name: "tool-call-without-id",
    calls: [call("get_price", '{"a":1}', "call_t7_0"), call("get_stock", '{"b":2}', "call_t7_1")],
  },
  { name: "name-repeated-id-empty-later", calls: [call("get_price", '{"a":1}')] },
  { name: "name-in-pieces", calls: [call("get_price", '{"a":1}')] },
  {
    name: "names-of-object-members",
    calls: [call("__proto__", '{"__proto__":{"price":0}}', "__proto__"), call("constructor", "{}", "constructor")],
  },
  { name: "blank-text-before-tool-call", calls: [call("get_price", "{}")] },
  // Usage.
  {
    name: "usage-in-every-chunk",
    text: "好的宝",
    usage: {
      inputTokens: 100,
      outputTokens: 4,
      cachedTokens: null,
      reasoningTokens: 0,
      estimated: false,
      meanAcceptanceLength: 1.82,
    },
  },
];

/** The parts of a fixture, with all text in one delta. */
export function toParts(fixture: ProviderFixture): ChatStreamPart[] {
  const { text, calls = [], usage = USAGE } = fixture;
  const end = fixture.end ?? (calls.length > 0 ? TOOL_CALLS : STOP);
  return [
    ...(text === undefined ? [] : [{ type: "text-delta" as const, text }]),
    ...calls.map((toolCall) => ({ type: "tool-call" as const, toolCall })),
    ...(usage === null ? [] : [{ type: "usage" as const, usage }]),
    { type: "end", ...end },
  ];
}

/** Puts adjacent text together: how text is cut depends on the chunks, what it says does not. */
export function mergeText(parts: readonly ChatStreamPart[]): ChatStreamPart[] {
  const merged: ChatStreamPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.type === "text-delta" && last?.type === "text-delta") {
      merged[merged.length - 1] = { type: "text-delta", text: last.text + part.text };
    } else merged.push(part);
  }
  return merged;
}
