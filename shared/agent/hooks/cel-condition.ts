/** Conditions of hooks: CEL over `input`, checked against the event's fields when a harness is pushed. */
import { Environment, type ASTNode } from "@marcbachmann/cel-js";
import type { HookEvent, HookInput } from "../../contract/hook-io.ts";
import { fail, ok, type Result } from "../../core/result.ts";

/** Throws when the input has no such field or a value of another type. */
export type Condition = (input: HookInput) => boolean;

/** Lists inside lists cost their product; a condition is asked for every sentence. */
const NESTED_LOOPS_MAX = 2;
const LIMITS = { maxAstNodes: 500, maxDepth: 40, maxListElements: 200, maxMapEntries: 50, maxCallArguments: 8 };

const SHARED = {
  session_id: "string",
  turn_id: "string",
  retry_active: "bool",
  question: "string",
  evidence: "list<string>",
};
const TOOL = { tool_name: "string", tool_input: "map<string, dyn>", tool_use_id: "string" };
const SENTENCE = { text: "string", seq: "int", said: "list<string>", tools_used: "list<string>" };
const FIELDS: Readonly<Record<HookEvent, Readonly<Record<string, string>>>> = {
  SessionStart: { source: "string" },
  UserPromptSubmit: { prompt: "string" },
  PreModelCall: { step: "int", prompt_bytes: "int" },
  PreToolUse: TOOL,
  PostToolUse: { ...TOOL, tool_response: "string", is_error: "bool" },
  PreUtterance: SENTENCE,
  PostUtterance: SENTENCE,
  Stop: { reply: "string", stop_hook_active: "bool", tools_used: "list<string>" },
};

let runtime: Environment | null = null;
const checkers = new Map<HookEvent, Environment>();

/**
 * Compiles a condition for an event, or says why it cannot be.
 *
 * Refused beside what does not parse, names a field that the event does not have, or is no truth value: `matches`, whose
 * patterns backtrack without bound (the `pattern` check is there for that), `cel.bind`, which can double a text again
 * and again, and lists looped over inside each other more than twice.
 */
export function compileCondition(source: string, event: HookEvent): Result<Condition, string> {
  const checked = checkerOf(event).check(source);
  if (!checked.valid) return fail(firstLine(checked.error?.message ?? "it does not parse"));
  if (checked.type !== "bool" && checked.type !== "dyn") return fail(`it gives ${checked.type}, not true or false`);
  runtime ??= new Environment({ limits: LIMITS }).registerVariable("input", "map");
  const program = runtime.parse(source);
  const refusal = refusalOf(program.ast, 0);
  if (refusal !== null) return fail(refusal);
  return ok((input) => {
    const value: unknown = program({ input: toCelInput(input) });
    if (typeof value !== "boolean") throw new TypeError("The condition gives neither true nor false");
    return value;
  });
}

function checkerOf(event: HookEvent): Environment {
  const known = checkers.get(event);
  if (known !== undefined) return known;
  const schema = { hook_event_name: "string", ...SHARED, ...FIELDS[event] };
  const checker = new Environment({ limits: LIMITS }).registerVariable({ name: "input", schema });
  checkers.set(event, checker);
  return checker;
}

/** Whole numbers are CEL integers, so that `input.seq + 1` adds two of a kind. */
function toCelInput(input: HookInput): Readonly<Record<string, unknown>> {
  if ("seq" in input) return { ...input, seq: BigInt(input.seq) };
  if ("step" in input) return { ...input, step: BigInt(input.step), prompt_bytes: BigInt(input.prompt_bytes) };
  return input;
}

const LOOPS = new Set(["all", "exists", "exists_one", "existsOne", "map", "filter"]);

function refusalOf(node: unknown, loops: number): string | null {
  if (Array.isArray(node))
    return node.map((part) => refusalOf(part, loops)).find((refusal) => refusal !== null) ?? null;
  if (!isNode(node)) return null;
  const called = node.op === "rcall" || node.op === "call" ? node.args[0] : "";
  if (called === "matches")
    return "`matches` can take for ever; use the check `pattern`, or contains, startsWith, endsWith";
  if (called === "bind") return "`cel.bind` is not allowed; write the expression out";
  const inside = LOOPS.has(called) ? loops + 1 : loops;
  if (inside > NESTED_LOOPS_MAX) return `more than ${NESTED_LOOPS_MAX} loops inside each other`;
  return refusalOf(node.args, inside);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}
