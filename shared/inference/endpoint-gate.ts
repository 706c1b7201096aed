import { z } from "zod";
import type { Admission, AdmissionLimits, AdmissionRequest, RefusalReason, UseReport } from "../contract/admission.ts";
import type { GateStatus } from "../contract/endpoint-status.ts";
import type { Clock } from "../core/clock.ts";
import { AdaptiveLimit, savedLimitSchema } from "./adaptive-limit.ts";
import {
  AdmissionQueue,
  type InFlightCounts,
  isBackground,
  waitEndsAtMs,
  type WaitingTurn,
} from "./admission-queue.ts";
import { CircuitBreaker, OPEN_MS_MAX } from "./circuit-breaker.ts";

/** How long after its deadline a turn's slot is taken back, ms: by then its runner would have reported, were it alive. */
export const SLOT_GRACE_MS = 2_000;
/** Turns that may wait: some for each slot, and enough to choose among where there are few. */
const WAITING_PER_SLOT_MAX = 4;
export const WAITING_MAX_MIN = 64;
/** How long a turn holds its slot before any has been seen to, ms: two or three calls of about a second. */
export const HOLD_MS_DEFAULT = 3_000;
/** Weight of a turn in the mean time of holding a slot: about the last ten count. */
const HOLD_WEIGHT = 0.1;
/** Longest that a server's `Retry-After` is heeded, ms: as long as its breaker may stay open. It may ask for a day. */
const RETRY_AFTER_MS_MAX = OPEN_MS_MAX;

const savedGateSchema = z.strictObject({
  version: z.literal(1),
  holdMs: z.number().positive(),
  limit: savedLimitSchema,
});
/** What a gate has learned of its endpoint. Plain JSON. */
export type SavedGate = z.infer<typeof savedGateSchema>;

/** Reads what {@link EndpointGate.save} gave, as it was stored. `null` for nothing, or for what another version has left. */
export function readSavedGate(stored: unknown): SavedGate | null {
  return savedGateSchema.safeParse(stored).data ?? null;
}

/** The use of the endpoint by one turn. */
type Slot = {
  readonly room: string;
  readonly merchant: string;
  deadlineAtMs: number;
  readonly grantedAtMs: number;
  /** {@link EndpointGate}'s count of slot-milliseconds when the slot was granted. */
  readonly slotMsAtGrant: number;
};

/**
 * Admits turns to one endpoint: as many at once as it can serve well, the rest in a fair order or not at all.
 *
 * A turn that could not be served in time is refused when it asks, so that it can go elsewhere while there is time.
 * Nothing is timed in here: the caller calls {@link tick} at {@link nextWakeAtMs}. Answers go out after the state is
 * whole, so an answer may call back into the gate; they must not throw.
 */
export class EndpointGate {
  readonly #clock: Clock;
  readonly #limit: AdaptiveLimit;
  readonly #breaker = new CircuitBreaker();
  readonly #queue = new AdmissionQueue();
  /** By key. Bounded by the limit, and by time: each ends soon after its turn's deadline. */
  readonly #slots = new Map<string, Slot>();
  readonly #answers: (() => void)[] = [];
  #isAnswering = false;
  #limits: AdmissionLimits | null = null;
  #holdMs: number;
  /** Until when the server asked to be left alone: no slot is given before. */
  #pausedUntilMs = 0;
  /** Time of all slots together until now, ms: its growth over a while, divided by the while, is the mean in flight. */
  #slotMs = 0;
  #slotMsAtMs = 0;

  /** @param options.saved - From an earlier gate's {@link save}, through {@link readSavedGate}. */
  constructor(options: { clock: Clock; saved: SavedGate | null }) {
    this.#clock = options.clock;
    this.#limit = new AdaptiveLimit(options.saved?.limit ?? null);
    this.#holdMs = options.saved?.holdMs ?? HOLD_MS_DEFAULT;
  }

  /**
   * Asks for a slot; `answer` is called exactly once, now or later.
   *
   * A turn that asks again keeps the slot that it holds, or its new request takes the place of the waiting one, which is
   * answered `cancelled`.
   */
  ask(request: AdmissionRequest, answer: (admission: Admission) => void): void {
    const nowMs = this.#clock.nowMs();
    this.#configure(request.limits);
    this.#settle(nowMs);
    const turn = { request, answer, arrivedAtMs: nowMs };
    const held = this.#slots.get(request.key);
    if (held === undefined) this.#place(turn, nowMs);
    else {
      held.deadlineAtMs = request.deadlineAtMs;
      this.#say(turn, { admitted: true, waitedMs: 0 });
    }
    this.#finish(nowMs);
  }

  /** The runner no longer wants it: a waiting request is answered `cancelled`, a held slot is given back. */
  cancel(key: string): void {
    const nowMs = this.#clock.nowMs();
    const waiting = this.#queue.remove(key);
    if (waiting !== null) this.#refuse(waiting, "cancelled", 0);
    this.#giveBack(key, nowMs);
    this.#finish(nowMs);
  }

  /** Takes figures of calls, also of a turn that holds no slot any more; gives the slot back when `report.end` is set. */
  report(report: UseReport): void {
    const nowMs = this.#clock.nowMs();
    const inFlight = this.#meanInFlight(report.key, nowMs);
    for (const call of report.calls) {
      this.#breaker.take(report.key, call.failure?.code ?? null, nowMs);
      this.#limit.take(call, inFlight, nowMs);
      this.#heed(call.failure?.retryAfterMs ?? 0, nowMs);
    }
    if (report.end !== null) this.#giveBack(report.key, nowMs);
    this.#finish(nowMs);
  }

  /** Ends what is overdue (waiting too long, slots past their turn's deadline and grace), grants what became free. */
  tick(): void {
    this.#finish(this.#clock.nowMs());
  }

  /** When {@link tick} has something to do next; `null`: nothing is due. */
  nextWakeAtMs(): number | null {
    let nextAtMs = Number.POSITIVE_INFINITY;
    for (const slot of this.#slots.values()) nextAtMs = Math.min(nextAtMs, slot.deadlineAtMs + SLOT_GRACE_MS);
    for (const turn of this.#queue.turns()) nextAtMs = Math.min(nextAtMs, waitEndsAtMs(turn));
    const dipEndsAtMs = this.#limit.dipEndsAtMs;
    if (dipEndsAtMs !== null && this.#queue.size > 0) nextAtMs = Math.min(nextAtMs, dipEndsAtMs);
    const isPaused = this.#pauseMs(this.#clock.nowMs()) > 0;
    if (isPaused && this.#queue.size > 0) nextAtMs = Math.min(nextAtMs, this.#pausedUntilMs);
    return Number.isFinite(nextAtMs) ? nextAtMs : null;
  }

  status(): GateStatus {
    const nowMs = this.#clock.nowMs();
    const limit = this.#limit.current(nowMs);
    return {
      limit,
      slots: this.#limits?.slots ?? 0,
      utilizationCeiling: this.#limits?.utilizationCeiling ?? 0,
      utilization: this.#limit.utilization(nowMs),
      inFlight: this.#slots.size,
      waiting: this.#queue.size,
      // The last in line: what a turn's own merchant is owed is not known here.
      expectedWaitMs: this.#hasSlot(nowMs) ? 0 : this.#waitMs(this.#queue.size, nowMs),
      breaker: this.#breaker.state(nowMs),
      breakerProbeAtMs: this.#breaker.probeAtMs,
    };
  }

  /** Slots held and turns waiting now, of each room that has any. */
  countsByRoom(): ReadonlyMap<string, { inFlight: number; waiting: number }> {
    const counts = new Map<string, { inFlight: number; waiting: number }>();
    for (const { room } of this.#slots.values()) countOf(counts, room).inFlight += 1;
    for (const { request } of this.#queue.turns()) countOf(counts, request.room).waiting += 1;
    return counts;
  }

  save(): SavedGate {
    return { version: 1, holdMs: this.#holdMs, limit: this.#limit.save() };
  }

  #configure(limits: AdmissionLimits): void {
    if (this.#limits !== null && this.#limits.updatedAtMs >= limits.updatedAtMs) return;
    this.#limits = limits;
    this.#limit.configure(limits);
  }

  /** Grants, queues or refuses a turn without a slot. Whoever waits at this moment cannot be served at this moment. */
  #place(turn: WaitingTurn, nowMs: number): void {
    const { request } = turn;
    const replaced = this.#queue.remove(request.key);
    if (replaced !== null) this.#refuse(replaced, "cancelled", 0);
    const isFree = this.#isFreeFor(request, nowMs);
    if (this.#breaker.state(nowMs) !== "closed" && !(isFree && this.#breaker.canAdmit(nowMs))) {
      this.#refuse(turn, "breaker_open", this.#probeWaitMs(nowMs));
    } else if (isFree) this.#grant(turn, nowMs);
    else this.#enqueue(turn, nowMs);
  }

  #enqueue(turn: WaitingTurn, nowMs: number): void {
    const { request } = turn;
    const waitMs = this.#waitMs(this.#queue.countAhead(request, nowMs, this.#inFlightCounts()), nowMs);
    if (waitMs > request.waitMsMax || nowMs + waitMs + this.#holdMs > request.deadlineAtMs) {
      this.#refuse(turn, "busy", waitMs);
      return;
    }
    if (this.#queue.size >= Math.max(WAITING_MAX_MIN, WAITING_PER_SLOT_MAX * request.limits.slots)) {
      const displaced = this.#queue.displacedBy(request);
      this.#refuse(displaced ?? turn, "queue_full", waitMs);
      if (displaced === null) return;
      this.#queue.remove(displaced.request.key);
    }
    this.#queue.add(turn);
  }

  /** What every call into the gate ends with. */
  #finish(nowMs: number): void {
    this.#settle(nowMs);
    this.#limit.noteLoad(this.#slots.size, this.#queue.size, nowMs);
    this.#sendAnswers();
  }

  /** Brings the gate up to date: ends what is overdue, then serves who waits. */
  #settle(nowMs: number): void {
    for (const [key, { deadlineAtMs }] of this.#slots) {
      if (nowMs >= deadlineAtMs + SLOT_GRACE_MS) this.#release(key, nowMs);
    }
    if (this.#queue.size === 0) return;
    const isOpen = this.#breaker.state(nowMs) !== "closed";
    const isOver = (endsAtMs: number) => nowMs >= endsAtMs || endsAtMs < this.#pausedUntilMs;
    for (const turn of this.#queue.removeWhere((waiting) => isOpen || isOver(waitEndsAtMs(waiting)))) {
      if (isOpen) this.#refuse(turn, "breaker_open", this.#probeWaitMs(nowMs));
      else this.#refuse(turn, "busy", this.#waitMs(this.#queue.size, nowMs));
    }
    this.#serve(nowMs);
  }

  #serve(nowMs: number): void {
    while (this.#queue.size > 0 && this.#hasSlot(nowMs)) {
      const withBackground = this.#hasSpare(nowMs);
      const turn = this.#queue.first({ nowMs, inFlight: this.#inFlightCounts(), withBackground });
      if (turn === null) return;
      this.#queue.remove(turn.request.key);
      this.#grant(turn, nowMs);
    }
  }

  #isFreeFor(request: AdmissionRequest, nowMs: number): boolean {
    return this.#hasSlot(nowMs) && (!isBackground(request) || this.#hasSpare(nowMs));
  }

  #hasSlot(nowMs: number): boolean {
    return this.#pauseMs(nowMs) === 0 && this.#slots.size < this.#limit.current(nowMs);
  }

  /** Whether work in the background may have a slot: one more stays free, for the turn that comes next. */
  #hasSpare(nowMs: number): boolean {
    const limit = this.#limit.current(nowMs);
    return limit - this.#slots.size >= 2 || (limit === 1 && this.#slots.size === 0);
  }

  #grant(turn: WaitingTurn, nowMs: number): void {
    this.#countSlotMs(nowMs);
    const { key, room, merchant, deadlineAtMs } = turn.request;
    this.#slots.set(key, { room, merchant, deadlineAtMs, grantedAtMs: nowMs, slotMsAtGrant: this.#slotMs });
    this.#breaker.admit(key, nowMs);
    this.#queue.noteServed(turn.request);
    this.#say(turn, { admitted: true, waitedMs: nowMs - turn.arrivedAtMs });
  }

  /** Ends the use of a slot by its turn's own word, whose length then tells what the next ones' will be. */
  #giveBack(key: string, nowMs: number): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#holdMs += (Math.max(1, nowMs - slot.grantedAtMs) - this.#holdMs) * HOLD_WEIGHT;
    this.#release(key, nowMs);
  }

  #release(key: string, nowMs: number): void {
    this.#countSlotMs(nowMs);
    this.#slots.delete(key);
    this.#breaker.release(key);
  }

  #refuse(turn: WaitingTurn, reason: RefusalReason, expectedWaitMs: number): void {
    this.#say(turn, { admitted: false, reason, expectedWaitMs });
  }

  #say({ answer }: WaitingTurn, admission: Admission): void {
    this.#answers.push(() => {
      answer(admission);
    });
  }

  /** Answers in order, those included that answers give rise to. */
  #sendAnswers(): void {
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    try {
      for (let send = this.#answers.shift(); send !== undefined; send = this.#answers.shift()) send();
    } finally {
      this.#isAnswering = false;
    }
  }

  /** Until a slot is free for who has so many ahead, by the mean time that slots are held. */
  #waitMs(ahead: number, nowMs: number): number {
    const limit = this.#limit.current(nowMs);
    const pauseMs = this.#pauseMs(nowMs);
    const hasSlotAfterPause = pauseMs > 0 && this.#slots.size + ahead < limit;
    return hasSlotAfterPause ? pauseMs : Math.max(pauseMs, ((ahead + 1) * this.#holdMs) / limit);
  }

  /** Until the breaker lets a turn try the server, and the server itself wants one. */
  #probeWaitMs(nowMs: number): number {
    return Math.max(0, (this.#breaker.probeAtMs ?? nowMs) - nowMs, this.#pauseMs(nowMs));
  }

  #heed(retryAfterMs: number, nowMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
  }

  /** For how long the server still wants to be left alone. */
  #pauseMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  #countSlotMs(nowMs: number): void {
    this.#slotMs += this.#slots.size * (nowMs - this.#slotMsAtMs);
    this.#slotMsAtMs = nowMs;
  }

  /** Mean number of slots in use while the turn has held its own; without one, as if it held one now. */
  #meanInFlight(key: string, nowMs: number): number {
    this.#countSlotMs(nowMs);
    const slot = this.#slots.get(key);
    if (slot === undefined) return this.#slots.size + 1;
    const heldMs = nowMs - slot.grantedAtMs;
    return heldMs > 0 ? (this.#slotMs - slot.slotMsAtGrant) / heldMs : this.#slots.size;
  }

  #inFlightCounts(): InFlightCounts {
    const byMerchant = new Map<string, number>();
    const byRoom = new Map<string, number>();
    for (const { merchant, room } of this.#slots.values()) {
      byMerchant.set(merchant, (byMerchant.get(merchant) ?? 0) + 1);
      byRoom.set(room, (byRoom.get(room) ?? 0) + 1);
    }
    return { byMerchant, byRoom };
  }
}

function countOf(
  counts: Map<string, { inFlight: number; waiting: number }>,
  room: string,
): { inFlight: number; waiting: number } {
  const count = counts.get(room) ?? { inFlight: 0, waiting: 0 };
  counts.set(room, count);
  return count;
}
