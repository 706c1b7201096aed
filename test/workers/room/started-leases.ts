import type { TurnLease } from "../../../shared/contract/turn-lease.ts";

/** Rooms whose runners refuse to start. */
export const refusedRooms = new Set<string>();

const started: TurnLease[] = [];
let waiting: (() => void)[] = [];

/** Notes a lease that was handed to a runner. */
export function noteLease(lease: TurnLease): void {
  started.push(lease);
  const resumed = waiting;
  waiting = [];
  for (const resume of resumed) resume();
}

/** The leases that a room has handed out, once there are `count` of them: handing over takes a call of its own. */
export async function leasesOf(room: string, count: number): Promise<TurnLease[]> {
  for (;;) {
    const leases = started.filter((lease) => lease.room === room);
    if (leases.length >= count) return leases;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  }
}
