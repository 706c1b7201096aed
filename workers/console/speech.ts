/**
 * Reads the host's sentences aloud, in order, one at a time. Off until switched on; switching off is silence at once.
 * Late sentences are dropped: speech that lags behind the room is worse than a gap.
 */
import type { Sentence } from "../../shared/contract/sentence.ts";
import type { Timer } from "../../shared/core/timer.ts";

/** A sentence that is older than this when it comes is not read, ms. */
export const SPEECH_AGE_MAX_MS = 20_000;
/** Sentences that wait to be read. Beyond it the oldest is dropped. */
export const SPEECH_QUEUE_MAX = 12;
/** A voice that says nothing back after this time is taken to be done: per sentence and per character, ms. */
const STUCK_BASE_MS = 6_000;
const STUCK_PER_CHARACTER_MS = 500;

/** A speech synthesiser that reads one text at a time. */
export interface Voice {
  /** Calls `onDone` once when the text was read or could not be. */
  speak(text: string, onDone: () => void): void;
  /** Stops at once. */
  cancel(): void;
}

export type SpeechReader = {
  readonly isOn: () => boolean;
  readonly turnOn: () => void;
  readonly turnOff: () => void;
  /** The host lost the floor: what waits is not read, and with `stop` nor is the rest of what is being read. */
  readonly hush: (act: "stop" | "finish") => void;
  /** Takes a sentence that is `ageMs` old. Nothing happens while reading is off. */
  readonly offer: (sentence: Pick<Sentence, "speech">, ageMs: number) => void;
};

/** Builds a reader that is off. */
export function createSpeechReader(voice: Voice, timer: Timer): SpeechReader {
  let isOn = false;
  let queue: readonly string[] = [];
  /** Set while a text is being read; compared, so that a late `onDone` of a cancelled text starts nothing. */
  let reading: object | null = null;
  let cancelStuck: () => void = () => {};

  const readNext = (): void => {
    const [text, ...rest] = queue;
    reading = null;
    if (!isOn || text === undefined) return;
    queue = rest;
    const mine = {};
    reading = mine;
    const finish = (): void => {
      if (reading !== mine) return;
      cancelStuck();
      readNext();
    };
    cancelStuck = timer.after(STUCK_BASE_MS + text.length * STUCK_PER_CHARACTER_MS, () => {
      if (reading === mine) voice.cancel();
      finish();
    });
    voice.speak(text, finish);
  };

  const hush = (act: "stop" | "finish"): void => {
    queue = [];
    if (act === "finish" || reading === null) return;
    reading = null;
    cancelStuck();
    voice.cancel();
  };

  return {
    isOn: () => isOn,
    turnOn: () => {
      isOn = true;
    },
    turnOff: () => {
      isOn = false;
      hush("stop");
    },
    hush,
    offer: (sentence, ageMs) => {
      if (!isOn || ageMs > SPEECH_AGE_MAX_MS) return;
      queue = [...queue, sentence.speech].slice(-SPEECH_QUEUE_MAX);
      if (reading === null) readNext();
    },
  };
}
