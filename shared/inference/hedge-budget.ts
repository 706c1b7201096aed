/** Share of calls that may be asked twice. */
const HEDGES_SHARE = 0.05;
/** Hedges that may be saved up for a bad moment. */
const HEDGES_SAVED_MAX = 5;

/**
 * Keeps hedges to a twentieth of all calls, after Dean and Barroso, "The Tail at Scale" (2013): a slow server must not
 * double the load of the others.
 */
export class HedgeBudget {
  #tokens = 1;

  /** A call was sent. */
  earn(): void {
    this.#tokens = Math.min(HEDGES_SAVED_MAX, this.#tokens + HEDGES_SHARE);
  }

  /** Takes one hedge; false when there is none left. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
