/** Port to the policy behind the inference endpoints: one model call, streamed. */
import type { AdmissionRecord, ServedBy } from "../contract/turn-record.ts";
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

/** What a call says; before its `end`, where there is a choice of endpoints, who served it. */
export type ModelPart = ChatStreamPart | { readonly type: "served-by"; readonly servedBy: ServedBy };

/** Never throws: every failure is an `end` part with its code, after whatever text came before. */
export interface ModelClient {
  /** Name of the endpoint that serves the calls now, or `offline`. */
  readonly endpoint: string;
  readonly model: string;
  /** How the turn got its place; absent where nobody admits. */
  admission?(): AdmissionRecord | null;
  stream(request: ModelRequest): AsyncIterable<readonly ModelPart[]>;
}
