/** The figures of one endpoint and of each room at it, from what its admission sees. In memory only: they begin anew with the object. */
import type { Admission, CallReport, RefusalReason, UseReport } from "../contract/admission.ts";
import {
  ROOMS_WITH_FIGURES_MAX,
  type EndpointAlarm,
  type EndpointStatus,
  type EngineStatus,
  type GateStatus,
  type UseFigures,
} from "../contract/endpoint-status.ts";
import { BoundedCache } from "../core/bounded-cache.ts";
import {
  ACCEPTANCE_CALLS_MIN,
  CACHE_CALLS_MAX,
  SHEDDING_MS,
  alarmChanges,
  judgeAlarms,
  type AlarmChange,
  type AlarmFacts,
} from "./endpoint-alarms.ts";
import {
  FIRST_SENTENCE_BOUNDS_MS,
  FIRST_TOKEN_BOUNDS_MS,
  Histogram,
  TURN_BOUNDS_MS,
  WAIT_BOUNDS_MS,
} from "./histogram.ts";

/** Calls that the acceptance length is the mean of. */
const ACCEPTANCE_CALLS_MAX = 50;
/** Different codes of failures; more are counted together. Every code is a time series wherever the figures are stored. */
const FAILURE_CODES_MAX = 40;
const OTHER_FAILURES = "other";
/** Turns of which a failure is remembered until a call follows it. Turns end, so only lost reports ever fill this. */
const FAILED_TURNS_MAX = 1000;

type Use = Pick<UseFigures, "inFlight" | "waiting">;
type NowAtEndpoint = {
  readonly nowMs: number;
  /** `null` for the policy inside the Worker. */
  readonly gate: GateStatus | null;
  /** Rooms that have a turn in flight or waiting. */
  readonly rooms: ReadonlyMap<string, Use>;
};

export class EndpointFigures {
  readonly #name: string;
  readonly #startedAtMs: number;
  readonly #total = new UseCounter();
  /** The room seen last is last. */
  readonly #rooms = new Map<string, UseCounter>();
  /** By turn: when its last failed call ended, until a call follows. */
  readonly #failedAtMs = new BoundedCache<string, number>(FAILED_TURNS_MAX);

  #gate: GateStatus | null = null;
  #engine: EngineStatus | null = null;
  readonly #cacheMisses: boolean[] = [];
  readonly #accepted: { readonly tokens: number; readonly steps: number }[] = [];
  #shed: AlarmFacts["shed"] = null;
  #alarms: readonly EndpointAlarm[] = [];
  #alarmsTaken: readonly EndpointAlarm[] = [];

  constructor(options: { name: string; startedAtMs: number }) {
    this.#name = options.name;
    this.#startedAtMs = options.startedAtMs;
  }

  /** A request was answered: admitted after `waitedMs`, or refused. */
  noteAdmission(room: string, admission: Admission, nowMs: number): void {
    for (const counter of [this.#total, this.#counterOf(room)]) counter.countAdmission(admission);
    if (admission.admitted || (admission.reason !== "busy" && admission.reason !== "queue_full")) return;
    const isSame = this.#shed !== null && nowMs - this.#shed.lastAtMs <= SHEDDING_MS;
    this.#shed = { turns: (isSame ? (this.#shed?.turns ?? 0) : 0) + 1, lastAtMs: nowMs };
    this.#judge(nowMs);
  }

  /** Takes the reports of a turn in any number of pieces: failed calls as they fail, the others with the end. */
  noteReport(report: UseReport, nowMs: number): void {
    const counters = [this.#total, this.#counterOf(report.room)];
    for (const call of report.calls) {
      const isRetry = this.#noteFailure(report.key, call);
      for (const counter of counters) counter.countCall(call, isRetry);
      this.#noteServing(call);
    }
    if (report.end !== null) {
      for (const counter of counters) counter.countEnd(report.end);
      this.#failedAtMs.delete(report.key);
    }
    this.#judge(nowMs);
  }

  noteEngine(engine: EngineStatus): void {
    this.#engine = engine;
    this.#judge(engine.readAtMs);
  }

  /**
   * Everything at once. `rooms` has those seen last, the latest first; a room that was dropped and comes back begins at
   * zero, as after a restart.
   */
  status(now: NowAtEndpoint): EndpointStatus {
    this.#gate = now.gate;
    this.#judge(now.nowMs);
    for (const room of now.rooms.keys()) this.#counterOf(room);
    return {
      name: this.#name,
      sinceMs: this.#startedAtMs,
      gate: now.gate,
      figures: this.#total.toFigures(now.gate ?? sumOf(now.rooms.values())),
      acceptanceLength: this.#acceptanceLength(1),
      engine: this.#engine,
      alarms: [...this.#alarms],
      rooms: [...this.#rooms]
        .map(([room, counter]) => ({ room, figures: counter.toFigures(now.rooms.get(room) ?? IDLE) }))
        .toReversed(),
    };
  }

  /** Alarms that began or ended since the last call, for the log. What began and ended in between is not told. */
  takeAlarmChanges(now: Pick<NowAtEndpoint, "nowMs" | "gate">): readonly AlarmChange[] {
    this.#gate = now.gate;
    this.#judge(now.nowMs);
    const changes = alarmChanges(this.#alarmsTaken, this.#alarms);
    this.#alarmsTaken = this.#alarms;
    return changes;
  }

  #counterOf(room: string): UseCounter {
    const counter = this.#rooms.get(room) ?? new UseCounter();
    this.#rooms.delete(room);
    this.#rooms.set(room, counter);
    for (const oldest of this.#rooms.keys()) {
      if (this.#rooms.size <= ROOMS_WITH_FIGURES_MAX) break;
      this.#rooms.delete(oldest);
    }
    return counter;
  }

  /**
   * Whether this call followed a failed one of its turn; each failure has one such call. By the times of the calls, not
   * by the order of the reports: a failure is told at once, the call before it at the turn's end.
   */
  #noteFailure(key: string, call: CallReport): boolean {
    const failedAtMs = this.#failedAtMs.get(key);
    const isRetry = failedAtMs !== undefined && call.startedAtMs >= failedAtMs;
    if (isFailed(call)) this.#failedAtMs.set(key, call.startedAtMs + call.totalMs);
    else if (isRetry) this.#failedAtMs.delete(key);
    return isRetry;
  }

  #noteServing(call: CallReport): void {
    if (call.expectsCache && call.cachedTokens !== null) {
      pushBounded(this.#cacheMisses, call.cachedTokens === 0, CACHE_CALLS_MAX);
    }
    if (call.acceptanceLength !== null && call.acceptanceLength > 0 && call.outputTokens > 0) {
      const steps = call.outputTokens / call.acceptanceLength;
      pushBounded(this.#accepted, { tokens: call.outputTokens, steps }, ACCEPTANCE_CALLS_MAX);
    }
  }

  /** All tokens of the last calls over all their steps; what the server says where fewer than `callsMin` calls say. */
  #acceptanceLength(callsMin: number): number | null {
    if (this.#accepted.length < callsMin) return this.#engine?.acceptanceLength ?? null;
    const tokens = this.#accepted.reduce((total, call) => total + call.tokens, 0);
    const steps = this.#accepted.reduce((total, call) => total + call.steps, 0);
    return tokens / steps;
  }

  #judge(nowMs: number): void {
    const facts: AlarmFacts = {
      cache: { calls: this.#cacheMisses.length, misses: this.#cacheMisses.filter(Boolean).length },
      acceptanceLength: this.#acceptanceLength(ACCEPTANCE_CALLS_MIN),
      breaker: this.#gate?.breaker ?? null,
      shed: this.#shed,
    };
    this.#alarms = judgeAlarms(this.#alarms, facts, nowMs);
  }
}

/** What is counted alike for an endpoint and for a room. */
class UseCounter {
  #admitted = 0;
  readonly #refused: Partial<Record<RefusalReason, number>> = {};
  #turns = 0;
  #calls = 0;
  readonly #failures = new Map<string, number>();
  #aborted = 0;
  #retries = 0;
  #inputTokens = 0;
  #cachedTokens = 0;
  #outputTokens = 0;
  readonly #waitMs = new Histogram(WAIT_BOUNDS_MS);
  readonly #firstTokenMs = new Histogram(FIRST_TOKEN_BOUNDS_MS);
  readonly #firstSentenceMs = new Histogram(FIRST_SENTENCE_BOUNDS_MS);
  readonly #turnMs = new Histogram(TURN_BOUNDS_MS);

  countAdmission(admission: Admission): void {
    if (admission.admitted) {
      this.#admitted += 1;
      this.#waitMs.add(admission.waitedMs);
    } else {
      this.#refused[admission.reason] = (this.#refused[admission.reason] ?? 0) + 1;
    }
  }

  countCall(call: CallReport, isRetry: boolean): void {
    this.#calls += 1;
    if (isRetry) this.#retries += 1;
    if (isFailed(call)) this.#countFailure(call.failure.code);
    else if (call.failure !== null) this.#aborted += 1;
    this.#inputTokens += call.inputTokens;
    this.#cachedTokens += call.cachedTokens ?? 0;
    this.#outputTokens += call.outputTokens;
    if (call.firstTokenMs !== null) this.#firstTokenMs.add(call.firstTokenMs);
  }

  countEnd(end: NonNullable<UseReport["end"]>): void {
    this.#turns += 1;
    if (end.firstSentenceMs !== null) this.#firstSentenceMs.add(end.firstSentenceMs);
    this.#turnMs.add(end.totalMs);
  }

  toFigures(use: Use): UseFigures {
    return {
      inFlight: use.inFlight,
      waiting: use.waiting,
      admitted: this.#admitted,
      refused: { ...this.#refused },
      turns: this.#turns,
      calls: this.#calls,
      failures: Object.fromEntries(this.#failures),
      aborted: this.#aborted,
      retries: this.#retries,
      inputTokens: this.#inputTokens,
      cachedTokens: this.#cachedTokens,
      outputTokens: this.#outputTokens,
      waitMs: this.#waitMs.toData(),
      firstTokenMs: this.#firstTokenMs.toData(),
      firstSentenceMs: this.#firstSentenceMs.toData(),
      turnMs: this.#turnMs.toData(),
    };
  }

  #countFailure(code: string): void {
    const isKnown = this.#failures.has(code) || this.#failures.size < FAILURE_CODES_MAX;
    const counted = isKnown ? code : OTHER_FAILURES;
    this.#failures.set(counted, (this.#failures.get(counted) ?? 0) + 1);
  }
}

const IDLE: Use = { inFlight: 0, waiting: 0 };

function sumOf(uses: Iterable<Use>): Use {
  return Iterator.from(uses).reduce(
    (total, use) => ({ inFlight: total.inFlight + use.inFlight, waiting: total.waiting + use.waiting }),
    IDLE,
  );
}

/** Whether the endpoint failed the call; a call that the turn no longer wanted says nothing about it. */
function isFailed(call: CallReport): call is CallReport & { failure: NonNullable<CallReport["failure"]> } {
  return call.failure !== null && call.failure.code !== "aborted";
}

function pushBounded<T>(values: T[], value: T, valuesMax: number): void {
  values.push(value);
  if (values.length > valuesMax) values.shift();
}
