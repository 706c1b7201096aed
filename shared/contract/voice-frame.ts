/**
 * What a room's voice tells whoever plays it, over WebSocket. Protocol `kaibo.voice.v1`.
 *
 * Audio comes as binary messages, which belong to the last `speech-start`; `speech-end`, `speech-failed` or a
 * `speech-cancel` of the turn ends a sentence that has started. `(turn, seq)` is that of the sentence in the room's frames.
 */
import { z } from "zod";
import { sentenceSchema } from "./sentence.ts";

/** WebSocket subprotocol of this contract. */
export const VOICE_PROTOCOL = "kaibo.voice.v1";

/** The one form of audio, whatever the speech server gives: OpenAI's `pcm`, 24 kHz, signed 16 bit, low byte first. */
export const VOICE_FORMAT = { codec: "pcm_s16le", sampleRate: 24_000, channels: 1 } as const;

/** Where something is in a sentence's audio, for who moves a mouth. */
const speechMarkSchema = z.strictObject({
  kind: z.enum(["word", "phoneme", "viseme"]),
  /** From the sentence's first sample. */
  atMs: z.number().min(0),
  value: z.string(),
});
export type SpeechMark = z.infer<typeof speechMarkSchema>;

const ofSentence = { turn: z.string(), seq: sentenceSchema.shape.seq };

export const voiceFrameSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    room: z.string(),
    format: z.strictObject({
      codec: z.literal(VOICE_FORMAT.codec),
      sampleRate: z.literal(VOICE_FORMAT.sampleRate),
      channels: z.literal(VOICE_FORMAT.channels),
    }),
  }),
  /** The first audio of a sentence follows at once. */
  z.strictObject({
    type: z.literal("speech-start"),
    ...ofSentence,
    kind: sentenceSchema.shape.kind,
    text: sentenceSchema.shape.text,
    speech: sentenceSchema.shape.speech,
    estimatedMs: z.int(),
  }),
  z.strictObject({
    type: z.literal("speech-end"),
    ...ofSentence,
    /** Of the audio that was sent. */
    durationMs: z.int(),
    /** `null` where the server gives none. */
    marks: z.array(speechMarkSchema).nullable(),
  }),
  /**
   * The turn has lost the floor, and no audio of it follows, with one exception. `stop`: be silent at once, and forget what
   * is not played. `finish`: what is being played may end; a sentence that has started is sent to its end.
   */
  z.strictObject({ type: z.literal("speech-cancel"), turn: z.string(), act: z.enum(["stop", "finish"]) }),
  /** The sentence is not spoken, or not to its end: show its text. The next one goes on. */
  z.strictObject({
    type: z.literal("speech-failed"),
    ...ofSentence,
    text: sentenceSchema.shape.text,
    code: z.enum(["speech_unavailable", "speech_refused", "speech_timed_out", "speech_invalid", "speech_late"]),
  }),
]);
export type VoiceFrame = z.infer<typeof voiceFrameSchema>;
/** Why a sentence is not spoken. */
export type SpeechFailure = Extract<VoiceFrame, { type: "speech-failed" }>["code"];
