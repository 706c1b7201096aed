/** Harness versions and channels. */
import { createRoute } from "@hono/zod-openapi";
import { moveChannel } from "../../../harness-kv/move-channel.ts";
import { pushHarness } from "../../../harness-kv/push-harness.ts";
import { resolveVersion } from "../../../harness-kv/resolve-harness.ts";
import type { VersionCursor } from "../../../harness-kv/registry-store.ts";
import { BUNDLE_BYTES_MAX, harnessBundleSchema } from "../../../shared/contract/harness-bundle.ts";
import {
  channelMovedSchema,
  channelSchema,
  moveChannelBodySchema,
  versionListSchema,
  versionPushedSchema,
} from "../../../shared/contract/http-api.ts";
import { harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { checkForPush } from "../../../harness-kv/check-for-push.ts";
import { requireHookCode } from "../../platform/hook-code.ts";
import { loadHarness } from "../../platform/harness-loader.ts";
import { registryOf } from "../../platform/registry.ts";
import { roomsOnChannel } from "../../platform/room-directory.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { systemClock } from "../../platform/system-clock.ts";
import { allowForAll } from "../authenticate.ts";
import { adoptChannel, type ChannelRef } from "../configure-room.ts";
import {
  BEARER,
  channelParams,
  createRouter,
  errorAnswers,
  harnessParams,
  jsonAnswer,
  jsonBody,
  pageQuery,
} from "../openapi.ts";
import { readJsonBody } from "../read-json-body.ts";

/** Rooms that are told of a moved channel at once. The platform queues more than six connections that wait for an answer. */
const ROOMS_AT_ONCE = 6;

const MOVE_BYTES_MAX = 4_000;

const push = createRoute({
  method: "post",
  path: "/v1/harnesses",
  summary: "Push a harness version",
  description: "Adds an immutable version, named by its content. No room uses it until a channel is moved to it.",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [allowForAll("operator"), readJsonBody(BUNDLE_BYTES_MAX)] as const,
  request: { body: jsonBody(harnessBundleSchema) },
  responses: {
    201: jsonAnswer(versionPushedSchema, "The version is in the registry"),
    ...errorAnswers(
      "invalid_request",
      "invalid_json",
      "body_too_large",
      "harness_invalid",
      "harness_too_large",
      "registry_unavailable",
    ),
  },
});

const list = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/versions",
  summary: "List a harness's versions, newest first",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [allowForAll("operator", "analyst")] as const,
  request: { params: harnessParams, query: pageQuery },
  responses: {
    200: jsonAnswer(versionListSchema, "A page of versions"),
    ...errorAnswers("invalid_request", "registry_unavailable"),
  },
});

const getChannel = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/channels/{channel}",
  summary: "Read which version a channel serves",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [allowForAll("operator", "analyst")] as const,
  request: { params: channelParams },
  responses: {
    200: jsonAnswer(channelSchema, "The version"),
    ...errorAnswers("invalid_request", "harness_channel_not_found", "registry_unavailable"),
  },
});

const move = createRoute({
  method: "put",
  path: "/v1/harnesses/{name}/channels/{channel}",
  summary: "Move a channel to a version",
  description: "Compare-and-swap: refused when the channel does not serve `expected`. Moving it back is the roll-back.",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [allowForAll("operator"), readJsonBody(MOVE_BYTES_MAX)] as const,
  request: { params: channelParams, body: jsonBody(moveChannelBodySchema) },
  responses: {
    200: jsonAnswer(channelMovedSchema, "The channel serves the version, and its rooms were told"),
    ...errorAnswers("invalid_request", "invalid_json", "harness_not_found", "channel_moved", "registry_unavailable"),
  },
});

export const harnessRoutes = createRouter()
  .openapi(push, async (c) => {
    const bundle = c.req.valid("json");
    await requireHookCode(c.env.LOADER, `push-${await sha256Hex(JSON.stringify(bundle.hooks))}`, bundle.hooks);
    const deps = { ...registryOf(c.env), clock: systemClock, check: checkForPush };
    const pushed = await pushHarness(deps, bundle, c.get("claims").sub);
    if (!pushed.ok) {
      const problems = pushed.error.problems.map(({ file, message }) => `${file}: ${message}`).join("; ");
      throw new AppError(pushed.error.code, "The harness was refused; nothing was added", { details: { problems } });
    }
    return c.json({ ...pushed.value, problems: pushed.value.problems.map((problem) => ({ ...problem })) }, 201);
  })
  .openapi(list, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { name } = c.req.valid("param");
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const versions = await registryOf(c.env).versions.listVersions(name, {
      limit,
      ...(after !== undefined && { after }),
    });
    const last = versions.length === limit ? versions.at(-1) : undefined;
    return c.json(
      { versions: [...versions], nextCursor: last === undefined ? null : `${last.createdAtMs}.${last.version}` },
      200,
    );
  })
  .openapi(getChannel, async (c) => {
    const { name, channel } = c.req.valid("param");
    return c.json({ name, channel, version: await resolveVersion(registryOf(c.env), { name, channel }) }, 200);
  })
  .openapi(move, async (c) => {
    const { name, channel } = c.req.valid("param");
    const { version, expected } = c.req.valid("json");
    // What cannot run must not serve: the version is compiled before any pointer moves to it; its code was loaded at push.
    await loadHarness(c.env, version);
    const deps = { ...registryOf(c.env), clock: systemClock };
    const { from } = await moveChannel(deps, { name, channel, expected, to: version, movedBy: c.get("claims").sub });
    const telling = tellRooms(c.env, { name, channel });
    // An operator who leaves does not leave half of the rooms untold.
    c.executionCtx.waitUntil(telling);
    return c.json({ name, channel, version, previous: from, rooms: await telling }, 200);
  });

/** Tells every room of the channel. One that fails keeps its version and is counted: it can be told again by moving once more. */
async function tellRooms(env: Env, served: ChannelRef) {
  let updated = 0;
  let failed = 0;
  let after = "";
  for (;;) {
    const rooms = await roomsOnChannel(env, served, { limit: ROOMS_AT_ONCE, after });
    const told = await Promise.allSettled(rooms.map((room) => adoptChannel(env, room, served)));
    updated += told.filter(({ status }) => status === "fulfilled").length;
    failed += told.filter(({ status }) => status === "rejected").length;
    const last = rooms.at(-1);
    if (last === undefined || rooms.length < ROOMS_AT_ONCE) return { updated, failed };
    after = last;
  }
}

function readCursor(cursor: string): VersionCursor {
  const [time, version] = cursor.split(".");
  const parsed = harnessVersionSchema.safeParse(version);
  if (!/^\d{1,15}$/.test(time ?? "") || !parsed.success)
    throw new AppError("invalid_request", "The cursor is not one of ours");
  return { createdAtMs: Number(time), version: parsed.data };
}
