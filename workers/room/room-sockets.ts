/** Who follows a room, over WebSockets that outlive the object's sleep. */
import type { z } from "zod";
import { type Follow, type HelloFrame, type RoomFrame } from "../../shared/contract/room-frame.ts";
import { FRAME_PROTOCOL, followSchema, spokenSchema } from "../../shared/contract/room-frame.ts";
import { parseJson } from "../../shared/core/json.ts";
import type { Timer } from "../../shared/core/timer.ts";
import { toViewerFrame } from "../../shared/contract/viewer-frame.ts";

/** Sockets of one room. Source of the platform's own limit, 32,768: durable-objects/api/state, `acceptWebSocket`. */
const SOCKETS_MAX = 10_000;
/** History that one connection gets, in characters of JSON. Whoever wants more is cut and comes again from where it stopped. */
export const HISTORY_CHARS_MAX = 4_000_000;
/** Characters of the one text that a voice sends. */
const SPOKEN_CHARS_MAX = 200;
/** Other texts than pings and that one that a client may send. Each wakes the object, and a client has nothing to say. */
export const STRAY_MESSAGES_MAX = 20;

/** Tells a client that this page of history ends; it connects again with `after=<last seq>`. */
const CLOSE_RESUME = 4001;
const CLOSE_NORMAL = 1000;
/** What the platform reports for a close frame without a code. */
const CLOSE_WITHOUT_CODE = 1005;
/** Reported, never sent: no code, connection lost, TLS failed. Sending one throws. */
const UNSENDABLE_CODES: ReadonlySet<number> = new Set([CLOSE_WITHOUT_CODE, 1006, 1015]);
const CLOSE_POLICY = 1008;
const CLOSE_FAILED = 1011;

/**
 * How long frames of viewers' messages may wait for more of them, ms: in a flood each would go to each socket by itself. All
 * other frames go at once, with what waits before them.
 */
const GATHER_MS = 100;
const GATHERED_TYPES: ReadonlySet<RoomFrame["type"]> = new Set(["message", "dropped"]);
const SPEECH_TYPES: ReadonlySet<RoomFrame["type"]> = new Set(["turn-start", "sentence", "interrupt", "turn-end"]);

/** How much of each frame a follower sees. */
export type FollowerRole = "room" | "viewer";

/** Marks the sockets of who speaks what the room says. */
const VOICE_TAG = "voice";

/** What a socket keeps over the object's sleep; far below the 16,384 bytes that an attachment may have. */
type Attachment = Pick<Follower, "role" | "follow" | "speaks"> & { readonly strayCount: number };

export type Follower = {
  readonly role: FollowerRole;
  readonly follow: Follow;
  /** The client is the room's voice: turns keep time with it. */
  readonly speaks: boolean;
  /** Frames after this number are history to send; `null`: only what happens from now on. */
  readonly after: number | null;
  /** Whether the client asked for our subprotocol; a name that it did not ask for would make it fail. */
  readonly hasProtocol: boolean;
};

/** Header in which the edge says whom it let in. The object takes no requests from outside. */
const ROLE_HEADER = "x-kaibo-role";

/** What an upgrade request asks for, or `null` when it is none. */
export function readFollower(request: Request): Follower | null {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return null;
  const query = new URL(request.url).searchParams;
  const after = query.get("after");
  if (after !== null && !/^\d{1,15}$/.test(after)) return null;
  const role = request.headers.get(ROLE_HEADER) === "room" ? "room" : "viewer";
  const protocols = request.headers.get("sec-websocket-protocol")?.split(",") ?? [];
  return {
    role,
    follow: followSchema.catch("all").parse(query.get("follow")),
    // Whoever only watches must not slow the room down.
    speaks: role === "room" && query.get("speaks") === "1",
    after: after === null ? null : Number(after),
    hasProtocol: protocols.some((protocol) => protocol.trim() === FRAME_PROTOCOL),
  };
}

export class RoomSockets {
  readonly #ctx: DurableObjectState;

  readonly #timer: Timer;
  /** Frames that wait for more, in their order. */
  #gathered: RoomFrame[] = [];
  #cancelFlush: (() => void) | null = null;

  constructor(ctx: DurableObjectState, timer: Timer) {
    this.#ctx = ctx;
    this.#timer = timer;
    // Answered by the platform: a client's heartbeat does not wake the room.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  isFull(): boolean {
    return this.#ctx.getWebSockets().length >= SOCKETS_MAX;
  }

  /** Whether somebody speaks what the room says. */
  hasVoice(): boolean {
    return this.#ctx.getWebSockets(VOICE_TAG).some(({ readyState }) => readyState === WebSocket.OPEN);
  }

  /** Opens a socket: greeting, then history. Live frames follow without a gap, because nothing here awaits. */
  accept(follower: Omit<Follower, "after">, hello: HelloFrame, history: Iterable<RoomFrame>): Response {
    // Its history has what waits.
    this.#flush();
    const { 0: client, 1: server } = new WebSocketPair();
    const { role, follow, speaks, hasProtocol } = follower;
    this.#ctx.acceptWebSocket(server, speaks ? [VOICE_TAG] : []);
    attach(server, { role, follow, speaks, strayCount: 0 });
    server.send(JSON.stringify(hello));
    let charCount = 0;
    for (const frame of history) {
      if (!isFollowed(frame, follow)) continue;
      const text = serializeFor(role, frame);
      server.send(text);
      charCount += text.length;
      if (charCount <= HISTORY_CHARS_MAX) continue;
      server.close(CLOSE_RESUME, `resume after ${frame.seq}`);
      break;
    }
    const headers = hasProtocol ? { "sec-websocket-protocol": FRAME_PROTOCOL } : undefined;
    return new Response(null, { status: 101, webSocket: client, ...(headers !== undefined && { headers }) });
  }

  /**
   * Sends frames to everyone: what belongs together as one text. Each text is made once a role, not once a socket. Frames
   * that wait are lost with the object; its followers see the gap and ask for them.
   */
  broadcast(frames: readonly RoomFrame[]): void {
    this.#gathered.push(...frames);
    if (this.#gathered.length === 0) return;
    const canWait = frames.every(({ type }) => GATHERED_TYPES.has(type));
    if (!canWait) this.#flush();
    else this.#cancelFlush ??= this.#timer.after(GATHER_MS, () => this.#flush());
  }

  /** Reads what a client sent: `null` for what has no meaning, which is counted. */
  receive(socket: WebSocket, text: string | ArrayBuffer): z.infer<typeof spokenSchema> | null {
    const attachment = attachmentOf(socket);
    if (attachment.speaks && typeof text === "string" && text.length <= SPOKEN_CHARS_MAX) {
      const spoken = spokenSchema.safeParse(parseJson(text));
      if (spoken.success) return spoken.data;
    }
    const { strayCount } = attachment;
    if (strayCount >= STRAY_MESSAGES_MAX) close(socket, CLOSE_POLICY, "nothing is read here");
    else attach(socket, { ...attachment, strayCount: strayCount + 1 });
    return null;
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    const frames = this.#gathered;
    if (frames.length === 0) return;
    this.#gathered = [];
    const texts = new Map<string, string | null>();
    for (const socket of this.#ctx.getWebSockets()) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      const { role, follow } = attachmentOf(socket);
      const key = `${role} ${follow}`;
      const known = texts.get(key);
      const text = known === undefined ? toText(frames, role, follow) : known;
      texts.set(key, text);
      if (text !== null) send(socket, text);
    }
  }

  /** Answers a client's close with the same code, or the client would wait for it. Codes that no close frame can carry are not sent. */
  answerClose(socket: WebSocket, code: number): void {
    if (!UNSENDABLE_CODES.has(code)) close(socket, code, "");
    else if (code === CLOSE_WITHOUT_CODE) close(socket, CLOSE_NORMAL, "");
  }

  /** Ends a socket whose other side failed. */
  drop(socket: WebSocket): void {
    close(socket, CLOSE_FAILED, "failed");
  }
}

/** `null` where no frame is for them. */
function toText(frames: readonly RoomFrame[], role: FollowerRole, follow: Follow): string | null {
  const texts = frames.filter((frame) => isFollowed(frame, follow)).map((frame) => serializeFor(role, frame));
  return texts.length <= 1 ? (texts[0] ?? null) : `[${texts.join(",")}]`;
}

function isFollowed({ type }: RoomFrame, follow: Follow): boolean {
  return follow === "all" || SPEECH_TYPES.has(type);
}

function send(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The client comes again with `after`; a socket that lost a frame must not go on.
    close(socket, CLOSE_FAILED, "send failed");
  }
}

function close(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It is closed already, which is what was wanted.
  }
}

function serializeFor(role: FollowerRole, frame: RoomFrame): string {
  return JSON.stringify(role === "viewer" ? toViewerFrame(frame) : frame);
}

function attach(socket: WebSocket, attachment: Attachment): void {
  socket.serializeAttachment(attachment);
  attachments.set(socket, attachment);
}

/** Read once for each socket while the object is awake. */
const attachments = new WeakMap<WebSocket, Attachment>();

function attachmentOf(socket: WebSocket): Attachment {
  const known = attachments.get(socket);
  if (known !== undefined) return known;
  const read = readAttachment(socket);
  attachments.set(socket, read);
  return read;
}

/** A socket whose attachment is gone (it is lost when either side closes) is shown the least. */
function readAttachment(socket: WebSocket): Attachment {
  const attachment: unknown = socket.deserializeAttachment();
  const known = typeof attachment === "object" && attachment !== null ? attachment : {};
  return {
    role: "role" in known && known.role === "room" ? "room" : "viewer",
    follow: "follow" in known && known.follow === "speech" ? "speech" : "all",
    speaks: "speaks" in known && known.speaks === true,
    strayCount: "strayCount" in known ? Number(known.strayCount) : 0,
  };
}
