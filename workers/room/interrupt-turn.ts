/** How a turn loses the floor, and what becomes of it. */
import type { InterruptionAct, InterruptionCause } from "../../shared/contract/intake-policy.ts";
import type { RoomChange } from "../../shared/agent/facts/room-change.ts";
import { findStaleClaim } from "../../shared/agent/facts/stale-claims.ts";
import type { Heard } from "./mouth.ts";
import { type Draft, emit, endTurn } from "./room-draft.ts";
import { type LeasedTurn, findSpeaking, findTurn } from "./room-state.ts";

export type Interruption = {
  readonly cause: InterruptionCause;
  readonly act: Exclude<InterruptionAct, "keep">;
  /** Kept in the record. */
  readonly reason: string;
};

/**
 * Takes the floor from the turn that is heard, and from the one that is only being made. Gives the turn that lost it; `null`
 * when nobody speaks, or who speaks is falling silent already.
 */
export function interrupt(draft: Draft, interruption: Interruption): string | null {
  const { mouth, nowMs } = draft.now;
  const { act, cause } = interruption;
  const turn = findSpeaking(draft.state);
  const sounding = mouth.soundingTurn(nowMs, act);
  // It has ended or waits again, but the voice is not through with it; the next one is only being made.
  const tail = sounding === turn?.id ? null : sounding;
  if (tail !== null) {
    cutTail(draft, tail, interruption);
    if (cause === "operator") return tail;
  }
  if (turn === undefined) return tail;
  const heard = mouth.cut(turn.id, act, nowMs);
  const hasAnswered = turn.sentences.slice(0, heard?.sentences).some(({ kind }) => kind === "answer");
  takeFloor(draft, turn, { ...interruption, heard, mayResume: cause !== "operator" && !hasAnswered });
  return turn.id;
}

/** Silences a turn that has no runner. One that waits to go on still does, unless it was an operator who silenced it. */
function cutTail(draft: Draft, tail: string, interruption: Interruption): void {
  const { act, cause, reason } = interruption;
  const heard = draft.now.mouth.cut(tail, act, draft.now.nowMs);
  const waiting = findTurn(draft.state, tail);
  const resumes = waiting !== undefined && cause !== "operator";
  emitInterrupt(draft, tail, { ...interruption, resumes, heard });
  if (waiting !== undefined && !resumes) {
    endTurn(draft, waiting, { outcome: "interrupted", reason, trace: null, heard });
  }
}

/** What the voice has not begun to say, and what a change has made untrue, is not said. Its turn goes on from what was heard. */
export function retractStale(draft: Draft, change: RoomChange): void {
  const { mouth, nowMs } = draft.now;
  const stale = mouth
    .unbegun(nowMs)
    .filter(({ kind, text }) => kind === "answer" && findStaleClaim(text, change) !== null);
  for (const id of new Set(stale.map(({ turn }) => turn))) {
    const retraction = { cause: "room-change", act: "finish", reason: "room-change" } as const;
    const turn = findSpeaking(draft.state);
    if (turn?.id !== id) cutTail(draft, id, retraction);
    else takeFloor(draft, turn, { ...retraction, heard: mouth.cut(id, "finish", nowMs), mayResume: true });
  }
}

function takeFloor(draft: Draft, turn: LeasedTurn, { mayResume, ...lost }: Lost): void {
  const resumes = mayResume && draft.now.rules.policy.interruption.resumes && turn.attemptsBefore === 0;
  emitInterrupt(draft, turn.id, { ...lost, resumes });
  if (resumes) return;
  endTurn(draft, turn, { outcome: "interrupted", reason: lost.reason, trace: null, heard: lost.heard });
}

type Lost = Interruption & { readonly heard: Heard | undefined; readonly mayResume: boolean };
type Interrupted = Interruption & { readonly resumes: boolean; readonly heard: Heard | undefined };

function emitInterrupt(draft: Draft, turn: string, { cause, act, resumes, heard }: Interrupted): void {
  emit(draft, { type: "interrupt", turn, cause, act, resumes, ...(heard !== undefined && { heard }) });
}
