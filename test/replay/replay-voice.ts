/** The room's voice: speaks its sentences one after another, about as long as the room thinks, and says when one is over. */
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { Clock } from "../../shared/core/clock.ts";
import type { Timer } from "../../shared/core/timer.ts";
import { estimateSpeakingMs } from "../../shared/speech/speaking-time.ts";

/** How far a voice's time is from the estimate, up and down. */
const ESTIMATE_ERROR = 0.2;
/** From a sentence's arrival to its first sound, and from its last sound to the room's knowledge of it, ms. */
const LATENCY_MS = 60;

export type VoicedSentence = {
  /** Number of the sentence's frame. */
  readonly frameSeq: number;
  readonly turn: string;
  readonly seq: number;
  readonly beganAtMs: number;
  /** When it is over, or was cut off. */
  endedAtMs: number;
};

type Waiting = { readonly frameSeq: number; readonly turn: string; readonly seq: number; readonly speech: string };

export type ReplayVoicePorts = {
  readonly time: Clock & Timer;
  readonly random: () => number;
  readonly onSpoken: (turn: string, seq: number) => void;
};

export class ReplayVoice {
  readonly #ports: ReplayVoicePorts;
  /** All that began to sound, in order. */
  readonly voiced: VoicedSentence[] = [];
  #waiting: Waiting[] = [];
  #speaking: { readonly sentence: VoicedSentence; readonly cancel: () => void } | null = null;

  constructor(ports: ReplayVoicePorts) {
    this.#ports = ports;
  }

  follow(frames: readonly RoomFrame[]): void {
    for (const frame of frames) {
      if (frame.type === "sentence") this.#take(frame);
      if (frame.type === "interrupt") this.#cut(frame.turn, frame.act);
    }
  }

  #take({ turn, sentence: { seq, speech }, seq: frameSeq }: Extract<RoomFrame, { type: "sentence" }>): void {
    this.#ports.time.after(LATENCY_MS, () => {
      this.#waiting.push({ frameSeq, turn, seq, speech });
      if (this.#speaking === null) this.#speakNext();
    });
  }

  #cut(turn: string, act: "finish" | "stop"): void {
    // Behind the sentences that came before it on the same way.
    this.#ports.time.after(LATENCY_MS, () => {
      this.#waiting = this.#waiting.filter((waiting) => waiting.turn !== turn);
      if (act === "finish" || this.#speaking?.sentence.turn !== turn) return;
      this.#speaking.cancel();
      this.#speaking.sentence.endedAtMs = this.#ports.time.nowMs();
      this.#speaking = null;
      this.#speakNext();
    });
  }

  #speakNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const { time, random, onSpoken } = this.#ports;
    const { frameSeq, turn, seq, speech } = next;
    const speakingMs = Math.round(estimateSpeakingMs(speech) * (1 + ESTIMATE_ERROR * (2 * random() - 1)));
    const beganAtMs = time.nowMs();
    const sentence = { frameSeq, turn, seq, beganAtMs, endedAtMs: beganAtMs + speakingMs };
    this.voiced.push(sentence);
    const cancel = time.after(speakingMs, () => {
      this.#speaking = null;
      time.after(LATENCY_MS, () => onSpoken(turn, seq));
      this.#speakNext();
    });
    this.#speaking = { sentence, cancel };
  }
}
