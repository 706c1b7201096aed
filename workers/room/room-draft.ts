/** A step of a live room in the making: what every decision is made of. */
import type { RoomFrame, RoomFrameBody } from "../../shared/contract/room-frame.ts";
import type { Sentence } from "../../shared/contract/sentence.ts";
import type { TurnRef } from "../../shared/contract/turn-lease.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { type TurnEnding, activityOf, buildTurnRecord, timingsOf } from "./build-turn-record.ts";
import type { Mouth } from "./mouth.ts";
import type { RoomIntake } from "./room-intake.ts";
import { type OpenTurn, type RoomRules, type RoomState, applyFrame, findTurn } from "./room-state.ts";

/** The room at the moment of a decision. */
export type RoomNow = {
  readonly room: string;
  readonly state: RoomState;
  readonly rules: RoomRules;
  readonly intake: RoomIntake;
  readonly mouth: Mouth;
  readonly nowMs: number;
};

/** What a decision changes. Empty when it changes nothing. */
export type RoomStep = {
  readonly state: RoomState;
  /** To be logged and broadcast, in this order. */
  readonly frames: readonly RoomFrame[];
  /** Turns that ended. */
  readonly records: readonly TurnRecord[];
  /** Turns to hand to a runner once the step is durable. */
  readonly leases: readonly TurnRef[];
};

/** A step in the making. Only {@link emit} changes its state. */
export type Draft = {
  readonly now: RoomNow;
  state: RoomState;
  frames: RoomFrame[];
  records: TurnRecord[];
  leases: TurnRef[];
};

export function openDraft(now: RoomNow): Draft {
  return { now, state: now.state, frames: [], records: [], leases: [] };
}

export function emit(draft: Draft, body: RoomFrameBody): RoomFrame {
  // The spread of a union is no union; every member has these two fields alike.
  const frame = { ...body, seq: draft.state.lastSeq + 1, atMs: draft.now.nowMs } as RoomFrame;
  draft.state = applyFrame(draft.state, frame, draft.now.rules);
  draft.frames.push(frame);
  return frame;
}

export function emitSentence(draft: Draft, turn: OpenTurn, { seq, text, speech, kind }: Sentence): void {
  const speakingMs = draft.now.mouth.say({ turn: turn.id, seq, text, speech, kind }, draft.now.nowMs);
  const paced = speakingMs === undefined ? {} : { speakingMs };
  emit(draft, { type: "sentence", turn: turn.id, sentence: { seq, text, speech, kind }, ...paced });
}

export function endTurn(draft: Draft, before: OpenTurn, ending: TurnEnding): TurnRecord {
  const { outcome, reason, trace } = ending;
  const turn = findTurn(draft.state, before.id) ?? before;
  const { harness, revision } = draft.state;
  const endedAtMs = draft.now.nowMs;
  const basis = { room: draft.now.room, turn, endedAtMs, harness, revision };
  const record = buildTurnRecord(basis, ending);
  draft.records.push(record);
  draft.now.intake.forget(turn.id);
  if (outcome === "answered") draft.now.intake.noteAnswered(turn, endedAtMs);
  const timings = timingsOf(turn, endedAtMs);
  emit(draft, { type: "turn-end", turn: turn.id, outcome, reason, timings, activity: activityOf(trace) });
  return record;
}
