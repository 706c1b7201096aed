/** Running hash of everything before a point: two texts share a key there only if they are the same up to it. */
export class PrefixHash {
  // Two FNV-1a hashes with different starts: 53 bits, so that some hundred thousand keys do not meet by chance.
  #high = 0x811c9dc5;
  #low = 0x9747b28c;

  add(unit: number): void {
    this.#high = Math.imul(this.#high ^ unit, 0x01000193);
    this.#low = Math.imul(this.#low ^ unit ^ 0x5bd1e995, 0x01000193);
  }

  get key(): number {
    return (this.#high >>> 0) * 2_097_152 + (this.#low >>> 11);
  }
}
