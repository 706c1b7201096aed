/** Recorded turns run again, on another harness version. */
import { createRoute } from "@hono/zod-openapi";
import { replayBodySchema, turnReplaySchema } from "../../../shared/contract/replay.ts";
import type { ReplayRequest, ReplayedTurn } from "../../../shared/contract/replay.ts";
import { allow } from "../authenticate.ts";
import { BEARER, createRouter, errorAnswers, jsonAnswer, jsonBody, turnParams } from "../openapi.ts";
import { prepareReplay } from "../prepare-replay.ts";
import { readJsonBody } from "../read-json-body.ts";

const BODY_BYTES_MAX = 4_000;

/** What the edge needs of the runners: an entrypoint of the same Worker, reached without a configured binding. */
type Runners = { readonly TurnRunner: { replay(request: ReplayRequest): Promise<ReplayedTurn> } };

const replay = createRoute({
  method: "post",
  path: "/v1/rooms/{room}/turns/{turn}/replay",
  summary: "Run a recorded turn again, on another version",
  description:
    "Nobody hears it, and nothing is written: the room, its log and its records stay as they are. With nothing named, on the " +
    "version that the room would get now. Messages, live prices, screen and time are those of then; the configuration is the " +
    "room's newest, and `configRevision` says whether that is another one. Http tools answer from the record, unless `onTools` " +
    "is `live`. The call goes to the room's endpoints, after all turns.",
  tags: ["rooms"],
  security: BEARER,
  middleware: [allow("operator"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: turnParams, body: jsonBody(replayBodySchema) },
  responses: {
    200: jsonAnswer(turnReplaySchema, "The turn as it was, and as it would be"),
    ...errorAnswers(
      "invalid_request",
      "invalid_json",
      "body_too_large",
      "room_not_found",
      "turn_not_found",
      "harness_not_found",
      "harness_channel_not_found",
      "harness_revoked",
      "harness_invalid",
      "harness_corrupt",
      "harness_unsigned",
      "harness_signature_invalid",
      "registry_unavailable",
    ),
  },
});

export const replayRoutes = createRouter().openapi(replay, async (c) => {
  const { room, turn } = c.req.valid("param");
  const request = await prepareReplay(c.env, { room, turn }, c.req.valid("json"));
  // The generated type of `exports` knows this Worker's whole module graph, which the edge must not depend on.
  const { TurnRunner } = c.executionCtx.exports as unknown as Runners;
  const replayed: ReplayedTurn = await TurnRunner.replay(request);
  const { record, setup } = request;
  const configRevision = { recorded: record.trace?.configRevision ?? record.configRevision, now: setup.revision };
  return c.json({ room, turn, configRevision, recorded: record, replayed }, 200);
});
