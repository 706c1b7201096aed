/** `POST /v1/chat/completions`: one request from its body to its end. */
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { parseJson } from "../../shared/core/json.ts";
import { chooseAnswer, toPieces, type Answer, type Piece } from "./answers.ts";
import { JSON_HEADERS, SSE_HEADERS, StreamBody, WholeBody } from "./chat-bodies.ts";
import { readChatBody, renderOutput, renderPrompt, type ChatBody } from "./chat-body.ts";
import { Delivery } from "./delivery.ts";
import {
  toErrorBody,
  toRequestMetrics,
  toUsage,
  type ApiError,
  type ChatHead,
  type Finish,
  type UsageCounts,
} from "./dialects.ts";
import type { Emulator } from "./emulator.ts";
import type { Generation } from "./engine.ts";
import type { ArmedFault, WholeFault } from "./faults.ts";
import { Line } from "./line.ts";
import type { LogEntry } from "./request-log.ts";
import { toTokenBlocks } from "./tokens.ts";
import { replay, type Recording } from "./trace.ts";

const FIXTURES = path.resolve(import.meta.dirname, "../fixtures/provider");

/** One request on its way. */
type Call = {
  readonly emulator: Emulator;
  readonly entry: LogEntry;
  readonly line: Line;
  readonly response: ServerResponse;
  readonly arrivedAtMs: number;
};

/** What it is answered with. */
type Plan = {
  readonly body: ChatBody;
  readonly salt: string;
  readonly answer: Answer;
  readonly pieces: readonly Piece[];
  readonly finish: Finish;
  readonly recording: Recording | null;
};

/** Answers one request. Settles when its answer has begun; the rest goes on by itself. */
export async function serveChat(emulator: Emulator, body: Buffer, response: ServerResponse): Promise<void> {
  const entry = emulator.log.begin(body);
  const call: Call = {
    emulator,
    entry,
    response,
    line: new Line(response, emulator.time),
    arrivedAtMs: emulator.time.nowMs(),
  };
  const bodyText = body.toString("utf8");
  const json = parseJson(bodyText);
  entry.fields = typeof json === "object" && json !== null ? Object.keys(json) : [];
  const read = readChatBody(json, emulator.options);
  const plan = "error" in read ? read : planAnswer(emulator, read.body);
  if ("error" in plan) return refuse(call, plan.error);
  entry.priority = plan.body.priority ?? 0;
  entry.salt = typeof plan.body.cache_salt === "string" ? plan.body.cache_salt : null;
  const taken = emulator.faults.take({ bodyText, body: plan.body, pieces: plan.pieces });
  if (taken !== null && "whole" in taken) await replaceResponse(call, taken.whole);
  else generate(call, plan, taken);
}

function planAnswer(emulator: Emulator, body: ChatBody): Plan | { readonly error: ApiError } {
  const { options } = emulator;
  // Only vLLM keeps salts apart here: SGLang passes over what it does not know.
  const salt = options.kind === "vllm" && typeof body.cache_salt === "string" ? body.cache_salt : "";
  const scripted = emulator.takeScripted();
  const recording = scripted === null ? emulator.takeRecording() : null;
  if (recording !== null) return { body, salt, recording, ...recording };
  const chosen = chooseAnswer(body, options, scripted);
  if ("refusal" in chosen) return { error: { status: 400, message: chosen.refusal } };
  const { answer } = chosen;
  const all = toPieces(answer);
  const pieces = all.slice(0, body.max_completion_tokens ?? body.max_tokens ?? all.length);
  const natural = answer.toolCalls.length > 0 ? "tool_calls" : "stop";
  return { body, salt, answer, pieces, finish: pieces.length < all.length ? "length" : natural, recording };
}

function refuse({ emulator, entry, line, arrivedAtMs }: Call, error: ApiError): void {
  line.head(error.status, JSON_HEADERS);
  line.write(JSON.stringify(toErrorBody(emulator.options.kind, error)));
  line.end();
  entry.finish = `refused:${error.status}`;
  entry.totalMs = emulator.time.nowMs() - arrivedAtMs;
}

async function replaceResponse(call: Call, fault: WholeFault): Promise<void> {
  const { emulator, entry, line, arrivedAtMs } = call;
  watchClose(call, null);
  entry.finish = `fault:${fault.fault}`;
  switch (fault.fault) {
    case "no-headers":
      return;
    case "refuse":
      line.cut();
      break;
    case "status": {
      const status = fault.status ?? 500;
      const retryAfter = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      line.head(status, { ...JSON_HEADERS, ...retryAfter });
      line.write(JSON.stringify(toErrorBody(emulator.options.kind, { status, message: "Asked for by a test" })));
      line.end();
      break;
    }
    case "fixture":
    case "empty-body":
      line.head(200, SSE_HEADERS);
      if (fault.fault === "fixture") line.write(await readFile(path.join(FIXTURES, `${fault.name ?? ""}.sse`)));
      line.end();
      break;
  }
  entry.totalMs = emulator.time.nowMs() - arrivedAtMs;
}

function generate(call: Call, plan: Plan, armed: ArmedFault | null): void {
  const { line } = call;
  const { pieces, finish } = plan;
  const isStream = plan.body.stream === true;
  // Filled in below: the body asks it only when pieces come, which is after this function.
  let generation: Generation | null = null;
  const parts = toBodyParts(call, plan, () => generation);
  const body = isStream ? new StreamBody(parts) : new WholeBody(parts);
  const delivery = new Delivery({ line, body, pieceCount: pieces.length, finish, armed });
  delivery.open();
  if (delivery.state === "over" || (delivery.state === "hung" && armed?.moment === "connect")) {
    watchClose(call, null);
    return note(call, delivery, null);
  }
  const onPieces = (count: number) => {
    const wasGoing = delivery.state === "going";
    delivery.deliver(count);
    if (delivery.state === "going" || !wasGoing) return;
    if (delivery.state === "hung") generation?.freeze();
    else generation?.stop();
    note(call, delivery, generation);
  };
  generation = begin(call, plan, onPieces);
  if (delivery.state === "hung") {
    generation.freeze();
    note(call, delivery, generation);
  }
  watchClose(call, generation);
}

function begin({ emulator, entry }: Call, plan: Plan, onPieces: (count: number) => void): Generation {
  const { options, engine, time } = emulator;
  const { recording, body, pieces, answer } = plan;
  if (recording !== null) {
    entry.promptTokens = recording.usage.promptTokens;
    return replay({ recording, timer: time, speed: options.speed, onPieces });
  }
  const prompt = renderPrompt(body);
  const output = renderOutput(answer.text, answer.toolCalls);
  const { tokens } = toTokenBlocks(prompt, options.blockTokens, plan.salt);
  const { keys } = toTokenBlocks(prompt + output, options.blockTokens, plan.salt);
  entry.promptTokens = tokens;
  return engine.submit({
    promptTokens: tokens,
    keys,
    outputTokens: pieces.length,
    priority: body.priority ?? 0,
    onTokens: onPieces,
  });
}

function toBodyParts(call: Call, plan: Plan, generationOf: () => Generation | null) {
  const { emulator, entry, line, arrivedAtMs } = call;
  const { options } = emulator;
  const { body, answer, pieces, recording } = plan;
  const head: ChatHead = {
    kind: options.kind,
    id: `chatcmpl-emulated-${entry.index}`,
    createdS: Math.floor(arrivedAtMs / 1_000),
    model: options.model,
  };
  const counts = (sent: number): UsageCounts => {
    if (recording !== null && sent >= pieces.length) return recording.usage;
    const cachedTokens = generationOf()?.report().cachedTokens ?? 0;
    return { promptTokens: entry.promptTokens, cachedTokens, outputTokens: sent };
  };
  const isStream = body.stream === true;
  const hasUsage = !options.noUsage && (!isStream || body.stream_options?.include_usage === true);
  return {
    line,
    head,
    answer,
    pieces,
    hasRunningUsage: hasUsage && body.stream_options?.continuous_usage_stats === true,
    counts,
    usage: (sent: number) => (hasUsage ? toUsage(counts(sent), options) : null),
    metrics: () => {
      const report = generationOf()?.report();
      if (options.kind !== "vllm" || report === undefined) return null;
      return toRequestMetrics(report, emulator.time.nowMs() - arrivedAtMs);
    },
  };
}

/** Keeps in the log how it ended, as far as it has. */
function note({ emulator, entry, line, arrivedAtMs }: Call, delivery: Delivery, generation: Generation | null): void {
  noteGeneration(entry, generation);
  entry.finish = delivery.ending;
  entry.totalMs = delivery.state === "over" || line.isOver ? emulator.time.nowMs() - arrivedAtMs : null;
}

function noteGeneration(entry: LogEntry, generation: Generation | null): void {
  if (generation === null) return;
  const { queuedMs, firstTokenMs, cachedTokens, outputTokens } = generation.report();
  Object.assign(entry, { queuedMs, firstTokenMs, cachedTokens, outputTokens });
}

/** A client that goes ends the generation at once, as engines should and not all do (vllm#54947). */
function watchClose({ emulator, entry, line, response, arrivedAtMs }: Call, generation: Generation | null): void {
  response.on("close", () => {
    if (line.isOver) return;
    const closedAtMs = emulator.time.nowMs();
    generation?.stop();
    noteGeneration(entry, generation);
    entry.finish ??= "closed";
    entry.closedByClient = true;
    entry.totalMs = closedAtMs - arrivedAtMs;
    entry.msFromCloseToStop = emulator.time.nowMs() - closedAtMs;
  });
}
