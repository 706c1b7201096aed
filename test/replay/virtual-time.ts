import type { Clock } from "../../shared/core/clock.ts";
import type { Timer } from "../../shared/core/timer.ts";

type Event = { readonly atMs: number; readonly fire: () => void };

/**
 * Time that goes from event to event as fast as the machine can: an hour in seconds, and the same order every time, by
 * time and then by insertion. Between two events every promise that can settle has settled.
 */
export class VirtualTime implements Clock, Timer {
  /** Latest first, so that the next one is taken from the end; most new ones are soon and go in near it. */
  readonly #events: Event[] = [];
  #nowMs: number;
  #insertedCount = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, fire: () => void): () => void {
    return this.at(this.#nowMs + Math.max(0, Math.round(delayMs)), fire);
  }

  /** Calls `fire` once at `atMs`, unless the returned function is called first. What is past is due now. */
  at(atMs: number, fire: () => void): () => void {
    const event = { atMs: Math.max(atMs, this.#nowMs), fire };
    this.#events.splice(this.#placeOf(event.atMs), 0, event);
    this.#insertedCount += 1;
    return () => {
      const index = this.#events.indexOf(event);
      if (index !== -1) this.#events.splice(index, 1);
    };
  }

  /** Plays events until none is left, or the next one is after `untilMs`. */
  async run(untilMs: number): Promise<void> {
    await this.#settle();
    for (let next = this.#events.at(-1); next !== undefined && next.atMs <= untilMs; next = this.#events.at(-1)) {
      this.#events.pop();
      this.#nowMs = next.atMs;
      next.fire();
      await this.#settle();
    }
  }

  /** Before all events of the same time: those were inserted earlier and stand nearer to the end. */
  #placeOf(atMs: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.atMs ?? 0) > atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** A macrotask comes after all microtasks. Again while they make events, for a chain that took a macrotask of its own. */
  async #settle(): Promise<void> {
    for (let before = -1; before !== this.#insertedCount;) {
      before = this.#insertedCount;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
