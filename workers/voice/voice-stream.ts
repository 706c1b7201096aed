/** A room's voice on one connection: hears what the room says, has it spoken, and sends the audio on. */
import type { RoomVoice } from "../../shared/contract/room-config.ts";
import { spokenSchema } from "../../shared/contract/room-frame.ts";
import { VOICE_FORMAT, type VoiceFrame } from "../../shared/contract/voice-frame.ts";
import { parseJson } from "../../shared/core/json.ts";
import { readRoomText } from "../../shared/voice/room-text.ts";
import { type VoiceEffect, VoiceQueue } from "../../shared/voice/voice-queue.ts";
import type { SpeechSettings } from "../platform/settings.ts";
import { systemClock } from "../platform/system-clock.ts";
import { speakCached } from "./speech-cache.ts";

/** Texts without a meaning that a client may send. */
const STRAY_TEXTS_MAX = 20;
/** Characters of a text that has one. */
const TEXT_CHARS_MAX = 300;

/**
 * Sentences of one connection. Each takes up to three subrequests (cache, server, cache), of which one invocation has 10,000;
 * at a live room's pace that is three hours. Source: https://developers.cloudflare.com/workers/platform/limits/
 */
const SENTENCES_MAX = 2_000;

const CLOSE_NORMAL = 1000;
/** The client is to connect again at once. */
const CLOSE_AGAIN = 4001;
const CLOSE_POLICY = 1008;
const CLOSE_FAILED = 1011;
/** Reported, never sent, as sending one throws: no code was given, the connection was lost. */
const CLOSE_WITHOUT_CODE = 1005;
const LOST_CODES: ReadonlySet<number> = new Set([1006, 1015]);

export type VoiceOptions = {
  readonly room: string;
  /** The room's own stream, not accepted yet. */
  readonly frames: WebSocket;
  readonly server: SpeechSettings;
  /** What the room wants other than the deployment. */
  readonly voice: RoomVoice | undefined;
};

/** Opens a voice; gives the client's end of it. It lives as long as both connections. */
export function openVoice(options: VoiceOptions): WebSocket {
  const { 0: client, 1: own } = new WebSocketPair();
  own.accept();
  new VoiceStream(own, options).start();
  return client;
}

class VoiceStream {
  readonly #client: WebSocket;
  readonly #options: VoiceOptions;
  readonly #speed: number;
  readonly #queue: VoiceQueue;
  readonly #calls = new Map<number, AbortController>();
  #requests = 0;
  #strayTexts = 0;
  #isOpen = true;

  constructor(client: WebSocket, options: VoiceOptions) {
    this.#client = client;
    this.#options = options;
    this.#speed = options.voice?.speed ?? 1;
    this.#queue = new VoiceQueue(this.#speed);
  }

  start(): void {
    const { room, frames } = this.#options;
    this.#tell({ type: "hello", room, format: VOICE_FORMAT });
    frames.addEventListener("message", ({ data }) => {
      if (typeof data === "string") this.#hear(data);
    });
    // The client comes again, and asks for nothing that is past.
    frames.addEventListener("close", ({ code, reason }) => this.#end(code, reason));
    frames.addEventListener("error", () => this.#end(CLOSE_FAILED, "the room failed"));
    frames.accept();
    this.#client.addEventListener("message", ({ data }) => this.#takeText(data));
    this.#client.addEventListener("close", ({ code }) => this.#end(code, ""));
    this.#client.addEventListener("error", () => this.#end(CLOSE_FAILED, ""));
  }

  #hear(text: string): void {
    const nowMs = systemClock.nowMs();
    for (const frame of readRoomText(text)) {
      if (frame.type === "sentence") this.#perform(this.#queue.offer(frame, nowMs));
      else this.#perform(this.#queue.interrupt(frame.turn, frame.act, nowMs));
    }
  }

  #perform(effects: readonly VoiceEffect[]): void {
    for (const effect of effects) {
      if (!this.#isOpen) return;
      if (effect.type === "request") void this.#speak(effect.id, effect.speech);
      else if (effect.type === "abort") this.#abort(effect.id);
      else if (effect.type === "tell") this.#tell(effect.frame);
      else this.#send(effect.bytes);
    }
    if (this.#requests >= SENTENCES_MAX && this.#queue.isEmpty) this.#end(CLOSE_AGAIN, "connect again");
  }

  async #speak(id: number, text: string): Promise<void> {
    const { server, voice } = this.#options;
    const call = new AbortController();
    this.#requests += 1;
    this.#calls.set(id, call);
    const request = { ...server, voice: voice?.name ?? server.voice, speed: this.#speed, text };
    for await (const part of speakCached(request, { signal: call.signal })) {
      const nowMs = systemClock.nowMs();
      if (part.type === "audio") this.#perform(this.#queue.takeAudio(id, part.bytes, nowMs));
      else this.#perform(this.#queue.end(id, part, nowMs));
    }
    this.#calls.delete(id);
  }

  #abort(id: number): void {
    this.#calls.get(id)?.abort();
    this.#calls.delete(id);
  }

  #takeText(data: unknown): void {
    if (data === "ping") return this.#send("pong");
    const text = typeof data === "string" && data.length <= TEXT_CHARS_MAX ? data : "";
    const spoken = spokenSchema.safeParse(parseJson(text));
    if (spoken.success) return this.#forward(JSON.stringify(spoken.data));
    this.#strayTexts += 1;
    if (this.#strayTexts > STRAY_TEXTS_MAX) this.#end(CLOSE_POLICY, "only spoken notices are read here");
  }

  /** The room reads it as its voice's own word. */
  #forward(text: string): void {
    try {
      this.#options.frames.send(text);
    } catch {
      this.#end(CLOSE_FAILED, "the room failed");
    }
  }

  #tell(frame: VoiceFrame): void {
    this.#send(JSON.stringify(frame));
  }

  #send(message: string | Uint8Array): void {
    if (!this.#isOpen) return;
    try {
      this.#client.send(message);
    } catch {
      this.#end(CLOSE_FAILED, "");
    }
  }

  /** Leaves both sides, and the server. */
  #end(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const call of this.#calls.values()) call.abort();
    this.#calls.clear();
    close(this.#client, toSendable(code), reason);
    close(this.#options.frames, CLOSE_NORMAL, "done");
  }
}

function toSendable(code: number): number {
  if (code === CLOSE_WITHOUT_CODE) return CLOSE_NORMAL;
  return LOST_CODES.has(code) ? CLOSE_FAILED : code;
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed already, which is what was wanted.
  }
}
