/** Port to the policy behind the inference endpoint: one model call, streamed. */
import type { ChatStreamPart } from "./stream/chat-stream.ts";

export type AssistantToolCall = {
  readonly id: string;
  readonly type: "function";
  /** `arguments` goes back byte for byte as it came, or the server's prefix cache misses. */
  readonly function: { readonly name: string; readonly arguments: string };
};

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly tool_calls?: readonly AssistantToolCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export type ToolSpec = {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
};

export type ModelRequest = {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly temperature: number;
  readonly topP: number | null;
  readonly maxOutputTokens: number;
  readonly thinking: boolean;
  readonly firstByteTimeoutMs: number;
  readonly betweenChunksTimeoutMs: number;
  /** Prefix of ids for tool calls that come without one. */
  readonly callIdPrefix: string;
  /** Aborting it closes the connection, which ends the generation. */
  readonly signal: AbortSignal;
};

/** Never throws: every failure is an `end` part with its code, after whatever text came before. */
export interface ModelClient {
  /** What the record names: `offline` or the host of the endpoint. */
  readonly endpoint: string;
  readonly model: string;
  stream(request: ModelRequest): AsyncIterable<readonly ChatStreamPart[]>;
}
