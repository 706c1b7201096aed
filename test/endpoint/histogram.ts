/** Counts by upper bound, as Prometheus wants them. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  add(value: number): void {
    this.#sum += value;
    this.#count += 1;
    const bucket = this.bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  /** Lines of the text format: cumulative buckets, sum and count. `labels` without braces. */
  toLines(name: string, labels: string): string[] {
    let below = 0;
    const buckets = this.bounds.map((bound, index) => {
      below += this.#counts[index] ?? 0;
      return `${name}_bucket{${labels},le="${bound}"} ${below}`;
    });
    return [
      `# TYPE ${name} histogram`,
      ...buckets,
      `${name}_bucket{${labels},le="+Inf"} ${this.#count}`,
      `${name}_sum{${labels}} ${this.#sum}`,
      `${name}_count{${labels}} ${this.#count}`,
    ];
  }
}
