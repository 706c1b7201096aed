/** What became of what came from a chat platform, counted, and as a line for people. */

export class ChatCounts {
  #received = 0;
  #posted = 0;
  /** By disposition: `queued`, `merged`, `duplicate`, `dropped`. */
  readonly #dispositions = new Map<string, number>();
  /** By reason, of this command and of the room. */
  readonly #dropped = new Map<string, number>();
  #lagMs: number | null = null;
  #backlog = "";
  #hasNews = false;

  receive(): void {
    this.#received += 1;
    this.#hasNews = true;
  }

  drop(reason: string): void {
    add(this.#dropped, reason);
    this.#hasNews = true;
  }

  /** @param reason - Of a message that the room dropped; `null` otherwise. */
  post(disposition: string, reason: string | null): void {
    this.#posted += 1;
    if (reason === null) add(this.#dispositions, disposition);
    else add(this.#dropped, reason);
    this.#hasNews = true;
  }

  /** From the platform's clock to the room's answer, ms. The longest since the last line is shown. */
  noteLag(lagMs: number): void {
    this.#lagMs = Math.max(this.#lagMs ?? 0, lagMs);
  }

  /** Turns that wait in the room, of as many as may. The latest is shown. */
  noteBacklog({ waiting, max }: { readonly waiting: number; readonly max: number }): void {
    this.#backlog = ` · backlog ${waiting} of ${max}`;
  }

  /** The counts so far, or `null` when nothing has changed since the last line. */
  takeLine(): string | null {
    if (!this.#hasNews) return null;
    const lag = this.#lagMs === null ? "" : ` · lag ${(this.#lagMs / 1_000).toFixed(1)} s`;
    this.#hasNews = false;
    this.#lagMs = null;
    const posted = `posted ${this.#posted}${listOf(this.#dispositions)}`;
    const dropped = `dropped ${sum(this.#dropped)}${listOf(this.#dropped)}`;
    return `received ${this.#received} · ${posted} · ${dropped}${lag}${this.#backlog}`;
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((total, count) => total + count, 0);
}

/** ` (a 2, b 1)`, the most first. */
function listOf(counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return "";
  const parts = [...counts].toSorted((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`);
  return ` (${parts.join(", ")})`;
}
