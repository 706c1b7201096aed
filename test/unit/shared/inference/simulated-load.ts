import type { AdmissionLimits, CallReport } from "../../../../shared/contract/admission.ts";
import { EndpointGate, type SavedGate } from "../../../../shared/inference/endpoint-gate.ts";

/** A server whose calls take `idle × (1 + others ÷ capacity)`, as one does whose latency is idle ÷ (1 − utilisation). */
export type SimulatedServer = {
  capacity: number;
  /** Of everything, on the idle server. 1: 200 ms to the first token of a small prompt, 10 ms for each after it. */
  idleFactor: number;
  /** Standard deviation of a call's latency, as a share of it. */
  noise: number;
};

type Turn = { readonly key: string; readonly startedAtMs: number; readonly call: CallReport };

/** Turns of one call each that ask a gate and run on a simulated server, in virtual time. */
export class SimulatedLoad {
  readonly server: SimulatedServer;
  readonly gate: EndpointGate;
  nowMs = 0;
  limits: AdmissionLimits;
  /** Turns that want to be in flight. */
  demand = 0;
  inFlightMax = 0;
  endedCount = 0;
  readonly #random: () => number;
  readonly #running: { endsAtMs: number; turn: Turn }[] = [];
  #keyCount = 0;
  #wantedCount = 0;

  constructor(options: { server: SimulatedServer; limits: AdmissionLimits; seed: number; saved?: SavedGate }) {
    this.server = options.server;
    this.limits = options.limits;
    this.#random = randomFrom(options.seed);
    this.gate = new EndpointGate({ clock: { nowMs: () => this.nowMs }, saved: options.saved ?? null });
  }

  /** Runs for a while. Returns the median of the limit over its second half, sampled once a second. */
  run(forMs: number): number {
    const endsAtMs = this.nowMs + forMs;
    const limits: number[] = [];
    let sampleAtMs = this.nowMs + forMs / 2;
    while (this.nowMs < endsAtMs) {
      for (let wanted = this.#wantedCount; wanted < this.demand; wanted += 1) this.#ask();
      this.inFlightMax = Math.max(this.inFlightMax, this.gate.status().inFlight);
      this.nowMs = Math.min(this.#nextAtMs(), sampleAtMs, endsAtMs);
      if (this.nowMs >= sampleAtMs) {
        limits.push(this.gate.status().limit);
        sampleAtMs += 1_000;
      }
      this.gate.tick();
      this.#endTurns();
    }
    return limits.toSorted((a, b) => a - b)[Math.floor(limits.length / 2)] ?? 0;
  }

  #nextAtMs(): number {
    return Math.min(this.gate.nextWakeAtMs() ?? Infinity, ...this.#running.map(({ endsAtMs }) => endsAtMs));
  }

  #ask(): void {
    this.#wantedCount += 1;
    this.#keyCount += 1;
    const key = `r/${this.#keyCount}`;
    const times = { deadlineAtMs: this.nowMs + 3_600_000, waitMsMax: 3_600_000 };
    this.gate.ask({ key, room: "r", merchant: "m", priority: 4, ...times, limits: this.limits }, (admission) => {
      if (admission.admitted) this.#start(key);
      else this.#wantedCount -= 1;
    });
  }

  #start(key: string): void {
    const { capacity, idleFactor, noise } = this.server;
    const factor = idleFactor * (1 + this.#running.length / capacity) * Math.exp(noise * this.#normal());
    const inputTokens = 100 + Math.floor(this.#random() * 800);
    const outputTokens = 20 + Math.floor(this.#random() * 100);
    const firstTokenMs = (200 + 50 * Math.ceil(inputTokens / 256)) * factor;
    const totalMs = firstTokenMs + 10 * outputTokens * factor;
    const call = aCall({ startedAtMs: this.nowMs, firstTokenMs, totalMs, inputTokens, outputTokens });
    this.#running.push({ endsAtMs: this.nowMs + totalMs, turn: { key, startedAtMs: this.nowMs, call } });
  }

  #endTurns(): void {
    const ended = this.#running.filter(({ endsAtMs }) => endsAtMs <= this.nowMs);
    for (const run of ended) {
      this.#running.splice(this.#running.indexOf(run), 1);
      this.#wantedCount -= 1;
      this.endedCount += 1;
      const end = { firstSentenceMs: null, totalMs: run.turn.call.totalMs, outcome: "spoken" };
      this.gate.report({ key: run.turn.key, room: "r", calls: [run.turn.call], end });
    }
  }

  /** Box and Muller's method. */
  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }
}

/** A served call, unless it says otherwise. */
export function aCall(call: Partial<CallReport> = {}): CallReport {
  return {
    failure: null,
    startedAtMs: 0,
    firstTokenMs: 200,
    totalMs: 700,
    inputTokens: 200,
    cachedTokens: 0,
    outputTokens: 50,
    acceptanceLength: null,
    expectsCache: false,
    ...call,
  };
}

export function aFailedCall(code: string): CallReport {
  return aCall({ failure: { code, retryAfterMs: null }, firstTokenMs: null, outputTokens: 0 });
}

/** Mulberry32: small, and the same on every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
