/**
 * One GPU server's scheduler: continuous batching over a model of time. It counts tokens and knows no text.
 *
 * A sequence waits, has its prompt computed beside the others', then gets tokens with each step of the engine. All of
 * them hang on one timer. What happened between two wake-ups is computed afterwards, in order, so a late timer delays what
 * is told and not what happens.
 */
import { invariant } from "../../shared/core/assert.ts";
import type { Clock } from "../../shared/core/clock.ts";
import type { Timer } from "../../shared/core/timer.ts";
import { EngineFigures } from "./engine-figures.ts";
import { PrefixCache } from "./prefix-cache.ts";
import { seededRandom } from "./random.ts";
import { PREFILL_TOKENS_PER_MS, stepMs } from "./timing-model.ts";

/** A sequence tells of its tokens no more often: servers under load send several a chunk, and wake-ups cost CPU here. */
const CHUNK_MS_MIN = 40;

/** Shortest time between two wake-ups, ms: fast steps are told together. */
const WAKE_MS_MIN = 4;

/** Prefills that differ by less, in tokens, end together. */
const PREFILL_REST = 0.01;

export type EngineSettings = {
  readonly maxRunning: number;
  readonly priority: boolean;
  readonly cacheBlocks: number;
  readonly blockTokens: number;
  readonly acceptance: number;
  readonly seed: number;
  readonly speed: number;
};

export type GenerationRequest = {
  readonly promptTokens: number;
  /** Keys of the full blocks of prompt and output together. */
  readonly keys: readonly number[];
  /** At least 1. */
  readonly outputTokens: number;
  /** Lower is served first, if priority scheduling is on. */
  readonly priority: number;
  /** Tokens so far, each time there are more; `outputTokens` is the end. */
  readonly onTokens: (count: number) => void;
};

/** Times are wall times, in ms; `null`: not yet. */
export type GenerationReport = {
  readonly queuedMs: number | null;
  readonly firstTokenMs: number | null;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly drafts: number;
  readonly accepted: number;
};

/** A stream of tokens that somebody paces: the engine, or a recording. */
export type Generation = {
  /** Takes it out of the engine. Nothing is told any more. */
  stop(): void;
  /** It hangs: no more tokens, and it holds its place until it is stopped. */
  freeze(): void;
  report(): GenerationReport;
};

type Sequence = {
  readonly request: GenerationRequest;
  readonly arrivedAtMs: number;
  startedAtMs: number | null;
  firstTokenAtMs: number | null;
  prefillLeft: number;
  cachedTokens: number;
  produced: number;
  told: number;
  toldAtMs: number;
  drafts: number;
  accepted: number;
};

export class Engine {
  readonly figures: EngineFigures;
  readonly #time: Clock & Timer;
  readonly #cache: PrefixCache;
  #settings: EngineSettings;
  #random: () => number;
  /** Where the model of time stands. */
  #atMs: number;
  #waiting: Sequence[] = [];
  readonly #prefilling = new Set<Sequence>();
  readonly #decoding = new Set<Sequence>();
  readonly #frozen = new Set<Sequence>();
  /** Ended, and the last tokens not told yet. */
  readonly #untold = new Set<Sequence>();
  #step: { readonly endsAtMs: number; readonly members: readonly Sequence[] } | null = null;
  #cancelWake: (() => void) | null = null;

  constructor(settings: EngineSettings, time: Clock & Timer) {
    this.#settings = settings;
    this.#time = time;
    this.#atMs = time.nowMs();
    this.#cache = new PrefixCache(settings.cacheBlocks);
    this.#random = seededRandom(settings.seed);
    this.figures = new EngineFigures();
  }

  get running(): number {
    return this.#prefilling.size + this.#decoding.size + this.#frozen.size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Share of the cache's blocks that running sequences hold. */
  get cacheUsage(): number {
    const held = [...this.#prefilling, ...this.#decoding, ...this.#frozen].reduce(
      (sum, { request, produced }) => sum + Math.ceil((request.promptTokens + produced) / this.#settings.blockTokens),
      0,
    );
    return Math.min(1, held / Math.max(1, this.#settings.cacheBlocks));
  }

  configure(settings: EngineSettings): void {
    this.#advance();
    if (settings.seed !== this.#settings.seed) this.#random = seededRandom(settings.seed);
    if (settings.blockTokens !== this.#settings.blockTokens) this.#cache.clear();
    this.#cache.resize(settings.cacheBlocks);
    this.#settings = settings;
    this.#advance();
    this.#schedule();
  }

  clearCache(): void {
    this.#cache.clear();
  }

  /** Figures begin again; sequences and the cache stay. */
  resetFigures(): void {
    this.#advance();
    this.figures.reset();
  }

  /** Brings the figures up to now. */
  refresh(): void {
    this.#advance();
    this.#schedule();
  }

  submit(request: GenerationRequest): Generation {
    invariant(request.outputTokens >= 1, "an answer has at least its end token");
    this.#advance();
    const sequence: Sequence = {
      request,
      arrivedAtMs: this.#atMs,
      startedAtMs: null,
      firstTokenAtMs: null,
      prefillLeft: request.promptTokens,
      cachedTokens: 0,
      produced: 0,
      told: 0,
      toldAtMs: Number.NEGATIVE_INFINITY,
      drafts: 0,
      accepted: 0,
    };
    this.#waiting.push(sequence);
    this.#advance();
    this.#schedule();
    return {
      stop: () => this.#stop(sequence),
      freeze: () => this.#freeze(sequence),
      report: () => toReport(sequence),
    };
  }

  #stop(sequence: Sequence): void {
    this.#advance();
    this.#remove(sequence);
    this.#untold.delete(sequence);
    this.#advance();
    this.#schedule();
  }

  #freeze(sequence: Sequence): void {
    this.#advance();
    this.#untold.delete(sequence);
    const isHere = this.#remove(sequence);
    if (isHere) this.#frozen.add(sequence);
    this.#schedule();
  }

  #remove(sequence: Sequence): boolean {
    const others = this.#waiting.filter((other) => other !== sequence);
    const isWaiting = others.length < this.#waiting.length;
    this.#waiting = others;
    const sets = [this.#prefilling, this.#decoding, this.#frozen];
    return sets.map((set) => set.delete(sequence)).includes(true) || isWaiting;
  }

  /** Lets everything happen that is due. */
  #advance(): void {
    const nowMs = Math.max(this.#atMs, this.#time.nowMs());
    for (;;) {
      this.#admit();
      this.#startStep();
      const prefillEndsAtMs = this.#prefillEndsAtMs();
      const dueAtMs = Math.min(this.#step?.endsAtMs ?? Number.POSITIVE_INFINITY, prefillEndsAtMs);
      if (dueAtMs > nowMs) break;
      this.#pass(dueAtMs);
      if (prefillEndsAtMs <= dueAtMs) this.#endPrefills();
      if (this.#step !== null && this.#step.endsAtMs <= dueAtMs) this.#endStep(this.#step.members);
    }
    this.#pass(nowMs);
  }

  #dueAtMs(): number {
    return Math.min(this.#step?.endsAtMs ?? Number.POSITIVE_INFINITY, this.#prefillEndsAtMs());
  }

  /** The next end of a prefill, if nobody comes or goes before. */
  #prefillEndsAtMs(): number {
    let left = Number.POSITIVE_INFINITY;
    for (const sequence of this.#prefilling) left = Math.min(left, sequence.prefillLeft);
    return this.#atMs + left / this.#prefillRate();
  }

  /** Tokens of each sequence in prefill per ms. */
  #prefillRate(): number {
    return (PREFILL_TOKENS_PER_MS * this.#settings.speed) / Math.max(1, this.#prefilling.size);
  }

  /** Time goes on to `atMs`, with nothing else happening before. */
  #pass(atMs: number): void {
    const passedMs = atMs - this.#atMs;
    if (passedMs <= 0) return;
    const computed = passedMs * this.#prefillRate();
    for (const sequence of this.#prefilling) sequence.prefillLeft -= computed;
    this.figures.pass(passedMs, this.running / this.#settings.maxRunning);
    this.#atMs = atMs;
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.running < this.#settings.maxRunning) {
      const sequence = this.#takeNext();
      const { request } = sequence;
      // The last token of a prompt is always computed: without it there is nothing to go on from.
      const blocksMax = Math.floor((request.promptTokens - 1) / this.#settings.blockTokens);
      sequence.cachedTokens = this.#cache.match(request.keys, blocksMax) * this.#settings.blockTokens;
      sequence.prefillLeft = request.promptTokens - sequence.cachedTokens;
      sequence.startedAtMs = this.#atMs;
      this.#prefilling.add(sequence);
      this.figures.started(request.promptTokens, sequence.cachedTokens, this.#atMs - sequence.arrivedAtMs);
    }
    this.figures.saw(this.running, this.#waiting.length);
  }

  #takeNext(): Sequence {
    let best = 0;
    for (const [index, { request }] of this.#waiting.entries()) {
      const isBefore = request.priority < (this.#waiting[best]?.request.priority ?? 0);
      if (this.#settings.priority && isBefore) best = index;
    }
    const [sequence] = this.#waiting.splice(best, 1);
    invariant(sequence !== undefined, "somebody waits");
    return sequence;
  }

  /** Ends the shortest, and those that were as short: what is left of it is only rounding, and must not keep time here. */
  #endPrefills(): void {
    const left = Math.min(...[...this.#prefilling].map(({ prefillLeft }) => prefillLeft));
    for (const sequence of this.#prefilling) {
      if (sequence.prefillLeft > left + PREFILL_REST) continue;
      this.#prefilling.delete(sequence);
      this.#decoding.add(sequence);
      const promptBlocks = Math.floor(sequence.request.promptTokens / this.#settings.blockTokens);
      this.#cache.insert(sequence.request.keys.slice(0, promptBlocks));
    }
  }

  #startStep(): void {
    if (this.#step !== null || this.#decoding.size === 0) return;
    const takesMs = stepMs(this.#prefilling.size + this.#decoding.size) / this.#settings.speed;
    this.#step = { endsAtMs: this.#atMs + takesMs, members: [...this.#decoding] };
  }

  #endStep(members: readonly Sequence[]): void {
    this.#step = null;
    for (const sequence of members) {
      // It may have gone since the step began.
      if (this.#decoding.has(sequence)) this.#produce(sequence);
    }
  }

  #produce(sequence: Sequence): void {
    const accepted = this.#random() < this.#settings.acceptance ? 1 : 0;
    const { outputTokens } = sequence.request;
    const produced = Math.min(outputTokens, sequence.produced + 1 + accepted);
    this.figures.produced(produced - sequence.produced, accepted);
    sequence.drafts += 1;
    sequence.accepted += accepted;
    sequence.produced = produced;
    if (sequence.firstTokenAtMs === null) {
      sequence.firstTokenAtMs = this.#atMs;
      this.figures.firstToken(this.#atMs - sequence.arrivedAtMs);
    }
    if (produced < outputTokens) return;
    this.#decoding.delete(sequence);
    this.#untold.add(sequence);
    this.#cache.insert(sequence.request.keys);
    this.figures.finished(this.#atMs - sequence.arrivedAtMs);
  }

  #wake(): void {
    this.#cancelWake = null;
    this.#advance();
    this.#tell();
    this.#advance();
    this.#schedule();
  }

  /** Those that are told may stop, freeze or submit on the spot. */
  #tell(): void {
    const nowMs = this.#time.nowMs();
    for (const sequence of [...this.#decoding, ...this.#untold]) {
      const isEnded = this.#untold.delete(sequence);
      const isHere = isEnded || this.#decoding.has(sequence);
      if (!isHere || sequence.produced === sequence.told) continue;
      if (!isEnded && nowMs - sequence.toldAtMs < CHUNK_MS_MIN) continue;
      sequence.told = sequence.produced;
      sequence.toldAtMs = nowMs;
      sequence.request.onTokens(sequence.produced);
    }
  }

  #schedule(): void {
    this.#cancelWake?.();
    this.#cancelWake = null;
    const dueAtMs = this.#untold.size > 0 ? this.#atMs : this.#dueAtMs();
    if (dueAtMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(WAKE_MS_MIN, dueAtMs - this.#time.nowMs());
    this.#cancelWake = this.#time.after(delayMs, () => this.#wake());
  }
}

function toReport(sequence: Sequence): GenerationReport {
  const { arrivedAtMs, startedAtMs, firstTokenAtMs, cachedTokens, produced, drafts, accepted } = sequence;
  return {
    queuedMs: startedAtMs === null ? null : startedAtMs - arrivedAtMs,
    firstTokenMs: firstTokenAtMs === null ? null : firstTokenAtMs - arrivedAtMs,
    cachedTokens,
    outputTokens: produced,
    drafts,
    accepted,
  };
}
