/** Who follows a room, over WebSockets that outlive the object's sleep. */
import { type HelloFrame, type RoomFrame, FRAME_PROTOCOL } from "../../shared/contract/room-frame.ts";
import { toViewerFrame } from "../../shared/contract/viewer-frame.ts";

/** Sockets of one room. Source of the platform's own limit, 32,768: durable-objects/api/state, `acceptWebSocket`. */
const SOCKETS_MAX = 10_000;
/** History that one connection gets, in characters of JSON. Whoever wants more is cut and comes again from where it stopped. */
export const HISTORY_CHARS_MAX = 4_000_000;
/** Texts other than pings that a client may send. Each wakes the object, and a client has nothing to say. */
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

/** Which frames a follower sees. */
export type FollowerRole = "room" | "viewer";

/** What a socket keeps over the object's sleep; far below the 16,384 bytes that an attachment may have. */
type Attachment = { readonly role: FollowerRole; readonly strayCount: number };

export type Follower = {
  readonly role: FollowerRole;
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
  const after = new URL(request.url).searchParams.get("after");
  if (after !== null && !/^\d{1,15}$/.test(after)) return null;
  const protocols = request.headers.get("sec-websocket-protocol")?.split(",") ?? [];
  return {
    role: request.headers.get(ROLE_HEADER) === "room" ? "room" : "viewer",
    after: after === null ? null : Number(after),
    hasProtocol: protocols.some((protocol) => protocol.trim() === FRAME_PROTOCOL),
  };
}

export class RoomSockets {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    // Answered by the platform: a client's heartbeat does not wake the room.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  isFull(): boolean {
    return this.#ctx.getWebSockets().length >= SOCKETS_MAX;
  }

  /** Opens a socket: greeting, then history. Live frames follow without a gap, because nothing here awaits. */
  accept({ role, hasProtocol }: Omit<Follower, "after">, hello: HelloFrame, history: Iterable<RoomFrame>): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    attach(server, { role, strayCount: 0 });
    server.send(JSON.stringify(hello));
    let charCount = 0;
    for (const frame of history) {
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

  /** Sends frames to everyone. Each frame is serialised once a role, not once a socket. */
  broadcast(frames: readonly RoomFrame[]): void {
    const sockets = this.#ctx.getWebSockets();
    if (sockets.length === 0) return;
    const texts: Record<FollowerRole, string[] | null> = { room: null, viewer: null };
    for (const socket of sockets) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      const { role } = attachmentOf(socket);
      texts[role] ??= frames.map((frame) => serializeFor(role, frame));
      sendAll(socket, texts[role]);
    }
  }

  /** Counts what a client sends and has no meaning. */
  receive(socket: WebSocket): void {
    const { role, strayCount } = attachmentOf(socket);
    if (strayCount >= STRAY_MESSAGES_MAX) close(socket, CLOSE_POLICY, "nothing is read here");
    else attach(socket, { role, strayCount: strayCount + 1 });
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

function sendAll(socket: WebSocket, texts: readonly string[]): void {
  try {
    for (const text of texts) socket.send(text);
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
}

/** A socket whose attachment is gone (it is lost when either side closes) is shown the least. */
function attachmentOf(socket: WebSocket): Attachment {
  const attachment: unknown = socket.deserializeAttachment();
  if (typeof attachment !== "object" || attachment === null) return { role: "viewer", strayCount: 0 };
  const role = "role" in attachment && attachment.role === "room" ? "room" : "viewer";
  const strayCount = "strayCount" in attachment ? Number(attachment.strayCount) : 0;
  return { role, strayCount };
}
