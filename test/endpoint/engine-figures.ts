/** What an engine counts, since it started or was reset. */
import { Histogram } from "./histogram.ts";

/** Upper bounds in seconds, as in vLLM's `vllm/v1/metrics/loggers.py`. */
const FIRST_TOKEN_BOUNDS_S = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const REQUEST_BOUNDS_S = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480];

export class EngineFigures {
  requests = 0;
  finishedRequests = 0;
  promptTokens = 0;
  cachedTokens = 0;
  outputTokens = 0;
  drafts = 0;
  acceptedDrafts = 0;
  runningPeak = 0;
  waitingPeak = 0;
  firstTokenS = new Histogram(FIRST_TOKEN_BOUNDS_S);
  requestS = new Histogram(REQUEST_BOUNDS_S);
  queueS = new Histogram(REQUEST_BOUNDS_S);
  #passedMs = 0;
  #busyMs = 0;

  /** Mean share of the places that were taken. */
  get busyShare(): number {
    return this.#passedMs === 0 ? 0 : this.#busyMs / this.#passedMs;
  }

  get passedMs(): number {
    return this.#passedMs;
  }

  /** Tokens a step of one sequence, or `null` before the first. */
  get acceptanceLength(): number | null {
    return this.drafts === 0 ? null : 1 + this.acceptedDrafts / this.drafts;
  }

  /** Everything from 0 again. */
  reset(): void {
    Object.assign(this, new EngineFigures());
    this.#passedMs = 0;
    this.#busyMs = 0;
  }

  pass(passedMs: number, busyShare: number): void {
    this.#passedMs += passedMs;
    this.#busyMs += passedMs * Math.min(1, busyShare);
  }

  saw(running: number, waiting: number): void {
    this.runningPeak = Math.max(this.runningPeak, running);
    this.waitingPeak = Math.max(this.waitingPeak, waiting);
  }

  started(promptTokens: number, cachedTokens: number, queuedMs: number): void {
    this.requests += 1;
    this.promptTokens += promptTokens;
    this.cachedTokens += cachedTokens;
    this.queueS.add(queuedMs / 1_000);
  }

  firstToken(waitedMs: number): void {
    this.firstTokenS.add(waitedMs / 1_000);
  }

  /** One step of one sequence, with one draft. */
  produced(tokens: number, accepted: number): void {
    this.outputTokens += tokens;
    this.drafts += 1;
    this.acceptedDrafts += accepted;
  }

  finished(tookMs: number): void {
    this.finishedRequests += 1;
    this.requestS.add(tookMs / 1_000);
  }
}
