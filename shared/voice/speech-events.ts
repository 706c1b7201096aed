/**
 * What a speech server says beside plain audio: events of a streamed answer, and times of words.
 *
 * Audio: `{"type":"speech.audio.delta","audio":"<base64>"}`, then `{"type":"speech.audio.done"}`: OpenAI's
 * `CreateSpeechResponseStreamEvent`, the same from vLLM-Omni. A failure is `{"error":…}` or `{"type":"error"}`.
 *
 * Marks come in any event, under one of:
 * - `timestamps: [{word, start_time, end_time}]`, seconds: Kokoro-FastAPI, `WordTimestamp` in `structures/schemas.py`
 * - `marks: [{kind, atMs, value}]`: our own form, for servers that know phonemes or visemes
 *
 * or in the header `x-word-timestamps: [{word, start_ms, end_ms}]`: vLLM-Omni with `--forced-aligner`, `protocol/audio.py`.
 */
import { z } from "zod";
import { parseJson } from "../core/json.ts";
import type { SpeechMark } from "../contract/voice-frame.ts";

/** Marks of one sentence: more than any has, for each of its sounds. */
const MARKS_MAX = 2_000;

const secondsSchema = z.array(z.object({ word: z.string(), start_time: z.number().min(0) })).max(MARKS_MAX);
const millisecondsSchema = z.array(z.object({ word: z.string(), start_ms: z.number().min(0) })).max(MARKS_MAX);
const marksSchema = z
  .array(z.object({ kind: z.enum(["word", "phoneme", "viseme"]), atMs: z.number().min(0), value: z.string() }))
  .max(MARKS_MAX);

/** Marks are an extra: where they do not fit their form, the audio stands without them. */
const eventSchema = z.object({
  type: z.string().optional(),
  audio: z.string().optional(),
  error: z.unknown().optional(),
  timestamps: secondsSchema.nullish().catch(null),
  marks: marksSchema.nullish().catch(null),
});

export type SpeechEvent =
  | { readonly type: "audio"; readonly bytes: Uint8Array; readonly marks: readonly SpeechMark[] }
  | { readonly type: "done"; readonly marks: readonly SpeechMark[] }
  | { readonly type: "error" };

/** Reads the data of one event; `null` for one of no meaning here, `[DONE]` among them. */
export function readSpeechEvent(data: string): SpeechEvent | null {
  const parsed = eventSchema.safeParse(parseJson(data));
  if (!parsed.success) return null;
  const { type, audio, error, timestamps, marks } = parsed.data;
  if (type === "error" || (error !== undefined && error !== null)) return { type: "error" };
  const found = marks ?? timestamps?.map(({ word, start_time: s }) => toWord(word, s * 1_000)) ?? [];
  if (type === "speech.audio.done") return { type: "done", marks: found };
  if (type !== "speech.audio.delta") return null;
  const bytes = fromBase64(audio ?? "");
  return bytes === null ? null : { type: "audio", bytes, marks: found };
}

/** Reads marks in our own form; `null` for anything else. */
export function readMarks(content: unknown): readonly SpeechMark[] | null {
  const parsed = marksSchema.safeParse(content);
  return parsed.success ? parsed.data : null;
}

/** Reads the header `x-word-timestamps`. */
export function readWordTimestamps(header: string | null): readonly SpeechMark[] {
  const parsed = millisecondsSchema.safeParse(header === null ? null : parseJson(header));
  return parsed.success ? parsed.data.map(({ word, start_ms: atMs }) => toWord(word, atMs)) : [];
}

function toWord(value: string, atMs: number): SpeechMark {
  return { kind: "word", atMs: Math.round(atMs), value };
}

function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
