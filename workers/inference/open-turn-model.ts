/** The policy for one turn: the deployment's endpoints in the room's order, their admission, and the policy in here. */
import type { EndpointField } from "../../shared/contract/endpoint.ts";
import type { StrategyPolicy } from "../../shared/contract/strategy.ts";
import { preferEndpoints } from "../../shared/strategy/prefer-endpoints.ts";
import type { TurnLease } from "../../shared/contract/turn-lease.ts";
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import type { Candidate } from "../../shared/inference/find-seat.ts";
import { HedgeBudget } from "../../shared/inference/hedge-budget.ts";
import { rankEndpoints } from "../../shared/inference/rank-endpoints.ts";
import { TurnModel } from "../../shared/inference/turn-model.ts";
import { sha256Hex } from "../platform/sha256.ts";
import { systemClock, systemTimer } from "../platform/system-clock.ts";
import { type UsableEndpoint, usableEndpoints } from "./endpoint-directory.ts";
import { objectAdmissions } from "./object-admissions.ts";
import { offlineClient } from "./offline-client.ts";
import { createOpenAiClient } from "./openai-client.ts";

/** Fields that a server of this kind takes, where nobody has checked or said otherwise. Priority is an error on most. */
const FIELDS_BY_KIND = {
  vllm: ["cache_salt", "chat_template_kwargs", "continuous_usage_stats"],
  sglang: ["chat_template_kwargs", "continuous_usage_stats"],
  openai: [],
} as const satisfies Record<string, readonly EndpointField[]>;

const MERCHANTS_MAX = 1_000;

const hedges = new HedgeBudget();
const candidates = new WeakMap<UsableEndpoint, Candidate>();
const salts = new BoundedCache<string, string>(MERCHANTS_MAX);

/**
 * Asks for the turn's slot at once. Whoever opens it must close it.
 *
 * @param wish - Endpoints to ask instead of all, where the deployment has such.
 */
export async function openTurnModel(
  env: Env,
  lease: Pick<TurnLease, "room" | "turn" | "merchant" | "priority" | "deadlineAtMs"> & { readonly attempt?: number },
  waitUntil: (work: Promise<unknown>) => void,
  wish?: StrategyPolicy["model"],
): Promise<TurnModel> {
  const { room, turn, merchant, priority, deadlineAtMs, attempt = 1 } = lease;
  const endpoints = await usableEndpoints(env, waitUntil);
  return new TurnModel(
    {
      // A runner that was told to stop must not give back the slot of the next one.
      key: `${room}/${turn}/${attempt}`,
      room,
      merchant,
      priority,
      deadlineAtMs,
      cacheSalt: endpoints.length === 0 ? null : await saltOf(merchant),
    },
    {
      candidates: preferEndpoints(rankEndpoints(room, endpoints).map(toCandidate), wish),
      offline: offlineClient,
      admissions: objectAdmissions(env, waitUntil),
      hedges,
      clock: systemClock,
      timer: systemTimer,
      random: Math.random,
    },
  );
}

/** Made once for each state of an endpoint's configuration: the client keeps what it has worked out. */
function toCandidate(endpoint: UsableEndpoint): Candidate {
  const known = candidates.get(endpoint);
  if (known !== undefined) return known;
  const { name, config, capabilities, apiKey, updatedAtMs } = endpoint;
  const { tier, slots, utilizationCeiling, capacity, baseUrl, model, opensThinking, connectTimeoutMs } = config;
  const fields = new Set(config.fields ?? capabilities?.fields ?? FIELDS_BY_KIND[config.kind]);
  const client = createOpenAiClient({ baseUrl, model, apiKey, fields, opensThinking, connectTimeoutMs });
  const limits = capacity === "unlimited" ? null : { slots, utilizationCeiling, capacity, updatedAtMs };
  const candidate = { name, tier, limits, client };
  candidates.set(endpoint, candidate);
  return candidate;
}

/** Per merchant, not per room: else every room pays for the system prompt. Hex, because `@ / \` are refused in a salt. */
async function saltOf(merchant: string): Promise<string> {
  const known = salts.get(merchant);
  if (known !== undefined) return known;
  const salt = await sha256Hex(`cache-salt\n${merchant}`);
  salts.set(merchant, salt);
  return salt;
}
