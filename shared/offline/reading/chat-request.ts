/** The part of an OpenAI chat-completions request that the offline reader takes. Loose: other parameters are ignored. */
import { z } from "zod";

/** Messages of one request: the first two, then two a step, and what hooks add. */
const MESSAGES_MAX = 200;

/** UTF-16 units of one message. A prompt with a full catalogue has some tens of thousands. */
const CONTENT_CHARS_MAX = 1_000_000;

const textPartSchema = z.looseObject({ type: z.literal("text"), text: z.string().max(CONTENT_CHARS_MAX) });

/** A text, or the list of text parts that some clients send; read as one text. */
const contentSchema = z.union([
  z.string().max(CONTENT_CHARS_MAX),
  z
    .array(textPartSchema)
    .max(20)
    .transform((parts) => parts.map((part) => part.text).join("\n")),
]);

const toolCallSchema = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string().default("") }),
});

const chatMessageSchema = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: contentSchema }),
  z.looseObject({ role: z.literal("user"), content: contentSchema }),
  z.looseObject({
    role: z.literal("assistant"),
    content: contentSchema.nullish(),
    tool_calls: z.array(toolCallSchema).max(64).nullish(),
  }),
  z.looseObject({ role: z.literal("tool"), tool_call_id: z.string().optional(), content: contentSchema }),
]);

const chatToolSchema = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: z.string().min(1).max(200),
    description: z.string().default(""),
    parameters: z
      .looseObject({
        properties: z.record(z.string(), z.looseObject({})).default({}),
        required: z.array(z.string()).default([]),
      })
      .default({ properties: {}, required: [] }),
  }),
});
export type ChatTool = z.infer<typeof chatToolSchema>["function"];

export const chatRequestSchema = z.looseObject({
  model: z.string().min(1).max(200),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  messages: z.array(chatMessageSchema).min(1).max(MESSAGES_MAX),
  tools: z.array(chatToolSchema).max(256).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;
