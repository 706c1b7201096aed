/** The one alarm of an object, remembered, so that asking and moving it cost as little as they can. */
export class RoomAlarm {
  readonly #storage: DurableObjectStorage;
  #atMs: number | null = null;
  #rowsWritten = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Reads what is set. Once, when the object wakes. */
  async load(): Promise<void> {
    this.#atMs = await this.#storage.getAlarm();
  }

  /** Rows written since the object woke: setting an alarm is one. */
  get rowsWritten(): number {
    return this.#rowsWritten;
  }

  /** Notes that the alarm went off: the platform has none set now. */
  clear(): void {
    this.#atMs = null;
  }

  /**
   * Makes sure that an alarm goes off at `wakeAtMs` or before. One that is set earlier stays, because moving it costs a
   * written row; one that is overdue is set anew, because it may never come.
   */
  arm(wakeAtMs: number, nowMs: number): void {
    if (this.#atMs !== null && this.#atMs > nowMs && this.#atMs <= wakeAtMs) return;
    this.#atMs = wakeAtMs;
    this.#rowsWritten += 1;
    // Written together with the step of this event. Should it fail, the platform resets the object, which arms again.
    void this.#storage.setAlarm(wakeAtMs);
  }
}
