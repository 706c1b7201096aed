/** Inference endpoints: their configuration, what was seen of their servers, and how they do. */
import { createRoute, z } from "@hono/zod-openapi";
import { endpointConfigSchema, endpointNameSchema } from "../../../shared/contract/endpoint.ts";
import {
  endpointCheckedSchema,
  endpointListSchema,
  endpointSavedSchema,
  endpointViewSchema,
} from "../../../shared/contract/http-api.ts";
import { PROMETHEUS_CONTENT_TYPE, toPrometheusText } from "../../../shared/inference/prometheus-text.ts";
import { OFFLINE } from "../../../shared/inference/turn-model.ts";
import { removeEndpoint, saveEndpoint } from "../../inference/endpoint-directory.ts";
import { allowForAll } from "../authenticate.ts";
import {
  checkKnown,
  checkToSave,
  findKnown,
  listKnown,
  statusOf,
  toView,
  type KnownEndpoint,
} from "../known-endpoints.ts";
import { BEARER, createRouter, errorAnswers, jsonAnswer, jsonBody } from "../openapi.ts";
import { readJsonBody } from "../read-json-body.ts";

const CONFIG_BYTES_MAX = 8_000;

const endpointParams = z.object({ name: endpointNameSchema });

/** A revision, in the quotes of an entity tag or without. */
const ifMatchHeaders = z.object({
  "if-match": z
    .string()
    .regex(/^(?:\d{1,9}|"\d{1,9}")$/, "the revision that was read, a number")
    .optional(),
});

const list = createRoute({
  method: "get",
  path: "/v1/endpoints",
  summary: "List the inference endpoints and how they do",
  description: "By name, disabled ones too. While none is stored, the deployment's own is shown as `default`.",
  tags: ["endpoints"],
  security: BEARER,
  middleware: [allowForAll("operator", "analyst")] as const,
  responses: { 200: jsonAnswer(endpointListSchema, "All endpoints"), ...errorAnswers("registry_unavailable") },
});

const get = createRoute({
  method: "get",
  path: "/v1/endpoints/{name}",
  summary: "Read an inference endpoint and how it does",
  tags: ["endpoints"],
  security: BEARER,
  middleware: [allowForAll("operator", "analyst")] as const,
  request: { params: endpointParams },
  responses: {
    200: jsonAnswer(endpointViewSchema, "The endpoint"),
    ...errorAnswers("invalid_request", "endpoint_not_found", "registry_unavailable"),
  },
});

const save = createRoute({
  method: "put",
  path: "/v1/endpoints/{name}",
  summary: "Add an inference endpoint, or replace its configuration",
  description:
    "The server is called first, which takes up to 25 s; one that turns could not rely on is refused, and nothing is saved. " +
    "With `enabled: false` it is saved unseen. With `If-Match: <revision>` only over the revision that was read. " +
    "Turns see the change within two minutes.",
  tags: ["endpoints"],
  security: BEARER,
  middleware: [allowForAll("operator"), readJsonBody(CONFIG_BYTES_MAX)] as const,
  request: { params: endpointParams, headers: ifMatchHeaders, body: jsonBody(endpointConfigSchema) },
  responses: {
    200: jsonAnswer(endpointSavedSchema, "The endpoint has this configuration"),
    ...errorAnswers(
      "invalid_request",
      "invalid_json",
      "body_too_large",
      "endpoint_refused",
      "endpoint_changed",
      "endpoints_full",
      "registry_unavailable",
    ),
  },
});

const remove = createRoute({
  method: "delete",
  path: "/v1/endpoints/{name}",
  summary: "Remove an inference endpoint",
  description: "Turns that run there are not interrupted. The deployment's own endpoint cannot be removed here.",
  tags: ["endpoints"],
  security: BEARER,
  middleware: [allowForAll("operator")] as const,
  request: { params: endpointParams },
  responses: {
    204: { description: "The endpoint is gone" },
    ...errorAnswers("invalid_request", "endpoint_not_found", "registry_unavailable"),
  },
});

const check = createRoute({
  method: "post",
  path: "/v1/endpoints/{name}/check",
  summary: "Check an inference endpoint's server again",
  description: "Takes up to 25 s. What is seen is stored, unless there are problems.",
  tags: ["endpoints"],
  security: BEARER,
  middleware: [allowForAll("operator")] as const,
  request: { params: endpointParams },
  responses: {
    200: jsonAnswer(endpointCheckedSchema, "What the check found"),
    ...errorAnswers("invalid_request", "endpoint_not_found", "endpoint_changed", "registry_unavailable"),
  },
});

const metrics = createRoute({
  method: "get",
  path: "/metrics",
  summary: "Read the figures of all inference endpoints, for Prometheus",
  description: "Those of the policy inside the Worker are under the name `offline`.",
  tags: ["endpoints"],
  security: BEARER,
  middleware: [allowForAll("operator")] as const,
  responses: {
    200: { description: "Prometheus text format 0.0.4", content: { "text/plain": { schema: z.string() } } },
    ...errorAnswers("registry_unavailable"),
  },
});

export const endpointRoutes = createRouter()
  .openapi(list, async (c) => {
    const known = await listKnown(c.env);
    return c.json({ endpoints: await Promise.all(known.map((endpoint) => toView(c.env, endpoint))) }, 200);
  })
  .openapi(get, async (c) => c.json(await toView(c.env, await findKnown(c.env, c.req.valid("param").name)), 200))
  .openapi(save, async (c) => {
    const config = c.req.valid("json");
    const ifMatch = c.req.valid("header")["if-match"];
    const checked = config.enabled ? await checkToSave(c.env, config) : null;
    const saving = saveEndpoint(c.env, {
      name: c.req.valid("param").name,
      config,
      capabilities: checked?.capabilities ?? null,
      updatedBy: c.get("claims").sub,
      expectedRevision: ifMatch === undefined ? undefined : Number(ifMatch.replaceAll('"', "")),
    });
    // An operator who leaves does not leave the turns with the old configuration.
    c.executionCtx.waitUntil(Promise.allSettled([saving]));
    const saved: KnownEndpoint = { ...(await saving), source: "stored" };
    return c.json({ ...(await toView(c.env, saved)), warnings: [...(checked?.warnings ?? [])] }, 200);
  })
  .openapi(remove, async (c) => {
    const removing = removeEndpoint(c.env, c.req.valid("param").name);
    c.executionCtx.waitUntil(Promise.allSettled([removing]));
    await removing;
    return c.body(null, 204);
  })
  .openapi(check, async (c) => {
    const { endpoint, problems, warnings } = await checkKnown(c.env, {
      name: c.req.valid("param").name,
      checkedBy: c.get("claims").sub,
    });
    return c.json({ ...(await toView(c.env, endpoint)), problems: [...problems], warnings: [...warnings] }, 200);
  })
  .openapi(metrics, async (c) => {
    const names = [...(await listKnown(c.env)).map(({ name }) => name), OFFLINE];
    const statuses = await Promise.all(names.map((name) => statusOf(c.env, name)));
    const text = toPrometheusText(statuses.filter((status) => status !== null));
    return c.text(text, 200, { "content-type": PROMETHEUS_CONTENT_TYPE });
  });
