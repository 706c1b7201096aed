/** Harness versions and channels. */
import { createRoute, z } from "@hono/zod-openapi";
import { checkForPush } from "../../../harness-kv/check-for-push.ts";
import { moveChannel, rollBackChannel } from "../../../harness-kv/move-channel.ts";
import { pushHarness } from "../../../harness-kv/push-harness.ts";
import type { VersionCursor } from "../../../harness-kv/registry-store.ts";
import { loadBundle, resolveVersion } from "../../../harness-kv/resolve-harness.ts";
import { BUNDLE_BYTES_MAX } from "../../../shared/contract/harness-bundle.ts";
import {
  channelMovedSchema,
  channelSchema,
  moveChannelBodySchema,
  versionListSchema,
  versionPushedSchema,
  versionSchema,
} from "../../../shared/contract/http-api.ts";
import { harnessVersionSchema, merchantScopeSchema } from "../../../shared/contract/ids.ts";
import { pushBodySchema, rollBackBodySchema } from "../../../shared/contract/release.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { requireHookCode } from "../../platform/hook-code.ts";
import { loadHarness } from "../../platform/harness-loader.ts";
import { listVersions } from "../../platform/registry-lists.ts";
import { registryOf, releasesOf } from "../../platform/registry.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { actorOf, allowForAll, registryReaders } from "../authenticate.ts";
import {
  BEARER,
  LOAD_ERRORS,
  channelParams,
  createRouter,
  errorAnswers,
  harnessParams,
  jsonAnswer,
  jsonBody,
  pageQuery,
} from "../openapi.ts";
import { readJsonBody } from "../read-json-body.ts";
import { changeRelease } from "../change-release.ts";

/** Bytes around a bundle: notes, evidence, signature. */
const ENVELOPE_BYTES_MAX = 100_000;
const MOVE_BYTES_MAX = 4_000;

const push = createRoute({
  method: "post",
  path: "/v1/harnesses",
  summary: "Push a harness version",
  description:
    "Adds an immutable version, named by its content. No room uses it until a channel is moved to it. The body is a bundle, or " +
    "a bundle with its parent, notes, evidence and signature.",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [allowForAll("operator"), readJsonBody(BUNDLE_BYTES_MAX + ENVELOPE_BYTES_MAX)] as const,
  request: { body: jsonBody(pushBodySchema) },
  responses: {
    201: jsonAnswer(versionPushedSchema, "The version is in the registry"),
    ...errorAnswers(
      "invalid_request",
      "invalid_json",
      "body_too_large",
      "harness_invalid",
      "harness_too_large",
      "harness_not_found",
      "harness_unsigned",
      "harness_signature_invalid",
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
  middleware: [registryReaders] as const,
  request: { params: harnessParams, query: pageQuery },
  responses: {
    200: jsonAnswer(versionListSchema, "A page of versions"),
    ...errorAnswers("invalid_request", "registry_unavailable"),
  },
});

const merchantQuery = z.object({ merchant: merchantScopeSchema.default("*") });

const getVersion = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/versions/{version}",
  summary: "Read a version whole",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [registryReaders] as const,
  request: { params: harnessParams.extend({ version: harnessVersionSchema }) },
  responses: {
    200: jsonAnswer(versionSchema, "The version, as it was pushed"),
    ...errorAnswers("invalid_request", "harness_not_found", "harness_corrupt", "registry_unavailable"),
  },
});

const getChannel = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/channels/{channel}",
  summary: "Read which version a channel serves",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [registryReaders] as const,
  request: { params: channelParams, query: merchantQuery },
  responses: {
    200: jsonAnswer(channelSchema, "The version; pins and canary apart"),
    ...errorAnswers("invalid_request", "harness_channel_not_found", "harness_revoked", "registry_unavailable"),
  },
});

/** What a release may meet, whatever it is. */
const RELEASE_ERRORS = [
  "invalid_request",
  "invalid_json",
  "harness_not_found",
  ...LOAD_ERRORS,
  "channel_moved",
  "registry_unavailable",
] as const;

const move = createRoute({
  method: "put",
  path: "/v1/harnesses/{name}/channels/{channel}",
  summary: "Move a channel to a version",
  description:
    "Compare-and-swap: refused when the channel does not serve `expected`. For one `merchant` it makes or moves a channel of " +
    "its own. A move of `production` ends a canary of the same version.",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [allowForAll("operator"), readJsonBody(MOVE_BYTES_MAX)] as const,
  request: { params: channelParams, body: jsonBody(moveChannelBodySchema) },
  responses: {
    200: jsonAnswer(channelMovedSchema, "The channel serves the version, and its rooms were told"),
    ...errorAnswers(...RELEASE_ERRORS, "harness_frozen", "harness_gate_closed", "harness_unapproved"),
  },
});

const rollBack = createRoute({
  method: "post",
  path: "/v1/harnesses/{name}/channels/{channel}/rollback",
  summary: "Move a channel back to what it served before",
  description: "Allowed while the harness is frozen. Done twice, it goes forward again.",
  tags: ["harnesses"],
  security: BEARER,
  middleware: [allowForAll("operator"), readJsonBody(MOVE_BYTES_MAX)] as const,
  request: { params: channelParams, body: jsonBody(rollBackBodySchema) },
  responses: {
    200: jsonAnswer(channelMovedSchema, "The channel serves what it served before, and its rooms were told"),
    ...errorAnswers(...RELEASE_ERRORS, "harness_channel_not_found", "harness_no_previous"),
  },
});

export const harnessRoutes = createRouter()
  .openapi(push, async (c) => {
    const body = c.req.valid("json");
    const sent = body.schema === "kaibo.push/1" ? body : { bundle: body };
    const { hooks } = sent.bundle;
    await requireHookCode(c.env.LOADER, `push-${await sha256Hex(JSON.stringify(hooks))}`, hooks);
    const pushed = await pushHarness({ ...releasesOf(c.env), check: checkForPush }, sent, actorOf(c, "operator"));
    if (!pushed.ok) {
      const problems = pushed.error.problems
        .map(({ code, file, message }) => `${file}: ${message} (${code})`)
        .join("; ");
      throw new AppError(pushed.error.code, "The harness was refused; nothing was added", { details: { problems } });
    }
    return c.json({ ...pushed.value, problems: pushed.value.problems.map((problem) => ({ ...problem })) }, 201);
  })
  .openapi(list, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { name } = c.req.valid("param");
    const after = cursor === undefined ? null : readCursor(cursor);
    const versions = await listVersions(c.env, name, { limit, after });
    const last = versions.length === limit ? versions.at(-1) : undefined;
    const nextCursor = last === undefined ? null : `${last.createdAtMs}.${last.version}`;
    return c.json(versionListSchema.parse({ versions, nextCursor }), 200);
  })
  .openapi(getVersion, async (c) => {
    const { name, version } = c.req.valid("param");
    const registry = registryOf(c.env);
    await resolveVersion(registry, { name, version });
    return c.json({ name, version, bundle: await loadBundle(registry, version) }, 200);
  })
  .openapi(getChannel, async (c) => {
    const { name, channel } = c.req.valid("param");
    const { merchant } = c.req.valid("query");
    const version = await resolveVersion(registryOf(c.env), { name, channel, merchant });
    return c.json({ name, channel, version }, 200);
  })
  .openapi(move, async (c) => {
    const { name, channel } = c.req.valid("param");
    const { version, expected, merchant } = c.req.valid("json");
    // What cannot run must not serve: the version is compiled before any pointer moves to it; its code was loaded at push.
    await loadHarness(c.env, version);
    const change = { name, channel, merchant, expected, to: version };
    const { value, rooms } = await changeRelease(c, { name, channel, merchant }, () =>
      moveChannel(releasesOf(c.env), change, actorOf(c, "operator")),
    );
    return c.json({ name, channel, version: value.to, previous: value.from, rooms }, 200);
  })
  .openapi(rollBack, async (c) => {
    const { name, channel } = c.req.valid("param");
    const { merchant, expected } = c.req.valid("json");
    const change = { name, channel, merchant, expected };
    const { value, rooms } = await changeRelease(c, { name, channel, merchant }, () =>
      rollBackChannel(releasesOf(c.env), change, actorOf(c, "operator")),
    );
    return c.json({ name, channel, version: value.to, previous: value.from, rooms }, 200);
  });

function readCursor(cursor: string): VersionCursor {
  const [time, version] = cursor.split(".");
  const parsed = harnessVersionSchema.safeParse(version);
  if (!/^\d{1,15}$/.test(time ?? "") || !parsed.success)
    throw new AppError("invalid_request", "The cursor is not one of ours");
  return { createdAtMs: Number(time), version: parsed.data };
}
