/** Arithmetic of the voice's own form of audio. */
import { VOICE_FORMAT } from "../contract/voice-frame.ts";

export const BYTES_PER_SAMPLE = 2;

/** Bytes of one second. */
export const BYTES_PER_SECOND = VOICE_FORMAT.sampleRate * VOICE_FORMAT.channels * BYTES_PER_SAMPLE;

/** How long so many bytes play, ms. */
export function toDurationMs(bytes: number): number {
  return Math.round((bytes * 1_000) / BYTES_PER_SECOND);
}

/** Both, one after the other, in a buffer of their own. */
export function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
