/** What stands beside channels: canaries, pins, freezes, revoked versions, and the gate. */
import { createRoute, z } from "@hono/zod-openapi";
import {
  endCanary,
  freeze,
  judgeVersion,
  pinVersion,
  revokeVersion,
  setCanary,
  unfreeze,
  unpin,
} from "../../../harness-kv/change-release.ts";
import { missingConditions, requireServable } from "../../../harness-kv/release-rules.ts";
import { RELEASED_CHANNEL } from "../../../harness-kv/resolve-harness.ts";
import { harnessVersionSchema, merchantScopeSchema, roomIdSchema } from "../../../shared/contract/ids.ts";
import {
  canaryBodySchema,
  freezeBodySchema,
  gateConditionSchema,
  gateResultBodySchema,
  gateSchema,
  pinBodySchema,
  pinListSchema,
  pinScopeSchema,
  releaseChangedSchema,
  releasesSchema,
  revokeBodySchema,
} from "../../../shared/contract/release.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { loadHarness } from "../../platform/harness-loader.ts";
import { listPins, listReleases, type PinCursor } from "../../platform/registry-lists.ts";
import { registryOf, releasesOf } from "../../platform/registry.ts";
import { actorOf, allowForAll, registryReaders } from "../authenticate.ts";
import {
  BEARER,
  BODY_ERRORS,
  LOAD_ERRORS,
  createRouter,
  errorAnswers,
  harnessParams,
  jsonAnswer,
  jsonBody,
  pageQuery,
} from "../openapi.ts";
import { readJsonBody } from "../read-json-body.ts";
import { changeRelease } from "../change-release.ts";

const BODY_BYTES_MAX = 64_000;

const versionParams = harnessParams.extend({ version: harnessVersionSchema });
const gateParams = versionParams.extend({ condition: gateConditionSchema });
const pinParams = harnessParams.extend({ scope: pinScopeSchema, id: z.string().regex(/^[\w.-]{1,64}$/) });
const scopeQuery = z.object({ merchant: merchantScopeSchema.default("*") });

const tags = ["releases"];
const security = BEARER;
const NAMED_ERRORS = ["invalid_request", "harness_not_found", "registry_unavailable"] as const;
const VERSION_ERRORS = [...NAMED_ERRORS, ...BODY_ERRORS, ...LOAD_ERRORS] as const;
const changed = (description: string) => jsonAnswer(releaseChangedSchema, description);

const list = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/releases",
  summary: "Read a harness's channels, canaries and freezes",
  tags,
  security,
  middleware: [registryReaders] as const,
  request: { params: harnessParams },
  responses: {
    200: jsonAnswer(releasesSchema, "All that decides what rooms run, but for pins"),
    ...errorAnswers("invalid_request", "registry_unavailable"),
  },
});

const putCanary = createRoute({
  method: "put",
  path: "/v1/harnesses/{name}/canary",
  summary: "Give a version to a share of production's rooms, or to rooms by name",
  description:
    "Sticky: a room stays where it is, and a larger share of the same version only adds rooms. A canary of all merchants (`*`) " +
    "takes its share of the rooms that follow the common channel.",
  tags,
  security,
  middleware: [allowForAll("operator"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: harnessParams, body: jsonBody(canaryBodySchema) },
  responses: {
    200: changed("The canary is set, and rooms were told"),
    ...errorAnswers(
      ...VERSION_ERRORS,
      "harness_frozen",
      "harness_gate_closed",
      "harness_unapproved",
      "harness_channel_not_found",
    ),
  },
});

const deleteCanary = createRoute({
  method: "delete",
  path: "/v1/harnesses/{name}/canary",
  summary: "End a canary",
  description: "Its rooms go back to what their channel serves. Allowed while the harness is frozen.",
  tags,
  security,
  middleware: [allowForAll("operator")] as const,
  request: { params: harnessParams, query: scopeQuery },
  responses: { 200: changed("There is no canary any more"), ...errorAnswers(...NAMED_ERRORS, "release_not_found") },
});

const getPins = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/pins",
  summary: "List rooms and merchants that are pinned to a version",
  tags,
  security,
  middleware: [registryReaders] as const,
  request: { params: harnessParams, query: pageQuery },
  responses: {
    200: jsonAnswer(pinListSchema, "A page of pins, by scope and id"),
    ...errorAnswers("invalid_request", "registry_unavailable"),
  },
});

const putPin = createRoute({
  method: "put",
  path: "/v1/harnesses/{name}/pins/{scope}/{id}",
  summary: "Pin a room or a merchant to a version",
  description: "For a merchant it is a release: refused while frozen, and where the gate is on and not open.",
  tags,
  security,
  middleware: [allowForAll("operator"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: pinParams, body: jsonBody(pinBodySchema) },
  responses: {
    200: changed("It is pinned, and its rooms were told"),
    ...errorAnswers(...VERSION_ERRORS, "harness_frozen", "harness_gate_closed", "harness_unapproved"),
  },
});

const deletePin = createRoute({
  method: "delete",
  path: "/v1/harnesses/{name}/pins/{scope}/{id}",
  summary: "Let a pinned room or merchant follow its channel again",
  tags,
  security,
  middleware: [allowForAll("operator")] as const,
  request: { params: pinParams },
  responses: { 200: changed("It is not pinned any more"), ...errorAnswers(...NAMED_ERRORS, "release_not_found") },
});

const putFreeze = createRoute({
  method: "put",
  path: "/v1/harnesses/{name}/freeze",
  summary: "Stop releases of a harness, for all merchants or for one merchant's own channels",
  tags,
  security,
  middleware: [allowForAll("operator", "governor"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: harnessParams, body: jsonBody(freezeBodySchema) },
  responses: {
    204: { description: "It is frozen" },
    ...errorAnswers(...NAMED_ERRORS, ...BODY_ERRORS, "harness_frozen"),
  },
});

const deleteFreeze = createRoute({
  method: "delete",
  path: "/v1/harnesses/{name}/freeze",
  summary: "Allow releases again",
  description: "Only who froze it, or a governor, may.",
  tags,
  security,
  middleware: [allowForAll("operator", "governor")] as const,
  request: { params: harnessParams, query: scopeQuery },
  responses: {
    204: { description: "It is not frozen any more" },
    ...errorAnswers(...NAMED_ERRORS, "release_not_found"),
  },
});

const revoke = createRoute({
  method: "post",
  path: "/v1/harnesses/{name}/versions/{version}/revoke",
  summary: "Take a version out of service for good",
  description:
    "It leaves pins and canaries; channels go back to what they served before. Rooms that are configured with this one version " +
    "keep it until they are configured anew.",
  tags,
  security,
  middleware: [allowForAll("operator"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: versionParams, body: jsonBody(revokeBodySchema) },
  responses: {
    200: changed("The version is revoked, and rooms were told"),
    ...errorAnswers(...NAMED_ERRORS, ...BODY_ERRORS, "harness_revoked"),
  },
});

const getGate = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/versions/{version}/gate",
  summary: "Read which conditions of the gate hold for a version",
  tags,
  security,
  middleware: [registryReaders] as const,
  request: { params: versionParams },
  responses: { 200: jsonAnswer(gateSchema, "The gate"), ...errorAnswers(...NAMED_ERRORS, "harness_revoked") },
});

const putGate = createRoute({
  method: "put",
  path: "/v1/harnesses/{name}/versions/{version}/gate/{condition}",
  summary: "Write what an evaluation said of one condition",
  description: "For governors: who pushes a version does not judge it.",
  tags,
  security,
  middleware: [allowForAll("governor"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: gateParams, body: jsonBody(gateResultBodySchema) },
  responses: {
    200: jsonAnswer(gateSchema, "The gate"),
    ...errorAnswers(...NAMED_ERRORS, ...BODY_ERRORS, "harness_revoked"),
  },
});

export const releaseRoutes = createRouter()
  .openapi(list, async (c) => c.json(await listReleases(c.env, c.req.valid("param").name), 200))
  .openapi(putCanary, async (c) => {
    const { name } = c.req.valid("param");
    const { share, ...canary } = c.req.valid("json");
    await loadHarness(c.env, canary.version);
    const change = { name, ...canary, sharePermille: Math.round(share * 10), salt: crypto.randomUUID() };
    const { rooms } = await changeRelease(c, ofProduction(name), () =>
      setCanary(releasesOf(c.env), change, actorOf(c, "operator")),
    );
    return c.json({ name, rooms }, 200);
  })
  .openapi(deleteCanary, async (c) => {
    const { name } = c.req.valid("param");
    const scope = { name, ...c.req.valid("query") };
    const { rooms } = await changeRelease(c, ofProduction(name), () =>
      endCanary(releasesOf(c.env), scope, actorOf(c, "operator")),
    );
    return c.json({ name, rooms }, 200);
  })
  .openapi(getPins, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const after = cursor === undefined ? null : readCursor(cursor);
    const pins = await listPins(c.env, c.req.valid("param").name, { limit, after });
    const last = pins.length === limit ? pins.at(-1) : undefined;
    return c.json({ pins, nextCursor: last === undefined ? null : `${last.scope}:${last.id}` }, 200);
  })
  .openapi(putPin, async (c) => {
    const { name, scope, id } = c.req.valid("param");
    const { version, note } = c.req.valid("json");
    if (scope === "room") requireRoomId(id);
    await loadHarness(c.env, version);
    const pin = { name, scope, id, version, note };
    const { rooms } = await changeRelease(c, { name, [scope]: id }, () =>
      pinVersion(releasesOf(c.env), pin, actorOf(c, "operator")),
    );
    return c.json({ name, rooms }, 200);
  })
  .openapi(deletePin, async (c) => {
    const { name, scope, id } = c.req.valid("param");
    const { rooms } = await changeRelease(c, { name, [scope]: id }, () =>
      unpin(releasesOf(c.env), { name, scope, id }, actorOf(c, "operator")),
    );
    return c.json({ name, rooms }, 200);
  })
  .openapi(putFreeze, async (c) => {
    const { name } = c.req.valid("param");
    await freeze(releasesOf(c.env), { name, ...c.req.valid("json") }, actorOf(c, "governor", "operator"));
    return c.body(null, 204);
  })
  .openapi(deleteFreeze, async (c) => {
    const { name } = c.req.valid("param");
    await unfreeze(releasesOf(c.env), { name, ...c.req.valid("query") }, actorOf(c, "governor", "operator"));
    return c.body(null, 204);
  })
  .openapi(revoke, async (c) => {
    const { name, version } = c.req.valid("param");
    const change = { name, version, ...c.req.valid("json") };
    const { rooms } = await changeRelease(c, { name }, () =>
      revokeVersion(releasesOf(c.env), change, actorOf(c, "operator")),
    );
    return c.json({ name, rooms }, 200);
  })
  .openapi(getGate, async (c) => c.json(await readGate(c.env, c.req.valid("param")), 200))
  .openapi(putGate, async (c) => {
    const { name, version, condition } = c.req.valid("param");
    const change = { name, version, condition, ...c.req.valid("json") };
    await judgeVersion(releasesOf(c.env), change, actorOf(c, "governor"));
    return c.json(await readGate(c.env, { name, version }), 200);
  });

type Params = z.infer<typeof versionParams>;

async function readGate(env: Env, { name, version }: Pick<Params, "name" | "version">) {
  const { tables } = registryOf(env);
  await requireServable(tables, { name, version });
  const results = [...(await tables.gateResults(version))];
  return { name, version, isOpen: missingConditions(results).length === 0, results };
}

/** Whatever its merchant: a canary may name rooms of any. */
function ofProduction(name: string) {
  return { name, channel: RELEASED_CHANNEL };
}

function requireRoomId(id: string): void {
  if (!roomIdSchema.safeParse(id).success) throw new AppError("invalid_request", "This is no room's id");
}

function readCursor(cursor: string): PinCursor {
  const [, scope, id] = /^(room|merchant):([\w.-]{1,64})$/.exec(cursor) ?? [];
  const parsed = pinScopeSchema.safeParse(scope);
  if (!parsed.success || id === undefined) throw new AppError("invalid_request", "The cursor is not one of ours");
  return { scope: parsed.data, id };
}
