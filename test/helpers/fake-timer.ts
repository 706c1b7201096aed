import type { Clock } from "../../shared/core/clock.ts";
import type { Timer } from "../../shared/core/timer.ts";

/** Time that moves only when the test says so, with the timers that hang on it. */
export class FakeTime implements Clock, Timer {
  #nowMs = 0;
  #timers: { atMs: number; fire: () => void }[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, fire: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves on and fires what is due, in order. */
  advance(byMs: number): void {
    this.#nowMs += byMs;
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs).toSorted((a, b) => a.atMs - b.atMs);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { fire } of due) fire();
  }

  get pendingCount(): number {
    return this.#timers.length;
  }
}
