/** Moves of channels that wait for their time or for a second person. */
import { createRoute, z } from "@hono/zod-openapi";
import { approvePlan, planMove, withdrawPlan } from "../../../harness-kv/plan-release.ts";
import { planBodySchema, planListSchema, planSchema, planStatusSchema } from "../../../shared/contract/release.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { loadHarness } from "../../platform/harness-loader.ts";
import { listPlans, type PlanCursor } from "../../platform/registry-lists.ts";
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

const BODY_BYTES_MAX = 16_000;

const planParams = harnessParams.extend({ id: z.uuid() });

const tags = ["releases"];
const security = BEARER;
const NAMED_ERRORS = ["invalid_request", "harness_not_found", "registry_unavailable"] as const;
const PLAN_ERRORS = ["invalid_request", "release_not_found", "registry_unavailable"] as const;

const list = createRoute({
  method: "get",
  path: "/v1/harnesses/{name}/plans",
  summary: "List planned releases, the newest first",
  tags,
  security,
  middleware: [registryReaders] as const,
  request: { params: harnessParams, query: pageQuery.extend({ status: planStatusSchema.optional() }) },
  responses: {
    200: jsonAnswer(planListSchema, "A page of plans"),
    ...errorAnswers("invalid_request", "registry_unavailable"),
  },
});

const make = createRoute({
  method: "post",
  path: "/v1/harnesses/{name}/plans",
  summary: "Plan a release: for a time, or for a second person to approve",
  description:
    "The move is made when it is due, and approved where releases of production take two people. Freeze, gate and `expected` are " +
    "asked then; what stands against it ends the plan. Without a time and without the rule of two, it is made at once.",
  tags,
  security,
  middleware: [allowForAll("operator"), readJsonBody(BODY_BYTES_MAX)] as const,
  request: { params: harnessParams, body: jsonBody(planBodySchema) },
  responses: {
    201: jsonAnswer(planSchema, "The plan as it stands now"),
    ...errorAnswers(...NAMED_ERRORS, ...BODY_ERRORS, ...LOAD_ERRORS),
  },
});

const approve = createRoute({
  method: "post",
  path: "/v1/harnesses/{name}/plans/{id}/approve",
  summary: "Agree to a planned release of somebody else",
  description: "One that is due is made at once.",
  tags,
  security,
  middleware: [allowForAll("operator", "governor")] as const,
  request: { params: planParams },
  responses: { 200: jsonAnswer(planSchema, "The plan as it stands now"), ...errorAnswers(...PLAN_ERRORS) },
});

const withdraw = createRoute({
  method: "delete",
  path: "/v1/harnesses/{name}/plans/{id}",
  summary: "Take back a planned release",
  tags,
  security,
  middleware: [allowForAll("operator", "governor")] as const,
  request: { params: planParams },
  responses: { 200: jsonAnswer(planSchema, "The plan as it stands now"), ...errorAnswers(...PLAN_ERRORS) },
});

export const planRoutes = createRouter()
  .openapi(list, async (c) => {
    const { limit, cursor, status } = c.req.valid("query");
    const after = cursor === undefined ? null : readCursor(cursor);
    const plans = await listPlans(c.env, c.req.valid("param").name, { limit, after, status: status ?? null });
    const last = plans.length === limit ? plans.at(-1) : undefined;
    return c.json({ plans, nextCursor: last === undefined ? null : `${last.plannedAtMs}.${last.id}` }, 200);
  })
  .openapi(make, async (c) => {
    const { name } = c.req.valid("param");
    const { version: to, dueAtMs = null, ...asked } = c.req.valid("json");
    await loadHarness(c.env, to);
    const id = crypto.randomUUID();
    await rolloutOf(c.env, name).expectPlan();
    await planMove(releasesOf(c.env), { name, id, to, dueAtMs, ...asked }, actorOf(c, "operator"));
    await rolloutOf(c.env, name).runPlans();
    return c.json(await readPlan(c.env, { name, id }), 201);
  })
  .openapi(approve, async (c) => {
    const ref = c.req.valid("param");
    await rolloutOf(c.env, ref.name).expectPlan();
    await approvePlan(releasesOf(c.env), ref, actorOf(c, "operator", "governor"));
    await rolloutOf(c.env, ref.name).runPlans();
    return c.json(await readPlan(c.env, ref), 200);
  })
  .openapi(withdraw, async (c) => {
    const ref = c.req.valid("param");
    await withdrawPlan(releasesOf(c.env), ref, actorOf(c, "operator", "governor"));
    return c.json(await readPlan(c.env, ref), 200);
  });

function rolloutOf(env: Env, name: string) {
  return env.HARNESS_ROLLOUT.getByName(name);
}

async function readPlan(env: Env, { name, id }: { readonly name: string; readonly id: string }) {
  const plan = await registryOf(env).tables.plan(name, id);
  if (plan === null) throw new AppError("release_not_found", "There is no such plan", { details: { name, id } });
  return plan;
}

function readCursor(cursor: string): PlanCursor {
  const [, time, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(cursor) ?? [];
  if (id === undefined) throw new AppError("invalid_request", "The cursor is not one of ours");
  return { plannedAtMs: Number(time), id };
}
