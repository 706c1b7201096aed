/** Rooms: what they sell, what they show now, and their turns. */
import { createRoute, z } from "@hono/zod-openapi";
import { interruptBodySchema, interruptedSchema } from "../../../shared/contract/http-api.ts";
import { frameSeqSchema, roomListSchema, roomSavedSchema } from "../../../shared/contract/http-api.ts";
import { followSchema } from "../../../shared/contract/room-frame.ts";
import type { TokenClaims } from "../../../shared/contract/token-claims.ts";
import { roomConfigSchema, type RoomConfig } from "../../../shared/contract/room-config.ts";
import { roomPatchSchema } from "../../../shared/contract/room-state.ts";
import { type TurnView, roomViewSchema, turnViewSchema } from "../../../shared/contract/room-view.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { listRooms } from "../../platform/room-directory.ts";
import { allow } from "../authenticate.ts";
import { openRoom } from "../../release/configure-room.ts";
import {
  BEARER,
  createRouter,
  errorAnswers,
  jsonAnswer,
  jsonBody,
  pageQuery,
  roomParams,
  turnParams,
} from "../openapi.ts";
import { readJsonBody } from "../read-json-body.ts";
import { lastEventId, openRoomSocket, streamRoom } from "../room-stream.ts";
import { REFUSALS } from "../refusals.ts";

/** Bytes of a configuration: 300 products in full. The object's row takes 2 MB. */
const CONFIG_BYTES_MAX = 1_500_000;
const PATCH_BYTES_MAX = 64_000;
/** The channel that every room may use. */
const RELEASED_CHANNEL = "production";

const putRoom = createRoute({
  method: "put",
  path: "/v1/rooms/{room}",
  summary: "Create a room, or replace its configuration",
  description: "The same body again changes nothing. Live prices and stock of SKUs that remain are kept.",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("room", "operator"), readJsonBody(CONFIG_BYTES_MAX)] as const,
  request: { params: roomParams, body: jsonBody(roomConfigSchema) },
  responses: {
    200: jsonAnswer(roomSavedSchema, "The room has this configuration"),
    ...errorAnswers(
      "invalid_request",
      "invalid_json",
      "body_too_large",
      "harness_not_found",
      "harness_channel_not_found",
      "registry_unavailable",
    ),
  },
});

const getRooms = createRoute({
  method: "get",
  path: "/v1/rooms",
  summary: "List rooms",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("room", "operator", "analyst")] as const,
  request: { query: pageQuery },
  responses: {
    200: jsonAnswer(roomListSchema, "Rooms that the token is for, by id"),
    ...errorAnswers("invalid_request"),
  },
});

const getRoom = createRoute({
  method: "get",
  path: "/v1/rooms/{room}",
  summary: "Read a room: configuration, live state, open turns",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("room", "operator", "analyst")] as const,
  request: { params: roomParams },
  responses: { 200: jsonAnswer(roomViewSchema, "The room"), ...errorAnswers("room_not_found") },
});

const patchState = createRoute({
  method: "patch",
  path: "/v1/rooms/{room}/state",
  summary: "Change the product on screen, a price or a stock",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("room", "operator"), readJsonBody(PATCH_BYTES_MAX)] as const,
  request: { params: roomParams, body: jsonBody(roomPatchSchema) },
  responses: {
    200: jsonAnswer(frameSeqSchema, "The change is in the room's log"),
    ...errorAnswers("invalid_request", "invalid_json", "body_too_large", "room_not_found", "product_not_found"),
  },
});

const getTurn = createRoute({
  method: "get",
  path: "/v1/rooms/{room}/turns/{turn}",
  summary: "Read a turn: its record once it has ended, else where it stands",
  description: "The trace, with the prompt, is for operators and analysts; for others it is null.",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("room", "operator", "analyst")] as const,
  request: { params: turnParams },
  responses: { 200: jsonAnswer(turnViewSchema, "The turn"), ...errorAnswers("room_not_found", "turn_not_found") },
});

const getPrefix = createRoute({
  method: "get",
  path: "/v1/rooms/{room}/prompts/{digest}",
  summary: "Read the stable part of a prompt, by the digest that turn records name",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("operator", "analyst")] as const,
  request: { params: roomParams.extend({ digest: z.string().regex(/^[0-9a-f]{64}$/) }) },
  responses: {
    200: jsonAnswer(z.object({ digest: z.string(), text: z.string() }), "The prefix as it was sent"),
    ...errorAnswers("turn_not_found"),
  },
});

const streamQuery = z.object({
  after: z.coerce.number().int().min(0).optional(),
  follow: followSchema.default("all"),
  speaks: z.literal("1").optional(),
});

const stream = createRoute({
  method: "get",
  path: "/v1/rooms/{room}/stream",
  summary: "Follow a room over WebSocket or server-sent events",
  description:
    "Frames are numbered; `after=<seq>` or `Last-Event-ID` resumes without loss or repetition. A WebSocket sends its token " +
    "in the header, or as the subprotocol `kaibo.token.<jwt>` beside `kaibo.v1`; a text is one frame, or an array of frames that " +
    "come together. Without `after`, only what happens from now on. `follow=speech` sends what the host says and no more. " +
    "`speaks=1`, for a WebSocket of the audience room: the client is the room's voice, turns keep time with it, and it sends " +
    '`{"type":"spoken","turn","seq"}` when a sentence has been spoken.',
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("room", "operator", "analyst", "viewer")] as const,
  request: { params: roomParams, query: streamQuery },
  responses: {
    101: { description: "WebSocket, protocol kaibo.v1" },
    200: { description: "The room's frames", content: { "text/event-stream": { schema: z.string() } } },
    ...errorAnswers("invalid_request", "room_not_found", "upgrade_required", "room_stream_full"),
  },
});

const interrupt = createRoute({
  method: "post",
  path: "/v1/rooms/{room}/interrupt",
  summary: "Interrupt the turn that is being spoken",
  description: "What was heard stays heard; nothing more of the turn is said, and its model call is closed at once.",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("room", "operator"), readJsonBody(PATCH_BYTES_MAX)] as const,
  request: { params: roomParams, body: jsonBody(interruptBodySchema) },
  responses: {
    200: jsonAnswer(interruptedSchema, "The turn has ended"),
    ...errorAnswers("invalid_request", "invalid_json", "body_too_large", "room_not_found", "turn_not_found"),
  },
});

export const roomRoutes = createRouter()
  .openapi(interrupt, async (c) => {
    const { room } = c.req.valid("param");
    const interrupted = await c.env.LIVE_ROOM.getByName(room).interrupt(c.req.valid("json").reason);
    if (interrupted.ok) return c.json(interrupted.value, 200);
    const title = interrupted.error === "turn_not_found" ? "No turn is being spoken" : REFUSALS[interrupted.error];
    throw new AppError(interrupted.error, title, { details: { room } });
  })
  .openapi(putRoom, async (c) => {
    const { room } = c.req.valid("param");
    const config = c.req.valid("json");
    requireChannel(c.get("claims"), config);
    const { revision, harness } = await openRoom(c.env, room, config);
    return c.json({ room, revision, harness }, 200);
  })
  .openapi(getRooms, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const claims = c.get("claims");
    return c.json(
      await listRooms(c.env, { only: claims.room === "*" ? null : claims.room, limit, after: cursor ?? "" }),
      200,
    );
  })
  .openapi(getRoom, async (c) => {
    const view = await c.env.LIVE_ROOM.getByName(c.req.valid("param").room).view();
    if (!view.ok) throw new AppError(view.error, REFUSALS[view.error]);
    return c.json(view.value, 200);
  })
  .openapi(patchState, async (c) => {
    const patched = await c.env.LIVE_ROOM.getByName(c.req.valid("param").room).patch(c.req.valid("json"));
    if (!patched.ok) throw new AppError(patched.error, REFUSALS[patched.error]);
    return c.json(patched.value, 200);
  })
  .openapi(getTurn, async (c) => {
    const { room, turn } = c.req.valid("param");
    const read = await c.env.LIVE_ROOM.getByName(room).turn(turn);
    if (!read.ok) throw new AppError(read.error, REFUSALS[read.error]);
    const view: TurnView = read.value;
    // Prompts are for those who work on them: a merchant's client sees what was asked and said.
    const mayReadPrompts = c.get("claims").aud.some((audience) => audience === "operator" || audience === "analyst");
    return c.json(view.schema === "kaibo.turn/1" && !mayReadPrompts ? { ...view, trace: null } : view, 200);
  })
  .openapi(getPrefix, async (c) => {
    const { room, digest } = c.req.valid("param");
    const text = await c.env.LIVE_ROOM.getByName(room).promptPrefix(digest);
    if (text === null) throw new AppError("turn_not_found", "The room has no prompt of this digest");
    return c.json({ digest, text }, 200);
  })
  .openapi(stream, async (c) => {
    const { room } = c.req.valid("param");
    const { follow, speaks, after = lastEventId(c) } = c.req.valid("query");
    if (c.req.header("upgrade")?.toLowerCase() === "websocket") {
      const protocols = c.req.header("sec-websocket-protocol");
      return openRoomSocket(c, room, { after, protocols, follow, speaks: speaks === "1" });
    }
    if (c.req.header("accept")?.includes("text/event-stream") === true) return streamRoom(c, room, { after, follow });
    throw new AppError("upgrade_required", "Connect with a WebSocket, or send Accept: text/event-stream");
  });

/**
 * A merchant's client follows the released channel. Another channel, or one pinned version, goes round release and
 * roll-back, so it takes an operator.
 */
function requireChannel(claims: TokenClaims, { harness }: RoomConfig): void {
  if (claims.aud.includes("operator") || ("channel" in harness && harness.channel === RELEASED_CHANNEL)) return;
  throw new AppError("forbidden", `Only an operator may use another harness than the channel ${RELEASED_CHANNEL}`);
}
