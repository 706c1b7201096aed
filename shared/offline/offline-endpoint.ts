/**
 * The offline policy behind the protocol of every other inference server: `POST /v1/chat/completions`, as text in and out.
 *
 * It answers when no endpoint is configured. It reads facts out of the prompt and says them; it makes nothing up, keeps
 * nothing between calls, and gives the same answer to the same request.
 */
import { parseJson } from "../core/json.ts";
import { countCodePoints } from "../core/text.ts";
import { chatRequestSchema, type ChatRequest } from "./reading/chat-request.ts";
import { offlineChat, type OfflineReply } from "./decide.ts";

export type OfflineAnswer = { readonly status: 200 | 400; readonly contentType: string; readonly body: string };

const JSON_TYPE = "application/json; charset=utf-8";
const SSE_TYPE = "text/event-stream; charset=utf-8";

/** `created` of a completion. Constant, because the same request must give the same bytes. */
const CREATED_S = 0;

/** Characters of the request that one estimated token stands for: Chinese text with JSON around it. */
const CHARS_PER_TOKEN = 1.5;

/**
 * Answers the body of one chat-completions request. A body that is none gives 400 with OpenAI's error object:
 * `invalid_json` or `invalid_request`.
 */
export function answerChat(bodyText: string): OfflineAnswer {
  const json = parseJson(bodyText);
  if (json === undefined) return toError("invalid_json", "The body is not JSON");
  const parsed = chatRequestSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return toError("invalid_request", `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
  }
  const reply = offlineChat(parsed.data);
  const promptTokens = Math.ceil(bodyText.length / CHARS_PER_TOKEN);
  if (parsed.data.stream === true) {
    return { status: 200, contentType: SSE_TYPE, body: toSse(reply, parsed.data, promptTokens) };
  }
  return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(toCompletion(reply, parsed.data, promptTokens)) };
}

/** The reply as server-sent events: the role, one delta a sentence or tool call, the finish reason, usage if asked for. */
export function toSse(reply: OfflineReply, request: ChatRequest, promptTokens: number): string {
  const base = { id: idOf(reply), object: "chat.completion.chunk", created: CREATED_S, model: request.model };
  const chunk = (delta: object, finish: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const deltas =
    reply.kind === "text"
      ? reply.sentences.map((content) => ({ content }))
      : toolCallsOf(reply, request).map((call, index) => ({ tool_calls: [{ index, ...call }] }));
  const events: object[] = [
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, finishOf(reply)),
  ];
  if (request.stream_options?.include_usage === true) {
    events.push({ ...base, choices: [], usage: usageOf(reply, promptTokens) });
  }
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
}

/** The reply as one completion object. */
export function toCompletion(reply: OfflineReply, request: ChatRequest, promptTokens: number): object {
  const message =
    reply.kind === "text"
      ? { role: "assistant", content: reply.sentences.join("") }
      : { role: "assistant", content: null, tool_calls: toolCallsOf(reply, request) };
  return {
    id: idOf(reply),
    object: "chat.completion",
    created: CREATED_S,
    model: request.model,
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: usageOf(reply, promptTokens),
  };
}

/** Ids count on from the calls that the turn has made, so that no two of a turn are alike. */
function toolCallsOf(reply: Extract<OfflineReply, { kind: "tool-calls" }>, request: ChatRequest): object[] {
  const made = request.messages.reduce(
    (count, message) => count + (message.role === "assistant" ? (message.tool_calls?.length ?? 0) : 0),
    0,
  );
  return reply.calls.map(({ name, argumentsText }, index) => ({
    id: `call_${made + index + 1}`,
    type: "function",
    function: { name, arguments: argumentsText },
  }));
}

function finishOf(reply: OfflineReply): string {
  return reply.kind === "text" ? "stop" : "tool_calls";
}

function textOf(reply: OfflineReply): string {
  return reply.kind === "text"
    ? reply.sentences.join("")
    : reply.calls.map((call) => `${call.name}${call.argumentsText}`).join("");
}

/** Estimates: there is no tokenizer here. */
function usageOf(reply: OfflineReply, promptTokens: number) {
  const completionTokens = Math.ceil(countCodePoints(textOf(reply)) / CHARS_PER_TOKEN);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** FNV-1a of the reply: an id that the same answer always has. */
function idOf(reply: OfflineReply): string {
  let hash = 0x811c9dc5;
  for (const char of textOf(reply)) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return `chatcmpl-offline-${(hash >>> 0).toString(16).padStart(8, "0")}`;
}

function toError(code: "invalid_json" | "invalid_request", message: string): OfflineAnswer {
  return {
    status: 400,
    contentType: JSON_TYPE,
    body: JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } }),
  };
}
