/** Which of viewers' messages a room takes, and what becomes of each. Pure, as all of its decisions. */
import type { DropReason } from "../../shared/contract/intake-policy.ts";
import type { Disposition, ViewerMessage } from "../../shared/contract/message.ts";
import type { RoomFrameBody } from "../../shared/contract/room-frame.ts";
import { type Draft, type RoomNow, type RoomStep, emit, endTurn, openDraft } from "./room-draft.ts";
import type { WaitingTurns } from "./room-intake.ts";
import { findSpeaking, findTurn } from "./room-state.ts";
import { closeDraft, countWaiting, floorFreeAtMs, settleDue } from "./settle-room.ts";

/** Where a message stands that the room has. */
export type KnownMessage = { readonly turn: string; readonly seq: number };

/**
 * Takes viewers' messages: each new one opens a turn, joins a waiting one that asks the same, or is dropped with a reason.
 * Where too many wait, the one that matters least is let go, be it the new one or one that waits.
 *
 * @param known - Messages of the batch that came before, by id.
 */
export function admitMessages(
  now: RoomNow,
  messages: readonly ViewerMessage[],
  known: ReadonlyMap<string, KnownMessage>,
): { readonly step: RoomStep; readonly dispositions: Disposition[] } {
  const draft = openDraft(now);
  // What has expired does not wait.
  settleDue(draft);
  const batch: Batch = { draft, dropped: [], waiting: null };
  const seen = new Map(known);
  const dispositions: Disposition[] = [];
  for (const message of messages) {
    const before = seen.get(message.id);
    const disposition =
      before === undefined
        ? admitMessage(batch, message)
        : { id: message.id, disposition: "duplicate" as const, reason: null, ...before };
    dispositions.push(disposition);
    if (disposition.turn !== null) seen.set(message.id, { turn: disposition.turn, seq: disposition.seq });
  }
  if (batch.dropped.length > 0) emit(draft, { type: "dropped", messages: batch.dropped });
  return { step: closeDraft(draft), dispositions };
}

type Batch = {
  readonly draft: Draft;
  readonly dropped: Dropped[];
  /** Made when the first message finds no place: what waits then, the least first. */
  waiting: WaitingTurns | null;
};

type Dropped = Extract<RoomFrameBody, { type: "dropped" }>["messages"][number];

function admitMessage(batch: Batch, message: ViewerMessage): Disposition {
  const { draft } = batch;
  const { intake, rules, nowMs } = draft.now;
  const judgement = intake.judge(message, draft.state, rules, nowMs);
  const { id } = message;
  if (judgement.type === "drop") return drop(batch, message, judgement.reason);
  const merged = judgement.type === "merge" ? judgement.turn : null;
  if (merged === null && !findPlace(batch, message)) return drop(batch, message, "crowded");
  const turn = merged ?? `t${draft.state.lastSeq + 1}`;
  const { seq } = emit(draft, { type: "message", turn, message });
  intake.note(turn, message, { key: judgement.key, state: draft.state });
  if (merged === null) noteWaiting(batch, turn, message);
  return { id, disposition: merged === null ? "queued" : "merged", reason: null, turn, seq };
}

function drop({ draft, dropped }: Batch, message: ViewerMessage, reason: DropReason): Disposition {
  dropped.push({ message, reason });
  return { id: message.id, disposition: "dropped", reason, turn: null, seq: draft.state.lastSeq };
}

/** Whether one more turn may wait: there is a place, or one that matters less gives up its own. */
function findPlace(batch: Batch, message: ViewerMessage): boolean {
  const { draft } = batch;
  const { intake, rules, nowMs } = draft.now;
  const hasFloor = findSpeaking(draft.state) === undefined && floorFreeAtMs(draft.now) <= nowMs;
  if (countWaiting(draft.state) < rules.policy.intake.backlogMax + (hasFloor ? 1 : 0)) return true;
  batch.waiting ??= intake.rankWaiting(draft.state, rules, nowMs);
  const least = batch.waiting[0];
  if (least === undefined || intake.scoreNew(message, rules) <= least.points) return false;
  batch.waiting.shift();
  endTurn(draft, least.turn, { outcome: "expired", reason: "crowded", trace: null });
  return true;
}

/** What came in this batch may have to give up its place as well. */
function noteWaiting({ draft, waiting }: Batch, id: string, message: ViewerMessage): void {
  const turn = findTurn(draft.state, id);
  if (waiting === null || turn === undefined) return;
  const points = draft.now.intake.scoreNew(message, draft.now.rules);
  const index = waiting.findIndex((other) => other.points >= points);
  waiting.splice(index === -1 ? waiting.length : index, 0, { turn, points });
}
