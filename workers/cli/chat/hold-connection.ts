/** One connection to a chat platform, from its opening to its end. */
import type { ChatConnection, ChatEvent } from "../../../shared/chat/chat-adapter.ts";
import type { Timer } from "../../../shared/core/timer.ts";
import type { OpenSocket } from "./chat-socket.ts";

/** How long the platform may take to accept a connection, ms. Bilibili cuts one that has not proved itself within 5 s. */
const ACCEPT_MS_MAX = 10_000;

/** Longest silence, in heartbeats: each has an answer, so two that are missing mean that nobody is there. */
const SILENT_HEARTBEATS_MAX = 2.5;

/** Bytes that may wait to be unpacked. A socket of Node knows no backpressure; above this, this process is too slow. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** What a chunk takes beside its bytes. Chunks without any must not be free. */
const CHUNK_BYTES = 64;

export type ConnectionEnd = {
  /** `lost`: another connection may do better; `refused`, `ended`: none with the same proof will. */
  readonly type: "lost" | "refused" | "ended";
  readonly why: string;
};

export type HoldPorts = {
  readonly timer: Timer;
  readonly openSocket: OpenSocket;
  readonly onEvent: (event: ChatEvent) => void;
};

export type HeldConnection = {
  /** Settles when it is over, once; never rejects. */
  readonly ended: Promise<ConnectionEnd>;
  readonly close: () => void;
};

/** Opens the connection, keeps it alive, and gives what comes, in order. */
export function holdConnection(url: string, chat: ChatConnection, ports: HoldPorts): HeldConnection {
  const connection = new Connection(url, chat, ports);
  return { ended: connection.ended, close: () => connection.end({ type: "lost", why: "closed from here" }) };
}

class Connection {
  readonly ended: Promise<ConnectionEnd>;
  readonly #settle: (end: ConnectionEnd) => void;
  readonly #chat: ChatConnection;
  readonly #ports: HoldPorts;
  readonly #socket: ReturnType<OpenSocket>;
  #isOver = false;
  #isAccepted = false;
  #taking: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #cancelSilence: () => void;
  #cancelBeat = () => {};

  constructor(url: string, chat: ChatConnection, ports: HoldPorts) {
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    this.ended = promise;
    this.#settle = resolve;
    this.#chat = chat;
    this.#ports = ports;
    this.#cancelSilence = this.#awaitWithin(ACCEPT_MS_MAX, "the platform did not accept the connection in time");
    this.#socket = ports.openSocket(url, {
      opened: () => this.#send(chat.opening),
      received: (bytes) => this.#receive(bytes),
      // What came before the close is still a comment of someone.
      closed: (why) => void this.#taking.then(() => this.end({ type: "lost", why })),
    });
  }

  /** Safe to repeat: the first end counts. */
  end(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelSilence();
    this.#cancelBeat();
    this.#socket.close();
    this.#settle(end);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isOver) return;
    const heldBytes = CHUNK_BYTES + bytes.length;
    this.#waitingBytes += heldBytes;
    if (this.#waitingBytes > WAITING_BYTES_MAX) {
      return this.end({ type: "lost", why: "more came than could be read" });
    }
    this.#taking = this.#taking.then(async () => {
      const events = this.#isOver ? [] : await this.#chat.take(bytes);
      this.#waitingBytes -= heldBytes;
      for (const event of events) this.#follow(event);
      if (this.#isAccepted && !this.#isOver) this.#listen();
    });
  }

  #follow(event: ChatEvent): void {
    if (this.#isOver) return;
    this.#ports.onEvent(event);
    switch (event.type) {
      case "accepted":
        this.#isAccepted = true;
        return this.#beat();
      case "refused":
      case "ended":
        return this.end({ type: event.type, why: event.why });
      case "broken":
        return this.end({ type: "lost", why: event.why });
      case "message":
      case "ignored":
        return undefined;
    }
  }

  #beat(): void {
    const { bytes, everyMs } = this.#chat.heartbeat;
    this.#cancelBeat();
    this.#send([bytes]);
    this.#cancelBeat = this.#ports.timer.after(everyMs, () => this.#beat());
  }

  #listen(): void {
    this.#cancelSilence();
    const limitMs = this.#chat.heartbeat.everyMs * SILENT_HEARTBEATS_MAX;
    this.#cancelSilence = this.#awaitWithin(limitMs, "the platform fell silent");
  }

  #awaitWithin(limitMs: number, why: string): () => void {
    return this.#ports.timer.after(limitMs, () => this.end({ type: "lost", why }));
  }

  #send(all: readonly Uint8Array[]): void {
    if (this.#isOver) return;
    for (const bytes of all) this.#socket.send(bytes);
  }
}
