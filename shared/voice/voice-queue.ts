/** What a room's voice does next, as a value: sentences and interruptions in, requests and messages out. */
import type { Sentence } from "../contract/sentence.ts";
import type { SpeechFailure, SpeechMark, VoiceFrame } from "../contract/voice-frame.ts";
import { estimateSpeakingMs } from "../speech/speaking-time.ts";
import { toDurationMs } from "./pcm.ts";

/** A sentence that is older than this when its turn comes is not spoken: speech that lags behind the room is worse than a gap. */
export const SENTENCE_AGE_MS_MAX = 15_000;

/** Sentences that wait behind the two in work. A room says no more than one turn ahead of its mouth, and a turn has fewer. */
export const WAITING_MAX = 32;

/** Sentences in work: the one that is sent, and the next, whose audio is kept until then. What is kept is at most one sentence. */
const IN_WORK_MAX = 2;

export type VoiceEffect =
  /** Ask for the audio of a text; what comes is told under this id. */
  | { readonly type: "request"; readonly id: number; readonly speech: string }
  /** Nobody wants that audio any more. */
  | { readonly type: "abort"; readonly id: number }
  | { readonly type: "tell"; readonly frame: VoiceFrame }
  | { readonly type: "audio"; readonly bytes: Uint8Array };

type Ending =
  | { readonly type: "end"; readonly marks: readonly SpeechMark[] | null }
  | { readonly type: "failed"; readonly code: SpeechFailure };

type Entry = {
  readonly id: number;
  readonly turn: string;
  readonly sentence: Sentence;
  readonly atMs: number;
  isRequested: boolean;
  /** Its `speech-start` is sent. */
  isStarted: boolean;
  /** Audio that waits for its turn. */
  kept: Uint8Array[];
  sentBytes: number;
  /** How its request ended. */
  ending: Ending | null;
};

export type OfferedSentence = { readonly turn: string; readonly sentence: Sentence; readonly atMs: number };

/** Sentences go out whole and in the order in which they came. */
export class VoiceQueue {
  readonly #speed: number;
  #entries: readonly Entry[] = [];
  #nextId = 1;

  /** @param speed - Of the voice; 1 is the usual one. */
  constructor(speed: number) {
    this.#speed = speed;
  }

  /** True when everything that was taken has been sent, or told as not spoken. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Takes a sentence that the room has said. */
  offer({ turn, sentence, atMs }: OfferedSentence, nowMs: number): VoiceEffect[] {
    const id = this.#nextId;
    this.#nextId += 1;
    const entry = {
      id,
      turn,
      sentence,
      atMs,
      isRequested: false,
      isStarted: false,
      kept: [],
      sentBytes: 0,
      ending: null,
    };
    const effects: VoiceEffect[] = [];
    const oldest = this.#entries[IN_WORK_MAX];
    if (oldest !== undefined && this.#entries.length >= IN_WORK_MAX + WAITING_MAX) {
      this.#entries = this.#entries.filter((other) => other !== oldest);
      effects.push(toFailure(oldest, "speech_late"));
    }
    this.#entries = [...this.#entries, entry];
    return [...effects, ...this.#advance(nowMs)];
  }

  /** The room has interrupted a turn. What it says of that turn from now on is said anew. */
  interrupt(turn: string, act: "stop" | "finish", nowMs: number): VoiceEffect[] {
    const isKept = (entry: Entry) => entry.turn !== turn || (act === "finish" && entry.isStarted);
    const gone = this.#entries.filter((entry) => !isKept(entry));
    this.#entries = this.#entries.filter(isKept);
    return [
      ...gone.flatMap(toAbort),
      { type: "tell", frame: { type: "speech-cancel", turn, act } },
      ...this.#advance(nowMs),
    ];
  }

  /** Audio of a request has come. Of one that was aborted it is thrown away. */
  takeAudio(id: number, bytes: Uint8Array, nowMs: number): VoiceEffect[] {
    const entry = this.#find(id);
    if (entry === undefined || bytes.length === 0) return [];
    entry.kept.push(bytes);
    return this.#advance(nowMs);
  }

  /** A request is over. */
  end(id: number, ending: Ending, nowMs: number): VoiceEffect[] {
    const entry = this.#find(id);
    if (entry === undefined) return [];
    entry.ending = ending;
    return this.#advance(nowMs);
  }

  #find(id: number): Entry | undefined {
    return this.#entries.find((entry) => entry.id === id && entry.ending === null);
  }

  /** Sends what may be sent, and asks for what is next. */
  #advance(nowMs: number): VoiceEffect[] {
    const effects: VoiceEffect[] = [];
    for (;;) {
      const [head] = this.#entries;
      if (head === undefined) return effects;
      const isLate = !head.isStarted && nowMs - head.atMs > SENTENCE_AGE_MS_MAX;
      if (isLate) effects.push(...toAbort(head), toFailure(head, "speech_late"));
      else effects.push(...toRequest(head), ...this.#send(head));
      if (!isLate && head.ending === null) break;
      this.#entries = this.#entries.slice(1);
    }
    return [...effects, ...this.#entries.slice(1, IN_WORK_MAX).flatMap(toRequest)];
  }

  /** What has come of the first sentence. */
  #send(entry: Entry): VoiceEffect[] {
    const { turn, sentence, kept, ending } = entry;
    const { seq, kind, text, speech } = sentence;
    const effects: VoiceEffect[] = [];
    if (!entry.isStarted && kept.length > 0) {
      entry.isStarted = true;
      const estimatedMs = Math.round(estimateSpeakingMs(speech) / this.#speed);
      effects.push({ type: "tell", frame: { type: "speech-start", turn, seq, kind, text, speech, estimatedMs } });
    }
    for (const bytes of kept) {
      entry.sentBytes += bytes.length;
      effects.push({ type: "audio", bytes });
    }
    entry.kept = [];
    if (ending?.type === "failed") effects.push(toFailure(entry, ending.code));
    if (ending?.type === "end") effects.push(toEnd(entry, ending.marks));
    return effects;
  }
}

function toRequest(entry: Entry): VoiceEffect[] {
  if (entry.isRequested) return [];
  entry.isRequested = true;
  return [{ type: "request", id: entry.id, speech: entry.sentence.speech }];
}

function toAbort({ id, isRequested, ending }: Entry): VoiceEffect[] {
  return isRequested && ending === null ? [{ type: "abort", id }] : [];
}

/** An answer without any audio is none. */
function toEnd(entry: Entry, marks: readonly SpeechMark[] | null): VoiceEffect {
  if (!entry.isStarted) return toFailure(entry, "speech_invalid");
  const { turn, sentence, sentBytes } = entry;
  const durationMs = toDurationMs(sentBytes);
  const frame = {
    type: "speech-end",
    turn,
    seq: sentence.seq,
    durationMs,
    marks: marks === null ? null : [...marks],
  } as const;
  return { type: "tell", frame };
}

function toFailure({ turn, sentence }: Entry, code: SpeechFailure): VoiceEffect {
  return { type: "tell", frame: { type: "speech-failed", turn, seq: sentence.seq, text: sentence.text, code } };
}
