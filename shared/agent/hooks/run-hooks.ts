/**
 * Runs all hooks of an event and makes one verdict of their answers.
 *
 * - All matching hooks run, in declared order, also after one has denied: an audit hook sees what was refused.
 * - Rewrites chain: each hook sees what the one before it left. After a rewrite the guards before it are asked once more
 *   about the final text, so that no rewrite carries a text past a guard that would have refused it.
 * - The strictest verdict wins: deny, then answer, then allow. Of two denials the first declared gives the reason.
 * - A hook that throws, is late, answers nonsense or has no code denies (`failure: "closed"`), or is recorded and
 *   ignored (`"open"`). SessionStart and PostUtterance cannot be stopped: whatever goes wrong there is only recorded.
 * - Hooks without code run in the caller's own tick: nothing is awaited, a sentence costs microseconds.
 */
import type { HookEvent, HookInput } from "../../contract/hook-io.ts";
import type { HookRecord } from "../../contract/turn-record.ts";
import type { Timer } from "../../core/timer.ts";
import type { ErrorCode } from "../../errors/error-codes.ts";
import { isObserved } from "./check-hook-fit.ts";
import { checkHookOutput } from "./check-hook-output.ts";
import { isAsked, type CompiledHook, type HookSet } from "./compile-hooks.ts";
import { subjectOf, withText, withToolInput } from "./hook-subject.ts";
import { interpretOutput, parseOutput, type Interpreted } from "./interpret-output.ts";

/** Port for hooks that are code. Runs one hook on its input; the answer is not trusted. Rejects when the code fails or is missing. */
export interface HookCode {
  run(hookName: string, input: HookInput, timeoutMs: number): Promise<unknown>;
}

export type HookDeps = {
  readonly code: HookCode;
  readonly timer: Timer;
  /** Milliseconds from the turn's acceptance. */
  readonly elapsedMs: () => number;
  /** Milliseconds that the turn has left. A code hook gets no more, whatever its own limit is. Absent: no such end. */
  readonly remainingMs?: () => number;
};

type FailureCode = Extract<ErrorCode, "hook_failed" | "hook_timed_out" | "hook_output_invalid">;

export type HookVerdict = {
  readonly verdict: "allow" | "deny" | "answer";
  /** Why it was denied or answered; empty when allowed. */
  readonly reason: string;
  /** Name of the hook whose word it is; `null` when allowed. */
  readonly hook: string | null;
  /** Set when a hook denied by failing. */
  readonly code: FailureCode | null;
  /** The sentence, message or tool result, if a hook changed it. Only when allowed. */
  readonly text?: string;
  /** The tool's arguments, if a hook changed them. Only when allowed. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Only with the verdict `answer`. */
  readonly fixedAnswer?: string;
  /** What hooks add for the policy to read, in declared order. */
  readonly contexts: readonly string[];
  /** Everything that was not a plain allow. */
  readonly records: readonly HookRecord[];
  /** Times that a hook was asked. */
  readonly runs: number;
};

const ALLOWED: HookVerdict = {
  verdict: "allow",
  reason: "",
  hook: null,
  code: null,
  contexts: [],
  records: [],
  runs: 0,
};

const SUBJECT_CHARS_MAX = 300;
const REASON_CHARS_MAX = 500;

/** Asks the hooks of the input's event. Never throws or rejects: a failure is part of the verdict. */
export function runHooks(set: HookSet, input: HookInput, deps: HookDeps): HookVerdict | Promise<HookVerdict> {
  const hooks = (set.byEvent.get(input.hook_event_name) ?? []).filter((hook) => isAsked(hook, input));
  if (hooks.length === 0) return ALLOWED;
  const run: Run = {
    deps,
    input,
    current: input,
    denial: null,
    answer: null,
    contexts: [],
    records: [],
    runs: 0,
    lastRewriter: -1,
  };
  const first = askFrom(hooks, 0, run, takeAnswer);
  const second = then(first, () => askFrom(guardsBefore(hooks, run.lastRewriter), 0, run, takeSecondLook));
  return then(second, () => toVerdict(run));
}

type Denial = { readonly hook: string; readonly reason: string; readonly code: FailureCode | null };

type Run = {
  readonly deps: HookDeps;
  readonly input: HookInput;
  /** The input with all rewrites so far. */
  current: HookInput;
  denial: Denial | null;
  answer: { readonly hook: string; readonly reason: string; readonly text: string } | null;
  readonly contexts: string[];
  readonly records: HookRecord[];
  runs: number;
  /** Index of the last hook that changed something; -1 for none. */
  lastRewriter: number;
};

/** A hook's answer, or how it failed. */
type Answer =
  | { readonly ok: true; readonly value: Interpreted }
  | { readonly ok: false; readonly code: FailureCode; readonly message: string };

type Take = (run: Run, hook: CompiledHook, answer: Answer, index: number) => void;

/** Goes on in the same tick until a hook is code; from there on in promises. */
function askFrom(hooks: readonly CompiledHook[], from: number, run: Run, take: Take): void | Promise<void> {
  for (const [index, hook] of hooks.entries()) {
    if (index < from) continue;
    run.runs += 1;
    const answer = hook.type === "check" ? askCheck(hook, run.current) : askCode(hook, run);
    if (answer instanceof Promise) {
      return answer.then((value) => {
        take(run, hook, value, index);
        return askFrom(hooks, index + 1, run, take);
      });
    }
    take(run, hook, answer, index);
  }
}

function then<Value>(before: void | Promise<void>, next: () => Value | Promise<Value>): Value | Promise<Value> {
  return before instanceof Promise ? before.then(next) : next();
}

function askCheck(hook: Extract<CompiledHook, { type: "check" }>, input: HookInput): Answer {
  try {
    return { ok: true, value: interpretOutput(checkHookOutput(hook, input)) };
  } catch (thrown) {
    const message = thrown instanceof Error ? (thrown.message.split("\n", 1)[0] ?? "") : "";
    return { ok: false, code: "hook_failed", message };
  }
}

async function askCode(hook: CompiledHook, run: Run): Promise<Answer> {
  const { code, timer, remainingMs = () => Number.POSITIVE_INFINITY } = run.deps;
  const limitMs = Math.max(1, Math.min(hook.timeoutMs, remainingMs()));
  let cancel = () => {};
  const late = new Promise<"late">((resolve) => {
    cancel = timer.after(limitMs, () => resolve("late"));
  });
  // Wrapped, so that a port that throws at once is a rejection like any other; settled, so that one after the limit is heard by nobody.
  const asked = Promise.resolve()
    .then(() => code.run(hook.name, run.current, limitMs))
    .then(
      (output) => ({ output }),
      () => null,
    );
  const result = await Promise.race([asked, late]);
  cancel();
  if (result === "late") return { ok: false, code: "hook_timed_out", message: `no answer in ${limitMs} ms` };
  if (result === null) return { ok: false, code: "hook_failed", message: "the code failed" };
  const parsed = parseOutput(run.input.hook_event_name, result.output);
  return parsed.ok ? parsed : { ok: false, code: "hook_output_invalid", message: parsed.error };
}

function takeAnswer(run: Run, hook: CompiledHook, answer: Answer, index: number): void {
  if (!answer.ok) {
    takeFailure(run, hook, answer);
    return;
  }
  const { value } = answer;
  if (value.verdict === "deny") deny(run, hook, { hook: hook.name, reason: value.reason, code: null });
  if (value.verdict === "answer" && value.fixedAnswer !== undefined) {
    run.answer ??= { hook: hook.name, reason: value.reason, text: value.fixedAnswer };
    record(run, hook, "answer", value.reason);
  }
  if (value.context !== undefined) {
    run.contexts.push(value.context);
    record(run, hook, "context", value.context);
  }
  const changed = applyChange(run.current, value);
  if (changed === run.current) return;
  record(run, hook, "rewrite", value.reason);
  run.current = changed;
  run.lastRewriter = index;
}

function takeFailure(run: Run, hook: CompiledHook, { code, message }: Extract<Answer, { ok: false }>): void {
  record(run, hook, "failed", `${code}: ${message}`);
  if (hook.failure === "open" || isObserved(run.input.hook_event_name)) return;
  run.denial ??= { hook: hook.name, reason: `检查没有完成（${code}）`, code };
}

/** A guard's second look at the final text: it may only refuse. A JSON hook that would rewrite again refuses as well. */
function takeSecondLook(run: Run, hook: CompiledHook, answer: Answer): void {
  if (!answer.ok) takeFailure(run, hook, answer);
  else if (answer.value.verdict === "answer") takeAnswer(run, hook, answer, run.lastRewriter);
  else if (
    answer.value.verdict === "deny" ||
    (hook.type === "check" && applyChange(run.current, answer.value) !== run.current)
  ) {
    deny(run, hook, { hook: hook.name, reason: answer.value.reason, code: null });
  }
}

function guardsBefore(hooks: readonly CompiledHook[], index: number): readonly CompiledHook[] {
  return hooks.slice(0, Math.max(0, index)).filter((hook) => hook.type === "code" || hook.action.type !== "context");
}

function deny(run: Run, hook: CompiledHook, denial: Denial): void {
  const event = run.input.hook_event_name;
  if (isObserved(event)) {
    record(run, hook, "failed", `${event} cannot be blocked: ${denial.reason}`);
    return;
  }
  run.denial ??= denial;
  record(run, hook, "deny", denial.reason);
}

/** The input as the answer wants it; the same object when the answer changes nothing. */
function applyChange(input: HookInput, { text, input: toolInput }: Interpreted): HookInput {
  if (toolInput !== undefined) return isSameToolInput(input, toolInput) ? input : withToolInput(input, toolInput);
  return text === undefined || text === subjectOf(input) ? input : withText(input, text);
}

function isSameToolInput(input: HookInput, toolInput: Readonly<Record<string, unknown>>): boolean {
  return input.hook_event_name === "PreToolUse" && JSON.stringify(input.tool_input) === JSON.stringify(toolInput);
}

function record(run: Run, hook: CompiledHook, verdict: HookRecord["verdict"], reason: string): void {
  run.records.push({
    hook: hook.name,
    event: run.input.hook_event_name,
    verdict,
    reason: cut(reason, REASON_CHARS_MAX),
    atMs: run.deps.elapsedMs(),
    subject: cut(subjectOf(run.current), SUBJECT_CHARS_MAX),
  });
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax).toWellFormed();
}

function toVerdict(run: Run): HookVerdict {
  const { denial, answer, contexts, records, runs } = run;
  const kept = { contexts, records, runs };
  if (denial !== null) return { verdict: "deny", ...denial, ...kept };
  if (answer !== null) {
    return {
      verdict: "answer",
      reason: answer.reason,
      hook: answer.hook,
      code: null,
      fixedAnswer: answer.text,
      ...kept,
    };
  }
  return { verdict: "allow", reason: "", hook: null, code: null, ...changesOf(run), ...kept };
}

function changesOf({ input, current }: Run): Pick<HookVerdict, "text" | "input"> {
  if (current === input) return {};
  const event: HookEvent = input.hook_event_name;
  if (current.hook_event_name === "PreToolUse" && event === "PreToolUse") return { input: current.tool_input };
  return { text: subjectOf(current) };
}
