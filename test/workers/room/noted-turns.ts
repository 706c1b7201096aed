import type { WatchedTurn } from "../../../harness-kv/canary-watch.ts";
import { until } from "./started-leases.ts";

/** Trials whose watch fails. */
export const failingTrials = new Set<string>();

type NotedTurn = WatchedTurn & { readonly harness: string; readonly trial: string };

const noted: NotedTurn[] = [];

/** Notes ended turns that a room told the rollout of. */
export function noteTurns(harness: string, trial: string, turns: readonly WatchedTurn[]): void {
  noted.push(...turns.map((turn) => ({ ...turn, harness, trial })));
}

/** The turns that a room has told of, once there are `count` of them. */
export async function notedTurnsOf(room: string, count: number): Promise<NotedTurn[]> {
  const turns = () => noted.filter((turn) => turn.room === room);
  await until(() => turns().length >= count);
  return turns();
}
