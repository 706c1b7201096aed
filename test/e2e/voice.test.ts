/** A room that is heard: the built product in front of the local voice, whose sine is as long as each text takes to say. */
import { afterAll, beforeAll, describe, it } from "vitest";
import type { RoomVoice } from "../../shared/contract/room-config.ts";
import type { VoiceFrame } from "../../shared/contract/voice-frame.ts";
import { estimateSpeakingMs } from "../../shared/speech/speaking-time.ts";
import { toDurationMs } from "../../shared/voice/pcm.ts";
import { aBundle } from "../helpers/harnesses.ts";
import { startProduct, type RunningProduct } from "../helpers/product.ts";
import { aProduct, aRoomConfig } from "../helpers/rooms.ts";
import { listen, startVoice, type Heard, type RunningVoice } from "../helpers/voice.ts";

/** How soon after the answer to an interrupt the voice has fallen silent, ms. */
const SILENT_MS_MAX = 100;
/** How soon the next turn is heard once the room knows that the last one was played, ms: far less than its voice would take. */
const SOON_MS_MAX = 3_000;
const KEY = "a key of the speech server";
const LONG = "这款毛巾长七十五厘米宽三十五厘米洗脸刚刚好而且一家人用都不嫌小折起来放进包里也不占地方。";
const FAQ = [
  { id: "care", question: "怎么洗", similar: [], answer: "冷水手洗就行。不要漂白。晾干再收。" },
  { id: "ship", question: "什么时候发货", similar: [], answer: "今天拍今天发。三天左右就到。" },
  { id: "size", question: "有多大", similar: [], answer: LONG },
];
const [CARE, SHIP, SIZE] = FAQ.map(({ question }) => question);

let voice: RunningVoice;
let product: RunningProduct;
let logged = "";

beforeAll(async () => {
  voice = await startVoice(["--tone", "--key", KEY]);
  product = await startProduct({
    samples: false,
    settings: { SPEECH_BASE_URL: voice.url, SPEECH_MODEL: "tone", SPEECH_VOICE: "host", SPEECH_API_KEY: KEY },
    log: (line) => void (logged += `${line}\n`),
  });
  const { version } = await call("POST", "/v1/harnesses", aBundle({ answersFaq: true }));
  await call("PUT", "/v1/harnesses/live-host/channels/production", { version, expected: null });
});
afterAll(() => Promise.all([product.stop(), voice.stop()]));

async function send(method: string, route: string, body?: object): Promise<Response> {
  return fetch(`${product.url}${route}`, {
    method,
    headers: { authorization: `Bearer ${product.tokens.page}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function call(method: string, route: string, body?: object) {
  const response = await send(method, route, body);
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
  // Each test knows what it asked for.
  return (await response.json()) as {
    readonly version: string;
    readonly results: readonly { readonly turn: string }[];
  };
}

let rooms = 0;
let messages = 0;

/** A room that somebody listens to. Its voice has a name of its own, so that no room hears another's audio from the cache. */
async function openRoom(fields: RoomVoice = {}) {
  rooms += 1;
  const room = `room-${rooms}`;
  const own = { name: `voice-${rooms}`, ...fields };
  await call("PUT", `/v1/rooms/${room}`, aRoomConfig({ faq: FAQ, products: [aProduct()], voice: own }));
  await voice.setFaults([]);
  const listener = await listen(product, room);
  return {
    room,
    listener,
    ask: async (text: string | undefined) => {
      messages += 1;
      const { results } = await call("POST", `/v1/rooms/${room}/messages`, { id: `m${messages}`, text });
      return results[0]?.turn ?? "";
    },
    sentences: async (turn: string) => {
      const record = (await (await send("GET", `/v1/rooms/${room}/turns/${turn}`)).json()) as {
        readonly sentences: readonly { readonly text: string; readonly speech: string }[];
      };
      return record.sentences;
    },
    interrupt: () => send("POST", `/v1/rooms/${room}/interrupt`, { reason: "operator" }),
  };
}

/** True for the frame that ends a sentence. */
const ends = (turn: string, seq: number) => (frame: VoiceFrame) =>
  (frame.type === "speech-end" || frame.type === "speech-failed") && frame.turn === turn && frame.seq === seq;

/** In short, with all audio between two frames as one. */
function toScript(heard: readonly Heard[]): string[] {
  const script: string[] = [];
  let bytes = 0;
  for (const { frame, audio } of heard) {
    if (audio !== null) bytes += audio.length;
    if (frame === null) continue;
    if (bytes > 0) script.push(`${toDurationMs(bytes)} ms`);
    bytes = 0;
    script.push(frame.type === "hello" || frame.type === "speech-cancel" ? frame.type : `${frame.type} ${frame.seq}`);
  }
  return bytes > 0 ? [...script, `${toDurationMs(bytes)} ms`] : script;
}

describe("a room's voice", () => {
  it("says the sentences of an answer in order, each as long as it takes", async ({ expect }) => {
    const { room, listener, ask, sentences } = await openRoom();
    const turn = await ask(CARE);
    await listener.until(ends(turn, 2));
    const [hello, ...frames] = listener.frames;
    expect(hello).toEqual({ type: "hello", room, format: { codec: "pcm_s16le", sampleRate: 24_000, channels: 1 } });
    const said = await sentences(turn);
    const lengths = said.map(({ speech }) => estimateSpeakingMs(speech));
    expect(toScript(listener.heard)).toEqual([
      "hello",
      ...lengths.flatMap((ms, seq) => [`speech-start ${seq}`, `${ms} ms`, `speech-end ${seq}`]),
    ]);
    expect(frames).toEqual(
      said.flatMap(({ text, speech }, seq) => [
        { type: "speech-start", turn, seq, kind: "answer", text, speech, estimatedMs: lengths[seq] },
        { type: "speech-end", turn, seq, durationMs: lengths[seq], marks: null },
      ]),
    );
    listener.close();
  });

  it("is the one that the room wants, and its marks are the server's", async ({ expect }) => {
    const { listener, ask } = await openRoom({ name: "merchant", speed: 2 });
    await voice.setFaults([{ fault: "form", form: "sse", count: -1 }]);
    const turn = await ask(CARE);
    const end = listener.heard[await listener.until(ends(turn, 0))]?.frame;
    expect(end).toMatchObject({ type: "speech-end", durationMs: Math.round(estimateSpeakingMs("冷水手洗就行。") / 2) });
    expect(end?.type === "speech-end" ? end.marks?.map(({ value }) => value).join("") : null).toBe("冷水手洗就行。");
    expect((await voice.requests())[0]).toMatchObject({ voice: "merchant", speed: 2 });
    listener.close();
  });

  it("asks the server once for what is said twice", async ({ expect }) => {
    const { listener, ask } = await openRoom();
    const first = await ask(CARE);
    await listener.until(ends(first, 2));
    await expect
      .poll(async () => (await voice.requests()).map(({ ending }) => ending))
      .toEqual(["whole", "whole", "whole"]);
    for (const seq of [0, 1, 2]) listener.send({ type: "spoken", turn: first, seq });
    const before = listener.heard.length;
    const other = await openRoom({ name: `voice-${rooms}` });
    const second = await other.ask(CARE);
    await other.listener.until(ends(second, 2));
    expect(toScript(other.listener.heard)).toEqual(toScript(listener.heard.slice(0, before)));
    expect(await voice.requests()).toEqual([]);
    listener.close();
    other.listener.close();
  });

  it("falls silent when its turn is interrupted, and leaves the server", async ({ expect }) => {
    const { listener, ask, interrupt } = await openRoom();
    await voice.setFaults([{ fault: "pace", pace: 1, count: -1 }]);
    const turn = await ask(CARE);
    const started = await listener.until(({ type }) => type === "speech-start");
    expect((await interrupt()).status).toBe(200);
    const answeredAtMs = performance.now();
    const cancelled = await listener.until(({ type }) => type === "speech-cancel", started);
    expect((listener.heard[cancelled]?.atMs ?? 0) - answeredAtMs).toBeLessThan(SILENT_MS_MAX);
    expect(listener.heard[cancelled]?.frame).toEqual({ type: "speech-cancel", turn, act: "stop" });
    await expect.poll(async () => (await voice.requests()).map(({ ending }) => ending)).toContain("closed-by-client");
    expect((await voice.requests()).every(({ ending }) => ending !== null)).toBe(true);

    // Another turn goes by: bytes of the first would stand before it.
    await voice.setFaults([]);
    const next = await ask(SHIP);
    await listener.until(ends(next, 1));
    const after = toScript(listener.heard.slice(cancelled));
    expect(after.slice(0, 2)).toEqual(["speech-cancel", "speech-start 0"]);
    expect(listener.frames.filter((frame) => "turn" in frame && frame.turn === turn).map(({ type }) => type)).toEqual([
      "speech-start",
      "speech-cancel",
    ]);
    listener.close();
  });

  it("goes on with the next sentence when the server fails at one", async ({ expect }) => {
    const { listener, ask } = await openRoom();
    await voice.setFaults([
      { fault: "status", status: 500, contains: "冷水" },
      { fault: "cut", contains: "漂白" },
    ]);
    const turn = await ask(CARE);
    await listener.until(ends(turn, 2));
    const ms = estimateSpeakingMs("晾干再收。");
    const script = toScript(listener.heard);
    expect([...script.slice(0, 3), ...script.slice(4)]).toEqual([
      "hello",
      "speech-failed 0",
      "speech-start 1",
      "speech-failed 1",
      "speech-start 2",
      `${ms} ms`,
      "speech-end 2",
    ]);
    const failed = { type: "speech-failed", turn, code: "speech_unavailable" };
    expect(listener.frames.filter(({ type }) => type === "speech-failed")).toEqual([
      { ...failed, seq: 0, text: "冷水手洗就行。" },
      { ...failed, seq: 1, text: "不要漂白。" },
    ]);
    expect(logged).not.toContain(KEY);
    listener.close();
  });

  it("tells the room what was played: it need not wait for the estimated end", async ({ expect }) => {
    const { listener, ask, sentences } = await openRoom();
    const turn = await ask(SIZE);
    const end = listener.heard[await listener.until(ends(turn, 0))];
    const estimatedMs = estimateSpeakingMs((await sentences(turn))[0]?.speech ?? "");
    expect(estimatedMs).toBeGreaterThan(SOON_MS_MAX * 2);
    listener.send({ type: "spoken", turn, seq: 0 });
    const next = await ask(SHIP);
    const started =
      listener.heard[await listener.until((frame) => frame.type === "speech-start" && frame.turn === next)];
    expect((started?.atMs ?? 0) - (end?.atMs ?? 0)).toBeLessThan(SOON_MS_MAX);
    listener.close();
  });
});

describe("the route", () => {
  it("wants a WebSocket, and a token of the room", async ({ expect }) => {
    const { room, listener } = await openRoom();
    listener.close();
    const plain = await send("GET", `/v1/rooms/${room}/voice`);
    expect([plain.status, await plain.json()]).toMatchObject([426, { code: "upgrade_required" }]);
    const open = await fetch(`${product.url}/v1/rooms/${room}/voice`);
    expect(open.status).toBe(401);
  });

  it("says that no speech server is set", async ({ expect, onTestFinished }) => {
    const silent = await startProduct({ samples: false });
    onTestFinished(silent.stop);
    const answer = await fetch(`${silent.url}/v1/rooms/any/voice`, {
      headers: { authorization: `Bearer ${silent.tokens.page}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([409, { code: "speech_not_configured" }]);
  });
});
