import { setTimeout as pause } from "node:timers/promises";
import { describe, it } from "vitest";
import {
  SENTENCE_AUDIO_BYTES_MAX,
  streamSpeech,
  type SpeechLimits,
  type SpeechPart,
} from "../../../../workers/voice/speech-client.ts";

const REQUEST = { baseUrl: "http://tts.test/v1", model: "m", apiKey: "k3y", voice: "cmn", speed: 1, text: "三十九元" };
const LIMITS: SpeechLimits = { firstAudioMs: 60, betweenChunksMs: 60, totalMs: 120 };
const PCM = Uint8Array.of(1, 0, 2, 0);

type Sent = { readonly url: string; readonly init: RequestInit };

/** All parts, and what was sent. */
async function speak(answer: (sent: Sent) => Response | Promise<Response>, fields: Partial<typeof REQUEST> = {}) {
  const sent: Sent[] = [];
  const send = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const one = { url: new Request(input).url, init };
    sent.push(one);
    return answer(one);
  };
  const parts: SpeechPart[] = [];
  const call = { signal: new AbortController().signal, limits: LIMITS, fetch: send };
  for await (const part of streamSpeech({ ...REQUEST, ...fields }, call)) parts.push(part);
  return { parts, sent };
}

function bodyOf([sent]: readonly Sent[]): unknown {
  const body = sent?.init.body;
  return typeof body === "string" ? JSON.parse(body) : undefined;
}

const audio = (type = "audio/pcm", headers = {}) =>
  new Response(PCM, { headers: { "content-type": type, ...headers } });
const events = (...data: readonly object[]) =>
  new Response(data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream; charset=utf-8" },
  });
const delta = (bytes: Uint8Array) => ({ type: "speech.audio.delta", audio: Buffer.from(bytes).toString("base64") });
const DONE = { type: "speech.audio.done" };

/** A body that sends so many bytes and then hangs, and tells when it is left. */
function hanging(bytes: number, onLeave = () => {}) {
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (bytes > 0) controller.enqueue(new Uint8Array(bytes));
    },
    cancel: onLeave,
  });
}

describe("streamSpeech", () => {
  it("asks as OpenAI's audio/speech wants it, and for audio as it is made", async ({ expect }) => {
    const { sent } = await speak(() => audio());
    expect(sent.map(({ url }) => url)).toEqual(["http://tts.test/v1/audio/speech"]);
    expect(bodyOf(sent)).toEqual({
      model: "m",
      input: "三十九元",
      voice: "cmn",
      response_format: "pcm",
      speed: 1,
      stream_format: "audio",
    });
    expect(sent[0]?.init).toMatchObject({
      method: "POST",
      redirect: "manual",
      headers: { authorization: "Bearer k3y" },
    });
  });

  it("sends no key and no voice where there is none", async ({ expect }) => {
    const { sent } = await speak(() => audio(), { apiKey: "", voice: "", baseUrl: "http://tts.test/v1/" });
    expect(sent[0]?.url).toBe("http://tts.test/v1/audio/speech");
    expect(bodyOf(sent)).not.toHaveProperty("voice");
    expect(new Headers(sent[0]?.init.headers).has("authorization")).toBe(false);
  });

  it("gives audio, then the end", async ({ expect }) => {
    const { parts } = await speak(() => audio());
    expect(parts).toEqual([
      { type: "audio", bytes: PCM },
      { type: "end", marks: null },
    ]);
  });

  it("gives the words of vLLM-Omni's header", async ({ expect }) => {
    const { parts } = await speak(() => audio("audio/pcm", { "x-word-timestamps": '[{"word":"a","start_ms":1}]' }));
    expect(parts.at(-1)).toEqual({ type: "end", marks: [{ kind: "word", atMs: 1, value: "a" }] });
  });

  it.for([
    ["audio/pcm;rate=12000", {}],
    ["audio/pcm", { "x-sample-rate": "12000" }],
  ] as const)("takes the rate that the server says: %j", async ([type, headers], { expect }) => {
    const { parts } = await speak(() => audio(type, headers));
    expect(parts[0]).toEqual({ type: "audio", bytes: Uint8Array.of(1, 0, 2, 0, 2, 0) });
  });

  it("reads events, with marks and WAV files in them", async ({ expect }) => {
    const wav = Buffer.concat([Buffer.from("RIFF....WAVEfmt "), Buffer.alloc(28), PCM]);
    wav.writeUInt32LE(16, 16);
    wav.writeUInt16LE(1, 20);
    wav.writeUInt16LE(1, 22);
    wav.writeUInt32LE(24_000, 24);
    wav.writeUInt16LE(16, 34);
    wav.write("data", 36, "latin1");
    const marks = [{ kind: "phoneme", atMs: 0, value: "s" }];
    const { parts } = await speak(() => events(delta(wav), delta(wav), { ...DONE, marks }));
    expect(parts).toEqual([
      { type: "audio", bytes: PCM },
      { type: "audio", bytes: PCM },
      { type: "end", marks },
    ]);
  });

  it.for([
    [500, "speech_unavailable"],
    [503, "speech_unavailable"],
    [429, "speech_unavailable"],
    [400, "speech_refused"],
    [401, "speech_refused"],
    [302, "speech_refused"],
  ] as const)("status %i is %s, without a word of the server", async ([status, code], { expect }) => {
    const { parts } = await speak(() => new Response("k3y", { status }));
    expect(parts).toEqual([{ type: "failed", code }]);
  });

  it.for([
    ["a page", () => audio("text/html"), "speech_invalid"],
    ["an error object", () => audio("application/json"), "speech_invalid"],
    ["no audio", () => new Response(null), "speech_invalid"],
    ["a WAV file that is none", () => new Response("RIFF....WAVEdata...."), "speech_invalid"],
    ["an error among events", () => events({ error: { message: "k3y" } }), "speech_unavailable"],
    ["events without an end", () => events({ type: "speech.audio.info" }), "speech_unavailable"],
    ["a minute and more", () => new Response(new Uint8Array(SENTENCE_AUDIO_BYTES_MAX + 2)), "speech_invalid"],
    ["a network that fails", () => Promise.reject(new Error("connect k3y")), "speech_unavailable"],
  ] as const)("%s: %s", async ([, answer, code], { expect }) => {
    expect((await speak(answer)).parts.at(-1)).toEqual({ type: "failed", code });
  });

  it("is unavailable when the stream breaks after some audio", async ({ expect }) => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(PCM),
      pull: (controller) => controller.error(new Error("reset")),
    });
    const { parts } = await speak(() => new Response(broken));
    expect(parts).toEqual([
      { type: "audio", bytes: PCM },
      { type: "failed", code: "speech_unavailable" },
    ]);
  });

  it.for([
    ["no headers", () => new Promise<Response>(() => {})],
    ["no first byte", () => new Response(hanging(0))],
    ["a stall", () => new Response(hanging(48))],
    ["a trickle that outlasts the whole limit", () => new Response(trickle())],
  ] as const)("%s: it is left at the limit", async ([, answer], { expect }) => {
    const startedAtMs = performance.now();
    const { parts, sent } = await speak(answer);
    expect(parts.at(-1)).toEqual({ type: "failed", code: "speech_timed_out" });
    expect(performance.now() - startedAtMs).toBeLessThan(LIMITS.totalMs + 400);
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  it("ends at once without a part when the caller's signal fires, and leaves the server", async ({ expect }) => {
    const caller = new AbortController();
    let isLeft = false;
    const send = async () => new Response(hanging(48, () => void (isLeft = true)));
    const parts: SpeechPart[] = [];
    for await (const part of streamSpeech(REQUEST, { signal: caller.signal, fetch: send })) {
      parts.push(part);
      caller.abort();
    }
    expect(parts.map(({ type }) => type)).toEqual(["audio"]);
    expect(isLeft).toBe(true);
  });
});

/** Two samples every 20 ms, without end. */
function trickle(): ReadableStream<Uint8Array> {
  let isLeft = false;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await pause(20);
      if (!isLeft) controller.enqueue(PCM);
    },
    cancel: () => void (isLeft = true),
  });
}
