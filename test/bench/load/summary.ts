/** The figures of one load, from its turns. */
import { mean, percentile } from "../statistics.ts";
import { SERVED, type RecordFacts, type Served } from "./served.ts";

/** A turn as its viewer saw it, by the client's clock, ms; and its record. */
export type LoadTurn = {
  readonly room: string;
  readonly turn: string;
  readonly sentAtMs: number;
  /** The room turned to it: before, it waited for the room's own earlier turns. */
  readonly startedAtMs: number | null;
  /** First sentence that is no filler. */
  readonly firstSentenceAtMs: number | null;
  readonly endedAtMs: number;
  readonly facts: RecordFacts;
};

/** A viewer who hears nothing for so long after a message has moved on, ms: an assumption, twice the wait for a filler line. */
export const PROMPT_MS_MAX = 3_000;

export type Times = { readonly p50: number; readonly p95: number; readonly p99: number };

export type LoadSummary = {
  /** Turns that ended in the window. */
  readonly turns: number;
  readonly by: Readonly<Record<Served, number>>;
  /** Turns a second that came in the window and want an endpoint. */
  readonly offeredPerS: number;
  /** Turns that a main endpoint answered, a second. Who is late is no longer answered by it. */
  readonly goodputPerS: number;
  /** Of these, those whose first sentence came within {@link PROMPT_MS_MAX} of the message. */
  readonly promptPerS: number;
  /** Of turns that a main endpoint answered, from the viewer's message on. */
  readonly firstSentenceMs: Times;
  readonly turnMs: Times;
  /** From the moment at which the room turned to it. */
  readonly ownFirstSentenceMs: Times;
  readonly ownTurnMs: Times;
  readonly waitedMs: number;
  readonly retries: number;
  readonly repeated: number;
};

/** Counts turns by when they ended: under overload, later ends would be credited to a load that is over. */
export function summarise(
  turns: readonly LoadTurn[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): LoadSummary {
  const isIn = (atMs: number) => atMs >= fromMs && atMs < toMs;
  const ended = turns.filter(({ endedAtMs }) => isIn(endedAtMs));
  const main = ended.filter(({ facts }) => facts.served === "main");
  const seconds = (toMs - fromMs) / 1_000;
  const count = (served: Served) => ended.filter(({ facts }) => facts.served === served).length;
  return {
    turns: ended.length,
    by: toCounts(count),
    offeredPerS: turns.filter(({ sentAtMs, facts }) => isIn(sentAtMs) && facts.served !== "no_call").length / seconds,
    goodputPerS: main.length / seconds,
    promptPerS: main.filter(isPrompt).length / seconds,
    firstSentenceMs: timesOf(main, ({ firstSentenceAtMs, sentAtMs }) => since(firstSentenceAtMs, sentAtMs)),
    turnMs: timesOf(main, ({ endedAtMs, sentAtMs }) => endedAtMs - sentAtMs),
    ownFirstSentenceMs: timesOf(main, ({ firstSentenceAtMs, startedAtMs }) => since(firstSentenceAtMs, startedAtMs)),
    ownTurnMs: timesOf(main, ({ endedAtMs, startedAtMs }) => since(endedAtMs, startedAtMs)),
    waitedMs: main.length === 0 ? 0 : mean(main.map(({ facts }) => facts.waitedMs)),
    retries: ended.reduce((sum, { facts }) => sum + facts.retries, 0),
    repeated: ended.reduce((sum, { facts }) => sum + facts.repeated, 0),
  };
}

function isPrompt({ firstSentenceAtMs, sentAtMs }: LoadTurn): boolean {
  return since(firstSentenceAtMs, sentAtMs) <= PROMPT_MS_MAX;
}

function toCounts(count: (served: Served) => number): Record<Served, number> {
  // `fromEntries` forgets which keys it was given.
  return Object.fromEntries(SERVED.map((served) => [served, count(served)])) as Record<Served, number>;
}

function since(atMs: number | null, fromMs: number | null): number {
  return atMs === null || fromMs === null ? Number.NaN : atMs - fromMs;
}

function timesOf(turns: readonly LoadTurn[], ms: (turn: LoadTurn) => number): Times {
  const figures = turns.map(ms).filter((figure) => !Number.isNaN(figure));
  return { p50: percentile(figures, 0.5), p95: percentile(figures, 0.95), p99: percentile(figures, 0.99) };
}
