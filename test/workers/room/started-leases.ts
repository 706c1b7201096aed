import type { TurnLease } from "../../../shared/contract/turn-lease.ts";

/** Every lease that was handed to a runner, of all rooms of the file. */
export const startedLeases: TurnLease[] = [];

/** Rooms whose runners refuse to start. */
export const refusedRooms = new Set<string>();

export function leasesOf(room: string): TurnLease[] {
  return startedLeases.filter((lease) => lease.room === room);
}
