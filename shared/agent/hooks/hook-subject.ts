/** What a hook's event is about: the text that checks read, and the part of the input that a hook may change. */
import type { HookInput } from "../../contract/hook-io.ts";

/** The text of the event. A tool call's is its argument texts, one a line; empty where the event has none. */
export function subjectOf(input: HookInput): string {
  switch (input.hook_event_name) {
    case "UserPromptSubmit":
      return input.prompt;
    case "PreToolUse":
      return textsIn(input.tool_input).join("\n");
    case "PostToolUse":
      return input.tool_response;
    case "PreUtterance":
    case "PostUtterance":
      return input.text;
    case "Stop":
      return input.reply;
    case "SessionStart":
    case "PreModelCall":
      return "";
  }
}

/** The input with another text; events whose text cannot be changed give the same input. */
export function withText(input: HookInput, text: string): HookInput {
  if (input.hook_event_name === "UserPromptSubmit") return { ...input, prompt: text };
  if (input.hook_event_name === "PostToolUse") return { ...input, tool_response: text };
  return input.hook_event_name === "PreUtterance" ? { ...input, text } : input;
}

/** The input of a tool call with other arguments. */
export function withToolInput(input: HookInput, toolInput: Readonly<Record<string, unknown>>): HookInput {
  return input.hook_event_name === "PreToolUse" ? { ...input, tool_input: toolInput } : input;
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
