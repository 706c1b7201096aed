/**
 * Follows one room over a WebSocket and never loses or doubles a frame: every (re)connection asks for what comes after
 * the last frame that was applied, and a hole in the numbers makes it ask again. Waits longer after each failure.
 */
import type { HelloFrame, RoomFrame } from "../../shared/contract/room-frame.ts";
import type { Timer } from "../../shared/core/timer.ts";
import type { FrameVerdict } from "./frame-store.ts";
import { STREAM_PROTOCOL, type UnknownFrame, parseStreamText } from "./wire.ts";

/** Waits between attempts: the first, and the longest, ms. Each wait is up to twice the one before. */
export const RETRY_FIRST_MS = 500;
export const RETRY_MAX_MS = 15_000;
/** A connection that lived this long counts as good again, ms. */
export const STABLE_MS = 5_000;
/** A socket that does not greet within this time is given up, ms. */
export const GREETING_MAX_MS = 10_000;
/** Silence after which the room is asked for a sign of life, ms, and how long its answer may take, ms. */
export const PING_EVERY_MS = 25_000;
export const PONG_MAX_MS = 10_000;

/** The part of a browser's WebSocket that is used here. */
export interface StreamSocket {
  send(text: string): void;
  close(): void;
}

export type SocketEvents = {
  readonly onText: (text: string) => void;
  /** The socket is gone, for whatever reason. Called at most once. */
  readonly onClose: () => void;
};

export type OpenSocket = (url: string, protocols: readonly string[], events: SocketEvents) => StreamSocket;

/** Where frames go. It alone knows which frame was the last. */
export interface FrameSink {
  lastSeq(): number;
  greet(hello: HelloFrame): void;
  accept(frame: RoomFrame | UnknownFrame): FrameVerdict;
  /** Goes on after `seq` without the frames before it: the room cannot give them. */
  skipTo(seq: number, openTurns: readonly string[]): void;
}

export type ConnectionState =
  | { readonly status: "connecting" }
  | { readonly status: "connected" }
  /** The next attempt starts `retryInMs` after this state began. */
  | { readonly status: "waiting"; readonly retryInMs: number; readonly attempt: number }
  | { readonly status: "offline" }
  /** The server will not have us; trying again would not help. */
  | { readonly status: "refused" }
  | { readonly status: "closed" };

export type RoomClientOptions = {
  /** `ws:` or `wss:` address of the room's stream, without `after`. */
  readonly url: string;
  readonly token: string;
  readonly sink: FrameSink;
  readonly openSocket: OpenSocket;
  readonly timer: Timer;
  /** 0 to 1, spreads the attempts of many pages. */
  readonly random: () => number;
  readonly onState: (state: ConnectionState) => void;
  /** Asks over HTTP why the stream failed, because a failed upgrade tells a browser nothing. True: do not try again. */
  readonly isRefused: () => Promise<boolean>;
};

export type RoomClient = {
  start(): void;
  /** Tries at once instead of waiting on; for a button, a network that came back, a tab that is looked at again. */
  retryNow(): void;
  /** The device has no network: stops trying until {@link RoomClient.retryNow}. */
  goOffline(): void;
  stop(): void;
};

/** Longest wait before attempt number `attempt` (from 1), ms: doubles, with up to half taken off at random. */
export function retryDelayMs(attempt: number, random: number): number {
  const fullMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (attempt - 1));
  return Math.round(fullMs * (1 - random / 2));
}

/** Builds the client; nothing is opened before `start`. */
export function createRoomClient(options: RoomClientOptions): RoomClient {
  return new StreamFollower(options);
}

type Link = { readonly socket: StreamSocket; isGreeted: boolean };

class StreamFollower implements RoomClient {
  readonly #options: RoomClientOptions;
  /** Fences late events: only the newest link may speak. */
  #link: Link | null = null;
  #openTurns: readonly string[] = [];
  #attempt = 0;
  #gapSeq: number | null = null;
  #hasPong = false;
  #status: ConnectionState["status"] = "closed";
  #cancelRetry: () => void = () => {};
  #cancelStable: () => void = () => {};
  #cancelWatch: () => void = () => {};

  constructor(options: RoomClientOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#link === null) this.#connect();
  }

  retryNow(): void {
    if (this.#status === "waiting" || this.#status === "offline") this.#connect();
  }

  goOffline(): void {
    if (this.#status === "closed" || this.#status === "refused") return;
    this.#drop();
    this.#become({ status: "offline" });
  }

  stop(): void {
    this.#drop();
    this.#become({ status: "closed" });
  }

  #become(state: ConnectionState): void {
    this.#status = state.status;
    this.#options.onState(state);
  }

  #connect(): void {
    this.#drop();
    this.#become({ status: "connecting" });
    const { url, token, sink, openSocket } = this.#options;
    const protocols = [STREAM_PROTOCOL, `kaibo.token.${token}`];
    const link: { current: Link | null } = { current: null };
    const socket = openSocket(`${url}?after=${sink.lastSeq()}`, protocols, {
      onText: (text) => {
        if (this.#link !== null && this.#link === link.current) this.#read(text, this.#link);
      },
      onClose: () => {
        if (this.#link !== null && this.#link === link.current) void this.#recover(this.#link.isGreeted);
      },
    });
    this.#link = link.current = { socket, isGreeted: false };
    this.#watch(GREETING_MAX_MS, () => void this.#recover(false));
  }

  /** Ends the present link and every timer. What it says later is not heard. */
  #drop(): void {
    this.#cancelRetry();
    this.#cancelStable();
    this.#cancelWatch();
    const link = this.#link;
    this.#link = null;
    link?.socket.close();
  }

  #watch(delayMs: number, fire: () => void): void {
    this.#cancelWatch();
    this.#cancelWatch = this.#options.timer.after(delayMs, fire);
  }

  #read(text: string, link: Link): void {
    if (text === "pong") this.#hasPong = true;
    if (link.isGreeted) this.#watch(PING_EVERY_MS, () => this.#ping(link));
    const frame = parseStreamText(text);
    if (frame === null) return;
    if (frame.type === "hello") {
      this.#greeted(frame, link);
    } else {
      this.#deliver(frame);
    }
  }

  #greeted(hello: HelloFrame, link: Link): void {
    link.isGreeted = true;
    this.#openTurns = hello.openTurns;
    this.#options.sink.greet(hello);
    this.#become({ status: "connected" });
    this.#watch(PING_EVERY_MS, () => this.#ping(link));
    this.#cancelStable = this.#options.timer.after(STABLE_MS, () => {
      this.#attempt = 0;
    });
  }

  #deliver(frame: RoomFrame | UnknownFrame): void {
    const { sink } = this.#options;
    const verdict = sink.accept(frame);
    if (verdict === "applied") this.#gapSeq = null;
    if (verdict !== "gap") return;
    if (this.#gapSeq === frame.seq) {
      // Asked again, and the same hole is there: the room itself has lost them. Going on beats asking for ever.
      this.#gapSeq = null;
      sink.skipTo(frame.seq - 1, this.#openTurns);
      sink.accept(frame);
      return;
    }
    this.#gapSeq = frame.seq;
    this.#connect();
  }

  /** A network that went away says nothing; only an answer that stays out shows it. */
  #ping(link: Link): void {
    link.socket.send("ping");
    this.#watch(PONG_MAX_MS, () => {
      if (this.#hasPong) void this.#recover(true);
    });
  }

  async #recover(wasGreeted: boolean): Promise<void> {
    this.#drop();
    this.#attempt += 1;
    const attempt = this.#attempt;
    const retryInMs = retryDelayMs(attempt, this.#options.random());
    this.#become({ status: "waiting", retryInMs, attempt });
    this.#cancelRetry = this.#options.timer.after(retryInMs, () => this.#connect());
    if (wasGreeted) return;
    const isRefused = await this.#options.isRefused();
    if (!isRefused || this.#attempt !== attempt || this.#status === "closed") return;
    this.#drop();
    this.#become({ status: "refused" });
  }
}
