/** What viewers and hosts say enters here. */
import { createRoute, z } from "@hono/zod-openapi";
import { frameSeqSchema, postMessagesAnswerSchema, postMessagesBodySchema } from "../../../shared/contract/http-api.ts";
import { hostSpeechSchema } from "../../../shared/contract/message.ts";
import type { Disposition, ViewerMessage } from "../../../shared/contract/message.ts";
import { readSettings } from "../../platform/settings.ts";
import { systemClock } from "../../platform/system-clock.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { allow } from "../authenticate.ts";
import { BEARER, createRouter, errorAnswers, jsonAnswer, jsonBody, roomParams } from "../openapi.ts";
import { hideViewers } from "../hide-viewers.ts";
import { readJsonBody } from "../read-json-body.ts";
import { streamTurn } from "../room-stream.ts";
import { REFUSALS } from "../refusals.ts";

/** Bytes of one request: 100 messages of 300 Chinese characters with names and ids fit twice. */
const BODY_BYTES_MAX = 256_000;

const postMessages = createRoute({
  method: "post",
  path: "/v1/rooms/{room}/messages",
  summary: "Post one bullet comment, or up to 100",
  description:
    "Answers 202 when every message that is not dropped is durable in the room, with what became of each, and how many turns " +
    "wait. Sending the same id again is safe. " +
    "A viewer's `id` never enters the room: frames and records have a pseudonym in its place, the same for the same id. " +
    "With `Accept: text/event-stream` and a single message, streams its turn instead: `turn-start`, `sentence`, `turn-end`.",
  tags: ["messages"],
  security: BEARER,
  middleware: [allow("room"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: roomParams, body: jsonBody(postMessagesBodySchema) },
  responses: {
    200: {
      description: "The turn of the one message, streamed",
      content: { "text/event-stream": { schema: z.string() } },
    },
    202: jsonAnswer(postMessagesAnswerSchema, "Every message is in the room's log"),
    ...errorAnswers(
      "invalid_request",
      "invalid_json",
      "unsupported_media_type",
      "body_too_large",
      "batch_too_large",
      "room_not_found",
    ),
  },
});

const postHostSpeech = createRoute({
  method: "post",
  path: "/v1/rooms/{room}/host-speech",
  summary: "Post what a host said aloud, as recognised",
  tags: ["messages"],
  security: BEARER,
  middleware: [allow("room"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: roomParams, body: jsonBody(hostSpeechSchema) },
  responses: {
    202: jsonAnswer(frameSeqSchema, "The line is in the room's log"),
    ...errorAnswers("invalid_request", "invalid_json", "body_too_large", "room_not_found"),
  },
});

export const messageRoutes = createRouter()
  .openapi(postMessages, async (c) => {
    const { room } = c.req.valid("param");
    const body = c.req.valid("json");
    const sent = "messages" in body ? body.messages : [body];
    const messages = await hideViewers(sent, readSettings(c.env).viewerSecret);
    const posted = await c.env.LIVE_ROOM.getByName(room).post(messages);
    if (!posted.ok) throw new AppError(posted.error, REFUSALS[posted.error], { details: { room } });
    const { results, backlog } = posted.value;
    const [first] = results;
    if (first !== undefined && messages.length === 1 && wantsEvents(c.req.header("accept"))) {
      return first.turn === null ? droppedEvent(messages, first) : streamTurn(c, room, first);
    }
    return c.json({ results, backlog }, 202);
  })
  .openapi(postHostSpeech, async (c) => {
    const { room } = c.req.valid("param");
    const heard = await c.env.LIVE_ROOM.getByName(room).hear(c.req.valid("json"));
    if (!heard.ok) throw new AppError(heard.error, REFUSALS[heard.error]);
    return c.json(heard.value, 202);
  });

/** A message that opens no turn: one event that says why, in the form of the room's own frame. */
function droppedEvent(messages: readonly ViewerMessage[], { seq, reason }: Disposition): Response {
  const frame = {
    type: "dropped",
    seq,
    atMs: systemClock.nowMs(),
    messages: messages.map((message) => ({ message, reason })),
  };
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store, no-transform" };
  return new Response(`event: dropped\ndata: ${JSON.stringify(frame)}\n\n`, { status: 200, headers });
}

function wantsEvents(accept: string | undefined): boolean {
  return accept?.includes("text/event-stream") ?? false;
}
