import type { Clock } from "../../shared/core/clock.ts";
import type { Timer } from "../../shared/core/timer.ts";

/** Wall time. In production it moves only with I/O, so it measures waits, never computing. */
export const systemClock: Clock = { nowMs: () => Date.now() };

export const systemTimer: Timer = {
  after(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    return () => clearTimeout(handle);
  },
};

/** Both, for what counts waits. */
export const systemTime: Clock & Timer = { ...systemClock, ...systemTimer };
