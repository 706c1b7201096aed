/** The lease under which a recorded turn runs again: what its record has, as of then. */
import { PRIORITY_BACKGROUND } from "../../contract/admission.ts";
import type { ReplayRequest } from "../../contract/replay.ts";
import type { TurnLease } from "../../contract/turn-lease.ts";
import type { TurnRecord } from "../../contract/turn-record.ts";

/** When the turn's runner began, ms since the epoch: the replay's clock starts there, for offers that held then. */
export function replayStartsAtMs({ acceptedAtMs, timings }: TurnRecord): number {
  return acceptedAtMs + timings.waitedMs;
}

/**
 * The turn from its beginning, whoever ran it and however often: what was heard of it does not count, and no voice is waited
 * for. A record does not have what the strategist had made of the room, nor what was on screen when the viewer asked: the
 * replay goes without the one, and by what the runner saw on screen for the other.
 */
export function toReplayLease(
  { record, setup }: Pick<ReplayRequest, "record" | "setup">,
  deadlineMs: number,
): TurnLease {
  const { room, turn, acceptedAtMs, messages, snapshot } = record;
  return {
    room,
    turn,
    merchant: setup.config.merchant.id,
    priority: PRIORITY_BACKGROUND,
    attempt: 1,
    deadlineAtMs: replayStartsAtMs(record) + deadlineMs,
    acceptedAtMs,
    messages,
    askers: record.askers ?? messages.length,
    askedOnScreenProductId: snapshot.onScreenProductId,
    sayAtMs: null,
    strategy: null,
    spoken: [],
    harness: setup.harness,
    configRevision: setup.revision,
    releaseSeq: 0,
    snapshot,
    stateSeq: 0,
    knownPrefixDigest: null,
  };
}
