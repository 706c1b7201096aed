/** Inference endpoints as operators see them: the stored ones, or the one of the deployment's settings while none is stored. */
import type { EndpointConfig } from "../../shared/contract/endpoint.ts";
import type { EndpointStatus } from "../../shared/contract/endpoint-status.ts";
import type { EndpointProblem, EndpointView } from "../../shared/contract/http-api.ts";
import { fail, ok, type Result } from "../../shared/core/result.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { checkEndpoint, type EndpointCheck } from "../inference/check-endpoint.ts";
import { saveEndpoint, SETTINGS_ENDPOINT, settingsEndpoint } from "../inference/endpoint-directory.ts";
import { readEndpointKey, type KeyFailure } from "../inference/endpoint-key.ts";
import { findEndpoint, listEndpoints, type StoredEndpoint } from "../inference/endpoint-table.ts";
import { systemClock } from "../platform/system-clock.ts";
import { withinMs } from "../platform/within-ms.ts";

/** Longest wait for an endpoint's object, ms: a list must not hang on one of them. */
const STATUS_MS_MAX = 1_000;

const KEY_REASONS: Readonly<Record<KeyFailure, string>> = {
  key_missing: "the deployment has no such secret: wrangler secret put <its name>",
  key_malformed: "the secret is not `<origin> <key>`, such as `https://api.example.com sk-…`",
  key_for_other_origin: "the secret holds a key for another origin than that of baseUrl",
};

export type KnownEndpoint = Omit<EndpointView, "status">;

/** @throws AppError `registry_unavailable` */
export async function listKnown(env: Env): Promise<readonly KnownEndpoint[]> {
  const stored = await listEndpoints(env);
  if (stored.length > 0) return stored.map(toKnown);
  const known = settingsKnown(env);
  return known === null ? [] : [known];
}

/** @throws AppError `endpoint_not_found`, `registry_unavailable` */
export async function findKnown(env: Env, name: string): Promise<KnownEndpoint> {
  const stored = await findEndpoint(env, name);
  if (stored !== null) return toKnown(stored);
  const known =
    name === SETTINGS_ENDPOINT ? (await listKnown(env)).find((endpoint) => endpoint.name === name) : undefined;
  if (known === undefined) throw new AppError("endpoint_not_found", "There is no endpoint of this name");
  return known;
}

/** The endpoint with its state now. */
export async function toView(env: Env, endpoint: KnownEndpoint): Promise<EndpointView> {
  return { ...endpoint, status: await statusOf(env, endpoint.name) };
}

/** What an endpoint's object says of it; `null` when that cannot be had within a second. */
export async function statusOf(env: Env, name: string): Promise<EndpointStatus | null> {
  try {
    return await withinMs(STATUS_MS_MAX, env.ENDPOINT_ADMISSION.getByName(name).status(), null);
  } catch {
    // Figures are for people to look at: an object that fails shows none, and the rest of the answer stands.
    return null;
  }
}

/**
 * Calls a server that turns are to be sent to.
 *
 * @throws AppError `endpoint_refused` - `details.problems` names the fields and what is wrong.
 */
export async function checkToSave(env: Env, config: EndpointConfig): Promise<EndpointCheck> {
  const key = readKey(env, config);
  const checked = key.ok ? await callServer(config, key.value) : null;
  const problems = key.ok ? (checked?.problems ?? []) : [key.error];
  if (checked !== null && problems.length === 0) return checked;
  throw new AppError("endpoint_refused", "Turns could not rely on this endpoint; nothing was saved", {
    details: { problems: problems.map(({ field, reason }) => `${field}: ${reason}`).join("; ") },
  });
}

/**
 * Calls the server of a known endpoint again, and stores what it can do. With problems nothing is stored: a server that
 * is down for a moment has not forgotten what it can do.
 *
 * @throws AppError `endpoint_not_found`, `registry_unavailable`
 * @throws AppError `endpoint_changed` - somebody changed the endpoint meanwhile: what was seen is of the old one.
 */
export async function checkKnown(
  env: Env,
  { name, checkedBy }: { readonly name: string; readonly checkedBy: string },
): Promise<{ endpoint: KnownEndpoint } & Pick<EndpointCheck, "problems" | "warnings">> {
  const endpoint = await findKnown(env, name);
  const { config, revision } = endpoint;
  const key = revision === null ? ok(settingsEndpoint(env)?.apiKey ?? "") : readKey(env, config);
  if (!key.ok) return { endpoint, problems: [key.error], warnings: [] };
  const { capabilities, problems, warnings } = await callServer(config, key.value);
  if (problems.length > 0 || revision === null) return { endpoint, problems, warnings };
  const saved = await saveEndpoint(env, {
    name,
    config,
    capabilities,
    updatedBy: checkedBy,
    expectedRevision: revision,
  });
  return { endpoint: toKnown(saved), problems, warnings };
}

function callServer(config: EndpointConfig, apiKey: string): Promise<EndpointCheck> {
  return checkEndpoint({ config, apiKey, nowMs: systemClock.nowMs() });
}

function readKey(env: Env, config: EndpointConfig): Result<string, EndpointProblem> {
  const key = readEndpointKey(env, config);
  return key.ok ? key : fail({ field: "keyBinding", reason: KEY_REASONS[key.error] });
}

function toKnown(stored: StoredEndpoint): KnownEndpoint {
  return { ...stored, source: "stored" };
}

function settingsKnown(env: Env): KnownEndpoint | null {
  const endpoint = settingsEndpoint(env);
  if (endpoint === null) return null;
  const { name, config, capabilities, updatedAtMs } = endpoint;
  return { name, source: "settings", config, capabilities, revision: null, updatedBy: "settings", updatedAtMs };
}
