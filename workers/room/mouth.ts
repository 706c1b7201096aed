/**
 * How far the room's voice is with what the room has said. In memory only: forgotten with the object, and then the next
 * sentence comes too soon, once.
 */
import type { Sentence } from "../../shared/contract/sentence.ts";
import { estimateSpeakingMs } from "../../shared/speech/speaking-time.ts";

/** How long before its time a sentence is said: a voice needs about this to begin with it, ms. */
export const SAY_AHEAD_MS = 800;
/** How long before the voice is free the next turn begins: about what its first sentence takes to be made, ms. */
export const PREPARE_MS = 4_000;

/** Bounds of what a voice may take, in estimates, and weight of one sentence: about the last five count. */
const PACE_MIN = 0.1;
const PACE_MAX = 4;
const PACE_WEIGHT = 0.3;
const PACE_ESTIMATE_MS_MIN = 500;
/** Sentences that are remembered: two long turns. */
const UTTERANCES_MAX = 400;

type Spoken = Sentence & { readonly turn: string };

type Utterance = Spoken & {
  readonly beginsAtMs: number;
  /** By estimate and pace. */
  readonly endsAtMs: number;
  readonly estimateMs: number;
  /** Its turn has lost the floor: it is the last one that is heard of it. */
  readonly isLast: boolean;
};

/** What was heard of a turn that lost the floor. */
export type Heard = { readonly sentences: number; readonly lastMs: number };

export class Mouth {
  /** Sentences that are not known to be over, in their order. */
  #utterances: Utterance[] = [];
  /** How long the voice takes, in estimates: voices differ, and a merchant may choose a slow one. */
  #pace = 1;
  #isOpen = false;

  /** Whether somebody speaks what the room says. Without a voice a sentence counts as spoken when it is said. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A voice that comes speaks nothing that was said before it, and may be another one than the last. */
  set isOpen(isOpen: boolean) {
    if (isOpen && !this.#isOpen) {
      this.#utterances = [];
      this.#pace = 1;
    }
    this.#isOpen = isOpen;
  }

  /** Takes a sentence, and tells how long it takes to say, ms; `undefined` without a voice. */
  say(sentence: Spoken, nowMs: number): number | undefined {
    if (!this.isOpen) return undefined;
    const estimateMs = estimateSpeakingMs(sentence.speech);
    const speakingMs = Math.round(estimateMs * this.#pace);
    const beginsAtMs = Math.max(nowMs, this.#freeAtMs());
    const endsAtMs = beginsAtMs + speakingMs;
    this.#utterances.push({ ...sentence, beginsAtMs, endsAtMs, estimateMs, isLast: false });
    if (this.#utterances.length > UTTERANCES_MAX) this.#utterances.shift();
    return speakingMs;
  }

  /** The voice has spoken a sentence to its end: what comes after it begins now. */
  noteSpoken(turn: string, seq: number, nowMs: number): void {
    const index = this.#utterances.findIndex((one) => one.turn === turn && one.seq === seq);
    const spoken = this.#utterances[index];
    if (spoken === undefined) return;
    this.#learnPace(spoken, nowMs);
    this.#utterances = this.#inTurn(this.#utterances.slice(index + 1), nowMs);
  }

  /** What the voice has not begun, one after the other from `fromMs` on. */
  #inTurn(utterances: readonly Utterance[], fromMs: number): Utterance[] {
    let atMs = fromMs;
    return utterances.map((one) => {
      const beginsAtMs = atMs;
      atMs += Math.round(one.estimateMs * this.#pace);
      return { ...one, beginsAtMs, endsAtMs: atMs };
    });
  }

  #learnPace({ beginsAtMs, estimateMs, isLast }: Utterance, nowMs: number): void {
    // What is said before its time or was cut off, or is hardly a word, tells nothing.
    if (nowMs <= beginsAtMs || isLast || estimateMs < PACE_ESTIMATE_MS_MIN) return;
    const pace = Math.min(PACE_MAX, Math.max(PACE_MIN, (nowMs - beginsAtMs) / estimateMs));
    this.#pace += (pace - this.#pace) * PACE_WEIGHT;
  }

  /** When the room wants the next sentence; `null`: whenever it is made. */
  get sayAtMs(): number | null {
    return this.isOpen ? this.#freeAtMs() - SAY_AHEAD_MS : null;
  }

  /** Until then no other turn begins. */
  get busyUntilMs(): number {
    return this.isOpen ? this.#freeAtMs() - PREPARE_MS : 0;
  }

  /** The turn whose words are heard now, whether or not it has ended, and that `act` would still take the floor from. */
  soundingTurn(nowMs: number, act: "finish" | "stop"): string | null {
    if (!this.isOpen) return null;
    const sounding = this.#utterances.find(({ endsAtMs }) => endsAtMs > nowMs);
    return sounding === undefined || (sounding.isLast && act === "finish") ? null : sounding.turn;
  }

  /** Sentences that the voice has not begun. */
  unbegun(nowMs: number): readonly Spoken[] {
    return this.isOpen ? this.#utterances.filter(({ beginsAtMs }) => beginsAtMs > nowMs) : [];
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
    const begun = this.#utterances
      .filter(({ beginsAtMs }) => beginsAtMs < nowMs)
      .map((one) => {
        const endsAtMs = act === "stop" ? Math.min(one.endsAtMs, nowMs) : one.endsAtMs;
        return one === last ? { ...one, endsAtMs, isLast: true } : one;
      });
    const waiting = this.#utterances.filter((one) => one.beginsAtMs >= nowMs && one.turn !== turn);
    // Another turn's words come the sooner for it.
    this.#utterances = [...begun, ...this.#inTurn(waiting, Math.max(nowMs, begun.at(-1)?.endsAtMs ?? 0))];
    if (firstUnheard === undefined && last === undefined) return undefined;
    const sentences = firstUnheard ?? (last?.seq ?? -1) + 1;
    return { sentences, lastMs: last === undefined ? 0 : Math.min(nowMs, last.endsAtMs) - last.beginsAtMs };
  }

  #freeAtMs(): number {
    return this.#utterances.at(-1)?.endsAtMs ?? 0;
  }
}
