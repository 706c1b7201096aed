/** A replay as its route answers, for tests; a test names only what it is about. */
import type { ReplayedTurn, TurnReplay } from "../../../../../shared/contract/replay.ts";
import { aTrace, aTurnRecord } from "../../../../helpers/turn-records.ts";

export function aReplayedTurn(fields: Partial<ReplayedTurn> = {}): ReplayedTurn {
  const { outcome, reason, timings, sentences } = aTurnRecord();
  const harness = { name: "live-host", version: "b".repeat(64) };
  return { harness, outcome, reason, timings, sentences, trace: aTrace(), unrecordedCalls: [], ...fields };
}

export function aReplay(fields: Partial<TurnReplay> = {}): TurnReplay {
  return {
    room: "r1",
    turn: "t12",
    configRevision: { recorded: 3, now: 3 },
    recorded: aTurnRecord(),
    replayed: aReplayedTurn(),
    ...fields,
  };
}
