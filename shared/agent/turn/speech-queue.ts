/**
 * Sentences on their way to the room: in order, one call at a time, what is ready meanwhile goes together in the next. In a
 * room that paces its turns by its voice, each goes by itself when the one before has nearly been said.
 */
import type { Clock } from "../../core/clock.ts";
import type { Sentence } from "../../contract/sentence.ts";
import type { LiveFacts, SayResult } from "../../contract/turn-lease.ts";

/** Waits before a call is tried again, ms. A room that restarts, for a deploy, is back within a second. */
const PAUSES_MS = [50, 200, 800];

export type SpeechQueue = {
  push(sentence: Sentence): void;
  /** Whether sentences wait for their time to be spoken. */
  isPaced(): boolean;
  /**
   * Settles when one sentence at most is left and its time has come, so that the end of the turn can carry it; at once where
   * nobody paces. To be called when no more sentences come, or none until it has settled.
   */
  lastDue(): Promise<void>;
  /**
   * Sends no more and gives back every sentence that the room has not confirmed, the ones in flight included: they go out
   * with the end of the turn, which need not wait for the call in flight. The room drops those that it has.
   */
  drain(): readonly Sentence[];
};

export type SpeechQueuePorts = {
  /** Hands sentences to the room. Repeating is safe: the room ignores a sentence that it has. */
  readonly say: (sentences: readonly Sentence[]) => Promise<SayResult>;
  readonly clock: Clock;
  /** Settles after some ms. */
  readonly pause: (delayMs: number) => Promise<void>;
  /** When the room wants the first sentence; `null`: at once. Later times come with its answers. */
  readonly sayAtMs: number | null;
  /** Aborted when the room no longer wants the turn. */
  readonly stopped: AbortSignal | null;
  /**
   * Called once when the room refused: this runner has lost the turn. A room that cannot be reached has refused nothing: its
   * sentences wait for the next call, or for the end of the turn.
   */
  readonly onLost: () => void;
  /** The room is no longer what these sentences were made from, all that it has not taken. Gives those that still hold. */
  readonly onChanged: (now: LiveFacts, unsaid: readonly Sentence[]) => readonly Sentence[];
};

export function createSpeechQueue(ports: SpeechQueuePorts): SpeechQueue {
  return new PacedQueue(ports);
}

class PacedQueue implements SpeechQueue {
  readonly #ports: SpeechQueuePorts;
  #pending: readonly Sentence[] = [];
  #inFlight: readonly Sentence[] = [];
  #sayAtMs: number | null;
  #isPumping = false;
  #isDraining = false;
  #isLost = false;
  /** Set while somebody waits for the last sentence's time. */
  #onLastDue: (() => void) | null = null;

  constructor(ports: SpeechQueuePorts) {
    this.#ports = ports;
    this.#sayAtMs = ports.sayAtMs;
    ports.stopped?.addEventListener("abort", () => this.#settleLast(), { once: true });
  }

  push(sentence: Sentence): void {
    this.#pending = [...this.#pending, sentence];
    void this.#pump();
  }

  isPaced(): boolean {
    return this.#sayAtMs !== null;
  }

  lastDue(): Promise<void> {
    if (!this.isPaced() || this.#isOver()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onLastDue = resolve;
      void this.#pump();
    });
  }

  drain(): readonly Sentence[] {
    this.#isDraining = true;
    return this.#isLost ? [] : [...this.#inFlight, ...this.#pending];
  }

  #isOver(): boolean {
    return this.#isDraining || this.#isLost || this.#ports.stopped?.aborted === true;
  }

  #settleLast(): void {
    const settle = this.#onLastDue;
    this.#onLastDue = null;
    settle?.();
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    let isReached = true;
    while (isReached && this.#pending.length > 0 && !this.#isOver()) {
      const waitMs = this.#sayAtMs === null ? 0 : this.#sayAtMs - this.#ports.clock.nowMs();
      if (waitMs > 0) await this.#ports.pause(Math.ceil(waitMs));
      else if (this.#onLastDue !== null && this.#pending.length === 1) break;
      else isReached = await this.#sayNext();
    }
    this.#isPumping = false;
    // What is left goes out with the end of the turn.
    this.#settleLast();
  }

  /** False when the room cannot be reached. */
  async #sayNext(): Promise<boolean> {
    const count = this.#sayAtMs === null ? this.#pending.length : 1;
    this.#inFlight = this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    const result = await this.#deliver(this.#inFlight);
    if (this.#isDraining) return true;
    const unsaid = [...this.#inFlight, ...this.#pending];
    this.#inFlight = [];
    if (result === null) {
      this.#pending = unsaid;
      return false;
    }
    if (result.ok) this.#sayAtMs = result.value.sayAtMs;
    else if (result.error === "room_changed") this.#pending = this.#ports.onChanged(result.now, unsaid);
    else {
      this.#isLost = true;
      this.#ports.onLost();
    }
    return true;
  }

  async #deliver(batch: readonly Sentence[]): Promise<SayResult | null> {
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (pauseMs > 0) await this.#ports.pause(pauseMs);
      if (this.#isDraining) return null;
      try {
        return await this.#ports.say(batch);
      } catch {
        // The call may have arrived: the same sentences are sent again.
      }
    }
    return null;
  }
}
