/**
 * Whether a canary is behind production, looked at after every turn and right all the same.
 *
 * Per metric, the claim that is tested: the canary's rate is at most production's plus the margin. How:
 *
 * 1. Each canary turn is compared with the mean of the production turns that ended since the canary turn before:
 *    D = x - mean of the block, from -1 to 1. One that finds none waits for the next production turn, up to
 *    {@link WAITING_MAX} of them; while that many wait, the oldest stay and a new one counts in the rates alone. Who is
 *    compared with whom follows from the order of arrival alone.
 * 2. A bet b turns a capital of 1 into the product of 1 + b (D - margin). While the claim holds, D - margin is at most 0 on
 *    average whatever came before, so the capital grows on average for no b; with b < 1 / (1 + margin) it never falls to 0. Both
 *    hold for the mean over several bets, which is the evidence: a nonnegative supermartingale that begins at 1.
 * 3. Such a capital ever reaches 1 / a with chance a at most (Ville's inequality). With a = alpha / 4 for each of the four
 *    metrics, a canary within its margins is rolled back with chance alpha at most, however long it runs.
 *
 * Source: Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024).
 *
 * "Whatever came before" is what rooms may break: one with trouble has it turn after turn. So a verdict also takes events from
 * `roomsMin` rooms. That is a rule of thumb, no theorem: where few rooms differ much, the margins must cover the difference.
 *
 * Canary turns until a rise is found, median of 400 simulated canaries with the default limits, eight rooms and rates of 1, 2, 5
 * and 5 %, where the canary has half of the turns, or a tenth:
 *
 * - error from 1 to 8 %: 408, or 298; to 20 %: 83, or 70; to 50 %: 30, or 25
 * - fallback from 2 to 15 %: 194, or 151
 * - blocked from 5 to 20 %: 289, or 205
 * - slow from 5 to 30 %: 98, or 71
 *
 * Of 300 canaries with all four rates at their margins, over 20,000 turns, 1 was rolled back; none with production's own rates.
 * What to know: where the canary has more turns than production, only as many are compared as production has; and a long good
 * time is held against later trouble, because capital that was lost must first be won back.
 */
import { type CanaryLimits, type CanaryMetric, canaryMetricSchema } from "../shared/contract/canary-limits.ts";
import type { HookEvent } from "../shared/contract/hook-io.ts";
import type { TurnRecord } from "../shared/contract/turn-record.ts";

/** A turn that has ended, as the watch needs it. */
export type WatchedTurn = {
  /** Its version: the canary's, or production's in a room like the canary's. */
  readonly arm: "canary" | "baseline";
  readonly room: string;
  readonly error: boolean;
  readonly fallback: boolean;
  readonly blocked: boolean;
  /** From acceptance to the end of the turn, ms. */
  readonly totalMs: number;
};

/** All of a watch: plain data. With the default limits below 4 KB of JSON, whatever comes in. */
export type WatchState = {
  readonly canary: Tally;
  readonly baseline: Tally;
  /** Canary turns without a baseline turn to be compared with, the oldest first. */
  readonly waiting: readonly Events[];
  /** Baseline turns since the last pair. Empty where canary turns wait. */
  readonly block: Tally;
  readonly pairs: number;
  readonly evidence: PerMetric<Evidence>;
};

type PerMetric<T> = Readonly<Record<CanaryMetric, T>>;
type Events = PerMetric<boolean>;
type Tally = PerMetric<number> & { readonly turns: number };

type Evidence = {
  /** Natural logarithm of the capital of each of {@link BETS}. */
  readonly logCapitals: readonly number[];
  /** Rooms of the canary that the event was seen in, up to `roomsMin`. */
  readonly rooms: readonly string[];
};

export type MetricReading = {
  /** Share of turns with the event; 0 where there were no turns. */
  readonly canaryRate: number;
  readonly baselineRate: number;
  readonly margin: number;
  /** Evidence that the canary is worse by more than the margin: 1 for none, up to {@link CAPITAL_MAX}. */
  readonly capital: number;
  /** The capital that is proof enough. */
  readonly bar: number;
  /** Rooms of the canary that the event was seen in, up to `roomsMin`. */
  readonly rooms: number;
};

export type WatchReport = {
  readonly turns: { readonly canary: number; readonly baseline: number };
  /** Comparisons made. Far below the canary's turns, production's turns are too few to compare with. */
  readonly pairs: number;
  readonly metrics: PerMetric<MetricReading>;
  readonly verdict: "running" | "behind";
  /** The gravest metric that the canary is behind in; `null` while it is not. */
  readonly reason: (Pick<MetricReading, "canaryRate" | "baselineRate" | "margin"> & { metric: CanaryMetric }) | null;
};

/** Canary turns that may wait. Few, so that what is compared has happened at about the same time. */
const WAITING_MAX = 32;

/**
 * Bets as shares of the highest, 1 / (1 + margin): small ones find a small rise in the end, large ones a large rise at once. One
 * at the highest itself could lose all, and with it what it would ever find.
 */
const BETS = [0.05, 0.1, 0.2, 0.4, 0.7, 0.95];

/** Above it a capital says no more, and JSON has no infinity. */
const CAPITAL_MAX = 1e12;

/** Where a hook's refusal costs a sentence, a reply or the turn. Elsewhere it costs a tool call, which the policy gets around. */
const GUARDED: ReadonlySet<string> = new Set<HookEvent>(["UserPromptSubmit", "PreModelCall", "PreUtterance", "Stop"]);

const METRICS = canaryMetricSchema.options;
const NO_TURNS: Tally = { turns: 0, error: 0, fallback: 0, blocked: 0, slow: 0 };

/**
 * What a turn says about the version that it ran on, or `null` when it says nothing: it expired in the queue, so that no version
 * ever had it, or a person, a change or another turn took the floor from it.
 *
 * - `error`: no runner lived to end the turn, or could begin it, so that the room ended it with its own line (no trace); or its
 *   code threw (`internal`). True of a turn that had begun to answer as well: it was broken off.
 * - `fallback`: a line of the harness stood for the answer, whoever spoke it, so most errors are fallbacks too.
 * - `blocked`: a hook refused a sentence, the reply or the turn. A silent turn is one: refused on purpose, which is no fault by
 *   itself, but a guard that silences more turns than production's is. A hook that fails is no refusal; where it ends the turn,
 *   that is a fallback.
 *
 * @param record - As the room made it. One that was cut to be stored may have lost its trace.
 */
export function toWatchedTurn(record: TurnRecord): Omit<WatchedTurn, "arm"> | null {
  const { room, outcome, reason, trace, timings } = record;
  if (outcome === "expired" || outcome === "interrupted") return null;
  return {
    room,
    error: trace === null || reason === "internal",
    fallback: outcome === "fallback",
    blocked: trace?.hooks.some(({ verdict, event }) => verdict === "deny" && GUARDED.has(event)) ?? false,
    totalMs: timings.totalMs,
  };
}

/** A watch that has seen nothing. Each canary version begins with one. */
export function newWatch(): WatchState {
  const evidence = perMetric(() => ({ logCapitals: BETS.map(() => 0), rooms: [] }));
  return { canary: NO_TURNS, baseline: NO_TURNS, waiting: [], block: NO_TURNS, pairs: 0, evidence };
}

/**
 * The watch with one more turn that has ended. A turn is fed once, in the order of the ends: the caller knows those that it has
 * fed. Limits that change on the way hold for the turns to come.
 */
export function noteTurn(state: WatchState, limits: CanaryLimits, turn: WatchedTurn): WatchState {
  const { error, fallback, blocked, totalMs } = turn;
  const events = { error, fallback, blocked, slow: totalMs > limits.slowMs };
  return turn.arm === "canary"
    ? takeCanary(noteRoom(state, limits, { events, room: turn.room }), limits, events)
    : takeBaseline(state, limits, events);
}

/** What the watch says now. A later turn may take evidence back, so the caller acts on the first `behind`. */
export function readWatch(state: WatchState, limits: CanaryLimits): WatchReport {
  const metrics = perMetric((metric) => readMetric(state, limits, metric));
  const isEarly = state.canary.turns < limits.turnsMin;
  const behind = METRICS.find((metric) => !isEarly && isBehind(metrics[metric], limits));
  const turns = { canary: state.canary.turns, baseline: state.baseline.turns };
  const seen = { turns, pairs: state.pairs, metrics };
  if (behind === undefined) return { ...seen, verdict: "running", reason: null };
  const { canaryRate, baselineRate, margin } = metrics[behind];
  return { ...seen, verdict: "behind", reason: { metric: behind, canaryRate, baselineRate, margin } };
}

function readMetric(state: WatchState, limits: CanaryLimits, metric: CanaryMetric): MetricReading {
  const { logCapitals, rooms } = state.evidence[metric];
  return {
    canaryRate: rateOf(state.canary, metric),
    baselineRate: rateOf(state.baseline, metric),
    margin: limits.margins[metric],
    capital: meanCapital(logCapitals),
    bar: METRICS.length / limits.alpha,
    rooms: rooms.length,
  };
}

function isBehind({ capital, bar, rooms }: MetricReading, { roomsMin }: CanaryLimits): boolean {
  return capital >= bar && rooms >= roomsMin;
}

function rateOf(tally: Tally, metric: CanaryMetric): number {
  return tally.turns === 0 ? 0 : tally[metric] / tally.turns;
}

function meanCapital(logCapitals: readonly number[]): number {
  const sum = logCapitals.reduce((total, logCapital) => total + Math.exp(logCapital), 0);
  return Math.min(CAPITAL_MAX, sum / logCapitals.length);
}

function takeCanary(state: WatchState, limits: CanaryLimits, events: Events): WatchState {
  const counted = { ...state, canary: addTurn(state.canary, events) };
  if (state.block.turns > 0) return pair({ ...counted, block: NO_TURNS }, limits, { events, block: state.block });
  if (state.waiting.length >= WAITING_MAX) return counted;
  return { ...counted, waiting: [...state.waiting, events] };
}

function takeBaseline(state: WatchState, limits: CanaryLimits, events: Events): WatchState {
  const counted = { ...state, baseline: addTurn(state.baseline, events) };
  const [oldest, ...waiting] = state.waiting;
  if (oldest === undefined) return { ...counted, block: addTurn(state.block, events) };
  return pair({ ...counted, waiting }, limits, { events: oldest, block: addTurn(NO_TURNS, events) });
}

type Pair = { readonly events: Events; readonly block: Tally };

function pair(state: WatchState, { margins }: CanaryLimits, { events, block }: Pair): WatchState {
  const evidence = perMetric((metric) => {
    const { logCapitals, rooms } = state.evidence[metric];
    const margin = margins[metric];
    const surplus = Number(events[metric]) - rateOf(block, metric) - margin;
    const gained = BETS.map((bet, index) => (logCapitals[index] ?? 0) + Math.log1p((bet * surplus) / (1 + margin)));
    return { logCapitals: gained, rooms };
  });
  return { ...state, pairs: state.pairs + 1, evidence };
}

type Seen = { readonly events: Events; readonly room: string };

function noteRoom(state: WatchState, { roomsMin }: CanaryLimits, { events, room }: Seen): WatchState {
  const isNew = (metric: CanaryMetric) => {
    const { rooms } = state.evidence[metric];
    return events[metric] && rooms.length < roomsMin && !rooms.includes(room);
  };
  if (!METRICS.some(isNew)) return state;
  const evidence = perMetric((metric) => {
    const { logCapitals, rooms } = state.evidence[metric];
    return { logCapitals, rooms: isNew(metric) ? [...rooms, room] : rooms };
  });
  return { ...state, evidence };
}

function addTurn(tally: Tally, events: Events): Tally {
  return { turns: tally.turns + 1, ...perMetric((metric) => tally[metric] + Number(events[metric])) };
}

function perMetric<T>(make: (metric: CanaryMetric) => T): PerMetric<T> {
  return { error: make("error"), fallback: make("fallback"), blocked: make("blocked"), slow: make("slow") };
}
