/** The figures of one busy room as tables, and what they say about the targets. */
import { percentile, rounded } from "../statistics.ts";
import type { ListenerFigures } from "./open-listeners.ts";
import type { PostFigures } from "./post-batches.ts";

/** Target of the p99 of an acknowledgement, ms. */
const ACKNOWLEDGED_MS_MAX = 250;
/** Memory counts as flat while it ends no higher than so many times what it was in the middle of the load. */
const GROWTH_MAX = 1.2;

export type Memory = { readonly [Moment in "start" | "middle" | "end" | "caughtUp" | "rest" | "peak"]: number };

/** CPU time over wall time, in cores. */
export type Cores = { readonly workerd: number; readonly client: number; readonly listeners: number };

export type RoomFigures = {
  readonly posts: PostFigures;
  readonly listeners: readonly ListenerFigures[];
  /** The room's last frame number. */
  readonly lastSeq: number;
  readonly rowsWritten: number;
  readonly memoryMib: Memory;
  readonly cores: { readonly load: Cores; readonly catchUp: Cores };
  /** From the first batch to the last disposition, ms. */
  readonly loadMs: number;
  /** From there until no turn was open and every listener had the last frame, ms; `null`: not within the time. */
  readonly catchUpMs: number | null;
};

export function printRoom(figures: RoomFigures): void {
  const { posts, cores, memoryMib } = figures;
  console.table({ ...posts.dispositions, lost: posts.lostMessages, sent: posts.sentMessages });
  console.table({
    "first answer": spread(posts.firstAnswersMs),
    "taken at once": spread(posts.takenAtOnceMs),
    "disposition, retries included": spread(posts.dispositionsMs),
    "sentence heard after": spread(figures.listeners.flatMap(({ delaysMs }) => delaysMs)),
  });
  const { heard, texts, frames, chars } = heardBy(figures);
  console.table({
    "load, s": rounded(figures.loadMs / 1_000),
    "caught up after, s": figures.catchUpMs === null ? "never" : rounded(figures.catchUpMs / 1_000),
    "batches sent": posts.sentBatches,
    "batches retried": posts.retriedBatches,
    retries: posts.retries,
    failures: JSON.stringify(posts.failures),
    listeners: heard.length,
    "sentences a listener": `${Math.min(...heard)} to ${Math.max(...heard)}`,
    "frames a listener": `${Math.min(...frames)} to ${Math.max(...frames)}`,
    "texts a listener": `${Math.min(...texts)} to ${Math.max(...texts)}`,
    "KiB a listener": `${rounded(Math.min(...chars) / 1_024)} to ${rounded(Math.max(...chars) / 1_024)}`,
    "texts a second, all listeners": rounded(sum(texts) / ((figures.loadMs + (figures.catchUpMs ?? 0)) / 1_000)),
    "turns ended": JSON.stringify(figures.listeners[0]?.outcomes ?? {}),
    "merged askers": posts.dispositions["merged"] ?? 0,
    "rows written": figures.rowsWritten,
    "rows a message": rounded(figures.rowsWritten / posts.sentMessages),
    "room's last frame": figures.lastSeq,
  });
  console.table({ "cores, under load": rounds(cores.load), "cores, catching up": rounds(cores.catchUp) });
  console.table({ "workerd, MiB": rounds(memoryMib) });
}

/** One line for each target. */
export function toVerdicts(figures: RoomFigures): string[] {
  const { posts, memoryMib, listeners } = figures;
  const disposed = sum(Object.values(posts.dispositions));
  const atOnceP99 = percentile(posts.takenAtOnceMs, 0.99);
  const p99 = percentile(posts.dispositionsMs, 0.99);
  const growth = Math.max(memoryMib.end, memoryMib.caughtUp) / memoryMib.middle;
  const { heard } = heardBy(figures);
  const [gaps, disorders, cuts] = (["gaps", "disorders", "cuts"] as const).map((name) =>
    sum(listeners.flatMap((figure) => figure[name])),
  );
  const behind = listeners.flatMap(({ lastSeqs }) => lastSeqs).filter((seq) => seq < figures.lastSeq).length;
  const isAllHeard = gaps === 0 && disorders === 0 && behind === 0 && Math.min(...heard) === Math.max(...heard);
  return [
    `${mark(posts.lostMessages === 0)} ${disposed} of ${posts.sentMessages} messages have a disposition, ${posts.lostMessages} are lost`,
    `${mark(p99 <= ACKNOWLEDGED_MS_MAX)} p99 acknowledgement ${rounded(p99)} ms with retries, ${rounded(atOnceP99)} ms of batches taken at once; target ${ACKNOWLEDGED_MS_MAX} ms`,
    `${mark(growth <= GROWTH_MAX)} memory ×${growth.toFixed(2)} from the load's middle to its end or the end of catching up; target ×${GROWTH_MAX}`,
    `${mark(isAllHeard)} ${heard.length} listeners heard ${Math.min(...heard)} to ${Math.max(...heard)} sentences: ${gaps} gaps, ${disorders} out of order, ${behind} behind, ${cuts} connections cut`,
  ];
}

function heardBy({ listeners }: RoomFigures) {
  return {
    heard: listeners.flatMap(({ sentences }) => sentences),
    texts: listeners.flatMap(({ texts }) => texts),
    frames: listeners.flatMap(({ frames }) => frames),
    chars: listeners.flatMap(({ chars }) => chars),
  };
}

function spread(figures: readonly number[]) {
  const at = (share: number) => rounded(percentile(figures, share));
  return { count: figures.length, "p50, ms": at(0.5), "p95, ms": at(0.95), "p99, ms": at(0.99), "max, ms": at(1) };
}

function rounds(figures: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, rounded(figure)]));
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

function mark(isMet: boolean): string {
  return isMet ? "met  " : "SHORT";
}
