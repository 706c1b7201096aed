/** What became of what came from a chat platform, counted, and as a line for people. */

export type ChatFigures = {
  readonly received: number;
  readonly posted: number;
  /** By disposition: `queued`, `merged`, `duplicate`. What the room dropped is under `reasons`. */
  readonly dispositions: Readonly<Record<string, number>>;
  readonly dropped: number;
  /** By reason, of this command and of the room. */
  readonly reasons: Readonly<Record<string, number>>;
  /** From the platform's clock to the room's answer, ms: the longest since the figures before. `null`: none was measured. */
  readonly lagMs: number | null;
  /** Turns that wait in the room, of as many as may. `null` before the room has said. */
  readonly backlog: Backlog | null;
};

type Backlog = { readonly waiting: number; readonly max: number };

export class ChatCounts {
  #received = 0;
  #posted = 0;
  readonly #dispositions = new Map<string, number>();
  readonly #dropped = new Map<string, number>();
  #lagMs: number | null = null;
  #backlog: Backlog | null = null;
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

  /** From the platform's clock to the room's answer, ms. */
  noteLag(lagMs: number): void {
    this.#lagMs = Math.max(this.#lagMs ?? 0, lagMs);
  }

  noteBacklog(backlog: Backlog): void {
    this.#backlog = backlog;
  }

  /** The counts so far, or `null` when nothing has changed since they were taken last. */
  take(): ChatFigures | null {
    if (!this.#hasNews) return null;
    const figures: ChatFigures = {
      received: this.#received,
      posted: this.#posted,
      dispositions: Object.fromEntries(this.#dispositions),
      dropped: this.#dropped.values().reduce((total, count) => total + count, 0),
      reasons: Object.fromEntries(this.#dropped),
      lagMs: this.#lagMs,
      backlog: this.#backlog,
    };
    this.#hasNews = false;
    this.#lagMs = null;
    return figures;
  }
}

/** One line, without its end. */
export function formatCounts(figures: ChatFigures): string {
  const { received, posted, dispositions, dropped, reasons, lagMs, backlog } = figures;
  const parts = [
    `received ${received}`,
    `posted ${posted}${listOf(dispositions)}`,
    `dropped ${dropped}${listOf(reasons)}`,
  ];
  if (lagMs !== null) parts.push(`lag ${(lagMs / 1_000).toFixed(1)} s`);
  if (backlog !== null) parts.push(`backlog ${backlog.waiting} of ${backlog.max}`);
  return parts.join(" · ");
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** ` (a 2, b 1)`, the most first. */
function listOf(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).toSorted((a, b) => b[1] - a[1]);
  return parts.length === 0 ? "" : ` (${parts.map(([name, count]) => `${name} ${count}`).join(", ")})`;
}
