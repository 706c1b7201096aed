/** A harness's hooks made ready to run, and the complaints about those that cannot run or cannot do what they say. */
import type { HookAction, HookDefinition, ToolDefinition } from "../../contract/harness-bundle.ts";
import type { HookEvent, HookInput } from "../../contract/hook-io.ts";
import { AppError, isAppError } from "../../errors/app-error.ts";
import { compileCheck, type CheckContext } from "../checks/compile-check.ts";
import type { CompiledCheck } from "../checks/finding.ts";
import { compileLinearPattern, type LinearPattern } from "../checks/linear-pattern.ts";
import { compileCondition, type Condition } from "./cel-condition.ts";
import { checkHookFit } from "./check-hook-fit.ts";
import { checkRewriters } from "./check-rewriters.ts";
import type { HookProblem } from "./hook-problem.ts";

type CompiledBase = {
  readonly name: string;
  readonly failure: "closed" | "open";
  readonly timeoutMs: number;
  /** `null`: every tool. */
  readonly matcher: LinearPattern | null;
};

export type CompiledHook = CompiledBase &
  (
    | {
        readonly type: "check";
        readonly condition: Condition | null;
        readonly check: CompiledCheck | null;
        readonly action: HookAction;
      }
    | { readonly type: "code" }
  );

/** By event, in declared order. */
export type HookSet = { readonly byEvent: ReadonlyMap<HookEvent, readonly CompiledHook[]> };

/**
 * Makes hooks ready: patterns, conditions and checks are compiled here, once per harness version.
 * @throws AppError `harness_invalid` - {@link checkHooks} finds an error.
 */
export function compileHooks(definitions: readonly HookDefinition[], context: CheckContext): HookSet {
  const problems: HookProblem[] = [];
  const byEvent = new Map<HookEvent, CompiledHook[]>();
  for (const definition of definitions) {
    const hook = compileHook(definition, context, problems);
    const list = byEvent.get(definition.event);
    if (list === undefined) byEvent.set(definition.event, [hook]);
    else list.push(hook);
  }
  const first = problems.find((problem) => problem.severity === "error");
  if (first !== undefined) {
    throw new AppError("harness_invalid", `Hook ${first.hook}: ${first.message}`, { details: { hook: first.hook } });
  }
  return { byEvent };
}

/** All that is wrong with hooks, for a push: what does not compile, what its event cannot do, and rewriters that undo each other. */
export function checkHooks(
  definitions: readonly HookDefinition[],
  context: { readonly tools: readonly ToolDefinition[] },
): HookProblem[] {
  const problems: HookProblem[] = [];
  for (const definition of definitions) compileHook(definition, context, problems);
  for (const definition of definitions) problems.push(...checkMatchedTools(definition, context));
  problems.push(...checkRewriters(definitions));
  return problems;
}

function compileHook(definition: HookDefinition, context: CheckContext, problems: HookProblem[]): CompiledHook {
  const { name, failure, timeoutMs } = definition;
  problems.push(...checkHookFit(definition));
  const base = { name, failure, timeoutMs, matcher: compileMatcher(definition, problems) };
  if (definition.type === "code") return { ...base, type: "code" };
  return {
    ...base,
    type: "check",
    condition: compileWhen(definition, problems),
    check: compileOwnCheck(definition, context, problems),
    action: definition.action,
  };
}

function compileMatcher({ name, matcher }: HookDefinition, problems: HookProblem[]): LinearPattern | null {
  if (matcher === undefined) return null;
  const compiled = compileLinearPattern(matcher);
  if (compiled.ok) return compiled.value;
  const complaint = { hook: name, code: "unbounded-pattern", at: ["matcher"], severity: "error" } as const;
  problems.push({ ...complaint, message: `The matcher: ${compiled.error}`, fix: "Write tool names, joined by `|`" });
  return null;
}

type CheckHook = Extract<HookDefinition, { type: "check" }>;

function compileWhen({ name, event, when }: CheckHook, problems: HookProblem[]): Condition | null {
  if (when === undefined) return null;
  const compiled = compileCondition(when, event);
  if (compiled.ok) return compiled.value;
  const complaint = { hook: name, code: "invalid-condition", at: ["when"], severity: "error" } as const;
  const fix = `Write CEL over the fields of ${event}`;
  problems.push({ ...complaint, message: `The condition: ${compiled.error}`, fix });
  return null;
}

function compileOwnCheck(hook: CheckHook, context: CheckContext, problems: HookProblem[]): CompiledCheck | null {
  if (hook.check === undefined) return null;
  try {
    return compileCheck(hook.check, context);
  } catch (thrown) {
    if (!isAppError(thrown)) throw thrown;
    const isPattern = hook.check.type === "pattern";
    problems.push({
      hook: hook.name,
      code: isPattern ? "unbounded-pattern" : "invalid-check",
      at: isPattern ? ["check", "pattern"] : ["check"],
      message: thrown.message,
      fix: "Change the check's options, or the tool's schema",
      severity: "error",
    });
    return null;
  }
}

function checkMatchedTools({ name, matcher }: HookDefinition, { tools }: CheckContext): HookProblem[] {
  const compiled = matcher === undefined ? null : compileLinearPattern(matcher);
  if (compiled?.ok !== true) return [];
  if (["load_skill", ...tools.map((tool) => tool.name)].some((tool) => compiled.value.matchesAll(tool))) return [];
  return [
    {
      hook: name,
      code: "missing-tool",
      at: ["matcher"],
      message: "The matcher fits no tool of the harness, so the hook would never act",
      fix: "Correct the tool's name, or remove the hook",
      severity: "error",
    },
  ];
}

/** True when the hook is asked about this input. */
export function isAsked(hook: CompiledHook, input: HookInput): boolean {
  return hook.matcher === null || ("tool_name" in input && hook.matcher.matchesAll(input.tool_name));
}
