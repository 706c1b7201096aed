/** A room's voice: what its host says, spoken. */
import { createRoute } from "@hono/zod-openapi";
import { VOICE_PROTOCOL } from "../../../shared/contract/voice-frame.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { readSettings } from "../../platform/settings.ts";
import { openVoice } from "../../voice/voice-stream.ts";
import { allow } from "../authenticate.ts";
import { BEARER, createRouter, errorAnswers, roomParams } from "../openapi.ts";
import { openRoomSocket } from "../room-stream.ts";
import { REFUSALS } from "../refusals.ts";

const voice = createRoute({
  method: "get",
  path: "/v1/rooms/{room}/voice",
  summary: "Hear a room: the audio of what its host says, over WebSocket",
  description:
    "Texts are `hello`, `speech-start`, `speech-end`, `speech-cancel` and `speech-failed`; binary messages between a start and " +
    "its end are 24 kHz 16-bit mono PCM. Send `{type: spoken, turn, seq}` when a sentence was played to its end: the room then " +
    "keeps time with what is heard. The token goes in the header, or as the subprotocol `kaibo.token.<jwt>` beside " +
    "`kaibo.voice.v1`.",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("room")] as const,
  request: { params: roomParams },
  responses: {
    101: { description: `WebSocket, protocol ${VOICE_PROTOCOL}` },
    ...errorAnswers("room_not_found", "upgrade_required", "room_stream_full", "speech_not_configured"),
  },
});

export const voiceRoutes = createRouter().openapi(voice, async (c) => {
  const { room } = c.req.valid("param");
  const server = readSettings(c.env).speech;
  if (server === null) throw new AppError("speech_not_configured", "No speech server is set: SPEECH_BASE_URL");
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
    throw new AppError("upgrade_required", "Connect with a WebSocket");
  }
  const setup = await c.env.LIVE_ROOM.getByName(room).setup();
  if (!setup.ok) throw new AppError(setup.error, REFUSALS[setup.error]);
  const { webSocket: frames } = await openRoomSocket(c, room, { after: null, follow: "speech", speaks: true });
  if (frames === null) throw new AppError("internal", REFUSALS.internal);
  const offersOurs = c.req
    .header("sec-websocket-protocol")
    ?.split(",")
    .some((name) => name.trim() === VOICE_PROTOCOL);
  return new Response(null, {
    status: 101,
    webSocket: openVoice({ room, frames, server, voice: setup.value.config.voice }),
    // A client that offers none must get none back (RFC 6455, 4.1).
    ...(offersOurs === true && { headers: { "sec-websocket-protocol": VOICE_PROTOCOL } }),
  });
});
