/**
 * Follows one room over a WebSocket and never loses or doubles a frame: every (re)connection asks for what comes after
 * the last frame that was applied, and a hole in the numbers makes it ask again. Waits longer after each failure.
 */
import type { z } from "zod";
import type { Follow, HelloFrame, spokenSchema } from "../contract/room-frame.ts";
import type { Timer } from "../core/timer.ts";
import { retryDelayMs } from "./backoff.ts";
import type { ApiFailure } from "./client-error.ts";
import { type LogFrame, STREAM_PROTOCOL, parseStreamText } from "./wire.ts";

/** A connection that lived this long counts as good again, ms. */
export const STABLE_MS = 5_000;
/** A socket that does not greet within this time is given up, ms. */
export const GREETING_MAX_MS = 10_000;
/** Silence after which the room is asked for a sign of life, ms, and how long its answer may take, ms. */
export const PING_EVERY_MS = 25_000;
export const PONG_MAX_MS = 10_000;

/** The part of a WebSocket that is used here. What is sent while it is not open is dropped. */
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

/** What became of a frame. `gap`: it was not applied, because frames before it are missing. */
export type FrameVerdict = "applied" | "duplicate" | "gap";

/** Where frames go. It alone knows which frame was the last. */
export interface FrameSink {
  /** `null`: only what happens from the greeting on. */
  lastSeq(): number | null;
  greet(hello: HelloFrame): void;
  accept(frame: LogFrame): FrameVerdict;
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
  | { readonly status: "refused"; readonly failure: ApiFailure }
  | { readonly status: "closed" };

export type RoomStreamOptions = {
  /** `ws:` or `wss:` address of the room's stream, without a query. */
  readonly url: string;
  readonly token: string;
  /**
   * `all` when absent. Numbers jump in a stream of `speech`, so that a hole cannot be told from what was left out; a
   * (re)connection still misses nothing.
   */
  readonly follow?: Follow;
  /** This client is the room's mouth: it says with {@link RoomStream.spoken} what it has spoken. */
  readonly speaks?: boolean;
  readonly sink: FrameSink;
  readonly openSocket: OpenSocket;
  readonly timer: Timer;
  /** 0 to 1, spreads the attempts of many clients. */
  readonly random: () => number;
  readonly onState: (state: ConnectionState) => void;
  /** Asks over HTTP why the stream failed, because a failed upgrade tells a browser nothing. A refusal ends the attempts. */
  readonly findRefusal: () => Promise<ApiFailure | null>;
};

export type RoomStream = {
  start(): void;
  /** Tries at once instead of waiting on; for a button, a network that came back, a tab that is looked at again. */
  retryNow(): void;
  /** The device has no network: stops trying until {@link RoomStream.retryNow}. */
  goOffline(): void;
  /** Tells the room that a sentence (`seq` of its turn) has been spoken to its end. False: there is no connection to say it over. */
  spoken(turn: string, seq: number): boolean;
  stop(): void;
};

/** Builds the stream; nothing is opened before `start`. */
export function createRoomStream(options: RoomStreamOptions): RoomStream {
  return new StreamFollower(options);
}

type Link = { readonly socket: StreamSocket; isGreeted: boolean };

class StreamFollower implements RoomStream {
  readonly #options: RoomStreamOptions;
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

  constructor(options: RoomStreamOptions) {
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

  spoken(turn: string, seq: number): boolean {
    if (this.#link === null || !this.#link.isGreeted) return false;
    const text: z.infer<typeof spokenSchema> = { type: "spoken", turn, seq };
    this.#link.socket.send(JSON.stringify(text));
    return true;
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
    // Whoever was told may have left.
    if (this.#status !== "connecting") return;
    const protocols = [STREAM_PROTOCOL, `kaibo.token.${this.#options.token}`];
    const link: { current: Link | null } = { current: null };
    const socket = this.#options.openSocket(this.#address(), protocols, {
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

  #address(): string {
    const { url, follow, speaks, sink } = this.#options;
    const after = sink.lastSeq();
    const query = new URLSearchParams();
    if (after !== null) query.set("after", String(after));
    if (follow === "speech") query.set("follow", "speech");
    if (speaks === true) query.set("speaks", "1");
    const text = query.toString();
    return text === "" ? url : `${url}?${text}`;
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
    for (const frame of parseStreamText(text)) {
      // A frame before may have made us ask again, or its listener may have left: the rest comes again, or is not wanted.
      if (this.#link !== link) return;
      if (frame.type === "hello") this.#greeted(frame, link);
      else this.#deliver(frame);
    }
  }

  #greeted(hello: HelloFrame, link: Link): void {
    link.isGreeted = true;
    this.#openTurns = hello.openTurns;
    this.#options.sink.greet(hello);
    this.#become({ status: "connected" });
    if (this.#link !== link) return;
    this.#watch(PING_EVERY_MS, () => this.#ping(link));
    this.#cancelStable = this.#options.timer.after(STABLE_MS, () => {
      this.#attempt = 0;
    });
  }

  #deliver(frame: LogFrame): void {
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
    this.#cancelRetry = this.#options.timer.after(retryInMs, () => this.#connect());
    this.#become({ status: "waiting", retryInMs, attempt });
    if (wasGreeted) return;
    const failure = await this.#options.findRefusal();
    if (failure === null || this.#attempt !== attempt || this.#status === "closed") return;
    this.#drop();
    this.#become({ status: "refused", failure });
  }
}
