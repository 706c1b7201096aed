/** The Worker of the room's tests: the real object, and a runner that only notes what it was asked. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { TurnLease } from "../../shared/contract/turn-lease.ts";
import { noteLease, refusedRooms } from "./room/started-leases.ts";

export { LiveRoom } from "../../workers/room/live-room.ts";

export class TurnRunner extends WorkerEntrypoint {
  start(lease: TurnLease): void {
    noteLease(lease);
    if (refusedRooms.has(lease.room)) throw new Error("no runner today");
  }
}

export default { fetch: () => new Response("not part of these tests", { status: 404 }) } satisfies ExportedHandler;
