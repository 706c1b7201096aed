/**
 * Which endpoints turns may be sent to. Operators change them in D1; turns read the copy in KV through a memo of the
 * isolate, so that a turn waits for neither. A change is seen at once in the isolate that made it, within a few seconds
 * in its location, and within two minutes elsewhere (60 s of KV, and a memo of up to 60 s where few turns run).
 */
import {
  endpointConfigSchema,
  type EndpointCapabilities,
  type EndpointConfig,
} from "../../shared/contract/endpoint.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { readSettings } from "../platform/settings.ts";
import { systemClock } from "../platform/system-clock.ts";
import { withinMs } from "../platform/within-ms.ts";
import { publishDocument, readDocument } from "./endpoint-document.ts";
import { readEndpointKey } from "./endpoint-key.ts";
import {
  deleteEndpoint,
  listEndpoints,
  writeEndpoint,
  type EndpointChange,
  type StoredEndpoint,
} from "./endpoint-table.ts";

/** Name of the settings' endpoint. */
export const SETTINGS_ENDPOINT = "default";

/** Age up to which a list serves as it is, ms. */
const FRESH_MS = 5_000;

/** Age up to which a list still serves while it is read again, ms. */
const STALE_MS_MAX = 60_000;

/** Longest that a turn waits for the list, ms. */
const LOAD_MS_MAX = 2_000;

/** Tries to write KV after a change, 1.1 s apart. An operator waits for them. */
const PUBLISH_TRIES_MAX = 3;

/** An endpoint that a turn may be sent to, with its key resolved. It stays the same object for as long as nothing of it changes. */
export type UsableEndpoint = {
  readonly name: string;
  readonly config: EndpointConfig;
  readonly capabilities: EndpointCapabilities | null;
  /** 0 for the settings' endpoint. */
  readonly updatedAtMs: number;
  /** Empty for a server without a key. */
  readonly apiKey: string;
};

type Loading = {
  readonly list: Promise<readonly UsableEndpoint[]>;
  readonly startedAtMs: number;
  readonly writes: number;
};

type Memo = {
  list: readonly UsableEndpoint[] | null;
  readAtMs: number;
  /** Writes of this isolate that the list has seen. */
  writes: number;
  loading: Loading | null;
  /** `<endpoint> <reason>` of the keys that could not be read: each is reported once. */
  unreadableKeys: ReadonlySet<string>;
};

const memos = new WeakMap<object, Memo>();

/** Changes made in this isolate. Counted for all memos: handlers of one isolate may be given an `env` each. */
let writes = 0;

/**
 * Enabled endpoints by name. With none stored, enabled or not, the one of the settings under the name `default`, if any.
 *
 * Never throws for want of KV or D1, and takes at most 2 s: then the last list serves, whatever its age, else the
 * settings' endpoint. An endpoint whose key cannot be read is left out.
 *
 * @throws AppError `internal` - the deployment's settings are wrong.
 */
export async function usableEndpoints(
  env: Env,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<readonly UsableEndpoint[]> {
  const memo = memoOf(env);
  const ageMs = memo.writes === writes ? systemClock.nowMs() - memo.readAtMs : Number.POSITIVE_INFINITY;
  if (memo.list !== null && ageMs < FRESH_MS) return memo.list;
  const loading = joinLoading(env, memo, waitUntil);
  if (memo.list !== null && ageMs < STALE_MS_MAX) return memo.list;
  // Another request may have begun it and may be gone with it, so this one counts its own time.
  return withinMs(LOAD_MS_MAX, loading, memo.list ?? settingsList(env));
}

/**
 * Adds an endpoint or replaces it: in D1, then in KV.
 *
 * @throws AppError `endpoints_full`, `endpoint_changed` - nothing was written.
 * @throws AppError `registry_unavailable` - D1 did not answer; or KV did not, and then `details.saved` is true.
 */
export async function saveEndpoint(env: Env, change: EndpointChange): Promise<StoredEndpoint> {
  const saved = await writeEndpoint(env, change);
  await publishChange(env);
  return saved;
}

/**
 * Takes an endpoint away: from D1, then from KV. Turns that run there are not interrupted.
 *
 * @throws AppError `endpoint_not_found`
 * @throws AppError `registry_unavailable` - as {@link saveEndpoint}.
 */
export async function removeEndpoint(env: Env, name: string): Promise<void> {
  await deleteEndpoint(env, name);
  await publishChange(env);
}

/** The endpoint of the deployment's variables, or `null`. Turns use it while no endpoint is stored. */
export function settingsEndpoint(env: Env): UsableEndpoint | null {
  const { inference } = readSettings(env);
  if (inference === null) return null;
  const { apiKey, baseUrl, model, kind, opensThinking } = inference;
  const config = endpointConfigSchema.safeParse({ baseUrl, model, kind, opensThinking });
  if (config.success) {
    return { name: SETTINGS_ENDPOINT, config: config.data, capabilities: null, updatedAtMs: 0, apiKey };
  }
  reportFailure("settings", "model_misconfigured", config.error);
  return null;
}

async function publishChange(env: Env): Promise<void> {
  try {
    await publishDocument(env, PUBLISH_TRIES_MAX);
  } catch (thrown) {
    const text = "The change is saved, but turns may not see it for 12 minutes; send it again to hand it out";
    throw new AppError("registry_unavailable", text, { details: { saved: true }, cause: thrown });
  } finally {
    writes += 1;
  }
}

function memoOf(env: Env): Memo {
  const known = memos.get(env);
  if (known !== undefined) return known;
  const memo: Memo = { list: null, readAtMs: 0, writes, loading: null, unreadableKeys: new Set() };
  memos.set(env, memo);
  return memo;
}

/** The load that is under way, unless it began before a change or has taken too long; else a new one. */
function joinLoading(
  env: Env,
  memo: Memo,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<readonly UsableEndpoint[]> {
  const { loading } = memo;
  const startedAtMs = systemClock.nowMs();
  const isCurrent = loading?.writes === writes && startedAtMs - loading.startedAtMs < LOAD_MS_MAX;
  if (loading !== null && isCurrent) return loading.list;
  const read = withinMs(LOAD_MS_MAX, readStored(env, waitUntil), null);
  const begun: Loading = { list: read.then((stored) => keep(env, memo, begun, stored)), startedAtMs, writes };
  memo.loading = begun;
  // The list is for all turns of the isolate: it is read to its end, whoever leaves.
  waitUntil(begun.list);
  return begun.list;
}

/** What KV has, else D1; `null` when neither answers. */
async function readStored(
  env: Env,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<readonly StoredEndpoint[] | null> {
  const document = await readDocument(env.HARNESS_KV);
  if (document !== null) return document;
  try {
    const stored = await listEndpoints(env);
    waitUntil(refillDocument(env));
    return stored;
  } catch (thrown) {
    reportFailure("endpoint-directory", "registry_unavailable", thrown);
    return null;
  }
}

/** Once: many isolates may find the document missing, and KV refuses most of their writes. */
async function refillDocument(env: Env): Promise<void> {
  try {
    await publishDocument(env, 1);
  } catch (thrown) {
    reportFailure("endpoint-directory", "registry_unavailable", thrown);
  }
}

/** Makes the list of what was read, and the memo's if no later load has begun. When nobody answered, the last list counts as read. */
function keep(
  env: Env,
  memo: Memo,
  loading: Loading,
  stored: readonly StoredEndpoint[] | null,
): readonly UsableEndpoint[] {
  const list = stored === null ? (memo.list ?? settingsList(env)) : toUsable(env, memo, stored);
  if (memo.loading !== loading) return list;
  Object.assign(memo, { list, readAtMs: systemClock.nowMs(), writes: loading.writes, loading: null });
  return list;
}

function toUsable(env: Env, memo: Memo, stored: readonly StoredEndpoint[]): readonly UsableEndpoint[] {
  const unreadableKeys = new Set<string>();
  const list =
    stored.length === 0 ? settingsList(env) : stored.flatMap((endpoint) => resolveKey(env, endpoint, unreadableKeys));
  for (const unreadable of unreadableKeys) {
    if (!memo.unreadableKeys.has(unreadable)) reportFailure(`endpoint-key ${unreadable}`, "model_misconfigured", null);
  }
  memo.unreadableKeys = unreadableKeys;
  return list.map((endpoint) => memo.list?.find((known) => isSame(known, endpoint)) ?? endpoint);
}

function resolveKey(env: Env, endpoint: StoredEndpoint, unreadableKeys: Set<string>): UsableEndpoint[] {
  const { name, config, capabilities, updatedAtMs } = endpoint;
  if (!config.enabled) return [];
  const key = readEndpointKey(env, config);
  if (key.ok) return [{ name, config, capabilities, updatedAtMs, apiKey: key.value }];
  unreadableKeys.add(`${name} ${key.error}`);
  return [];
}

function settingsList(env: Env): readonly UsableEndpoint[] {
  const endpoint = settingsEndpoint(env);
  return endpoint === null ? [] : [endpoint];
}

/** By content: both are made from one schema, so equal ones have equal JSON. */
function isSame(one: UsableEndpoint, other: UsableEndpoint): boolean {
  return one.name === other.name && JSON.stringify(one) === JSON.stringify(other);
}
