/** What makes the audio. */
import type { SpeechMark } from "../../shared/contract/voice-frame.ts";

export type SpeechOrder = { readonly text: string; readonly voice: string; readonly speed: number };

export type MadeSpeech = {
  /** 16-bit mono PCM. */
  readonly pcm: Uint8Array;
  readonly sampleRate: number;
  readonly marks: readonly SpeechMark[];
};

export type SpeechEngine = (order: SpeechOrder) => Promise<MadeSpeech>;
