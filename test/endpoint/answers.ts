/** What the emulated model says, and its cutting into tokens. */
import { z } from "zod";
import { parseJson } from "../../shared/core/json.ts";
import { answerChat } from "../../shared/offline/offline-endpoint.ts";
import type { ChatBody } from "./chat-body.ts";
import type { EmulatorOptions } from "./options.ts";
import { toTokenPieces } from "./tokens.ts";

export type AnswerToolCall = { readonly id: string; readonly name: string; readonly argumentsText: string };

export type Answer = {
  readonly reasoning: string;
  readonly text: string;
  readonly toolCalls: readonly AnswerToolCall[];
};

/** What one token shows. `silent` tokens are marks that a parser takes away; `call` is the name of a tool call. */
export type Piece = {
  readonly kind: "reasoning" | "text" | "call" | "arguments" | "silent";
  readonly text: string;
  /** Index of the tool call; 0 where there is none. */
  readonly call: number;
};

/** Answers that a test has set for the next requests. */
export const scriptedAnswerSchema = z.strictObject({
  texts: z.array(z.string()).default([]),
  toolCalls: z.array(z.strictObject({ name: z.string().min(1), arguments: z.string() })).default([]),
  reasoning: z.string().default(""),
});
export type ScriptedAnswer = z.infer<typeof scriptedAnswerSchema>;

/** About 80 tokens in four sentences. */
const FIXED_TEXT =
  "家人们晚上好，今天给大家带来的这款桑蚕丝被真的特别值得入手。四件套里有被套、床单和两个枕套，面料摸起来又软又滑。夏天盖着一点也不闷，冬天再加一床毯子就很暖和。喜欢的宝宝可以先点个关注，有什么想问的直接打在公屏上，我一个一个来回答！";

const THOUGHT = "用户在问商品的情况，我先看看资料里怎么写，再用一两句话回答。";

/** Tokens of the marks around one tool call (`<tool_call>`, `<function=…>` and their ends) in Qwen's form. */
const CALL_MARK_TOKENS = 8;

/** What the body of the offline policy's completion is read for. */
const completionSchema = z.looseObject({
  choices: z.tuple([
    z.looseObject({
      message: z.looseObject({
        content: z.string().nullish(),
        tool_calls: z
          .array(
            z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }),
          )
          .nullish(),
      }),
    }),
  ]),
});
const propertiesSchema = z.record(z.string(), z.looseObject({ type: z.unknown() })).optional();
const toolSchema = z.looseObject({
  function: z.looseObject({ name: z.string(), parameters: z.looseObject({ properties: propertiesSchema }) }),
});
const refusalSchema = z.looseObject({ error: z.looseObject({ message: z.string() }) });

export type ChosenAnswer = { readonly answer: Answer } | { readonly refusal: string };

/** The answer to a request. The offline policy may find the request malformed. */
export function chooseAnswer(body: ChatBody, options: EmulatorOptions, scripted: ScriptedAnswer | null): ChosenAnswer {
  const reasoning = options.thinks || body.chat_template_kwargs?.enable_thinking === true ? THOUGHT : "";
  if (scripted !== null) return { answer: fromScript(scripted, reasoning) };
  if (options.answers === "fixed") return { answer: { reasoning, text: FIXED_TEXT, toolCalls: [] } };
  const { tools: _, ...withoutTools } = body;
  const seen = options.noTools ? withoutTools : body;
  const ordered = orderedCall(seen);
  if (ordered !== null) return { answer: { reasoning, text: "", toolCalls: [ordered] } };
  const { body: answerText } = answerChat(JSON.stringify({ ...seen, stream: false }));
  const json = parseJson(answerText);
  const completion = completionSchema.safeParse(json);
  if (!completion.success) {
    const refusal = refusalSchema.safeParse(json);
    return { refusal: refusal.success ? refusal.data.error.message : "The request is malformed" };
  }
  const { content, tool_calls: calls } = completion.data.choices[0].message;
  const toolCalls = (calls ?? []).map(toAnswerCall);
  return { answer: { reasoning, text: content ?? "", toolCalls } };
}

function fromScript(scripted: ScriptedAnswer, thought: string): Answer {
  return {
    reasoning: scripted.reasoning === "" ? thought : scripted.reasoning,
    text: scripted.texts.join(""),
    toolCalls: scripted.toolCalls.map((call, index) => ({
      id: `chatcmpl-tool-script-${index + 1}`,
      name: call.name,
      argumentsText: call.arguments,
    })),
  };
}

/** One piece a token, with the silent one at the end that every answer has. */
export function toPieces({ reasoning, text, toolCalls }: Answer): Piece[] {
  return [
    ...toTokenPieces(reasoning).map((part) => ({ kind: "reasoning" as const, text: part, call: 0 })),
    ...toTokenPieces(text).map((part) => ({ kind: "text" as const, text: part, call: 0 })),
    ...toolCalls.flatMap(toCallPieces),
    silent(0),
  ];
}

function toCallPieces({ argumentsText }: AnswerToolCall, call: number): Piece[] {
  return [
    ...Array.from({ length: CALL_MARK_TOKENS }, () => silent(call)),
    { kind: "call", text: "", call },
    ...toTokenPieces(argumentsText).map((part) => ({ kind: "arguments" as const, text: part, call })),
  ];
}

function silent(call: number): Piece {
  return { kind: "silent", text: "", call };
}

function toAnswerCall({
  id,
  function: called,
}: {
  id: string;
  function: { name: string; arguments: string };
}): AnswerToolCall {
  return { id: `chatcmpl-tool-${id}`, name: called.name, argumentsText: called.arguments };
}

/** "请调用 get_price 查询1号链接的价格": told to call a tool by its name, any model with tools does, as the check of an endpoint expects. */
function orderedCall({ tools, messages }: ChatBody): AnswerToolCall | null {
  const last = messages.at(-1);
  const text = typeof last?.content === "string" ? last.content : "";
  const name = /^请调用 ?(\w+)/u.exec(text)?.[1];
  const tool = (tools ?? [])
    .flatMap((offered) => toolSchema.safeParse(offered).data ?? [])
    .find((offered) => offered.function.name === name);
  if (name === undefined || tool === undefined || last?.role !== "user") return null;
  const { properties = {} } = tool.function.parameters;
  const number = Number(/\d+/u.exec(text)?.[0] ?? 1);
  const args = Object.entries(properties).map(([key, { type }]) => [key, type === "integer" ? number : ""] as const);
  return { id: "chatcmpl-tool-ordered", name, argumentsText: JSON.stringify(Object.fromEntries(args)) };
}
