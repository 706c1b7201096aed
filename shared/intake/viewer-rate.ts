/** How much one viewer may send. */
import { BoundedCache } from "../core/bounded-cache.ts";

/**
 * Messages of each viewer in a sliding window. Bounded: at most `viewersMax` viewers with `max` times each; the viewer who
 * was quiet longest is forgotten first, and starts anew.
 */
export class ViewerRate {
  /** Times of the messages that were taken, oldest first. */
  readonly #takenAtMs: BoundedCache<string, number[]>;

  constructor(options: { viewersMax: number }) {
    this.#takenAtMs = new BoundedCache(options.viewersMax);
  }

  /**
   * Whether the message may pass: fewer than `max` were taken within the last `windowMs`. A message that may not does not
   * count, so a viewer who floods is heard again as soon as the window moves on.
   */
  take(viewer: string, limits: { max: number; windowMs: number }, nowMs: number): boolean {
    const recent = (this.#takenAtMs.get(viewer) ?? []).filter((atMs) => atMs > nowMs - limits.windowMs);
    const isTaken = recent.length < limits.max;
    if (isTaken) recent.push(nowMs);
    this.#takenAtMs.set(viewer, recent);
    return isTaken;
  }
}
