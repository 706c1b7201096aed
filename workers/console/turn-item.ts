/** One turn as the page knows it, and what each of its frames makes of it. Pure. */
import type { TurnPriority } from "../../shared/contract/intake-policy.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { Sentence } from "../../shared/contract/sentence.ts";
import type { TurnOutcome, TurnTimings } from "../../shared/contract/turn-record.ts";

export type FrameOf<Type extends RoomFrame["type"]> = Extract<RoomFrame, { type: Type }>;

/** A harness as a frame names it. */
export type HarnessRef = { readonly name: string; readonly version: string };

/** Interruptions of one turn that are kept. A turn waits again once at most, so there are rarely two. */
const INTERRUPTIONS_KEPT_MAX = 4;

/** A turn that no runner has taken yet. */
export type WaitingTurn = {
  readonly acceptedAtMs: number;
  readonly question: string;
  readonly askedBy: string | null;
  /** Who asked first. */
  readonly viewerId: string | null;
  readonly messageCount: number;
  /** Viewers who ask: messages of the first one count once, as people often ask in two messages. */
  readonly askers: number;
};

export type SpokenSentence = Sentence & {
  readonly atMs: number;
  /** How long it takes to say, ms; `null` in a room without a voice. */
  readonly speakingMs: number | null;
};

export type Interruption = Pick<FrameOf<"interrupt">, "atMs" | "cause" | "act" | "resumes"> & {
  /** `null` in a room without a voice, where all that was said counts as heard. */
  readonly heard: { readonly sentences: number; readonly lastMs: number } | null;
};

export type TurnEnd = {
  readonly atMs: number;
  readonly outcome: TurnOutcome;
  readonly reason: string | null;
  readonly timings: TurnTimings;
  readonly activity: FrameOf<"turn-end">["activity"];
};

/** A turn from its lease on. Fields are `null` where the history that was read begins after them. */
export type TurnItem = Pick<WaitingTurn, "viewerId" | "messageCount" | "askers"> & {
  readonly id: string;
  readonly seq: number;
  readonly acceptedAtMs: number | null;
  readonly question: string | null;
  readonly askedBy: string | null;
  readonly attempt: number;
  readonly harness: HarnessRef | null;
  readonly startedAtMs: number | null;
  readonly waitedMs: number | null;
  /** Why it was next. */
  readonly priority: TurnPriority | null;
  readonly sentences: readonly SpokenSentence[];
  readonly interruptions: readonly Interruption[];
  /** It lost the floor before its answer was heard, and waits for it again. */
  readonly isWaitingAgain: boolean;
  readonly end: TurnEnd | null;
};

/** Of a turn whose messages the page has not seen. */
export const NOT_SEEN = {
  acceptedAtMs: null,
  question: null,
  askedBy: null,
  viewerId: null,
  messageCount: 0,
  askers: 0,
};

/** A turn that leaves those that wait. `waited` is missing where the history begins after its messages. */
export function openTurn(id: string, seq: number, waited: WaitingTurn | undefined): TurnItem {
  return {
    id,
    seq,
    ...(waited ?? NOT_SEEN),
    attempt: 1,
    harness: null,
    startedAtMs: null,
    waitedMs: null,
    priority: null,
    sentences: [],
    interruptions: [],
    isWaitingAgain: false,
    end: null,
  };
}

export function startTurn(turn: TurnItem, frame: FrameOf<"turn-start">): TurnItem {
  return {
    ...turn,
    attempt: frame.attempt,
    harness: frame.harness,
    messageCount: Math.max(turn.messageCount, frame.messageIds.length),
    askers: turn.askers === 0 ? frame.messageIds.length : turn.askers,
    // A second attempt goes on where the first one died; what the viewer waited for began with the first.
    startedAtMs: turn.startedAtMs ?? frame.atMs,
    waitedMs: turn.waitedMs ?? frame.waitedMs,
    acceptedAtMs: turn.acceptedAtMs ?? frame.atMs - frame.waitedMs,
    priority: frame.priority ?? turn.priority,
    isWaitingAgain: false,
  };
}

export function sayIn(turn: TurnItem, { sentence, atMs, speakingMs }: FrameOf<"sentence">): TurnItem {
  return { ...turn, sentences: [...turn.sentences, { ...sentence, atMs, speakingMs: speakingMs ?? null }] };
}

/** What nobody heard of a turn that waits again was not said: its numbers are given anew. */
export function interruptTurn(turn: TurnItem, frame: FrameOf<"interrupt">): TurnItem {
  const { atMs, cause, act, resumes, heard = null } = frame;
  return {
    ...turn,
    interruptions: [...turn.interruptions, { atMs, cause, act, resumes, heard }].slice(-INTERRUPTIONS_KEPT_MAX),
    sentences: resumes && heard !== null ? turn.sentences.slice(0, heard.sentences) : turn.sentences,
    isWaitingAgain: resumes,
  };
}

export function endTurn(turn: TurnItem, { atMs, outcome, reason, timings, activity }: FrameOf<"turn-end">): TurnItem {
  return {
    ...turn,
    acceptedAtMs: turn.acceptedAtMs ?? atMs - timings.totalMs,
    waitedMs: turn.waitedMs ?? timings.waitedMs,
    isWaitingAgain: false,
    end: { atMs, outcome, reason, timings, activity },
  };
}

/** Where a turn stands, for a badge. `past`: so long ago that the page no longer keeps it. */
export type TurnPhase = "waiting" | "thinking" | "speaking" | TurnOutcome | "past";

/** Where a turn stands that the page keeps. */
export function phaseOf({ end, isWaitingAgain, sentences }: TurnItem): Exclude<TurnPhase, "past"> {
  if (end !== null) return end.outcome;
  if (isWaitingAgain) return "waiting";
  return sentences.length > 0 ? "speaking" : "thinking";
}
