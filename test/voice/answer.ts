/** The body of an answer, in its form and at its pace. */
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { VOICE_FORMAT } from "../../shared/contract/voice-frame.ts";
import { PcmConverter } from "../../shared/voice/pcm-converter.ts";
import type { MadeSpeech } from "./engine.ts";
import type { VoiceFault } from "./faults.ts";
import type { VoiceOptions } from "./options.ts";
import { wavHeader } from "./wav.ts";

/** How much audio one write has, ms. */
const PIECE_MS = 100;

const NOTHING = new Uint8Array(0);

export type VoiceAnswer = {
  readonly contentType: string;
  readonly audio: Uint8Array;
  readonly pieceBytes: number;
  readonly pace: number;
  /** A piece as it goes over the line. */
  readonly wrap: (piece: Uint8Array) => string | Uint8Array;
  readonly head: Uint8Array;
  readonly tail: string;
};

/** What is to be sent. A fault may have another form or pace, or only half of the audio. */
export function toAnswer(made: MadeSpeech, options: VoiceOptions, fault: VoiceFault | null): VoiceAnswer {
  const form = fault?.fault === "form" ? fault.form : options.form;
  const rate = form === "wav" ? made.sampleRate : VOICE_FORMAT.sampleRate;
  const isHalf = fault?.fault === "stall" || fault?.fault === "cut";
  const all = rate === made.sampleRate ? made.pcm : resample(made);
  return {
    ...FORMS[form](made, rate),
    audio: isHalf ? all.subarray(0, Math.floor(all.length / 4) * 2) : all,
    pieceBytes: Math.round((rate * PIECE_MS) / 1_000) * 2,
    pace: fault?.fault === "pace" ? fault.pace : options.pace,
  };
}

function resample({ pcm, sampleRate }: MadeSpeech): Uint8Array {
  return new PcmConverter({ sampleRate, channels: 1 }).push(pcm);
}

type Form = Pick<VoiceAnswer, "contentType" | "wrap" | "head" | "tail">;

const FORMS: Readonly<Record<VoiceOptions["form"], (made: MadeSpeech, rate: number) => Form>> = {
  pcm: () => ({ contentType: "audio/pcm", wrap: (piece) => piece, head: NOTHING, tail: "" }),
  wav: (_made, rate) => ({ contentType: "audio/wav", wrap: (piece) => piece, head: wavHeader(rate), tail: "" }),
  sse: ({ marks }) => ({
    contentType: "text/event-stream",
    wrap: (piece) => toEvent("delta", { audio: Buffer.from(piece).toString("base64") }),
    head: NOTHING,
    tail: toEvent("done", { marks }),
  }),
};

/** Sends all but the tail. False when the client left before its end. */
export async function sendAudio(
  answer: VoiceAnswer,
  response: ServerResponse,
  isGone: () => boolean,
): Promise<boolean> {
  const { audio, pieceBytes, pace } = answer;
  if (isGone()) return false;
  response.writeHead(200, { "content-type": answer.contentType });
  if (answer.head.length > 0) response.write(answer.head);
  for (let at = 0; at < audio.length && !isGone(); at += pieceBytes) {
    response.write(answer.wrap(audio.subarray(at, at + pieceBytes)));
    if (pace > 0) await pause(PIECE_MS / pace);
  }
  return !isGone();
}

function toEvent(name: "delta" | "done", fields: object): string {
  const type = `speech.audio.${name}`;
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
