/** The http tools of a replayed turn: they answer from its record, so that nothing happens twice. */
import canonicalize from "canonicalize";
import type { ReplayedTurn } from "../../contract/replay.ts";
import type { ToolCallRecord } from "../../contract/turn-record.ts";
import { AppError } from "../../errors/app-error.ts";
import { ERROR_RULES, type ErrorCode } from "../../errors/error-codes.ts";
import { parseToolArguments } from "../stream/parse-tool-arguments.ts";
import type { HttpTool } from "../tools/execute-tool-call.ts";
import type { ToolArguments } from "../tools/tool-world.ts";

/** What the service did. A call that was refused before, or was given up, says nothing about that. */
type Answer = { readonly output: string } | { readonly code: ErrorCode };

/** Codes of calls that never reached the service, or whose answer nobody waited for. */
const UNASKED: readonly ErrorCode[] = ["tool_not_found", "tool_input_invalid", "tool_denied", "tool_cancelled"];

export type RecordedTools = {
  readonly http: HttpTool;
  /** Calls so far that the record has no answer to. */
  readonly unrecordedCalls: readonly ReplayedTurn["unrecordedCalls"][number][];
};

/**
 * A call answers as the recorded one of the same tool and arguments (by canonical JSON, so their order and spacing do not
 * count); the second of two equal calls as the second recorded one, and from there on as the last. What is not recorded
 * fails as `tool_failed`. A record has arguments as the policy wrote them: of a call that a hook changed it knows nothing.
 */
export function createRecordedTools(calls: readonly ToolCallRecord[]): RecordedTools {
  const answers = new Map<string, Answer[]>();
  for (const call of calls) {
    const args = parseToolArguments(call.argumentsText);
    const key = args.ok ? keyOf(call.tool, args.value) : null;
    const answer = answerOf(call);
    if (key === null || answer === null) continue;
    const known = answers.get(key);
    if (known === undefined) answers.set(key, [answer]);
    else known.push(answer);
  }
  const unrecordedCalls: ReplayedTurn["unrecordedCalls"] = [];
  return {
    unrecordedCalls,
    http: {
      async call({ definition }, args) {
        const key = keyOf(definition.name, args);
        const recorded = answers.get(key ?? "") ?? [];
        const answer = recorded.length > 1 ? recorded.shift() : recorded[0];
        if (answer === undefined) {
          unrecordedCalls.push({ tool: definition.name, argumentsText: JSON.stringify(args) });
          throw new AppError("tool_failed", "The record has no such call", { details: { tool: definition.name } });
        }
        if ("output" in answer) return answer.output;
        throw new AppError(answer.code, "The recorded call failed", { details: { tool: definition.name } });
      },
    },
  };
}

function answerOf({ outcome, code, output }: ToolCallRecord): Answer | null {
  if (outcome === "tool-result") return { output };
  return isErrorCode(code) && !UNASKED.includes(code) ? { code } : null;
}

function isErrorCode(code: string | null): code is ErrorCode {
  return code !== null && Object.hasOwn(ERROR_RULES, code);
}

/** `null`: half a surrogate pair has no canonical form. */
function keyOf(tool: string, args: ToolArguments): string | null {
  try {
    return `${tool} ${canonicalize(args) ?? ""}`;
  } catch {
    return null;
  }
}
