/** The Worker of the room's tests: the real object, and a runner and a rollout that only note what they were asked. */
import { DurableObject, RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import type { WatchedTurn } from "../../harness-kv/canary-watch.ts";
import type { TurnLease } from "../../shared/contract/turn-lease.ts";
import { failingTrials, noteTurns } from "./room/noted-turns.ts";
import { noteLease, noteStop, refusedRooms, stoppingRooms } from "./room/started-leases.ts";

export { LiveRoom } from "../../workers/room/live-room.ts";

class RunningTurn extends RpcTarget {
  readonly #lease: TurnLease;

  constructor(lease: TurnLease) {
    super();
    this.#lease = lease;
  }

  stop(): void {
    noteStop(this.#lease);
  }
}

export class TurnRunner extends WorkerEntrypoint {
  /** A turn in a room's hands keeps the room awake, so only rooms that want to stop one get it; the others can be evicted. */
  start(lease: TurnLease): RunningTurn | object {
    noteLease(lease);
    if (refusedRooms.has(lease.room)) throw new Error("no runner today");
    return stoppingRooms.has(lease.room) ? new RunningTurn(lease) : {};
  }

  warm(): void {}
}

export class HarnessRollout extends DurableObject {
  noteTurns(trial: string, turns: readonly WatchedTurn[]): void {
    if (failingTrials.has(trial)) throw new Error("no watch today");
    noteTurns(this.ctx.id.name ?? "", trial, turns);
  }
}

export default { fetch: () => new Response("not part of these tests", { status: 404 }) } satisfies ExportedHandler;
