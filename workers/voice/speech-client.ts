/** A server with OpenAI's `POST /audio/speech`: one text in, the voice's own form of audio out as it comes. */
import { SseParser } from "../../shared/agent/stream/sse-parser.ts";
import type { SpeechFailure, SpeechMark } from "../../shared/contract/voice-frame.ts";
import { AudioDecoder, isSampleRate, startsWav } from "../../shared/voice/audio-decoder.ts";
import { BYTES_PER_SECOND } from "../../shared/voice/pcm.ts";
import { readSpeechEvent, readWordTimestamps } from "../../shared/voice/speech-events.ts";
import { systemTimer } from "../platform/system-clock.ts";
import { untilAborted } from "../platform/until-aborted.ts";

/** Limits on one sentence, ms. A live room has gone on after the first: its viewers have read the text by then. */
export type SpeechLimits = {
  /** From the request to its first audio. */
  readonly firstAudioMs: number;
  readonly betweenChunksMs: number;
  readonly totalMs: number;
};
const SPEECH_LIMITS: SpeechLimits = { firstAudioMs: 2_500, betweenChunksMs: 2_000, totalMs: 20_000 };

/** Audio of one sentence: a minute, in which nobody says a sentence. A model that babbles on ends there. */
export const SENTENCE_AUDIO_BYTES_MAX = 60 * BYTES_PER_SECOND;

export type SpeechRequest = {
  readonly baseUrl: string;
  readonly model: string;
  /** Empty: none is needed. */
  readonly apiKey: string;
  /** Empty: the server's own. */
  readonly voice: string;
  readonly speed: number;
  /** In spoken form. */
  readonly text: string;
};

export type SpeechPart =
  | { readonly type: "audio"; readonly bytes: Uint8Array }
  | { readonly type: "end"; readonly marks: readonly SpeechMark[] | null }
  | { readonly type: "failed"; readonly code: SpeechFailure };

export type SpeechCall = {
  /** Ends the call at once, and its request; then no part follows. */
  readonly signal: AbortSignal;
  readonly limits?: SpeechLimits;
  /** Replaces the network. */
  readonly fetch?: typeof fetch;
};

/** Never throws: the last part is `end` or `failed`, unless the caller's signal ended it. */
export async function* streamSpeech(request: SpeechRequest, call: SpeechCall): AsyncGenerator<SpeechPart> {
  const { signal, limits = SPEECH_LIMITS, fetch: send = fetch } = call;
  const watch = watchTime(limits);
  const whole = AbortSignal.any([signal, watch.signal]);
  try {
    const response = await untilAborted(whole, send(...toRequest(request, whole)));
    const refusal = refusalOf(response);
    if (refusal === null) {
      for await (const part of readAudio(response, whole)) {
        watch.restart();
        yield part;
      }
      return;
    }
    // Its words may quote the key: only the status is looked at.
    await response.body?.cancel();
    yield { type: "failed", code: refusal };
  } catch {
    if (signal.aborted) return;
    yield { type: "failed", code: watch.signal.aborted ? "speech_timed_out" : "speech_unavailable" };
  } finally {
    watch.stop();
  }
}

/** `stream_format` is OpenAI's field; its `audio` makes vLLM-Omni send what it has instead of all at the end. */
function toRequest(request: SpeechRequest, signal: AbortSignal): [string, RequestInit] {
  const { baseUrl, model, apiKey, voice, speed, text } = request;
  const body = {
    model,
    input: text,
    ...(voice !== "" && { voice }),
    response_format: "pcm",
    speed,
    stream_format: "audio",
  };
  const headers = {
    "content-type": "application/json",
    ...(apiKey !== "" && { authorization: `Bearer ${apiKey}` }),
  };
  // A key goes to the origin that it is for: a redirect is not followed.
  const init = { method: "POST", headers, body: JSON.stringify(body), redirect: "manual", signal } as const;
  return [`${baseUrl.replace(/\/$/, "")}/audio/speech`, init];
}

function refusalOf(response: Response): SpeechFailure | null {
  const { status } = response;
  if (status === 200) return isText(response) ? "speech_invalid" : null;
  return status >= 500 || status === 429 || status === 408 ? "speech_unavailable" : "speech_refused";
}

/** A page or an error object under 200: to play it would be noise. */
function isText(response: Response): boolean {
  const type = typeOf(response);
  return /^(?:text\/(?!event-stream)|application\/(?:json|xml))/.test(type);
}

async function* readAudio(response: Response, signal: AbortSignal): AsyncGenerator<SpeechPart> {
  const marks = [...readWordTimestamps(response.headers.get("x-word-timestamps"))];
  const answer = typeOf(response).startsWith("text/event-stream") ? readEvents : readBytes;
  let bytes = 0;
  for await (const part of answer(response, signal)) {
    if (part.type === "marks") marks.push(...part.marks);
    else if (part.type === "failed") return yield part;
    else if ((bytes += part.bytes.length) > SENTENCE_AUDIO_BYTES_MAX) return yield failed("speech_invalid");
    else if (part.bytes.length > 0) yield part;
  }
  yield bytes === 0 ? failed("speech_invalid") : { type: "end", marks: marks.length === 0 ? null : marks };
}

type AnswerPart =
  | Extract<SpeechPart, { type: "audio" | "failed" }>
  | { readonly type: "marks"; readonly marks: readonly SpeechMark[] };

function failed(code: SpeechFailure) {
  return { type: "failed", code } as const;
}

async function* readBytes(response: Response, signal: AbortSignal): AsyncGenerator<AnswerPart> {
  const decoder = new AudioDecoder(rateOf(response));
  for await (const chunk of readBody(response, signal)) yield decode(decoder, chunk);
}

async function* readEvents(response: Response, signal: AbortSignal): AsyncGenerator<AnswerPart> {
  const parser = new SseParser();
  let decoder = new AudioDecoder(rateOf(response));
  for await (const chunk of readBody(response, signal)) {
    for (const data of parser.push(chunk)) {
      const event = readSpeechEvent(data);
      if (event === null) continue;
      if (event.type === "error") return yield failed("speech_unavailable");
      if (event.marks.length > 0) yield { type: "marks", marks: event.marks };
      if (event.type === "done") return;
      if (startsWav(event.bytes)) decoder = new AudioDecoder();
      yield decode(decoder, event.bytes);
    }
  }
  // Without its last event the answer is cut.
  yield failed("speech_unavailable");
}

function decode(decoder: AudioDecoder, bytes: Uint8Array): AnswerPart {
  const decoded = decoder.push(bytes);
  return decoded.ok ? { type: "audio", bytes: decoded.value } : failed(decoded.error);
}

async function* readBody(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await untilAborted(signal, reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // What is left is of no interest, and the server is told so.
    void reader.cancel().catch(() => {});
  }
}

/** Rate of raw PCM where the server says it: `audio/pcm;rate=16000` (RFC 2586, L16), or a header of its own. */
function rateOf(response: Response): number | undefined {
  const said = /;\s*rate=(\d+)/.exec(typeOf(response))?.[1] ?? response.headers.get("x-sample-rate");
  const rate = Number(said ?? Number.NaN);
  return isSampleRate(rate) ? rate : undefined;
}

function typeOf(response: Response): string {
  return (response.headers.get("content-type") ?? "").toLowerCase();
}

/** A signal that fires at the first limit that runs out. */
function watchTime({ firstAudioMs, betweenChunksMs, totalMs }: SpeechLimits) {
  const limit = new AbortController();
  const end = () => limit.abort();
  const cancelTotal = systemTimer.after(totalMs, end);
  let cancelNext = systemTimer.after(firstAudioMs, end);
  return {
    signal: limit.signal,
    restart: () => {
      cancelNext();
      cancelNext = systemTimer.after(betweenChunksMs, end);
    },
    stop: () => {
      cancelTotal();
      cancelNext();
    },
  };
}
