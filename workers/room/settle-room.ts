/** What is due in a room by itself: ends, lost runners, and whose turn it is next. */
import type { TurnPriority } from "../../shared/contract/intake-policy.ts";
import type { HarnessRef } from "../../shared/contract/turn-lease.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { interrupt } from "./interrupt-turn.ts";
import { type Draft, type RoomNow, type RoomStep, emit, emitSentence, endTurn } from "./room-draft.ts";
import { type LeasedTurn, type OpenTurn, type RoomState, findSpeaking, isLeased, nextWakeAtMs } from "./room-state.ts";

/** Runs of one turn. A second loss is answered by the room itself, so that a turn that kills runners ends. */
const ATTEMPTS_MAX = 2;

export function closeDraft(draft: Draft): RoomStep {
  settle(draft);
  const { state, frames, records, leases } = draft;
  return { state, frames, records, leases };
}

/** Until then a person speaks, or the room's own voice is not nearly through with the last turn. */
export function floorFreeAtMs({ intake, mouth }: Pick<RoomNow, "intake" | "mouth">): number {
  return Math.max(intake.quietUntilMs, mouth.busyUntilMs);
}

/** Ends what has waited too long, takes turns from lost runners, and gives the floor to the next turn. */
function settle(draft: Draft): void {
  const { nowMs, rules } = draft.now;
  settleDue(draft);
  const { intake, policy } = { intake: draft.now.intake, policy: rules.policy.interruption };
  const speaking = findSpeaking(draft.state);
  if (speaking !== undefined && policy.pointsAhead === undefined) return;
  if (floorFreeAtMs(draft.now) > nowMs) return;
  const next = intake.chooseNext(draft.state, rules, nowMs);
  if (next === null) return;
  if (speaking !== undefined) {
    // Waiting does not count against the one that speaks: what interrupts must matter more, not have waited longer.
    const ahead = intake.score(next.turn, rules, next.turn.acceptedAtMs).points;
    const behind = intake.score(speaking, rules, speaking.acceptedAtMs).points;
    if (policy.priority === "keep" || ahead - behind < (policy.pointsAhead ?? 0)) return;
    interrupt(draft, { cause: "priority", act: policy.priority, reason: `priority:${next.turn.id}` });
  }
  const attempt = next.turn.attemptsBefore + 1;
  startTurn(draft, next.turn, { attempt, harness: draft.state.harness, priority: next.priority });
}

export function settleDue(draft: Draft): void {
  const { nowMs } = draft.now;
  const wakeAtMs = nextWakeAtMs(draft.state);
  if (wakeAtMs === null || wakeAtMs > nowMs) return;
  for (const turn of draft.state.turns) {
    if (!isLeased(turn)) {
      if (turn.waitsUntilMs <= nowMs) endTurn(draft, turn, { outcome: "expired", reason: "ttl", trace: null });
    } else if (turn.lease.expiresAtMs <= nowMs) {
      replaceRunner(draft, turn);
    }
  }
}

function replaceRunner(draft: Draft, turn: LeasedTurn): void {
  const { attempt, harness } = turn.lease;
  // A turn ends on the version it began with, though its second runner sees the room as it is now.
  if (mayRetry(turn, attempt)) startTurn(draft, turn, { attempt: attempt + 1, harness });
  else closeTurn(draft, turn, "runner_lost");
}

/** Attempts are counted anew after an interruption, which is no runner's fault. */
export function mayRetry({ attemptsBefore }: OpenTurn, attempt: number): boolean {
  return attempt - attemptsBefore < ATTEMPTS_MAX;
}

/** Ends a turn that no runner will end. Nobody's question stays without a word: the fallback line is the last one. */
export function closeTurn(draft: Draft, turn: OpenTurn, reason: string): TurnRecord {
  const kinds = new Set(turn.sentences.map(({ kind }) => kind));
  if (!kinds.has("answer") && !kinds.has("fallback")) {
    const { text, speech } = draft.now.rules.policy.fallback;
    emitSentence(draft, turn, { seq: turn.sentences.length, text, speech, kind: "fallback" });
  }
  const outcome = kinds.has("answer") ? "answered" : "fallback";
  return endTurn(draft, turn, { outcome, reason, trace: null });
}

type Start = { readonly attempt: number; readonly harness: HarnessRef; readonly priority?: TurnPriority };

function startTurn(draft: Draft, turn: OpenTurn, { attempt, harness, priority }: Start): void {
  const waitedMs = turn.waitedMs ?? draft.now.nowMs - turn.acceptedAtMs;
  const messageIds = turn.messages.map(({ id }) => id);
  const why = priority === undefined ? {} : { priority };
  emit(draft, { type: "turn-start", turn: turn.id, attempt, messageIds, harness, waitedMs, ...why });
  draft.leases.push({ turn: turn.id, attempt });
}

export function countWaiting(state: RoomState): number {
  return state.turns.filter((turn) => !isLeased(turn)).length;
}
