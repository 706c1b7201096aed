/**
 * How far the room's voice is with what the room has said. In memory only: forgotten with the object, and then the next
 * sentence comes too soon, once.
 */
import { estimateSpeakingMs } from "../../shared/speech/speaking-time.ts";

/** How long before its time a sentence is said: a voice needs about this to begin with it, ms. */
export const SAY_AHEAD_MS = 800;
/** How long before the voice is free the next turn begins: about what its first sentence takes to be made, ms. */
export const PREPARE_MS = 4_000;

/** Sentences that are remembered: two long turns. */
const UTTERANCES_MAX = 400;

type Utterance = {
  readonly turn: string;
  readonly seq: number;
  readonly beginsAtMs: number;
  /** By estimate. */
  readonly endsAtMs: number;
};

/** What was heard of a turn that lost the floor. */
export type Heard = { readonly sentences: number; readonly lastMs: number };

export class Mouth {
  /** Sentences that are not known to be over, in their order. */
  #utterances: Utterance[] = [];
  /** Whether somebody speaks what the room says. Without a voice a sentence counts as spoken when it is said. */
  isOpen = false;

  /** Takes a sentence, and tells how long it takes to say, ms; `undefined` without a voice. */
  say({ turn, seq, speech }: { turn: string; seq: number; speech: string }, nowMs: number): number | undefined {
    if (!this.isOpen) return undefined;
    const speakingMs = estimateSpeakingMs(speech);
    const beginsAtMs = Math.max(nowMs, this.#freeAtMs());
    this.#utterances.push({ turn, seq, beginsAtMs, endsAtMs: beginsAtMs + speakingMs });
    if (this.#utterances.length > UTTERANCES_MAX) this.#utterances.shift();
    return speakingMs;
  }

  /** The voice has spoken a sentence to its end: what comes after it begins now. */
  noteSpoken(turn: string, seq: number, nowMs: number): void {
    const index = this.#utterances.findIndex((one) => one.turn === turn && one.seq === seq);
    if (index === -1) return;
    let atMs = nowMs;
    this.#utterances = this.#utterances.slice(index + 1).map((one) => {
      const beginsAtMs = atMs;
      atMs += one.endsAtMs - one.beginsAtMs;
      return { ...one, beginsAtMs, endsAtMs: atMs };
    });
  }

  /** When the room wants the next sentence; `null`: whenever it is made. */
  get sayAtMs(): number | null {
    return this.isOpen ? this.#freeAtMs() - SAY_AHEAD_MS : null;
  }

  /** Until then no other turn begins. */
  get busyUntilMs(): number {
    return this.isOpen ? this.#freeAtMs() - PREPARE_MS : 0;
  }

  /** The turn whose words are heard now, whether or not it has ended. */
  soundingTurn(nowMs: number): string | null {
    if (!this.isOpen) return null;
    return this.#utterances.find(({ endsAtMs }) => endsAtMs > nowMs)?.turn ?? null;
  }

  /**
   * Takes the floor from a turn: what it has not begun to say is not spoken, and with `stop` the rest of its sentence is not
   * either. Gives what was heard of it; `undefined` without a voice, or when all of it was.
   */
  cut(turn: string, act: "finish" | "stop", nowMs: number): Heard | undefined {
    if (!this.isOpen) return undefined;
    const unheard = this.#utterances.filter((one) => one.turn === turn && one.beginsAtMs >= nowMs);
    const last = this.#utterances.findLast((one) => one.turn === turn && one.beginsAtMs < nowMs);
    const firstUnheard = unheard[0]?.seq;
    this.#utterances = this.#utterances
      .filter((one) => !unheard.includes(one))
      .map((one) => (act === "stop" && one === last ? { ...one, endsAtMs: Math.min(one.endsAtMs, nowMs) } : one));
    if (firstUnheard === undefined && last === undefined) return undefined;
    const sentences = firstUnheard ?? (last?.seq ?? -1) + 1;
    return { sentences, lastMs: last === undefined ? 0 : Math.min(nowMs, last.endsAtMs) - last.beginsAtMs };
  }

  #freeAtMs(): number {
    return this.#utterances.at(-1)?.endsAtMs ?? 0;
  }
}
