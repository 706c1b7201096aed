/** Where the time of a turn went: from what frames tell at once, and to the millisecond once its record is read. */
import type { TurnRecord, TurnTimings } from "../../shared/contract/turn-record.ts";
import { percentile } from "./figures.ts";
import type { TurnItem } from "./turn-item.ts";

export type SegmentKind = "waiting" | "thinking" | "speaking" | "step" | "tool" | "hook";

/** Times in ms from the moment that the turn's first message was accepted. A hook is a moment: it ends where it starts. */
export type Segment = {
  readonly kind: SegmentKind;
  /** Name of the tool or hook, number of the step; empty for the phases. */
  readonly name: string;
  /** Outcome of a tool, verdict of a hook, finish of a step; empty for the phases. */
  readonly outcome: string;
  readonly startMs: number;
  readonly endMs: number;
  /** True where only the length is known and the place is a guess. */
  readonly isPlaceGuessed: boolean;
};

export type Timeline = {
  /** Waiting, thinking, speaking: back to back, they fill the turn. */
  readonly phases: readonly Segment[];
  readonly steps: readonly Segment[];
  readonly tools: readonly Segment[];
  readonly hooks: readonly Segment[];
  /** Moments at which a sentence was heard. */
  readonly sentencesMs: readonly number[];
  /** Moments at which it lost the floor. */
  readonly interruptsMs: readonly number[];
  readonly waitedMs: number;
  readonly firstSentenceMs: number | null;
  readonly totalMs: number;
  readonly isOpen: boolean;
};

/**
 * @param record - The turn's record, once read; places tools and hooks exactly.
 * @param serverNowMs - Where an open turn's bar ends.
 */
export function toTimeline(turn: TurnItem, record: TurnRecord | null, serverNowMs: number): Timeline {
  const acceptedAtMs = turn.acceptedAtMs ?? turn.startedAtMs ?? serverNowMs;
  const toMoments = (items: readonly { readonly atMs: number }[]) =>
    items.map(({ atMs }) => Math.max(0, atMs - acceptedAtMs));
  const sentencesMs = toMoments(turn.sentences);
  const times = turn.end === null ? measureSoFar(turn, sentencesMs, serverNowMs - acceptedAtMs) : turn.end.timings;
  const waitedMs = Math.min(times.waitedMs, times.totalMs);
  const trace = record === null ? null : record.trace;
  return {
    phases: toPhases(times),
    ...(trace === null ? guessActivity(turn, times) : placeActivity(trace, waitedMs)),
    sentencesMs,
    interruptsMs: toMoments(turn.interruptions),
    ...times,
    waitedMs,
    isOpen: turn.end === null,
  };
}

/** Times of a turn that has not ended. Without a lease, all of it was waiting. */
function measureSoFar(turn: TurnItem, sentencesMs: readonly number[], ageMs: number): TurnTimings {
  const totalMs = Math.max(0, ageMs);
  return { waitedMs: turn.waitedMs ?? totalMs, firstSentenceMs: sentencesMs[0] ?? null, totalMs };
}

type Activity = Pick<Timeline, "steps" | "tools" | "hooks">;

function toPhases({ waitedMs, firstSentenceMs, totalMs }: TurnTimings): readonly Segment[] {
  const waitedToMs = Math.min(waitedMs, totalMs);
  const speakingFromMs = Math.min(Math.max(firstSentenceMs ?? totalMs, waitedToMs), totalMs);
  const phase = (kind: SegmentKind, startMs: number, endMs: number): Segment => ({
    kind,
    name: "",
    outcome: "",
    startMs,
    endMs,
    isPlaceGuessed: false,
  });
  return [
    phase("waiting", 0, waitedToMs),
    phase("thinking", waitedToMs, speakingFromMs),
    phase("speaking", speakingFromMs, totalMs),
  ].filter((segment) => segment.endMs > segment.startMs);
}

/** Frames tell how long each tool took, not when it began: most end just before the first sentence, so they are drawn there. */
function guessActivity(turn: TurnItem, { waitedMs, firstSentenceMs, totalMs }: TurnTimings): Activity {
  const activity = turn.end?.activity ?? null;
  if (activity === null) return { steps: [], tools: [], hooks: [] };
  const lengthMs = activity.tools.reduce((sum, tool) => sum + tool.ms, 0);
  let startMs = Math.max(waitedMs, (firstSentenceMs ?? totalMs) - lengthMs);
  const tools = activity.tools.map(({ tool, ms, outcome }): Segment => {
    const segment = { startMs, endMs: startMs + ms, outcome, name: tool, kind: "tool", isPlaceGuessed: true } as const;
    startMs += ms;
    return segment;
  });
  const hooks = activity.hooks.map(({ hook, verdict }): Segment => ({
    kind: "hook",
    name: hook,
    outcome: verdict,
    startMs: firstSentenceMs ?? totalMs,
    endMs: firstSentenceMs ?? totalMs,
    isPlaceGuessed: true,
  }));
  return { steps: [], tools, hooks };
}

/** A trace counts from the lease; the timeline counts from acceptance, which is `waitedMs` earlier. */
function placeActivity(trace: NonNullable<TurnRecord["trace"]>, waitedMs: number): Activity {
  const place = (kind: SegmentKind, span: { startedMs: number; endedMs: number }, name: string, outcome: string) => ({
    kind,
    name,
    outcome,
    startMs: span.startedMs + waitedMs,
    endMs: span.endedMs + waitedMs,
    isPlaceGuessed: false,
  });
  return {
    steps: trace.steps.map((step) => place("step", step, `${step.index + 1}`, step.code ?? step.finish)),
    tools: trace.steps.flatMap((step) =>
      step.toolCalls.map((call) => place("tool", call, call.tool, call.code ?? call.outcome)),
    ),
    hooks: trace.hooks.map(({ hook, verdict, atMs }) =>
      place("hook", { startedMs: atMs, endedMs: atMs }, hook, verdict),
    ),
  };
}

const SCALE_STEPS_MS = [2_000, 3_000, 5_000, 8_000, 12_000, 20_000, 30_000, 60_000, 120_000];

/**
 * One scale for all bars, so that lengths compare: a round figure above nine in ten turns. The few longer ones are cut,
 * or one expired turn would flatten all others.
 */
export function timelineScaleMs(totalsMs: readonly number[]): number {
  const typicalMs = percentile(totalsMs, 0.9) ?? 0;
  return SCALE_STEPS_MS.find((stepMs) => stepMs >= typicalMs) ?? Math.ceil(typicalMs / 60_000) * 60_000;
}
