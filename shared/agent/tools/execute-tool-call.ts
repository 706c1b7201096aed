/** One tool call, from the policy's text to one outcome that the policy can read. */
import { parseJson } from "../../core/json.ts";
import type { ToolCallRecord } from "../../contract/turn-record.ts";
import type { ErrorCode } from "../../errors/error-codes.ts";
import { isAppError } from "../../errors/app-error.ts";
import type { Timer } from "../../core/timer.ts";
import type { CompiledHarness, CompiledTool } from "../compiled-harness.ts";
import { evidenceBlock } from "../evidence.ts";
import type { TurnHooks } from "../turn/turn-hooks.ts";
import { parseToolArguments } from "../stream/parse-tool-arguments.ts";
import { findBuiltin } from "./builtin-tools.ts";
import { LOAD_SKILL, skillContent } from "./load-skill.ts";
import { textOf, type ToolArguments, type ToolWorld } from "./tool-world.ts";

/** Port for tools bound to a merchant's HTTP service. Rejects with an AppError that carries the code. */
export interface HttpTool {
  call(tool: CompiledTool, args: ToolArguments, signal: AbortSignal): Promise<string>;
}

export type ToolDeps = {
  readonly harness: CompiledHarness;
  readonly world: ToolWorld;
  readonly hooks: TurnHooks;
  readonly http: HttpTool;
  readonly timer: Timer;
  /** Milliseconds from the turn's acceptance. */
  readonly elapsedMs: () => number;
  readonly signal: AbortSignal;
};

export type ToolCall = { readonly id: string; readonly name: string; readonly argumentsText: string };

export type ToolOutcome = {
  readonly record: ToolCallRecord;
  /** Content of the `tool` message. */
  readonly content: string;
  /** Evidence for hooks; empty unless the tool answered with facts. */
  readonly evidence: string;
};

type Raw =
  | { readonly outcome: "tool-result"; readonly output: string; readonly instruction: boolean }
  | { readonly outcome: "tool-error" | "tool-denied"; readonly code: ErrorCode; readonly output: string };

/**
 * Parses, asks the PreToolUse hooks, runs under the tool's time limit, asks the PostToolUse hooks. Never throws:
 * a call always has exactly one outcome. Returns within `timeoutMs` of the hooks' answer, even if the tool ignores its signal.
 */
export async function executeToolCall(call: ToolCall, deps: ToolDeps): Promise<ToolOutcome> {
  const startedMs = deps.elapsedMs();
  const contexts: string[] = [];
  const raw = await decideAndRun(call, deps, contexts);
  const added = evidenceBlock(
    "context",
    contexts.map((text) => ({ text })),
  );
  const output = raw.outcome === "tool-result" && raw.instruction ? raw.output : fence(call.name, raw);
  return {
    record: {
      callId: call.id,
      tool: call.name.slice(0, 64),
      argumentsText: call.argumentsText.slice(0, 4_000),
      outcome: raw.outcome,
      code: raw.outcome === "tool-result" ? null : raw.code,
      output: raw.output.slice(0, 8_000),
      startedMs,
      endedMs: deps.elapsedMs(),
    },
    content: added === "" ? output : `${output}\n${added}`,
    evidence: raw.outcome === "tool-result" && !raw.instruction ? output : "",
  };
}

/** @param contexts - Takes what the hooks add beside the result. */
async function decideAndRun(call: ToolCall, deps: ToolDeps, contexts: string[]): Promise<Raw> {
  const tool = deps.harness.tools.get(call.name);
  if (tool === undefined) {
    return error(
      "tool_not_found",
      `没有叫 ${call.name.slice(0, 64)} 的工具，可用：${[...deps.harness.tools.keys()].join("、")}`,
    );
  }
  const parsed = parseToolArguments(call.argumentsText);
  if (!parsed.ok) return error("tool_input_invalid", "参数不是一个 JSON 对象");
  const before = await deps.hooks.run({
    hook_event_name: "PreToolUse",
    tool_name: call.name,
    tool_input: parsed.value,
    tool_use_id: call.id,
  });
  contexts.push(...before.contexts);
  if (before.verdict !== "allow") return { outcome: "tool-denied", code: "tool_denied", output: before.reason };
  const args = before.input ?? parsed.value;
  const valid = tool.validate(args);
  if (!valid.ok) return error("tool_input_invalid", valid.message);

  const raw = await runWithin(tool, args, deps);
  const after = await deps.hooks.run({
    hook_event_name: "PostToolUse",
    tool_name: call.name,
    tool_input: args,
    tool_use_id: call.id,
    tool_response: raw.output,
    is_error: raw.outcome !== "tool-result",
  });
  contexts.push(...after.contexts);
  if (after.verdict !== "allow") return { outcome: "tool-denied", code: "tool_denied", output: after.reason };
  return after.text === undefined ? raw : { ...raw, output: after.text };
}

async function runWithin(tool: CompiledTool, args: ToolArguments, deps: ToolDeps): Promise<Raw> {
  const { binding, timeoutMs } = tool.definition;
  if (binding.type === "builtin") return runBuiltin(binding.builtin, args, deps);
  const limit = new AbortController();
  const cancel = deps.timer.after(timeoutMs, () => limit.abort());
  const signal = AbortSignal.any([deps.signal, limit.signal]);
  try {
    const output = await Promise.race([deps.http.call(tool, args, signal), rejectOnAbort(signal)]);
    return { outcome: "tool-result", output, instruction: false };
  } catch (thrown) {
    if (deps.signal.aborted) return error("tool_cancelled", "本轮已经结束");
    if (limit.signal.aborted) return error("tool_timed_out", `${timeoutMs} 毫秒内没有结果，没有查到，不要编`);
    return error(isAppError(thrown) ? thrown.code : "tool_failed", "服务没有正常回答，没有查到，不要编");
  } finally {
    cancel();
  }
}

function runBuiltin(name: string, args: ToolArguments, deps: ToolDeps): Raw {
  if (name === LOAD_SKILL) {
    const skill = deps.harness.skills.get(textOf(args, "name"));
    if (skill === undefined) return error("tool_input_invalid", "没有这个技能");
    return { outcome: "tool-result", output: skillContent(skill), instruction: true };
  }
  const result = findBuiltin(name)?.(args, deps.world);
  if (result === undefined) return error("tool_not_found", `没有内置工具 ${name}`);
  if (!result.ok) return error("tool_failed", result.message);
  return { outcome: "tool-result", output: JSON.stringify(result.output), instruction: false };
}

/** A result goes back as evidence: parsed where it is JSON, else as one text, so that it cannot pose as an instruction. */
function fence(toolName: string, raw: Raw): string {
  const name = toolName.replaceAll(/[^\w.-]/g, "_").slice(0, 64);
  const value =
    raw.outcome === "tool-result" ? (parseJson(raw.output) ?? raw.output) : { error: raw.code, message: raw.output };
  return evidenceBlock(`tool:${name}`, [value]);
}

function error(code: ErrorCode, message: string): Raw {
  return { outcome: "tool-error", code, output: message };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(new Error("aborted"));
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
}
