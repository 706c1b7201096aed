/** The one reading of what a hook answers, whether the answer was computed by a JSON hook or by code. */
import { hookOutputSchema, type HookEvent, type HookOutput } from "../../contract/hook-io.ts";
import { fail, ok, type Result } from "../../core/result.ts";

/** What an answer means. Message and effect come from here and nowhere else. */
export type Interpreted = {
  readonly verdict: "allow" | "deny" | "answer";
  /** Why it is denied, answered or changed. */
  readonly reason: string;
  /** The sentence, message or tool result as it shall be. */
  readonly text?: string;
  /** The tool's arguments as they shall be. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly fixedAnswer?: string;
  readonly context?: string;
};

type SpecificOutput = NonNullable<HookOutput["hookSpecificOutput"]>;

const BELONGS_TO: readonly (readonly [field: keyof SpecificOutput, events: readonly HookEvent[]])[] = [
  ["updatedInput", ["PreToolUse"]],
  ["updatedToolOutput", ["PostToolUse"]],
  ["updatedPrompt", ["UserPromptSubmit"]],
  ["updatedText", ["PreUtterance"]],
  ["fixedAnswer", ["UserPromptSubmit", "Stop"]],
];

const REFUSED = "没有通过检查";

/**
 * Reads an answer from outside. `{}` allows; everything that is not the schema's object (null, text, a misspelt field, a
 * field of another event) is no answer.
 *
 * Deny is `decision: "block"`, `continue: false`, or a `permissionDecision` other than `allow`: nobody sits at the screen
 * of a live room who could be asked, so "ask" and "defer" deny.
 */
export function parseOutput(event: HookEvent, value: unknown): Result<Interpreted, string> {
  const parsed = hookOutputSchema.safeParse(value);
  if (!parsed.success) return fail(parsed.error.issues[0]?.message ?? "no answer");
  const specific = parsed.data.hookSpecificOutput;
  if (specific !== undefined && specific.hookEventName !== event) return fail(`an answer to ${specific.hookEventName}`);
  const foreign = BELONGS_TO.find(([field, events]) => specific?.[field] !== undefined && !events.includes(event));
  if (foreign !== undefined) return fail(`${event} has no ${foreign[0]}`);
  if (specific?.fixedAnswer === "") return fail("an empty fixedAnswer");
  return ok(interpretOutput(parsed.data));
}

/** Reads a valid answer. */
export function interpretOutput(output: HookOutput): Interpreted {
  const specific = output.hookSpecificOutput ?? null;
  if (specific === null) return { verdict: isDenied(output) ? "deny" : "allow", reason: reasonOf(output) };
  const { additionalContext = "", fixedAnswer } = specific;
  const base = { reason: reasonOf(output), ...(additionalContext !== "" && { context: additionalContext }) };
  if (isDenied(output)) return { verdict: "deny", ...base, ...changes(specific) };
  if (fixedAnswer !== undefined) return { verdict: "answer", ...base, fixedAnswer };
  return { verdict: "allow", ...base, ...changes(specific) };
}

function isDenied({ decision, continue: goesOn, hookSpecificOutput }: HookOutput): boolean {
  const permission = hookSpecificOutput?.permissionDecision ?? "allow";
  return decision === "block" || goesOn === false || permission !== "allow";
}

function reasonOf(output: HookOutput): string {
  const given = output.hookSpecificOutput?.permissionDecisionReason ?? output.reason ?? output.stopReason;
  return given ?? (isDenied(output) ? REFUSED : "");
}

/** A hook that denies may still change what later hooks see. */
function changes(specific: SpecificOutput): Pick<Interpreted, "text" | "input"> {
  const text = specific.updatedText ?? specific.updatedPrompt ?? specific.updatedToolOutput;
  return {
    ...(text !== undefined && { text }),
    ...(specific.updatedInput !== undefined && { input: specific.updatedInput }),
  };
}
