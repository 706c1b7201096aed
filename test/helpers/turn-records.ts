/** Records of turns for tests; a test names only what it is about. */
import type { StepRecord, ToolCallRecord, TurnRecord, TurnTrace } from "../../shared/contract/turn-record.ts";

export function aToolCall(fields: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return {
    callId: "call_0",
    tool: "look_up",
    argumentsText: '{"product":"1"}',
    outcome: "tool-result",
    code: null,
    output: '{"price":39.9}',
    startedMs: 300,
    endedMs: 340,
    ...fields,
  };
}

export function aStep(fields: Partial<StepRecord> = {}): StepRecord {
  return {
    index: 0,
    startedMs: 20,
    firstDeltaMs: 240,
    endedMs: 900,
    finish: "stop",
    code: null,
    text: "39.9元。",
    usage: { inputTokens: 5_000, outputTokens: 40, cachedTokens: 4_800, estimated: false },
    toolCalls: [],
    ...fields,
  };
}

export function aTrace(fields: Partial<TurnTrace> = {}): TurnTrace {
  return {
    prefixDigest: "d".repeat(64),
    configRevision: 3,
    turnPrompt: "",
    continuation: [],
    model: { endpoint: "h20", model: "Qwen3" },
    steps: [aStep()],
    hooks: [],
    hookRuns: 0,
    ...fields,
  };
}

export function aTurnRecord(fields: Partial<TurnRecord> = {}): TurnRecord {
  return {
    schema: "kaibo.turn/1",
    room: "r1",
    turn: "t12",
    attempt: 1,
    messages: [{ id: "q1", text: "1号链接多少钱", viewer: { id: "v1", name: "小李" } }],
    harness: { name: "live-host", version: "a".repeat(64) },
    configRevision: 3,
    snapshot: { onScreenProductId: "p1", skuOverrides: { "p1-blue": { priceCents: 2_990 } }, heard: [] },
    acceptedAtMs: 1_790_000_000_000,
    endedAtMs: 1_790_000_001_400,
    askers: 3,
    outcome: "answered",
    reason: null,
    timings: { waitedMs: 12, firstSentenceMs: 620, totalMs: 1_400, speakingMs: 5_200 },
    sentences: [{ seq: 0, text: "这款毛巾39.9元。", speech: "这款毛巾三十九块九。", kind: "answer", atMs: 620 }],
    trace: aTrace(),
    ...fields,
  };
}
