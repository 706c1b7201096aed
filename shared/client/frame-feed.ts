/** The log of a room as events, each frame once and in its order. */
import type { Follow, HelloFrame } from "../contract/room-frame.ts";
import type { ConnectionState, FrameSink, FrameVerdict } from "./room-stream.ts";
import type { LogFrame } from "./wire.ts";

/** Frames `fromSeq` to `toSeq` will not come: the room keeps them no longer. Of a stream of speech some were perhaps none. */
export type MissedFrames = { readonly fromSeq: number; readonly toSeq: number };

/** Events by name: one for each type of frame, and what concerns them all. */
export type RoomEvents = { readonly [Frame in LogFrame as Frame["type"]]: Frame } & {
  /** Every frame of the log, before the event of its own type. */
  readonly frame: LogFrame;
  readonly hello: HelloFrame;
  readonly missed: MissedFrames;
  readonly connection: ConnectionState;
};

type Listeners = { readonly [Name in keyof RoomEvents]: Set<(event: RoomEvents[Name]) => void> };

export type FrameFeedOptions = {
  /** Number of the last frame that is known; `null`: only what happens from now on. */
  readonly after: number | null;
  readonly follow: Follow;
};

export class FrameFeed implements FrameSink {
  readonly #follow: Follow;
  readonly #listeners = noListeners();
  #lastSeq: number | null;

  constructor({ after, follow }: FrameFeedOptions) {
    this.#lastSeq = after;
    this.#follow = follow;
  }

  /** Hears events of one name, until the returned function is called. */
  on<Name extends keyof RoomEvents>(name: Name, listener: (event: RoomEvents[Name]) => void): () => void {
    const listeners: Set<(event: RoomEvents[Name]) => void> = this.#listeners[name];
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  emit<Name extends keyof RoomEvents>(name: Name, event: RoomEvents[Name]): void {
    const listeners: ReadonlySet<(event: RoomEvents[Name]) => void> = this.#listeners[name];
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (thrown) {
        // Its own failure: the platform reports it, and the frames behind it are not lost.
        void Promise.reject(thrown);
      }
    }
  }

  lastSeq(): number | null {
    return this.#lastSeq;
  }

  greet(hello: HelloFrame): void {
    this.#lastSeq ??= hello.seq;
    this.emit("hello", hello);
    this.skipTo(hello.firstSeq - 1);
  }

  accept(frame: LogFrame): FrameVerdict {
    const last = this.#lastSeq;
    if (last !== null && frame.seq <= last) return "duplicate";
    if (last !== null && frame.seq !== last + 1 && this.#follow === "all") return "gap";
    this.#lastSeq = frame.seq;
    this.emit("frame", frame);
    this.emit(frame.type, frame);
    return "applied";
  }

  skipTo(seq: number): void {
    const last = this.#lastSeq;
    if (last === null || seq <= last) return;
    this.#lastSeq = seq;
    this.emit("missed", { fromSeq: last + 1, toSeq: seq });
  }
}

/** Written out, so that a new type of frame fails to compile here. */
function noListeners(): Listeners {
  return {
    message: new Set(),
    "turn-start": new Set(),
    sentence: new Set(),
    "turn-end": new Set(),
    dropped: new Set(),
    interrupt: new Set(),
    "host-speech": new Set(),
    state: new Set(),
    strategy: new Set(),
    config: new Set(),
    unknown: new Set(),
    frame: new Set(),
    hello: new Set(),
    missed: new Set(),
    connection: new Set(),
  };
}
