/** Bytes of a speech server's answer as the voice's own audio: raw PCM, or WAV from servers that know no `pcm`. */
import { fail, ok, type Result } from "../core/result.ts";
import { VOICE_FORMAT } from "../contract/voice-frame.ts";
import { concatBytes } from "./pcm.ts";
import { PcmConverter, type PcmForm } from "./pcm-converter.ts";

/** Bytes of a WAV file before its samples. Encoders put titles there, and nothing that is longer. */
const HEADER_BYTES_MAX = 8_192;

const RIFF = "RIFF";
/** `RIFF`, a size, `WAVE`. */
const RIFF_BYTES = 12;
/** Name and size before each chunk of a RIFF file. */
const CHUNK_HEAD_BYTES = 8;
/** WAVE_FORMAT_PCM, and WAVE_FORMAT_EXTENSIBLE, whose samples are taken as PCM when they have 16 bits. */
const PCM_TAGS: ReadonlySet<number> = new Set([1, 0xfffe]);
const SAMPLE_BITS = 16;
/** Rates that speech has; anything else is no rate but noise. */
const RATE_MIN = 8_000;
const RATE_MAX = 96_000;
const CHANNELS_MAX = 2;

type Failure = "speech_invalid";

/**
 * Converts as the bytes come. Chunks may end anywhere.
 *
 * A file that begins `RIFF` is read as WAV with 16-bit PCM. The lengths in its header are passed over: whoever streams does
 * not know them yet.
 * Source: https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
 */
export class AudioDecoder {
  readonly #rawRate: number;
  /** What came so far, until it is known what it is. */
  #head: Uint8Array = new Uint8Array(0);
  #converter: PcmConverter | null = null;

  /** @param rawRate - Samples a second of PCM without a header. */
  constructor(rawRate: number = VOICE_FORMAT.sampleRate) {
    this.#rawRate = rawRate;
  }

  push(bytes: Uint8Array): Result<Uint8Array, Failure> {
    if (this.#converter !== null) return ok(this.#converter.push(bytes));
    const head = concatBytes(this.#head, bytes);
    this.#head = head;
    const found = findSamples(head, this.#rawRate);
    if (!found.ok) return found;
    if (found.value === null) return head.length > HEADER_BYTES_MAX ? fail("speech_invalid") : ok(new Uint8Array(0));
    this.#head = new Uint8Array(0);
    this.#converter = new PcmConverter(found.value.form);
    return ok(this.#converter.push(head.subarray(found.value.start)));
  }
}

/** True where a new WAV file begins: some servers send one in each of their events. */
export function startsWav(bytes: Uint8Array): boolean {
  return bytes.length >= RIFF.length && textAt(bytes, 0) === RIFF;
}

type Samples = { readonly form: PcmForm; readonly start: number };

/** Where the samples begin and what they are; `null` while that cannot be told. */
function findSamples(head: Uint8Array, rawRate: number): Result<Samples | null, Failure> {
  if (head.length < RIFF.length) return ok(null);
  if (!startsWav(head)) return ok({ form: { sampleRate: rawRate, channels: 1 }, start: 0 });
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  let form: PcmForm | null = null;
  let at = RIFF_BYTES;
  while (at + CHUNK_HEAD_BYTES <= head.length) {
    const name = textAt(head, at);
    const bytes = view.getUint32(at + 4, true);
    const body = at + CHUNK_HEAD_BYTES;
    if (name === "data") return form === null ? fail("speech_invalid") : ok({ form, start: body });
    if (name === "fmt " && body + 16 <= head.length) {
      form = readForm(view, body);
      if (form === null) return fail("speech_invalid");
    }
    // Chunks begin at even places.
    at = body + bytes + (bytes % 2);
  }
  return ok(null);
}

function readForm(view: DataView, at: number): PcmForm | null {
  const form = { channels: view.getUint16(at + 2, true), sampleRate: view.getUint32(at + 4, true) };
  const isPcm = PCM_TAGS.has(view.getUint16(at, true)) && view.getUint16(at + 14, true) === SAMPLE_BITS;
  const isSpeech = form.channels >= 1 && form.channels <= CHANNELS_MAX && isSampleRate(form.sampleRate);
  return isPcm && isSpeech ? form : null;
}

/** Whether audio of this rate is taken. */
export function isSampleRate(rate: number): boolean {
  return Number.isInteger(rate) && rate >= RATE_MIN && rate <= RATE_MAX;
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
