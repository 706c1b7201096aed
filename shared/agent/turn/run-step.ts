/** One model call: its stream becomes checked sentences as it arrives, and tool calls at its end. */
import type { ServedBy, StepRecord, Usage } from "../../contract/turn-record.ts";
import { ERROR_RULES, type ErrorCode } from "../../errors/error-codes.ts";
import { SentenceCutter } from "../../speech/sentence-cutter.ts";
import type { ModelPart, ModelRequest } from "../model-client.ts";
import type { ChatStreamPart } from "../stream/chat-stream.ts";
import type { ToolCall } from "../tools/execute-tool-call.ts";
import { elapsedMs, utter, type TurnRun, type Utterance } from "./turn-run.ts";

export type StepResult =
  | { readonly type: "done"; readonly text: string }
  | { readonly type: "tools"; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly type: "blocked"; readonly hook: string; readonly reason: string; readonly sentence: string }
  /** The stream broke, was cut or said nothing; what was said stays said. */
  | { readonly type: "broken"; readonly code: ErrorCode; readonly retry: boolean };

type StepProgress = {
  readonly startedMs: number;
  readonly cutter: SentenceCutter;
  readonly calls: ToolCall[];
  firstDeltaMs: number | null;
  text: string;
  usage: Usage | null;
  servedBy: ServedBy | null;
  end: Extract<ChatStreamPart, { type: "end" }> | null;
  blocked: Extract<Utterance, { spoken: false }> | null;
};

export async function runStep(run: TurnRun): Promise<StepResult> {
  const { harness, model } = run.deps;
  const step: StepProgress = {
    startedMs: elapsedMs(run),
    cutter: new SentenceCutter({ charsMax: harness.bundle.budgets.sentenceCharsMax }),
    calls: [],
    firstDeltaMs: null,
    text: "",
    usage: null,
    servedBy: null,
    end: null,
    blocked: null,
  };
  // A blocked sentence ends this call alone; the deadline ends the turn.
  const stop = new AbortController();
  const signal = AbortSignal.any([run.abort.signal, stop.signal]);
  run.stopCall = () => stop.abort();
  for await (const parts of model.stream(toRequest(run, signal))) {
    for (const part of parts) await take(run, step, part);
    // The connection closes at once; the stream still says what the tokens so far have cost.
    step.blocked ??= run.stale;
    if (step.blocked !== null) stop.abort();
  }
  run.stopCall = () => {};
  step.blocked ??= run.stale;
  if (step.blocked === null && isWhole(step.end)) await speakAll(run, step, step.cutter.flush());
  run.steps.push(toRecord(run, step));
  run.stale = null;
  return toResult(run, step);
}

function toRequest(run: TurnRun, signal: AbortSignal): ModelRequest {
  const { bundle, toolSpecs } = run.deps.harness;
  return {
    messages: run.messages,
    tools: toolSpecs,
    temperature: bundle.model.temperature,
    topP: bundle.model.topP ?? null,
    maxOutputTokens: bundle.budgets.outputTokensMax,
    thinking: bundle.model.thinking,
    firstByteTimeoutMs: bundle.budgets.firstByteTimeoutMs,
    betweenChunksTimeoutMs: bundle.budgets.betweenChunksTimeoutMs,
    callIdPrefix: `${run.lease.turn}_${run.steps.length}`,
    signal,
  };
}

async function take(run: TurnRun, step: StepProgress, part: ModelPart): Promise<void> {
  switch (part.type) {
    case "text-delta":
      if (step.blocked !== null) return;
      step.firstDeltaMs ??= elapsedMs(run);
      step.text += part.text;
      return speakAll(run, step, step.cutter.push(part.text));
    case "tool-call":
      step.firstDeltaMs ??= elapsedMs(run);
      step.calls.push(part.toolCall);
      return;
    case "usage":
      step.usage = {
        inputTokens: part.usage.inputTokens,
        outputTokens: part.usage.outputTokens,
        cachedTokens: part.usage.cachedTokens,
        estimated: part.usage.estimated,
      };
      return;
    case "served-by":
      step.servedBy = part.servedBy;
      return;
    case "end":
      step.end = part;
  }
}

async function speakAll(run: TurnRun, step: StepProgress, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    if (run.abort.signal.aborted) return;
    const utterance = await utter(run, piece);
    if (!utterance.spoken) {
      step.blocked = utterance;
      return;
    }
  }
}

/** Only a stream that said how it ended is whole; the rest of a truncated one is half a sentence and stays unsaid. */
function isWhole(end: StepProgress["end"]): boolean {
  return end !== null && (end.finish === "stop" || end.finish === "tool-calls");
}

function toResult(run: TurnRun, step: StepProgress): StepResult {
  const { blocked, end, text, calls } = step;
  if (blocked !== null) {
    return { type: "blocked", hook: blocked.hook, reason: blocked.reason, sentence: blocked.text };
  }
  if (run.abort.signal.aborted) return { type: "broken", code: "deadline_exceeded", retry: false };
  if (end === null) return { type: "broken", code: "model_stream_broken", retry: true };
  if (!isWhole(end)) {
    const code = codeOf(end);
    return { type: "broken", code, retry: ERROR_RULES[code].retry === "later" };
  }
  if (calls.length > 0) return { type: "tools", text, calls };
  if (text.trim() === "") return { type: "broken", code: "model_empty_stream", retry: true };
  return { type: "done", text };
}

function codeOf(end: Extract<ChatStreamPart, { type: "end" }>): ErrorCode {
  if (end.finish === "length") return "model_output_truncated";
  if (end.finish === "content-filter") return "model_refused";
  return end.code !== null && Object.hasOwn(ERROR_RULES, end.code) ? (end.code as ErrorCode) : "model_stream_broken";
}

function toRecord(run: TurnRun, step: StepProgress): StepRecord {
  return {
    index: run.steps.length,
    startedMs: step.startedMs,
    firstDeltaMs: step.firstDeltaMs,
    endedMs: elapsedMs(run),
    finish: step.blocked === null ? (step.end?.finish ?? "incomplete") : "blocked",
    code: step.end?.code ?? null,
    text: step.text,
    usage: step.usage,
    servedBy: step.servedBy,
    toolCalls: [],
  };
}
