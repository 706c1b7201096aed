/** The parts of one emulated endpoint, and its figures. */
import type { Clock } from "../../shared/core/clock.ts";
import type { Result } from "../../shared/core/result.ts";
import type { Timer } from "../../shared/core/timer.ts";
import type { ScriptedAnswer } from "./answers.ts";
import { Engine } from "./engine.ts";
import { FaultBox } from "./faults.ts";
import { changeOptions, type EmulatorOptions } from "./options.ts";
import { seededRandom } from "./random.ts";
import { RequestLog } from "./request-log.ts";
import type { Recording } from "./trace.ts";

export class Emulator {
  readonly engine: Engine;
  readonly faults: FaultBox;
  readonly log = new RequestLog();
  readonly time: Clock & Timer;
  readonly #recordings: readonly Recording[];
  #options: EmulatorOptions;
  #scripted: ScriptedAnswer[] = [];
  #replayed = 0;

  constructor(options: EmulatorOptions, time: Clock & Timer, recordings: readonly Recording[]) {
    this.#options = options;
    this.time = time;
    this.#recordings = recordings;
    this.engine = new Engine(options, time);
    this.faults = new FaultBox(seededRandom(options.seed));
  }

  get options(): EmulatorOptions {
    return this.#options;
  }

  change(changes: Readonly<Record<string, unknown>>): Result<EmulatorOptions, string> {
    const changed = changeOptions(this.#options, changes);
    if (changed.ok) {
      this.#options = changed.value;
      this.engine.configure(changed.value);
    }
    return changed;
  }

  /** Answers for the next requests, one each; before the recording and the policy. */
  script(answers: readonly ScriptedAnswer[]): void {
    this.#scripted = [...answers];
  }

  takeScripted(): ScriptedAnswer | null {
    return this.#scripted.shift() ?? null;
  }

  /** The next recording of the trace, round and round; `null` without a trace. */
  takeRecording(): Recording | null {
    if (this.#recordings.length === 0) return null;
    const recording = this.#recordings[this.#replayed % this.#recordings.length];
    this.#replayed += 1;
    return recording ?? null;
  }

  /** Log and figures begin again; options, faults, answers and the cache stay. */
  reset(): void {
    this.log.reset();
    this.engine.resetFigures();
  }

  stats() {
    this.engine.refresh();
    const { figures } = this.engine;
    return {
      requests: this.log.count,
      running: this.engine.running,
      waiting: this.engine.waiting,
      runningPeak: figures.runningPeak,
      waitingPeak: figures.waitingPeak,
      sinceMs: figures.passedMs,
      busyShare: figures.busyShare,
      promptTokens: figures.promptTokens,
      cachedTokens: figures.cachedTokens,
      outputTokens: figures.outputTokens,
      acceptanceLength: figures.acceptanceLength,
      log: this.log.entries,
    };
  }
}

export type EmulatorStats = ReturnType<Emulator["stats"]>;
