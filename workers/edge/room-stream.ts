/** Following a room: frames by WebSocket straight from its object, or as server-sent events. */
import type { Context } from "hono";
import { z } from "zod";
import { type Follow, FRAME_PROTOCOL } from "../../shared/contract/room-frame.ts";
import type { Disposition } from "../../shared/contract/message.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import type { EdgeEnv } from "./authenticate.ts";
import { sseResponse } from "./sse.ts";
import { REFUSALS } from "./refusals.ts";

/** Header by which the edge tells the object whom it speaks to. Set here only: the object takes no outside requests. */
const ROLE_HEADER = "x-kaibo-role";

type EdgeContext = Context<EdgeEnv>;

export type SocketOptions = {
  readonly after: number | null;
  readonly protocols?: string | undefined;
  readonly follow?: Follow;
  /** The client is the room's voice. */
  readonly speaks?: boolean;
};

/**
 * Opens the room's socket, from the frame after `after`; from now on when it is null.
 *
 * @param protocols - The client's own offer. A client that offers none must get none back (RFC 6455, 4.1).
 */
export async function openRoomSocket(
  c: EdgeContext,
  room: string,
  { after, protocols, follow = "all", speaks = false }: SocketOptions,
): Promise<Response> {
  const query = new URLSearchParams({
    follow,
    ...(after !== null && { after: String(after) }),
    ...(speaks && { speaks: "1" }),
  });
  const url = `https://room.invalid/stream?${query.toString()}`;
  // The token's subprotocol stays here: the room has no use for it.
  const offersOurs = protocols?.split(",").some((name) => name.trim() === FRAME_PROTOCOL) ?? false;
  const response = await c.env.LIVE_ROOM.getByName(room).fetch(url, {
    headers: {
      upgrade: "websocket",
      [ROLE_HEADER]: roleOf(c),
      ...(offersOurs && { "sec-websocket-protocol": FRAME_PROTOCOL }),
    },
  });
  if (response.status === 101) return response;
  // The object refuses with a code alone; its words are here.
  const refusal = refusalSchema.safeParse(await response.json());
  const code = refusal.success ? refusal.data.code : "internal";
  throw new AppError(code, REFUSALS[code]);
}

const refusalSchema = z.object({ code: z.enum(["room_not_found", "room_stream_full", "upgrade_required"]) });

/** The room as server-sent events, without end until one side leaves. */
export async function streamRoom(
  c: EdgeContext,
  room: string,
  options: Pick<SocketOptions, "after" | "follow">,
): Promise<Response> {
  const socket = socketOf(await openRoomSocket(c, room, options));
  return sseResponse({ socket, signal: c.req.raw.signal, select: () => "send" });
}

/** One turn as server-sent events: history from its message on, or from where the client was cut, then live, until it ends. */
export async function streamTurn(c: EdgeContext, room: string, { turn, seq }: Disposition): Promise<Response> {
  const after = Math.max(seq - 1, lastEventId(c) ?? 0);
  const socket = socketOf(await openRoomSocket(c, room, { after }));
  return sseResponse({
    socket,
    signal: c.req.raw.signal,
    select: (frame) => {
      if (frame.turn !== turn || frame.type === "message") return "skip";
      return frame.type === "turn-end" ? "send-and-end" : "send";
    },
  });
}

/**
 * The browser's own resume header.
 *
 * @throws AppError `invalid_request` - what is no number is no position, and must not silently mean "from now on".
 */
export function lastEventId(c: EdgeContext): number | null {
  const header = c.req.header("last-event-id");
  if (header === undefined || header === "") return null;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new AppError("invalid_request", "Last-Event-ID is not a frame number");
}

/** Viewers see public frames; everyone who may also post or operate sees all of them. */
function roleOf(c: EdgeContext): "room" | "viewer" {
  return c.get("claims").aud.some((audience) => audience !== "viewer") ? "room" : "viewer";
}

function socketOf(response: Response): WebSocket {
  if (response.webSocket === null) throw new AppError("internal", "The room did not open a stream");
  return response.webSocket;
}
