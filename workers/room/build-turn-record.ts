/** The record of a turn that ends, as a pure function of what the room and the runner know of it. */
import { utf8Bytes } from "../../shared/core/text.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { HarnessRef } from "../../shared/contract/turn-lease.ts";
import type { TurnOutcome, TurnRecord, TurnTimings, TurnTrace } from "../../shared/contract/turn-record.ts";
import { estimateSpeakingMs } from "../../shared/speech/speaking-time.ts";
import type { Heard } from "./mouth.ts";
import type { OpenTurn } from "./room-state.ts";

/** Entries of one list in a `turn-end` frame. The record has them all; the frame goes to everyone who watches. */
const ACTIVITY_ENTRIES_MAX = 50;
/** Characters of a hook's reason in a `turn-end` frame. */
const ACTIVITY_REASON_CHARS_MAX = 300;

type Activity = Extract<RoomFrame, { type: "turn-end" }>["activity"];

export type TurnEnding = {
  readonly outcome: TurnOutcome;
  readonly reason: string | null;
  readonly trace: TurnTrace | null;
  /** Of a turn that was cut off while the room's voice spoke it. */
  readonly heard?: Heard | undefined;
};

export function timingsOf(turn: OpenTurn, endedAtMs: number): TurnTimings {
  const first = turn.sentences[0];
  return {
    waitedMs: turn.waitedMs ?? endedAtMs - turn.acceptedAtMs,
    firstSentenceMs: first === undefined ? null : first.atMs - turn.acceptedAtMs,
    totalMs: endedAtMs - turn.acceptedAtMs,
    speakingMs: Math.round(turn.sentences.reduce((sumMs, { speech }) => sumMs + estimateSpeakingMs(speech), 0)),
  };
}

/** What a timeline shows of a trace, bounded. */
export function activityOf(trace: TurnTrace | null): Activity {
  if (trace === null) return null;
  const calls = trace.steps.flatMap(({ toolCalls }) => toolCalls).slice(0, ACTIVITY_ENTRIES_MAX);
  return {
    steps: trace.steps.length,
    tools: calls.map(({ tool, startedMs, endedMs, outcome }) => ({ tool, ms: endedMs - startedMs, outcome })),
    hooks: trace.hooks.slice(0, ACTIVITY_ENTRIES_MAX).map(({ hook, verdict, reason }) => ({
      hook,
      verdict,
      reason: reason.slice(0, ACTIVITY_REASON_CHARS_MAX),
    })),
  };
}

export type RecordBasis = {
  readonly room: string;
  readonly turn: OpenTurn;
  readonly endedAtMs: number;
  /** Harness and configuration of a turn that never had a lease. */
  readonly harness: HarnessRef;
  readonly revision: number;
};

export function buildTurnRecord(basis: RecordBasis, ending: TurnEnding): TurnRecord {
  const { turn, endedAtMs } = basis;
  const { lease, acceptedAtMs } = turn;
  return {
    schema: "kaibo.turn/1",
    room: basis.room,
    turn: turn.id,
    attempt: lease?.attempt ?? turn.attemptsBefore,
    messages: [...turn.messages],
    askers: turn.askers,
    ...(turn.priority !== null && { priority: turn.priority }),
    harness: lease?.harness ?? basis.harness,
    configRevision: lease?.configRevision ?? basis.revision,
    // A turn that nobody ran has seen nothing.
    snapshot: lease?.snapshot ?? { onScreenProductId: null, skuOverrides: {}, heard: [] },
    acceptedAtMs,
    endedAtMs,
    outcome: ending.outcome,
    reason: ending.reason,
    trace: ending.trace,
    ...(ending.heard !== undefined && { heard: ending.heard }),
    timings: timingsOf(turn, endedAtMs),
    sentences: turn.sentences.map((sentence) => ({ ...sentence, atMs: sentence.atMs - acceptedAtMs })),
  };
}

/**
 * The record as text that fits into `bytesMax`. What was asked, said and decided always stays: first the messages
 * between policy and tools go, then what tools and steps put out. A record that was cut says so in its reason.
 */
export function serializeRecord(record: TurnRecord, bytesMax: number): string {
  const whole = JSON.stringify(record);
  const { trace } = record;
  if (trace === null || fits(whole, bytesMax)) return whole;
  const reason = record.reason ?? "record_too_large";
  const short = JSON.stringify({ ...record, reason, trace: { ...trace, continuation: [] } });
  if (fits(short, bytesMax)) return short;
  const steps = trace.steps.map((step) => ({ ...step, text: "", toolCalls: [] }));
  const bare = { ...trace, turnPrompt: "", continuation: [], steps, hooks: trace.hooks.slice(0, ACTIVITY_ENTRIES_MAX) };
  const shorter = JSON.stringify({ ...record, reason, trace: bare });
  return fits(shorter, bytesMax) ? shorter : JSON.stringify({ ...record, reason, trace: null });
}

function fits(text: string, bytesMax: number): boolean {
  // No UTF-16 unit takes more than three bytes of UTF-8, so most texts need no counting.
  return text.length * 3 <= bytesMax || utf8Bytes(text) <= bytesMax;
}
