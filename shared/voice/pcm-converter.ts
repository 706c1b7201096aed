/** Turns 16-bit PCM of another rate or with more channels into the voice's own form, as it streams. */
import { VOICE_FORMAT } from "../contract/voice-frame.ts";
import { BYTES_PER_SAMPLE, concatBytes } from "./pcm.ts";

/** Parts of an input frame: with as many as there are output samples a second, a step is the input's rate. */
const PARTS = VOICE_FORMAT.sampleRate;

export type PcmForm = { readonly sampleRate: number; readonly channels: number };

/**
 * Resamples by straight lines between samples. That is enough for speech at 22,050 Hz or above, which is what engines make;
 * it is no filter, so audio of a higher rate keeps a little of what folds over.
 */
export class PcmConverter {
  readonly #frameBytes: number;
  readonly #channels: number;
  /** From one output sample to the next, in parts: an input frame has {@link PARTS}. Whole numbers, so that no cut shifts a sample. */
  readonly #step: number;
  /** Bytes of a frame that the last chunk cut. */
  #rest = new Uint8Array(0);
  /** The last frame of the chunk before, which the first one of the next is joined to. */
  #last: number | null = null;
  /** Place of the next output sample, in parts; 0 is the frame in `#last`, or the first one where there is none. */
  #at = 0;

  constructor({ sampleRate, channels }: PcmForm) {
    this.#channels = channels;
    this.#frameBytes = channels * BYTES_PER_SAMPLE;
    this.#step = sampleRate;
  }

  /** The audio that these bytes complete. Chunks may end anywhere, inside a sample too. */
  push(bytes: Uint8Array): Uint8Array {
    const whole = this.#takeWhole(bytes);
    if (whole.length === 0) return whole;
    const isOurs = this.#step === PARTS && this.#channels === 1;
    return isOurs ? whole : this.#resample(this.#toMono(whole));
  }

  #takeWhole(bytes: Uint8Array): Uint8Array {
    const joined = this.#rest.length === 0 ? bytes : concatBytes(this.#rest, bytes);
    const end = joined.length - (joined.length % this.#frameBytes);
    this.#rest = joined.slice(end);
    return joined.subarray(0, end);
  }

  #toMono(bytes: Uint8Array): Float64Array {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const frames = new Float64Array(bytes.length / this.#frameBytes);
    for (let frame = 0; frame < frames.length; frame += 1) {
      let sum = 0;
      for (let channel = 0; channel < this.#channels; channel += 1) {
        sum += view.getInt16(frame * this.#frameBytes + channel * BYTES_PER_SAMPLE, true);
      }
      frames[frame] = sum / this.#channels;
    }
    return frames;
  }

  #resample(chunk: Float64Array): Uint8Array {
    const frames = this.#last === null ? chunk : prepend(this.#last, chunk);
    const last = frames.length - 1;
    const end = last * PARTS;
    const count = this.#at > end ? 0 : Math.floor((end - this.#at) / this.#step) + 1;
    const out = new DataView(new ArrayBuffer(count * BYTES_PER_SAMPLE));
    for (let sample = 0; sample < count; sample += 1) {
      const at = this.#at + sample * this.#step;
      const index = Math.floor(at / PARTS);
      const before = frames[index] ?? 0;
      const after = frames[Math.min(last, index + 1)] ?? before;
      const value = before + ((after - before) * (at % PARTS)) / PARTS;
      out.setInt16(sample * BYTES_PER_SAMPLE, Math.round(value), true);
    }
    this.#at += count * this.#step - end;
    this.#last = frames[last] ?? null;
    return new Uint8Array(out.buffer);
  }
}

function prepend(first: number, rest: Float64Array): Float64Array {
  const all = new Float64Array(rest.length + 1);
  all[0] = first;
  all.set(rest, 1);
  return all;
}
