import { type Admission, type AdmissionRequest, PRIORITY_BACKGROUND, PRIORITY_TURN } from "../contract/admission.ts";
import { BoundedCache } from "../core/bounded-cache.ts";

/** A turn that waits for a slot. */
export type WaitingTurn = {
  readonly request: AdmissionRequest;
  readonly answer: (admission: Admission) => void;
  readonly arrivedAtMs: number;
};

/** Slots in use, by merchant and by room. */
export type InFlightCounts = {
  readonly byMerchant: ReadonlyMap<string, number>;
  readonly byRoom: ReadonlyMap<string, number>;
};

/** Merchants, and rooms, of which it is known when they were served. To forget one puts it first among equals, once. */
const SERVED_MAX = 2_048;
/** Share of its longest wait after which a turn goes up one class. */
const AGEING_SHARE = 0.5;

/**
 * Turns in the order in which they are served: priority, then the merchant with least in flight, of those the one served
 * longest ago, then its rooms by the same rule, then the earliest deadline, then arrival. Who has much waits for who has
 * little, so that nobody's flood is another's drought: max-min fairness over slots (A. Demers et al., "Analysis and
 * Simulation of a Fair Queueing Algorithm", SIGCOMM 1989, with turns for packets). Without a memory of who was served,
 * few slots would not be shared: whoever's turn just ended has as little in flight as who never had one.
 *
 * The order depends on what is in flight and on the time, so it is looked for in one pass at each grant instead of being
 * kept: the caller bounds the number of waiting turns.
 */
export class AdmissionQueue {
  /** By key, in order of arrival. */
  readonly #waiting = new Map<string, WaitingTurn>();
  /** Number of the last turn that was served, by merchant and by room. */
  readonly #merchantServed = new BoundedCache<string, number>(SERVED_MAX);
  readonly #roomServed = new BoundedCache<string, number>(SERVED_MAX);
  #servedCount = 0;

  get size(): number {
    return this.#waiting.size;
  }

  /** In order of arrival. */
  turns(): Iterable<WaitingTurn> {
    return this.#waiting.values();
  }

  add(turn: WaitingTurn): void {
    this.#waiting.set(turn.request.key, turn);
  }

  /** Takes note of a turn that got a slot, whether it has waited or not. */
  noteServed({ merchant, room }: AdmissionRequest): void {
    this.#servedCount += 1;
    this.#merchantServed.set(merchant, this.#servedCount);
    this.#roomServed.set(room, this.#servedCount);
  }

  /** Takes a turn out; `null` if it does not wait. */
  remove(key: string): WaitingTurn | null {
    const turn = this.#waiting.get(key) ?? null;
    this.#waiting.delete(key);
    return turn;
  }

  /** Takes out all that meet the condition, in order of arrival. */
  removeWhere(condition: (turn: WaitingTurn) => boolean): WaitingTurn[] {
    const removed = [...this.#waiting.values()].filter(condition);
    for (const { request } of removed) this.#waiting.delete(request.key);
    return removed;
  }

  /** The turn to serve now; `null` if nobody that may be served waits. It stays in the queue. */
  first(at: { nowMs: number; inFlight: InFlightCounts; withBackground: boolean }): WaitingTurn | null {
    let first: WaitingTurn | null = null;
    for (const turn of this.#waiting.values()) {
      if (isBackground(turn.request) && !at.withBackground) continue;
      // Strictly before: between equals, the earlier arrival stays.
      if (first === null || this.#compare(turn, first, at) < 0) first = turn;
    }
    return first;
  }

  /**
   * How many waiting turns are likely to be served before this one. Another merchant's turns count only as far as they
   * bring it level, for from there on this one's turn comes first; the same among rooms of one merchant. Otherwise one
   * merchant's flood would make the wait of all look too long, and they would be refused.
   */
  countAhead(request: AdmissionRequest, nowMs: number, inFlight: InFlightCounts): number {
    const byMerchant = new Map<string, number>();
    const byRoom = new Map<string, number>();
    // What will be in flight once the higher classes are served.
    const merchantLevel = new Map(inFlight.byMerchant);
    const roomLevel = new Map(inFlight.byRoom);
    let ahead = 0;
    let aheadInRoom = 0;
    for (const turn of this.#waiting.values()) {
      const { merchant, room, deadlineAtMs } = turn.request;
      const rank = rankOf(turn, nowMs);
      if (rank > request.priority) continue;
      if (rank < request.priority) {
        ahead += 1;
        increment(merchantLevel, merchant);
        increment(roomLevel, room);
      } else if (merchant !== request.merchant) increment(byMerchant, merchant);
      else if (room !== request.room) increment(byRoom, room);
      else if (deadlineAtMs <= request.deadlineAtMs) aheadInRoom += 1;
    }
    const ownRoom = (roomLevel.get(request.room) ?? 0) + aheadInRoom;
    const aheadInMerchant = aheadInRoom + countUntilLevel(byRoom, roomLevel, ownRoom);
    const ownMerchant = (merchantLevel.get(request.merchant) ?? 0) + aheadInMerchant;
    return ahead + aheadInMerchant + countUntilLevel(byMerchant, merchantLevel, ownMerchant);
  }

  /**
   * The turn that gives its place in a full queue to this one: the last of a lower class, else the last of the merchant
   * with most waiting if that has more than this one's would have. `null`: nobody, this one is refused.
   */
  displacedBy(request: AdmissionRequest): WaitingTurn | null {
    const byMerchant = new Map<string, number>();
    for (const turn of this.#waiting.values()) increment(byMerchant, turn.request.merchant);
    const waitingOf = (turn: WaitingTurn): number => byMerchant.get(turn.request.merchant) ?? 0;
    let last: WaitingTurn | null = null;
    for (const turn of this.#waiting.values()) {
      const isWorse =
        last === null ||
        turn.request.priority > last.request.priority ||
        (turn.request.priority === last.request.priority && waitingOf(turn) >= waitingOf(last));
      if (isWorse) last = turn;
    }
    if (last === null || last.request.priority < request.priority) return null;
    if (last.request.priority > request.priority) return last;
    return waitingOf(last) > (byMerchant.get(request.merchant) ?? 0) + 1 ? last : null;
  }

  #compare(a: WaitingTurn, b: WaitingTurn, at: { nowMs: number; inFlight: InFlightCounts }): number {
    const byRank = rankOf(a, at.nowMs) - rankOf(b, at.nowMs);
    if (byRank !== 0) return byRank;
    const byMerchant = compareUse(a.request.merchant, b.request.merchant, at.inFlight.byMerchant, this.#merchantServed);
    if (byMerchant !== 0) return byMerchant;
    const byRoom = compareUse(a.request.room, b.request.room, at.inFlight.byRoom, this.#roomServed);
    return byRoom === 0 ? a.request.deadlineAtMs - b.request.deadlineAtMs : byRoom;
  }
}

export function isBackground(request: AdmissionRequest): boolean {
  return request.priority >= PRIORITY_BACKGROUND;
}

/** When a waiting turn is refused: it has waited long enough, or is out of time. */
export function waitEndsAtMs({ request, arrivedAtMs }: WaitingTurn): number {
  return Math.min(arrivedAtMs + request.waitMsMax, request.deadlineAtMs);
}

/** Priority with age. What is below turns never comes to stand beside them: it can wait, a viewer cannot. */
function rankOf({ request, arrivedAtMs }: WaitingTurn, nowMs: number): number {
  if (request.priority <= PRIORITY_TURN) return request.priority;
  const isAged = nowMs - arrivedAtMs > request.waitMsMax * AGEING_SHARE;
  return isAged ? Math.max(PRIORITY_TURN + 1, request.priority - 1) : request.priority;
}

/** Least in flight first, then served longest ago. */
function compareUse(
  a: string,
  b: string,
  inFlight: ReadonlyMap<string, number>,
  served: BoundedCache<string, number>,
): number {
  if (a === b) return 0;
  const byInFlight = (inFlight.get(a) ?? 0) - (inFlight.get(b) ?? 0);
  return byInFlight === 0 ? (served.get(a) ?? 0) - (served.get(b) ?? 0) : byInFlight;
}

/** Of each other's waiting turns, those that are served until it has one more in flight than the own side by then. */
function countUntilLevel(
  waiting: ReadonlyMap<string, number>,
  level: ReadonlyMap<string, number>,
  ownLevel: number,
): number {
  let count = 0;
  for (const [name, waits] of waiting) count += Math.min(waits, Math.max(0, ownLevel + 1 - (level.get(name) ?? 0)));
  return count;
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
