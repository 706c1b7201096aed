/**
 * What hooks receive and answer: the field's own JSON (snake_case in, camelCase out), so that existing hook code ports.
 * Ours beside it: the events PreModelCall, PreUtterance and PostUtterance, and the answers `updatedPrompt`, `updatedText` and `fixedAnswer`.
 */
import { z } from "zod";

export const hookEventSchema = z.enum([
  "SessionStart",
  "UserPromptSubmit",
  "PreModelCall",
  "PreToolUse",
  "PostToolUse",
  "PreUtterance",
  "PostUtterance",
  "Stop",
]);
export type HookEvent = z.infer<typeof hookEventSchema>;

/** Input common to all events. `session_id` is the room, `turn_id` the turn (empty for SessionStart). */
type HookInputBase = {
  readonly session_id: string;
  readonly turn_id: string;
  /** True when the policy was already sent back once in this turn, so that a validator does not loop. */
  readonly retry_active: boolean;
  /** The viewers' messages of the turn, joined by line feeds; empty for SessionStart. */
  readonly question: string;
  /** Facts that a check may compare with: texts of all evidence that the policy has seen in this turn. */
  readonly evidence: readonly string[];
};

export type HookInput = HookInputBase &
  (
    | { readonly hook_event_name: "SessionStart"; readonly source: "startup" | "update" }
    | { readonly hook_event_name: "UserPromptSubmit"; readonly prompt: string }
    | { readonly hook_event_name: "PreModelCall"; readonly step: number; readonly prompt_bytes: number }
    | {
        readonly hook_event_name: "PreToolUse";
        readonly tool_name: string;
        readonly tool_input: Readonly<Record<string, unknown>>;
        readonly tool_use_id: string;
      }
    | {
        readonly hook_event_name: "PostToolUse";
        readonly tool_name: string;
        readonly tool_input: Readonly<Record<string, unknown>>;
        readonly tool_use_id: string;
        readonly tool_response: string;
        readonly is_error: boolean;
      }
    | {
        readonly hook_event_name: "PreUtterance" | "PostUtterance";
        /** Subtitle text of the sentence. */
        readonly text: string;
        readonly seq: number;
        /** Sentences said before in this turn. */
        readonly said: readonly string[];
        /** Tools that succeeded in this turn. */
        readonly tools_used: readonly string[];
      }
    | {
        readonly hook_event_name: "Stop";
        readonly reply: string;
        readonly stop_hook_active: boolean;
        readonly tools_used: readonly string[];
      }
  );

const TEXT_MAX = 8_000;

/** What a hook answers. Unknown fields are refused: a misspelt `decision` must not let a sentence through. */
export const hookOutputSchema = z.strictObject({
  continue: z.boolean().optional(),
  stopReason: z.string().max(TEXT_MAX).optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: z.string().max(TEXT_MAX).optional(),
  decision: z.enum(["block", "approve"]).optional(),
  reason: z.string().max(TEXT_MAX).optional(),
  hookSpecificOutput: z
    .strictObject({
      hookEventName: hookEventSchema,
      permissionDecision: z.enum(["allow", "deny", "ask", "defer"]).optional(),
      permissionDecisionReason: z.string().max(TEXT_MAX).optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      additionalContext: z.string().max(TEXT_MAX).optional(),
      updatedToolOutput: z.string().max(64_000).optional(),
      /** UserPromptSubmit: the message as the policy sees it. */
      updatedPrompt: z.string().max(TEXT_MAX).optional(),
      /** PreUtterance: the sentence as it is spoken. Later hooks see it, and the guards before are asked once more about the final text. */
      updatedText: z.string().max(TEXT_MAX).optional(),
      /** UserPromptSubmit, Stop: the turn is answered with this line, without the policy. */
      fixedAnswer: z.string().max(TEXT_MAX).optional(),
    })
    .optional(),
});
export type HookOutput = z.infer<typeof hookOutputSchema>;
