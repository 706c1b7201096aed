import type { TurnLease } from "../../../shared/contract/turn-lease.ts";

/** Rooms whose runners refuse to start. */
export const refusedRooms = new Set<string>();

/** Rooms whose runners can be told to stop. */
export const stoppingRooms = new Set<string>();

const POLLS_MAX = 2_000;
const started: TurnLease[] = [];
const stopped: TurnLease[] = [];

/** Notes a lease that was handed to a runner. */
export function noteLease(lease: TurnLease): void {
  started.push(lease);
}

/** Notes that the room told a runner to stop. */
export function noteStop(lease: TurnLease): void {
  stopped.push(lease);
}

/** `<turn>/<attempt>` of a room's runners that were told to stop, in order. */
export function stopsOf(room: string): string[] {
  return stopped.filter((lease) => lease.room === room).map(({ turn, attempt }) => `${turn}/${attempt}`);
}

/** Waits for what other objects do in calls of their own. A promise cannot cross from one object to another, so it looks again. */
export async function until(condition: () => boolean): Promise<void> {
  for (let polls = 0; !condition(); polls += 1) {
    if (polls === POLLS_MAX) throw new Error("it never became true");
    await scheduler.wait(1);
  }
}

/** The leases that a room has handed out, once there are `count` of them. */
export async function leasesOf(room: string, count: number): Promise<TurnLease[]> {
  const leases = () => started.filter((lease) => lease.room === room);
  await until(() => leases().length >= count);
  return leases();
}
