/** When viewers of many rooms write, drawn beforehand: arrivals never wait for answers. */
import { seededRandom } from "../../endpoint/random.ts";

/** Mean length of a burst, messages. Lengths are geometric: most bursts are one message, a few are ten. */
export const BURST_MESSAGES_MEAN = 3;
/** Mean gap between two messages of a burst, ms: viewers write at the same moment about what the host just said. */
export const BURST_GAP_MS_MEAN = 1_500;
/** Sets the streams of neighbouring rooms apart. */
const SEED_STEP = 7_919;

export type Arrival = {
  /** From the start of the load, ms. */
  readonly atMs: number;
  /** Index of the room. */
  readonly room: number;
  /** Drawn number, 0 to 1, that chooses the text. */
  readonly pick: number;
};

export type ArrivalPlan = {
  readonly rooms: number;
  /** Mean messages a second of one room. */
  readonly roomRate: number;
  readonly durationMs: number;
  readonly seed: number;
};

/**
 * Draws a compound Poisson process for each room: bursts begin as a Poisson process, each has a geometric number of messages
 * with exponential gaps. Over long times the variance of the count is `2 × BURST_MESSAGES_MEAN − 1` times that of a Poisson
 * process. A room's arrivals depend on the seed and its index alone, so more rooms leave those of the first ones as they are.
 */
export function drawArrivals(plan: ArrivalPlan): Arrival[] {
  const rooms = Array.from({ length: plan.rooms }, (_, room) => drawRoom(room, plan));
  return rooms.flat().toSorted((a, b) => a.atMs - b.atMs);
}

function drawRoom(room: number, { roomRate, durationMs, seed }: ArrivalPlan): Arrival[] {
  const random = seededRandom(seed + room * SEED_STEP);
  const burstGapMs = (BURST_MESSAGES_MEAN / roomRate) * 1_000;
  const arrivals: Arrival[] = [];
  for (let burstAtMs = drawGap(burstGapMs, random); burstAtMs < durationMs; burstAtMs += drawGap(burstGapMs, random)) {
    let atMs = burstAtMs;
    do {
      if (atMs < durationMs) arrivals.push({ atMs, room, pick: random() });
      atMs += drawGap(BURST_GAP_MS_MEAN, random);
    } while (random() >= 1 / BURST_MESSAGES_MEAN);
  }
  return arrivals;
}

function drawGap(meanMs: number, random: () => number): number {
  return -Math.log(1 - random()) * meanMs;
}
