/** Builders of hook inputs and hooks. A test names only the field that it is about. */
import { hookSchema, type HookDefinition } from "../../../../../shared/contract/harness-bundle.ts";
import type { HookInput } from "../../../../../shared/contract/hook-io.ts";

const SHARED = { session_id: "room-1", turn_id: "t1", retry_active: false, question: "", evidence: [] };

type EventOf = HookInput["hook_event_name"];
type Of<Input, Event> = Input extends { hook_event_name: infer Name } ? (Event extends Name ? Input : never) : never;
type InputOf<Event extends EventOf> = Omit<Of<HookInput, Event>, "hook_event_name">;

export function aSentence(text: string, fields: Partial<InputOf<"PreUtterance">> = {}): HookInput {
  return { ...SHARED, hook_event_name: "PreUtterance", text, seq: 0, said: [], tools_used: [], ...fields };
}

export function aMessage(prompt: string, fields: Partial<InputOf<"UserPromptSubmit">> = {}): HookInput {
  return { ...SHARED, hook_event_name: "UserPromptSubmit", prompt, ...fields };
}

export function aToolCall(toolInput: Record<string, unknown>, fields: Partial<InputOf<"PreToolUse">> = {}): HookInput {
  const call = { tool_name: "get_price", tool_input: toolInput, tool_use_id: "call_0" };
  return { ...SHARED, hook_event_name: "PreToolUse", ...call, ...fields };
}

export function aToolResult(text: string): HookInput {
  const call = { tool_name: "get_price", tool_input: {}, tool_use_id: "call_0" };
  return { ...SHARED, hook_event_name: "PostToolUse", ...call, tool_response: text, is_error: false };
}

export function aReply(reply: string, fields: Partial<InputOf<"Stop">> = {}): HookInput {
  return { ...SHARED, hook_event_name: "Stop", reply, stop_hook_active: false, tools_used: [], ...fields };
}

export function aStart(): HookInput {
  return { ...SHARED, hook_event_name: "SessionStart", source: "startup" };
}

export function aModelCall(): HookInput {
  return { ...SHARED, hook_event_name: "PreModelCall", step: 0, prompt_bytes: 2_000 };
}

/** A hook as a harness writes it, with defaults filled in. A JSON hook that forbids 最便宜 unless told otherwise. */
export function aHook(fields: Record<string, unknown> = {}): HookDefinition {
  return hookSchema.parse({
    name: "guard",
    event: "PreUtterance",
    type: "check",
    action: { type: "block", reason: "不能说「{{ found }}」" },
    check: { type: "forbidden-words", words: ["最便宜"] },
    ...fields,
  });
}

/** A hook that is code; what it answers is up to the port that the test gives. */
export function aCodeHook(fields: Record<string, unknown> = {}): HookDefinition {
  const code = "export default () => ({})";
  return hookSchema.parse({ name: "code", event: "PreUtterance", type: "code", code, ...fields });
}
