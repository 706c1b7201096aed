/**
 * A finished turn as OpenTelemetry spans, in the JSON form of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 *
 * Names are those of the gen_ai conventions, which are in development; what they do not have yet is under `kaibo.`. No words
 * of viewers, hosts, prompts or tools are in a span: those who run the collector need not be those who may read the room.
 */
import type { HookRecord, StepRecord, ToolCallRecord, TurnTrace } from "../contract/turn-record.ts";

export type FinishedTurn = {
  readonly room: string;
  readonly merchant: string;
  readonly turn: string;
  readonly attempt: number;
  readonly harness: { readonly name: string; readonly version: string };
  /** Epoch ms from which the times of the trace count. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly outcome: string;
  readonly reason: string | null;
  readonly firstSentenceMs: number | null;
  readonly trace: Pick<TurnTrace, "steps" | "hooks" | "model" | "admission">;
};

type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  /** An int64, which JSON carries as decimal text. */
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

type OtlpAttribute = { readonly key: string; readonly value: OtlpValue };

type OtlpEvent = {
  readonly timeUnixNano: string;
  readonly name: string;
  readonly attributes: readonly OtlpAttribute[];
};

export type OtlpSpan = {
  /** 32 and 16 hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly OtlpEvent[];
  readonly status: { readonly code?: number };
};

/** An `ExportTraceServiceRequest`. */
export type OtlpTraces = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly schemaUrl: string;
      readonly spans: readonly OtlpSpan[];
    }[];
  }[];
};

/** The last release of the conventions whose schema has the gen_ai names. */
const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";

/** `SpanKind` and `StatusCode` of opentelemetry/proto/trace/v1/trace.proto. */
const KIND_INTERNAL = 1;
const KIND_CLIENT = 3;
const STATUS_ERROR = 2;

/** What the conventions put where an error, or a name, is none of a small set. */
const OTHER = "_OTHER";

/** Ends that the server named, in OpenAI's words. The others are our own and no finish reason of a model. */
const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ["stop", "stop"],
  ["tool-calls", "tool_calls"],
  ["length", "length"],
  ["content-filter", "content_filter"],
]);

/** Ends of a call that are failures even where no code says so. */
const BROKEN_FINISHES: ReadonlySet<string> = new Set(["incomplete", "error"]);

/** Outcomes in which the viewer got no answer of the policy, although one was wanted. */
const FAILED_OUTCOMES: ReadonlySet<string> = new Set(["fallback", "expired"]);

/** One trace: the turn, below it its model calls and tool calls in order. The same turn always gives the same ids. */
export function toOtlpTraces(
  turn: FinishedTurn,
  resource: { readonly serviceName: string; readonly serviceVersion: string },
): OtlpTraces {
  const { serviceName, serviceVersion } = resource;
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes({ "service.name": serviceName, "service.version": serviceVersion }) },
        scopeSpans: [
          {
            scope: { name: serviceName, version: serviceVersion },
            schemaUrl: SCHEMA_URL,
            spans: [turnSpan(turn), ...turn.trace.steps.flatMap((step) => stepSpans(turn, step))],
          },
        ],
      },
    ],
  };
}

function turnSpan(turn: FinishedTurn): OtlpSpan {
  const { harness, outcome, trace } = turn;
  const { admission = null, model } = trace;
  return toSpan(turn, {
    path: [],
    name: `invoke_agent ${harness.name}`,
    kind: KIND_INTERNAL,
    fromMs: 0,
    toMs: turn.endedAtMs - turn.startedAtMs,
    error: FAILED_OUTCOMES.has(outcome) ? (turn.reason ?? OTHER) : null,
    events: trace.hooks.map((hook) => hookEvent(turn, hook)),
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": providerOf(model.endpoint),
      "gen_ai.agent.name": harness.name,
      "gen_ai.agent.version": harness.version,
      "gen_ai.conversation.id": turn.room,
      "gen_ai.request.model": model.model,
      "kaibo.merchant.id": turn.merchant,
      "kaibo.turn.id": turn.turn,
      "kaibo.turn.attempt": int(turn.attempt),
      "kaibo.outcome": outcome,
      "kaibo.reason": turn.reason === null ? null : toLabel(turn.reason),
      "kaibo.first_sentence_ms": int(turn.firstSentenceMs),
      ...(admission !== null && {
        "kaibo.admission.endpoint": admission.endpoint,
        "kaibo.admission.waited_ms": int(admission.waitedMs),
        "kaibo.admission.local": admission.local,
        "kaibo.admission.refusals": admission.refusals.map(({ endpoint, reason }) => `${endpoint} ${reason}`),
      }),
    },
  });
}

function stepSpans(turn: FinishedTurn, step: StepRecord): OtlpSpan[] {
  return [chatSpan(turn, step), ...step.toolCalls.map((call, index) => toolSpan(turn, call, [step.index, index]))];
}

function chatSpan(turn: FinishedTurn, step: StepRecord): OtlpSpan {
  const { harness, trace } = turn;
  const { usage, servedBy = null } = step;
  const { endpoint, model } = servedBy ?? trace.model;
  const finishReason = FINISH_REASONS.get(step.finish);
  return toSpan(turn, {
    path: [step.index],
    name: `chat ${model}`,
    kind: KIND_CLIENT,
    fromMs: step.startedMs,
    toMs: step.endedMs,
    error: step.code ?? (BROKEN_FINISHES.has(step.finish) ? OTHER : null),
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": providerOf(endpoint),
      "gen_ai.conversation.id": turn.room,
      "gen_ai.prompt.name": harness.name,
      "gen_ai.prompt.version": harness.version,
      "gen_ai.request.model": model,
      "gen_ai.request.stream": true,
      "gen_ai.response.finish_reasons": finishReason === undefined ? null : [finishReason],
      "gen_ai.response.time_to_first_chunk": seconds(firstChunkMs(step)),
      "kaibo.step.finish": step.finish,
      "kaibo.endpoint.name": endpoint,
      ...(usage !== null && {
        "gen_ai.usage.input_tokens": int(usage.inputTokens),
        "gen_ai.usage.output_tokens": int(usage.outputTokens),
        "gen_ai.usage.cache_read.input_tokens": int(usage.cachedTokens),
        "kaibo.usage.estimated": usage.estimated,
      }),
      ...(servedBy !== null && {
        "kaibo.endpoint.tier": servedBy.tier,
        "kaibo.endpoint.tries": servedBy.tries.map((tried) => `${tried.endpoint} ${toLabel(tried.code)}`),
        "kaibo.acceptance_length": double(servedBy.acceptanceLength),
      }),
    },
  });
}

function toolSpan(turn: FinishedTurn, call: ToolCallRecord, path: readonly number[]): OtlpSpan {
  // A tool that does not exist has a name that the model made up, of any words.
  const tool = call.code === "tool_not_found" ? OTHER : toLabel(call.tool);
  const callId = toLabel(call.callId);
  return toSpan(turn, {
    path,
    name: `execute_tool ${tool}`,
    kind: KIND_INTERNAL,
    fromMs: call.startedMs,
    toMs: call.endedMs,
    error: call.outcome === "tool-result" ? null : (call.code ?? OTHER),
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": callId === OTHER ? null : callId,
    },
  });
}

function hookEvent(turn: FinishedTurn, { hook, event, verdict, atMs }: HookRecord): OtlpEvent {
  return {
    timeUnixNano: toNanos(turn.startedAtMs + atMs),
    name: "hook",
    attributes: toAttributes({ "kaibo.hook.name": hook, "kaibo.hook.event": event, "kaibo.hook.verdict": verdict }),
  };
}

type SpanParts = {
  /** Where it stands in the turn: nothing for the turn itself, then the step, then the call within the step. */
  readonly path: readonly number[];
  readonly name: string;
  readonly kind: number;
  /** Ms since the turn began. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly error: string | null;
  readonly attributes: Attributes;
  readonly events?: readonly OtlpEvent[];
};

function toSpan(turn: FinishedTurn, parts: SpanParts): OtlpSpan {
  const { path, error } = parts;
  // The time is part of it, because a room that is made anew counts its turns from the first again.
  const key = [turn.room, turn.turn, turn.attempt, turn.startedAtMs].join("/");
  return {
    traceId: `${hash64(`trace-high/${key}`)}${hash64(`trace-low/${key}`)}`,
    spanId: hash64(`span/${[key, ...path].join("/")}`),
    // A tool runs when its call has ended, so it is the turn's child like the call.
    ...(path.length > 0 && { parentSpanId: hash64(`span/${key}`) }),
    name: parts.name,
    kind: parts.kind,
    startTimeUnixNano: toNanos(turn.startedAtMs + parts.fromMs),
    // Room and runner may be on two machines, with two clocks.
    endTimeUnixNano: toNanos(turn.startedAtMs + Math.max(parts.fromMs, parts.toMs)),
    attributes: toAttributes({ ...parts.attributes, "error.type": error === null ? null : toLabel(error) }),
    events: parts.events ?? [],
    status: error === null ? {} : { code: STATUS_ERROR },
  };
}

/** The conventions mean the dialect of the call, not the owner of the server; ours is OpenAI's wherever it goes. */
function providerOf(endpoint: string): string {
  return endpoint === "offline" ? "kaibo" : "openai";
}

/** From the request that was answered; tries before it are not its endpoint's fault. */
function firstChunkMs({ servedBy, firstDeltaMs, startedMs }: StepRecord): number | null {
  if (typeof servedBy?.firstTokenMs === "number") return servedBy.firstTokenMs;
  return firstDeltaMs === null ? null : firstDeltaMs - startedMs;
}

/** Codes, ids and names come from servers too, and a text in their place is not sent on. */
function toLabel(text: string): string {
  return /^[\w.:-]{1,128}$/.test(text) ? text : OTHER;
}

/** `null`: the attribute is left out. */
type Attributes = Readonly<Record<string, string | boolean | readonly string[] | OtlpValue | null>>;

function toAttributes(attributes: Attributes): OtlpAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [{ key, value: toValue(value) }]));
}

function toValue(value: Exclude<Attributes[string], null>): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return isList(value) ? { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } } : value;
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: readonly string[] | OtlpValue): value is readonly string[] {
  return Array.isArray(value);
}

function int(value: number | null): OtlpValue | null {
  return value === null ? null : { intValue: String(Math.round(value)) };
}

function double(value: number | null): OtlpValue | null {
  return value === null ? null : { doubleValue: value };
}

function seconds(ms: number | null): OtlpValue | null {
  return double(ms === null ? null : ms / 1_000);
}

/** Epoch nanoseconds as decimal text: they are beyond what a number holds exactly, microseconds are not. */
function toNanos(epochMs: number): string {
  return String(BigInt(Math.round(epochMs * 1_000)) * 1_000n);
}

/**
 * FNV-1a of 64 bits (RFC 9923), then the last steps of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, 2014): FNV alone gives neighbouring keys neighbouring hashes, and collectors sample by bits of the trace id.
 *
 * @returns 16 hex digits.
 */
function hash64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  hash = BigInt.asUintN(64, (hash ^ (hash >> 30n)) * 0xbf58476d1ce4e5b9n);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 27n)) * 0x94d049bb133111ebn);
  return (hash ^ (hash >> 31n)).toString(16).padStart(16, "0");
}
