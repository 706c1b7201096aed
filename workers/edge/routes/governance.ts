/** What governors own of a harness's releases: how far a canary may fall behind, and the backup. */
import { createRoute } from "@hono/zod-openapi";
import { setBackup, setCanaryLimits } from "../../../harness-kv/change-release.ts";
import { canaryLimitsSchema } from "../../../shared/contract/canary-limits.ts";
import { backupBodySchema, backupSchema, canaryReportSchema } from "../../../shared/contract/release.ts";
import { loadHarness } from "../../platform/harness-loader.ts";
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
} from "../openapi.ts";
import { readJsonBody } from "../read-json-body.ts";

const BODY_BYTES_MAX = 16_000;

const tags = ["releases"];
const security = BEARER;
const STORE_ERRORS = ["invalid_request", "registry_unavailable"] as const;

const getCanary = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/canary",
  summary: "Read how a harness's canaries do against production, and which were rolled back",
  tags,
  security,
  middleware: [registryReaders] as const,
  request: { params: harnessParams },
  responses: { 200: jsonAnswer(canaryReportSchema, "What the watch knows"), ...errorAnswers(...STORE_ERRORS) },
});

const putLimits = createRoute({
  method: "put",
  path: "/v1/harnesses/{name}/canary-limits",
  summary: "Set how far a canary may fall behind before it is rolled back",
  description: "What is left out has its default. Counts from the next turn, for canaries that run as well.",
  tags,
  security,
  middleware: [allowForAll("governor"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: harnessParams, body: jsonBody(canaryLimitsSchema) },
  responses: {
    200: jsonAnswer(canaryLimitsSchema, "The limits"),
    ...errorAnswers(...BODY_ERRORS, "registry_unavailable"),
  },
});

const getBackup = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/backup",
  summary: "Read which version rooms get when the one that they should run is damaged",
  tags,
  security,
  middleware: [registryReaders] as const,
  request: { params: harnessParams },
  responses: { 200: jsonAnswer(backupSchema, "The backup; null for none"), ...errorAnswers(...STORE_ERRORS) },
});

const putBackup = createRoute({
  method: "put",
  path: "/v1/harnesses/{name}/backup",
  summary: "Set the version that rooms get when the one that they should run is damaged",
  tags,
  security,
  middleware: [allowForAll("governor"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: harnessParams, body: jsonBody(backupBodySchema) },
  responses: {
    200: jsonAnswer(backupSchema, "The backup"),
    ...errorAnswers(...BODY_ERRORS, "registry_unavailable", "harness_not_found", ...LOAD_ERRORS),
  },
});

const deleteBackup = createRoute({
  method: "delete",
  path: "/v1/harnesses/{name}/backup",
  summary: "Have no backup",
  tags,
  security,
  middleware: [allowForAll("governor")] as const,
  request: { params: harnessParams },
  responses: { 200: jsonAnswer(backupSchema, "There is none"), ...errorAnswers(...STORE_ERRORS) },
});

export const governanceRoutes = createRouter()
  .openapi(getCanary, async (c) => {
    const { name } = c.req.valid("param");
    return c.json(await c.env.HARNESS_ROLLOUT.getByName(name).report(), 200);
  })
  .openapi(putLimits, async (c) => {
    const { name } = c.req.valid("param");
    const limits = c.req.valid("json");
    await setCanaryLimits(releasesOf(c.env), { name, limits }, actorOf(c, "governor"));
    await c.env.HARNESS_ROLLOUT.getByName(name).refresh();
    return c.json(limits, 200);
  })
  .openapi(getBackup, async (c) => {
    const { name } = c.req.valid("param");
    return c.json({ name, version: await registryOf(c.env).tables.backup(name) }, 200);
  })
  .openapi(putBackup, async (c) => {
    const { name } = c.req.valid("param");
    const { version } = c.req.valid("json");
    await loadHarness(c.env, version);
    await setBackup(releasesOf(c.env), { name, version }, actorOf(c, "governor"));
    return c.json({ name, version }, 200);
  })
  .openapi(deleteBackup, async (c) => {
    const { name } = c.req.valid("param");
    await setBackup(releasesOf(c.env), { name, version: null }, actorOf(c, "governor"));
    return c.json({ name, version: null }, 200);
  });
