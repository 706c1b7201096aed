/**
 * The prefix cache of an engine: which blocks of text have been computed. Blocks are known by the key of all text up to
 * their end, so a block is only ever found behind its own beginning. Bounded; the least recently used block goes first.
 */
export class PrefixCache {
  /** In order of use, oldest first. */
  readonly #blocks = new Set<number>();
  #blocksMax: number;

  constructor(blocksMax: number) {
    this.#blocksMax = blocksMax;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** Blocks from the first on that are here, at most `blocksMax` of them. They count as used. */
  match(keys: readonly number[], blocksMax = keys.length): number {
    let found = 0;
    while (found < blocksMax && this.#blocks.has(keys[found] ?? Number.NaN)) found += 1;
    this.#use(keys.slice(0, found));
    return found;
  }

  insert(keys: readonly number[]): void {
    this.#use(keys);
    this.#shrink();
  }

  resize(blocksMax: number): void {
    this.#blocksMax = blocksMax;
    this.#shrink();
  }

  clear(): void {
    this.#blocks.clear();
  }

  /** From the last to the first: ends of texts go before the beginnings that others share. */
  #use(keys: readonly number[]): void {
    for (const key of keys.toReversed()) {
      this.#blocks.delete(key);
      this.#blocks.add(key);
    }
  }

  #shrink(): void {
    for (const key of this.#blocks) {
      if (this.#blocks.size <= this.#blocksMax) return;
      this.#blocks.delete(key);
    }
  }
}
