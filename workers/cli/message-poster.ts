/** Posts messages to a room in batches, in their order, one batch at a time. */
import { MESSAGES_PER_BATCH_MAX, messagesTakenSchema, type ViewerMessage } from "../../shared/contract/message.ts";
import type { Clock } from "../../shared/core/clock.ts";
import { pause, type Timer } from "../../shared/core/timer.ts";
import { ERROR_RULES } from "../../shared/errors/error-codes.ts";
import type { ChatCounts } from "./chat-counts.ts";
import { CliError } from "./cli-error.ts";
import { expectOk, type EdgeApi } from "./edge-api.ts";

/** How long the first message of a batch waits for more, ms. */
const BATCH_MS = 100;

/** Messages that wait while the room takes none. Above it the oldest go: what was just asked can still be answered. */
const WAITING_MAX = 2_000;

/** How long a message waits while the room takes none, ms: as long as a room lets one wait, unless it says otherwise. */
const WAITING_MS_MAX = 30_000;

/** Pause before a batch is sent again, ms. Sending again is safe: the room knows messages by their ids. */
const AGAIN_MS = 1_000;

/** Limit on one request, ms. */
const POST_MS_MAX = 10_000;

export type PosterPorts = {
  readonly api: EdgeApi;
  readonly room: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly counts: ChatCounts;
  /** Takes a line for people. */
  readonly say: (line: string) => void;
};

type Waiting = { readonly message: ViewerMessage; readonly sentAtMs: number | null; readonly cameAtMs: number };

const RULES: Readonly<Record<string, { readonly retry: string }>> = ERROR_RULES;

export class MessagePoster {
  readonly #ports: PosterPorts;
  readonly #failure = Promise.withResolvers<never>();
  #waiting: Waiting[] = [];
  /** Runs while messages wait. */
  #posting: Promise<void> | null = null;
  #sendNow = () => {};
  #isAway = false;
  #isEnding = false;

  constructor(ports: PosterPorts) {
    this.#ports = ports;
    // Whoever listens learns of it; nobody has to.
    this.#failure.promise.catch(() => {});
  }

  /** Rejects with a CliError when the room will never take a message; does not settle otherwise. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** @param sentAtMs - When the platform took it, ms since the epoch; `null`: not known. */
  add(message: ViewerMessage, sentAtMs: number | null): void {
    this.#waiting.push({ message, sentAtMs, cameAtMs: this.#ports.clock.nowMs() });
    if (this.#waiting.length > WAITING_MAX) this.#drop(this.#waiting.splice(0, 1));
    if (this.#waiting.length >= MESSAGES_PER_BATCH_MAX) this.#sendNow();
    this.#posting ??= this.#postAll();
  }

  /** Posts what waits. What the room does not take at once is lost then, and counted. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#sendNow();
    await this.#posting;
  }

  async #postAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        await this.#fill();
        this.#dropLate();
        await this.#post(this.#waiting.splice(0, MESSAGES_PER_BATCH_MAX));
      }
    } catch (thrown) {
      this.#waiting = [];
      this.#failure.reject(thrown);
    }
    this.#posting = null;
  }

  /** Waits for a full batch, but not for long. */
  async #fill(): Promise<void> {
    if (this.#isEnding || this.#waiting.length >= MESSAGES_PER_BATCH_MAX) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sendNow = resolve;
    const cancel = this.#ports.timer.after(BATCH_MS, resolve);
    await promise;
    cancel();
    this.#sendNow = () => {};
  }

  async #post(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    const { say, timer } = this.#ports;
    const problem = await this.#send(batch);
    if (problem === null) {
      if (this.#isAway) say("the room takes messages again");
      this.#isAway = false;
      return;
    }
    if (!this.#isAway) say(`the room takes no messages: ${problem}`);
    this.#isAway = true;
    this.#waiting.unshift(...batch);
    if (this.#isEnding) return this.#drop(this.#waiting.splice(0));
    await pause(timer, AGAIN_MS);
  }

  /**
   * @returns Why the room did not take them now; `null` when it did.
   * @throws CliError - it never will.
   */
  async #send(batch: readonly Waiting[]): Promise<string | null> {
    const { api, room, counts, clock } = this.#ports;
    const path = `/v1/rooms/${encodeURIComponent(room)}/messages`;
    const body = { messages: batch.map(({ message }) => message) };
    const signal = AbortSignal.timeout(POST_MS_MAX);
    const call = api.call("POST", path, { body, signal, answer: messagesTakenSchema });
    // Nobody answered, or not in time, or something that stands before the room did: all of that passes.
    const posted = await call.catch((thrown: unknown) => asAway(thrown));
    if (posted instanceof CliError) return posted.message;
    if (!posted.ok && RULES[posted.error.code]?.retry === "later") return posted.error.title;
    const { results, backlog } = expectOk(posted, `Room ${room} did not take the messages.`);
    for (const { disposition, reason } of results) counts.post(disposition, reason);
    counts.noteBacklog(backlog);
    const nowMs = clock.nowMs();
    for (const { sentAtMs } of batch) if (sentAtMs !== null) counts.noteLag(nowMs - sentAtMs);
    return null;
  }

  #dropLate(): void {
    const nowMs = this.#ports.clock.nowMs();
    const isLate = ({ cameAtMs, message }: Waiting) => nowMs - cameAtMs > (message.ttlMs ?? WAITING_MS_MAX);
    this.#drop(this.#waiting.filter(isLate));
    this.#waiting = this.#waiting.filter((waiting) => !isLate(waiting));
  }

  #drop(lost: readonly Waiting[]): void {
    for (const _ of lost) this.#ports.counts.drop("room_too_slow");
  }
}

/** @throws What is no failure of the call. */
function asAway(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown;
  throw thrown;
}
