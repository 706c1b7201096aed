/** Source of delays. Injected, so that tests choose when a limit runs out. */
export interface Timer {
  /** Calls `fire` once after `delayMs`, unless the returned function is called first. */
  after(delayMs: number, fire: () => void): () => void;
}

/** Settles after a while. */
export function pause(timer: Timer, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    timer.after(delayMs, resolve);
  });
}
