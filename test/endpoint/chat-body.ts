/** The request of a chat completion: what the emulator reads of it, and what each kind of server refuses. */
import { z } from "zod";
import type { ApiError } from "./dialects.ts";
import type { EmulatorOptions } from "./options.ts";

const toolCallSchema = z.looseObject({
  function: z.looseObject({ name: z.string(), arguments: z.string().default("") }),
});

const messageSchema = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_calls: z.array(toolCallSchema).nullish(),
});

const chatBodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish(), continuous_usage_stats: z.boolean().nullish() })
    .nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  priority: z.int().nullish(),
  cache_salt: z.unknown().optional(),
  chat_template_kwargs: z.looseObject({ enable_thinking: z.boolean().nullish() }).nullish(),
});
export type ChatBody = z.infer<typeof chatBodySchema>;

/** Fields of OpenAI's own API, which refuses all others. Source: https://platform.openai.com/docs/api-reference/chat/create */
const OPENAI_FIELDS: ReadonlySet<string> = new Set(
  `audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata
  modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention
  reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature
  tool_choice tools top_logprobs top_p user verbosity web_search_options`.split(/\s+/),
);
const OPENAI_STREAM_FIELDS: ReadonlySet<string> = new Set(["include_usage", "include_obfuscation"]);

/** vLLM: `vllm/entrypoints/openai/chat_completion/protocol.py`. */
const SALT_CHARS_MAX = 128;
// oxlint-disable-next-line no-control-regex -- NUL is one of those that vLLM refuses
const SALT_BANNED = /[@/\\\u0000]/;

export type ReadChatBody = { readonly body: ChatBody } | { readonly error: ApiError };

/** Reads a parsed body; `undefined` is a body that was no JSON. */
export function readChatBody(json: unknown, options: EmulatorOptions): ReadChatBody {
  if (json === undefined) return { error: { status: 400, message: "Invalid JSON in the request body" } };
  const parsed = chatBodySchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const param = issue?.path.join(".") ?? "";
    return { error: { status: 400, message: `${param}: ${issue?.message ?? "invalid"}`, param } };
  }
  const error = refuseChat(parsed.data, options);
  return error === null ? { body: parsed.data } : { error };
}

function refuseChat(body: ChatBody, options: EmulatorOptions): ApiError | null {
  if (body.model !== options.model) {
    return { status: 404, message: `The model \`${body.model}\` does not exist.`, param: "model" };
  }
  switch (options.kind) {
    case "openai":
      return refuseAsOpenAi(body);
    case "vllm":
      return refuseAsVllm(body, options);
    case "sglang":
      return null;
  }
}

function refuseAsOpenAi(body: ChatBody): ApiError | null {
  const unknown =
    Object.keys(body).find((name) => !OPENAI_FIELDS.has(name)) ??
    Object.keys(body.stream_options ?? {})
      .filter((name) => !OPENAI_STREAM_FIELDS.has(name))
      .map((name) => `stream_options.${name}`)[0];
  if (unknown === undefined) return null;
  return { status: 400, message: `Unknown parameter: '${unknown}'.`, param: unknown, code: "unknown_parameter" };
}

function refuseAsVllm(body: ChatBody, options: EmulatorOptions): ApiError | null {
  if (!options.priority && (body.priority ?? 0) !== 0) {
    return { status: 400, message: `Got priority ${body.priority} but Priority scheduling is not enabled.` };
  }
  const salt = body.cache_salt ?? null;
  if (salt !== null && !isSalt(salt)) {
    const message = `Parameter 'cache_salt' must be a non-empty string of at most ${SALT_CHARS_MAX} characters without @ / \\ or NUL.`;
    return { status: 400, message, param: "cache_salt" };
  }
  const asksForTools = (body.tools?.length ?? 0) > 0 && body.tool_choice !== "none";
  if (options.noTools && asksForTools) {
    const message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
    return { status: 400, message };
  }
  return null;
}

function isSalt(salt: unknown): boolean {
  return typeof salt === "string" && salt !== "" && salt.length <= SALT_CHARS_MAX && !SALT_BANNED.test(salt);
}

/**
 * The prompt as a chat template renders it: tools, then messages in their order, then the place of the answer. Ids of
 * tool calls are not in it, as in Qwen's template.
 */
export function renderPrompt(body: ChatBody): string {
  const tools = body.tools ?? [];
  const head = tools.length === 0 ? "" : `<tools>\n${tools.map((tool) => JSON.stringify(tool)).join("\n")}\n</tools>\n`;
  const messages = body.messages.map(({ role, content, tool_calls: calls }) => {
    const said = renderOutput(
      typeof content === "string" ? content : JSON.stringify(content ?? ""),
      (calls ?? []).map((call) => ({ name: call.function.name, argumentsText: call.function.arguments })),
    );
    return `<|im_start|>${role}\n${said}`;
  });
  return `${head}${messages.join("")}<|im_start|>assistant\n`;
}

/** An answer as the next prompt has it, so that its blocks are found again. */
export function renderOutput(
  text: string,
  calls: readonly { readonly name: string; readonly argumentsText: string }[],
): string {
  const rendered = calls.map(({ name, argumentsText }) => `<tool_call>${name}\n${argumentsText}</tool_call>`);
  return `${text}${rendered.join("")}<|im_end|>\n`;
}
