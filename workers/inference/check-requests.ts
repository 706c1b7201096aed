/** The calls of a check. Built like a turn's: what the server refuses here, it would refuse there. */
import type { EndpointField } from "../../shared/contract/endpoint.ts";

/** Fields that a call uses beyond OpenAI's own. */
export type UsedFields = ReadonlySet<EndpointField>;

/** Name of the one tool that a check offers. */
export const CHECK_TOOL = "get_price";

/** Tokens of a call that only has to be taken. */
const SHORT_TOKENS_MAX = 16;

/** Tokens of a call whose answer is read. Two words need three; a thought before them mostly ends within this. */
const ANSWER_TOKENS_MAX = 256;

/** Lines of the repeated prompt, some 25 tokens each: about 1,500, where Qwen3.5 and 3.6 cache blocks of 528 and more. */
const REPEATED_LINES = 60;

const TOOL = {
  type: "function",
  function: {
    name: CHECK_TOOL,
    description: "查询一个链接当前的价格",
    parameters: {
      type: "object",
      properties: { link: { type: "integer", description: "链接的序号" } },
      required: ["link"],
      additionalProperties: false,
    },
  },
} as const;

/** A call that is as short as may be, with the given fields. */
export function shortCall(model: string, fields: UsedFields): object {
  return toCall(model, fields, { text: "你好", tokens: SHORT_TOKENS_MAX });
}

/** Asks for two words. Longer answers are thoughts. */
export function plainCall(model: string, fields: UsedFields): object {
  return toCall(model, fields, { text: "请只回答两个字：收到", tokens: ANSWER_TOKENS_MAX });
}

/** Asks for a tool call, and leaves the choice to the model as turns do. */
export function toolCall(model: string, fields: UsedFields): object {
  const call = toCall(model, fields, { text: `请调用 ${CHECK_TOOL} 查询1号链接的价格`, tokens: ANSWER_TOKENS_MAX });
  return { ...call, tools: [TOOL], tool_choice: "auto" };
}

/** A prompt of about 1,500 tokens, the same each time: a prefix cache has it at the second time. */
export function longCall(model: string, fields: UsedFields): object {
  const lines = Array.from(
    { length: REPEATED_LINES },
    (_, n) => `${n + 1}号链接：纯棉床品四件套，直播价${n + 100}元，七天无理由退换。`,
  );
  return toCall(model, fields, { text: `${lines.join("\n")}\n以上一共有几个链接？`, tokens: SHORT_TOKENS_MAX });
}

function toCall(
  model: string,
  fields: UsedFields,
  { text, tokens }: { readonly text: string; readonly tokens: number },
) {
  return {
    model,
    stream: true,
    stream_options: {
      include_usage: true,
      ...(fields.has("continuous_usage_stats") && { continuous_usage_stats: true }),
    },
    temperature: 0,
    max_tokens: tokens,
    ...(fields.has("chat_template_kwargs") && { chat_template_kwargs: { enable_thinking: false } }),
    ...(fields.has("priority") && { priority: 1 }),
    ...(fields.has("cache_salt") && { cache_salt: "kaibo-check" }),
    messages: [{ role: "user", content: text }],
  };
}
