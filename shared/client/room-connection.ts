/** One room, for programs outside: hears what happens, says what viewers and hosts say. See README.md. */
import type { Disposition, ViewerMessage } from "../contract/message.ts";
import type { Follow } from "../contract/room-frame.ts";
import type { RoomPatch } from "../contract/room-state.ts";
import type { Result } from "../core/result.ts";
import type { Timer } from "../core/timer.ts";
import { createApiCall, type SendRequest } from "./api-call.ts";
import { type ApiFailure, ClientError } from "./client-error.ts";
import { FrameFeed, type RoomEvents } from "./frame-feed.ts";
import { type Backlog, INTAKE_LIMITS, type IntakeLimits, MessageIntake } from "./message-intake.ts";
import { createRoomApi, type FrameSeq, type Interrupted, roomPath, type SpeechInput } from "./room-api.ts";
import { createRoomStream, type OpenSocket, type RoomStream } from "./room-stream.ts";

/** What the client needs of the world. `platformPorts(globalThis, performance)` is a browser's, or Node's. */
export type ClientPorts = {
  readonly openSocket: OpenSocket;
  readonly request: SendRequest;
  readonly timer: Timer;
  /** Monotonic, ms. */
  readonly elapsedMs: () => number;
  /** 0 to 1. */
  readonly random: () => number;
};

export type RoomConnectionOptions = {
  /** `https://kaibo.example`. */
  readonly url: string;
  readonly room: string;
  /** To follow: any audience; a viewer's shows no ids of other viewers. To post: audience `room`. */
  readonly token: string;
  readonly ports: ClientPorts;
  /** `all` when absent. */
  readonly follow?: Follow;
  /** This client is the room's mouth; it must tell with `spoken` what it has spoken. */
  readonly speaks?: boolean;
  /** Number of the last frame that is known, 0 for the whole log; absent: only what happens from now on. */
  readonly after?: number;
  readonly limits?: Partial<IntakeLimits>;
};

/** Calls are rejected with a {@link ClientError}. */
export type RoomConnection = {
  /** Opens the stream, and keeps it open until `close`. Calls need no stream. */
  connect(): void;
  /** Hears one kind of event, until the returned function is called. */
  on<Name extends keyof RoomEvents>(name: Name, listener: (event: RoomEvents[Name]) => void): () => void;
  /** Number of the last frame, to go on after it with another connection; `null` before the first greeting. */
  lastSeq(): number | null;
  /** Messages without a disposition. */
  readonly pending: number;
  /** The next `post` would be refused with `queue_full`. */
  readonly isFull: boolean;
  /** Turns that wait in the room, and how many may, when it last took messages; `null` before. */
  readonly backlog: Backlog | null;
  /**
   * Gathers messages into batches, sends them again where that helps, and gives what became of this one.
   * Also rejected with `queue_full`, `expired` and `closed`.
   */
  post(message: ViewerMessage): Promise<Disposition>;
  hostSpeech(speech: SpeechInput): Promise<FrameSeq>;
  patchState(patch: RoomPatch): Promise<FrameSeq>;
  /** Ends the turn that is being spoken. `turn_not_found`: none is. */
  interrupt(reason?: string): Promise<Interrupted>;
  /** Ends the stream, and gives up the messages that wait. */
  close(): void;
} & Pick<RoomStream, "retryNow" | "goOffline" | "spoken">;

/** Builds the connection; nothing is opened or sent before `connect` or a call. */
export function createRoomConnection(options: RoomConnectionOptions): RoomConnection {
  const { room, token, ports, follow = "all", speaks = false, after = null } = options;
  const origin = options.url.replace(/\/+$/, "");
  const api = createRoomApi(createApiCall({ ...ports, origin, token }), room);
  const feed = new FrameFeed({ after, follow });
  const limits = { ...INTAKE_LIMITS, ...options.limits };
  const intake = new MessageIntake({ ...ports, postMessages: (messages) => api.postMessages(messages), limits });
  const stream = createRoomStream({
    ...ports,
    url: `${origin.replace(/^http/, "ws")}${roomPath(room)}/stream`,
    token,
    follow,
    speaks,
    sink: feed,
    onState: (state) => feed.emit("connection", state),
    findRefusal: () => api.findStreamRefusal(),
  });
  return {
    connect: () => stream.start(),
    retryNow: () => stream.retryNow(),
    goOffline: () => stream.goOffline(),
    spoken: (turn, seq) => stream.spoken(turn, seq),
    on: (name, listener) => feed.on(name, listener),
    lastSeq: () => feed.lastSeq(),
    get pending() {
      return intake.pending;
    },
    get isFull() {
      return intake.isFull;
    },
    get backlog() {
      return intake.backlog;
    },
    post: (message) => intake.post(message),
    hostSpeech: async (speech) => valueOf(await api.hostSpeech(speech)),
    patchState: async (patch) => valueOf(await api.patchState(patch)),
    interrupt: async (reason) => valueOf(await api.interrupt(reason)),
    close: () => {
      stream.stop();
      intake.close();
    },
  };
}

function valueOf<Value>(answer: Result<Value, ApiFailure>): Value {
  if (answer.ok) return answer.value;
  throw new ClientError(answer.error);
}
