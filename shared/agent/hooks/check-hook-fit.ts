/** Whether a hook can do what it says on the event that it names. */
import type { HookDefinition } from "../../contract/harness-bundle.ts";
import type { HookEvent } from "../../contract/hook-io.ts";
import type { HookProblem } from "./hook-problem.ts";

type CheckHook = Extract<HookDefinition, { type: "check" }>;

const TOOL_EVENTS: readonly HookEvent[] = ["PreToolUse", "PostToolUse"];
/** Events that only tell: nothing can be stopped any more, or nothing has begun. */
const OBSERVED: readonly HookEvent[] = ["SessionStart", "PostUtterance"];
const WITHOUT_TEXT: readonly HookEvent[] = ["SessionStart", "PreModelCall"];

type Rule = { readonly events: readonly HookEvent[]; readonly why: string };

const ACTION_EVENTS: Readonly<Record<CheckHook["action"]["type"], Rule>> = {
  block: {
    events: ["UserPromptSubmit", "PreModelCall", "PreToolUse", "PostToolUse", "PreUtterance", "Stop"],
    why: "cannot be blocked",
  },
  rewrite: { events: ["UserPromptSubmit", "PostToolUse", "PreUtterance"], why: "has no text that can be rewritten" },
  context: {
    events: ["SessionStart", "UserPromptSubmit", "PreModelCall", "PreToolUse", "PostToolUse"],
    why: "has no model call after it that could read a context",
  },
  answer: { events: ["UserPromptSubmit", "Stop"], why: "cannot be answered with a line" },
};

/** Checks that need fields which only some events have. */
const CHECK_EVENTS: Readonly<Partial<Record<NonNullable<CheckHook["check"]>["type"], readonly HookEvent[]>>> = {
  "tool-arguments": ["PreToolUse"],
  "promise-without-action": ["PreUtterance", "PostUtterance", "Stop"],
};

/** Checks that can tell a better text. */
const CORRECTING = new Set(["forbidden-words", "advertising-law", "contact-details", "length", "prompt-injection"]);

/** Complaints about the pairing of event, check and action. */
export function checkHookFit(hook: HookDefinition): HookProblem[] {
  const problems: HookProblem[] = [];
  const error = (about: Pick<HookProblem, "code" | "at" | "message" | "fix">) =>
    problems.push({ hook: hook.name, ...about, severity: "error" });
  if (hook.matcher !== undefined && !TOOL_EVENTS.includes(hook.event)) {
    const message = `${hook.event} has no tool that a matcher could fit`;
    error({ code: "needless-matcher", at: ["matcher"], message, fix: "Remove `matcher`" });
  }
  if (hook.type === "code") return problems;
  const rule = ACTION_EVENTS[hook.action.type];
  if (!rule.events.includes(hook.event)) {
    const fix = `Use \`${hook.action.type}\` with ${rule.events.join(", ")}`;
    error({ code: "impossible-action", at: ["action"], message: `${hook.event} ${rule.why}`, fix });
  }
  problems.push(...checkCheck(hook));
  return problems;
}

function checkCheck(hook: CheckHook): HookProblem[] {
  const { name, event, check } = hook;
  if (check === undefined) return checkUnconditional(hook);
  const problems: HookProblem[] = [];
  const add = (about: Pick<HookProblem, "code" | "message" | "fix" | "severity">) =>
    problems.push({ hook: name, at: ["check"], ...about });
  const idle = { code: "idle-check", severity: "error" } as const;
  if (WITHOUT_TEXT.includes(event)) {
    add({ ...idle, message: `${event} has no text to check`, fix: "Use `when`, or another event" });
  }
  const events = CHECK_EVENTS[check.type];
  if (events !== undefined && !events.includes(event)) {
    add({ ...idle, message: `\`${check.type}\` finds nothing on ${event}`, fix: `Use it with ${events.join(", ")}` });
  }
  if (hook.action.type !== "rewrite") return problems;
  const blocks = { code: "always-blocks", severity: "warning" } as const;
  if (!CORRECTING.has(check.type)) {
    add({ ...blocks, message: `\`${check.type}\` knows no better text, so it always blocks`, fix: "Use `block`" });
  } else if ("replacements" in check && Object.keys(check.replacements).length === 0) {
    const fix = "Add `replacements`, or use `block`";
    add({ ...blocks, message: "Without `replacements` it always blocks", fix });
  }
  return problems;
}

function checkUnconditional({ name, event, when, action }: CheckHook): HookProblem[] {
  if (action.type === "rewrite") {
    const message = "A rewrite needs a check that knows a better text";
    return [{ hook: name, code: "missing-check", at: ["action"], message, fix: "Add `check`", severity: "error" }];
  }
  if (when !== undefined || action.type === "context") return [];
  const message = `It acts on every ${event}`;
  return [{ hook: name, code: "always-acts", at: [], message, fix: "Add `when` or `check`", severity: "warning" }];
}

/** True for events that hooks watch and cannot stop. */
export function isObserved(event: HookEvent): boolean {
  return OBSERVED.includes(event);
}
