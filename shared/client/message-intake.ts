/**
 * Viewers' messages on their way into a room: gathered into batches, sent again where that helps, each answered with its
 * own disposition. Nothing here grows without a bound: what does not fit is refused at once, and what is too old is given up.
 */
import type { Disposition, MessagesTaken, ViewerMessage } from "../contract/message.ts";
import type { Result } from "../core/result.ts";
import type { Timer } from "../core/timer.ts";
import { RETRY_FIRST_MS, retryDelayMs } from "./backoff.ts";
import { type ApiFailure, ClientError, ownFailure } from "./client-error.ts";

/** As the contract's `MESSAGES_PER_BATCH_MAX`, whose module would bring the schemas with it. */
export const BATCH_MESSAGES_MAX = 100;
/** Longest wait for others of the same batch, ms. Durable Object guidance: batch 50 to 100 messages, or 50 to 100 ms. */
export const BATCH_WAIT_MS = 100;
/** Longest time that the server's `Retry-After` is waited for, ms; no viewer waits so long for an answer. */
const RETRY_AFTER_MAX_MS = 60_000;
/** Shortest `ttlMs` that a room takes. */
const TTL_MIN_MS = 1_000;

/** Answers that mean "later": the limits, and gateways that did not reach the room. Posting an id again is safe. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Refusals that may be one message's fault. */
const SPLIT_CODES: ReadonlySet<string> = new Set(["invalid_request", "batch_too_large", "body_too_large"]);

export type IntakeLimits = {
  /** Requests at once. With 1 messages arrive in their order; more are faster. */
  readonly inFlightMax: number;
  /** Messages without a disposition, waiting or in flight. */
  readonly pendingMax: number;
  /** How long a message without a `ttlMs` may wait here, ms. */
  readonly patienceMs: number;
  /** What goes when too many are pending: the new one, or the one that has waited longest. Either is told `queue_full`. */
  readonly whenFull: "refuse" | "drop-oldest";
};

export const INTAKE_LIMITS: IntakeLimits = {
  inFlightMax: 4,
  pendingMax: 5_000,
  patienceMs: 30_000,
  whenFull: "refuse",
};

export type Backlog = MessagesTaken["backlog"];

export type MessageIntakeOptions = {
  readonly postMessages: (messages: readonly ViewerMessage[]) => Promise<Result<MessagesTaken, ApiFailure>>;
  readonly timer: Timer;
  /** Monotonic, ms. */
  readonly elapsedMs: () => number;
  /** 0 to 1, spreads the attempts of many clients. */
  readonly random: () => number;
  readonly limits: IntakeLimits;
  /** Hears why the room takes no messages now, and `null` when it takes them again; each once. */
  readonly onAway?: (failure: ApiFailure | null) => void;
};

type Entry = {
  readonly message: ViewerMessage;
  /** Place in the order of posting. */
  readonly number: number;
  readonly postedMs: number;
  readonly expiresMs: number;
  readonly answer: PromiseWithResolvers<Disposition>;
};

export class MessageIntake {
  readonly #options: MessageIntakeOptions;
  /** In the order of posting; what comes back is put in its old place. */
  #waiting: Entry[] = [];
  #pending = 0;
  #inFlight = 0;
  #postedCount = 0;
  /** Refusals since the last answer. With one, requests go one by one. */
  #failures = 0;
  #resumeMs = Number.NEGATIVE_INFINITY;
  #isAway = false;
  #isClosed = false;
  readonly #finished = Promise.withResolvers<void>();
  #backlog: Backlog | null = null;
  #cancelWake: () => void = () => {};

  constructor(options: MessageIntakeOptions) {
    this.#options = options;
  }

  /** Messages without a disposition. */
  get pending(): number {
    return this.#pending;
  }

  /** The next `post` would be refused, or drop the oldest. */
  get isFull(): boolean {
    return this.#pending >= this.#options.limits.pendingMax;
  }

  /** Of the last answer; `null` before there is one. */
  get backlog(): Backlog | null {
    return this.#backlog;
  }

  /**
   * Gives what became of the message when it arrived.
   *
   * @throws ClientError (as a rejection) `queue_full`, `expired`, `closed`, or the API's own code where sending again would not help.
   */
  post(message: ViewerMessage): Promise<Disposition> {
    if (this.#isClosed) return Promise.reject(new ClientError(ownFailure("closed")));
    if (this.isFull && !this.#dropOldest()) return Promise.reject(new ClientError(ownFailure("queue_full")));
    const nowMs = this.#options.elapsedMs();
    const entry: Entry = {
      message,
      number: this.#postedCount,
      postedMs: nowMs,
      expiresMs: nowMs + (message.ttlMs ?? this.#options.limits.patienceMs),
      answer: Promise.withResolvers<Disposition>(),
    };
    this.#postedCount += 1;
    this.#pending += 1;
    this.#waiting.push(entry);
    this.#pump();
    return entry.answer.promise;
  }

  /** Gives up what waits. What is in flight may still be answered. */
  close(): void {
    this.#isClosed = true;
    this.#cancelWake();
    this.#giveUp();
  }

  /** Sends what waits without waiting for more, and nothing again. Settles when every message has been answered or given up. */
  finish(): Promise<void> {
    this.#isClosed = true;
    if (this.#pending === 0) this.#finished.resolve();
    this.#pump();
    return this.#finished.promise;
  }

  #giveUp(): void {
    for (const entry of this.#waiting.splice(0)) this.#reject(entry, ownFailure("closed"));
  }

  /** What is in flight is not dropped: it may have arrived. */
  #dropOldest(): boolean {
    const oldest = this.#options.limits.whenFull === "drop-oldest" ? this.#waiting.shift() : undefined;
    if (oldest !== undefined) this.#reject(oldest, ownFailure("queue_full"));
    return oldest !== undefined;
  }

  /** Sends what is due, and comes again when the next is. */
  #pump(): void {
    this.#cancelWake();
    let waitMs = this.#untilDueMs();
    while (waitMs !== null && waitMs <= 0) {
      const batch = this.#takeBatch();
      if (batch.length > 0) void this.#send(batch);
      waitMs = this.#untilDueMs();
    }
    if (waitMs !== null) this.#cancelWake = this.#options.timer.after(waitMs, () => this.#pump());
  }

  /** Time until a batch may go, ms; `null`: nothing waits, or an answer must come first. */
  #untilDueMs(): number | null {
    const [first] = this.#waiting;
    const inFlightMax = this.#failures > 0 ? 1 : this.#options.limits.inFlightMax;
    if (first === undefined || this.#inFlight >= inFlightMax) return null;
    if (this.#isClosed) return 0;
    const nowMs = this.#options.elapsedMs();
    const fullMs = this.#waiting.length >= BATCH_MESSAGES_MAX ? nowMs : first.postedMs + BATCH_WAIT_MS;
    return Math.max(fullMs, this.#resumeMs) - nowMs;
  }

  #takeBatch(): Entry[] {
    const nowMs = this.#options.elapsedMs();
    const batch: Entry[] = [];
    while (batch.length < BATCH_MESSAGES_MAX) {
      const entry = this.#waiting.shift();
      if (entry === undefined) break;
      if (entry.expiresMs <= nowMs) this.#reject(entry, ownFailure("expired"));
      else batch.push(entry);
    }
    return batch;
  }

  async #send(batch: readonly Entry[]): Promise<void> {
    this.#inFlight += 1;
    await this.#deliver(batch);
    this.#inFlight -= 1;
    this.#pump();
  }

  async #deliver(batch: readonly Entry[]): Promise<void> {
    const nowMs = this.#options.elapsedMs();
    const answer = await this.#options.postMessages(batch.map((entry) => asItIsNow(entry, nowMs)));
    if (!answer.ok && isForLater(answer.error)) {
      this.#putBack(batch, answer.error);
      return;
    }
    this.#failures = 0;
    if (answer.ok) {
      this.#noteAway(null);
      this.#backlog = answer.value.backlog;
      this.#settle(batch, answer.value.results);
    } else if (batch.length > 1 && SPLIT_CODES.has(answer.error.code)) {
      // One bad message must not take the others with it.
      const middle = Math.ceil(batch.length / 2);
      await this.#deliver(batch.slice(0, middle));
      await this.#deliver(batch.slice(middle));
    } else {
      for (const entry of batch) this.#reject(entry, answer.error);
    }
  }

  /** A message is answered by its own id alone; the same id twice, in the order of posting. */
  #settle(batch: readonly Entry[], results: readonly Disposition[]): void {
    for (const [index, entry] of batch.entries()) {
      const { id } = entry.message;
      const atPlace = results[index];
      const result = atPlace?.id === id ? atPlace : results.find((other) => other.id === id);
      if (result === undefined) {
        this.#reject(entry, { code: "not_an_answer", status: 202, title: "", retryAfterMs: null });
        continue;
      }
      entry.answer.resolve(result);
      this.#leave();
    }
  }

  #putBack(batch: readonly Entry[], failure: ApiFailure): void {
    this.#noteAway(failure);
    if (this.#isClosed) {
      this.#waiting.unshift(...batch);
      this.#giveUp();
      return;
    }
    const { retryAfterMs } = failure;
    const { elapsedMs, random } = this.#options;
    const nowMs = elapsedMs();
    // What was in flight at one moment fails together, and counts once.
    if (nowMs >= this.#resumeMs) this.#failures += 1;
    const waitMs =
      retryAfterMs === null
        ? retryDelayMs(this.#failures, random())
        : // Never sooner than asked, and spread out, or all that was refused at one moment would come back at one moment.
          Math.min(RETRY_AFTER_MAX_MS, Math.max(RETRY_FIRST_MS, retryAfterMs)) * (1 + random() / 2);
    this.#resumeMs = Math.max(this.#resumeMs, nowMs + waitMs);
    this.#waiting = [...batch, ...this.#waiting].toSorted((a, b) => a.number - b.number);
  }

  #reject(entry: Entry, failure: ApiFailure): void {
    entry.answer.reject(new ClientError(failure));
    this.#leave();
  }

  #leave(): void {
    this.#pending -= 1;
    if (this.#isClosed && this.#pending === 0) this.#finished.resolve();
  }

  #noteAway(failure: ApiFailure | null): void {
    const isAway = failure !== null;
    if (isAway !== this.#isAway) this.#options.onAway?.(failure);
    this.#isAway = isAway;
  }
}

function isForLater({ status, code, retryAfterMs }: ApiFailure): boolean {
  return code === "network" || code === "timed_out" || BUSY_STATUSES.has(status) || retryAfterMs !== null;
}

/** The message with what is left of its time: the room counts from its arrival. */
function asItIsNow({ message, expiresMs }: Entry, nowMs: number): ViewerMessage {
  if (message.ttlMs === undefined) return message;
  return { ...message, ttlMs: Math.max(TTL_MIN_MS, Math.round(expiresMs - nowMs)) };
}
