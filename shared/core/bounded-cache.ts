/** A map that forgets what was used least recently, so that an isolate that lives for weeks does not grow. */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #entriesMax: number;
  readonly #weightMax: number;
  readonly #weightOf: (value: Value) => number;
  #weight = 0;

  /** @param weighing - What an entry weighs and what all may weigh together; without it only their number counts. */
  constructor(entriesMax: number, weighing?: { weightMax: number; weightOf: (value: Value) => number }) {
    this.#entriesMax = entriesMax;
    this.#weightMax = weighing?.weightMax ?? Number.POSITIVE_INFINITY;
    this.#weightOf = weighing?.weightOf ?? (() => 0);
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weightOf(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#entriesMax && this.#weight <= this.#weightMax) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weightOf(value);
  }
}
