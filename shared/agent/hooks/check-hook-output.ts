/** What a JSON hook answers: its finding and its action as the field's own output. */
import type { HookAction } from "../../contract/harness-bundle.ts";
import type { HookEvent, HookInput, HookOutput } from "../../contract/hook-io.ts";
import type { CompiledCheck, Finding } from "../checks/finding.ts";
import { subjectOf, withText } from "./hook-subject.ts";
import type { CompiledHook } from "./compile-hooks.ts";

/** A hook without a check acts wherever its condition holds. */
const ALWAYS: Finding = { found: "" };

/** The longest text that an output may carry; a longer correction is none. */
const TEXT_MAX = 8_000;

/**
 * Asks the condition, then the check, and answers with the action.
 * @throws When the condition cannot be evaluated or a check has a bug; the caller makes a failure of it.
 */
export function checkHookOutput(hook: Extract<CompiledHook, { type: "check" }>, input: HookInput): HookOutput {
  if (hook.condition !== null && !hook.condition(input)) return {};
  const finding = hook.check === null ? ALWAYS : hook.check(input, subjectOf(input));
  return finding === null ? {} : actOn(hook, finding, input);
}

function actOn(
  { action, check }: Extract<CompiledHook, { type: "check" }>,
  finding: Finding,
  input: HookInput,
): HookOutput {
  const event = input.hook_event_name;
  switch (action.type) {
    case "block":
      return block(action.reason, finding, event);
    case "rewrite": {
      const corrected = correctionOf(finding, check, input);
      if (corrected === null) return block(action.reason, finding, event);
      return {
        reason: fill(action.reason, finding),
        hookSpecificOutput: { hookEventName: event, ...updated(event, corrected) },
      };
    }
    case "context":
      return { hookSpecificOutput: { hookEventName: event, additionalContext: action.text } };
    case "answer":
      return {
        reason: fill(action.reason, finding),
        hookSpecificOutput: { hookEventName: event, fixedAnswer: action.text },
      };
  }
}

/** The corrected text, if the same check finds nothing in it any more. */
function correctionOf({ corrected }: Finding, check: CompiledCheck | null, input: HookInput): string | null {
  if (corrected === undefined || check === null || corrected.length > TEXT_MAX) return null;
  return check(withText(input, corrected), corrected) === null ? corrected : null;
}

function updated(event: HookEvent, text: string) {
  if (event === "UserPromptSubmit") return { updatedPrompt: text };
  return event === "PostToolUse" ? { updatedToolOutput: text } : { updatedText: text };
}

function block(reason: string, finding: Finding, event: HookEvent): HookOutput {
  const filled = fill(reason, finding);
  if (event !== "PreToolUse") return { decision: "block", reason: filled };
  return { hookSpecificOutput: { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: filled } };
}

/** Puts what was found in the place of `{{ found }}`. What was found is not read as a template again. */
function fill(reason: Extract<HookAction, { type: "block" }>["reason"], { found }: Finding): string {
  return reason.replaceAll(/\{\{\s*found\s*\}\}/g, () => found);
}
