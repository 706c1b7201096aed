/** Speech that is none: one sine, as long as the text would take to say, with a mark for each of its characters. */
import { VOICE_FORMAT } from "../../shared/contract/voice-frame.ts";
import { BYTES_PER_SAMPLE } from "../../shared/voice/pcm.ts";
import { estimateSpeakingMs } from "../../shared/speech/speaking-time.ts";
import type { SpeechEngine } from "./engine.ts";

const HERTZ = 220;
const AMPLITUDE = 6_000;

export const speakTone: SpeechEngine = async ({ text, speed }) => {
  const { sampleRate } = VOICE_FORMAT;
  const durationMs = Math.round(estimateSpeakingMs(text) / speed);
  const samples = Math.round((durationMs * sampleRate) / 1_000);
  const view = new DataView(new ArrayBuffer(samples * BYTES_PER_SAMPLE));
  for (let sample = 0; sample < samples; sample += 1) {
    const value = Math.sin((2 * Math.PI * HERTZ * sample) / sampleRate) * AMPLITUDE;
    view.setInt16(sample * BYTES_PER_SAMPLE, Math.round(value), true);
  }
  const characters = [...text];
  const marks = characters.map((value, index) => {
    const atMs = Math.round((index * durationMs) / characters.length);
    return { kind: "word", atMs, value } as const;
  });
  return { pcm: new Uint8Array(view.buffer), sampleRate, marks };
};
