/** Audio that was made before: hosts repeat themselves, fillers and fallback lines above all. */
import type { SpeechMark } from "../../shared/contract/voice-frame.ts";
import { parseJson } from "../../shared/core/json.ts";
import { BYTES_PER_SECOND } from "../../shared/voice/pcm.ts";
import { readMarks } from "../../shared/voice/speech-events.ts";
import { sha256Hex } from "../platform/sha256.ts";
import { withinMs } from "../platform/within-ms.ts";
import { streamSpeech, type SpeechCall, type SpeechPart, type SpeechRequest } from "./speech-client.ts";

const CACHE_NAME = "kaibo-speech";
/** How long audio is kept, s: a day's streams. A server that is set up anew under the same names is heard by then. */
const KEPT_S = 86_400;
/** Longest look into the cache, ms: from then on the server is quicker. */
const LOOK_MS_MAX = 100;
/** Audio in one piece: a second. */
const PIECE_BYTES = BYTES_PER_SECOND;

const MARKS_HEADER = "x-kaibo-marks";
/** Characters of marks that go into a header; audio with more is not kept. */
const MARKS_CHARS_MAX = 8_000;

/** As `streamSpeech`, from the data centre's cache where the same was said before. A cache that fails is one that has nothing. */
export async function* speakCached(request: SpeechRequest, call: SpeechCall): AsyncGenerator<SpeechPart> {
  const key = await keyOf(request);
  const hit = await withinMs(LOOK_MS_MAX, look(key), null);
  if (call.signal.aborted) return;
  if (hit !== null) {
    yield* piecesOf(hit.bytes);
    yield { type: "end", marks: hit.marks };
    return;
  }
  const kept: Uint8Array[] = [];
  for await (const part of streamSpeech(request, call)) {
    if (part.type === "audio") kept.push(part.bytes);
    // Not waited for: the last sentence before a client leaves may be lost to the cache, and to nobody else.
    if (part.type === "end") void keep(key, kept, part.marks);
    yield part;
  }
}

/** The key of the server is not in it: who pays for audio does not change it. */
async function keyOf({ baseUrl, model, voice, speed, text }: SpeechRequest): Promise<string> {
  return `https://speech.invalid/${await sha256Hex(JSON.stringify([baseUrl, model, voice, speed, text]))}`;
}

async function look(key: string) {
  try {
    const cache = await caches.open(CACHE_NAME);
    const found = await cache.match(key);
    if (found === undefined) return null;
    const bytes = new Uint8Array(await found.arrayBuffer());
    const marks = found.headers.get(MARKS_HEADER);
    return bytes.length === 0 ? null : { bytes, marks: marks === null ? null : readMarks(parseJson(marks)) };
  } catch {
    return null;
  }
}

async function keep(key: string, pieces: readonly Uint8Array[], marks: readonly SpeechMark[] | null): Promise<void> {
  // Headers take ASCII alone.
  const text = marks === null ? null : toAscii(JSON.stringify(marks));
  if (text !== null && text.length > MARKS_CHARS_MAX) return;
  try {
    const cache = await caches.open(CACHE_NAME);
    const headers = {
      "content-type": "application/octet-stream",
      "cache-control": `max-age=${KEPT_S}`,
      ...(text !== null && { [MARKS_HEADER]: text }),
    };
    await cache.put(key, new Response(new Blob([...pieces]), { headers }));
  } catch {
    // It is made again next time.
  }
}

function toAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function* piecesOf(bytes: Uint8Array): Generator<SpeechPart> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield { type: "audio", bytes: bytes.subarray(at, at + PIECE_BYTES) };
  }
}
