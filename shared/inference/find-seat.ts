/** Where a turn gets a slot: its own endpoint if that has one soon, else the one with the shortest wait, else none. */
import type { AdmissionLimits, AdmissionRequest } from "../contract/admission.ts";
import type { AdmissionRecord } from "../contract/turn-record.ts";
import type { AdmissionAnswer, Admissions } from "./admissions.ts";
import type { EndpointClient } from "./endpoint-client.ts";

/** An endpoint that may serve the turn. */
export type Candidate = {
  readonly name: string;
  readonly tier: "main" | "fallback";
  /** `null`: it takes every turn, and its object is not asked. */
  readonly limits: AdmissionLimits | null;
  readonly client: EndpointClient;
};

/** A slot at an endpoint, held until the turn ends or moves on. */
export type Seat = { readonly candidate: Candidate; readonly waitedMs: number; readonly isLocal: boolean };

/** Who asks, for every endpoint alike. */
export type SeatRequest = Omit<AdmissionRequest, "waitMsMax" | "limits">;

/**
 * Wait at the room's own endpoint before another one is asked, ms. Another one has none of the room's prompts cached, which
 * costs about this much: 8 k tokens at 12 to 17 k tokens a second.
 */
const OWN_WAIT_MS_MAX = 500;

/**
 * Longest wait for a slot, ms. Viewers hear a filler line after about a second; a turn that would wait longer is answered
 * sooner by the next tier.
 */
const WAIT_MS_MAX = 1_000;

/** Endpoints of one tier that are asked for one seat. Each costs a round trip when it refuses. */
const ASKED_MAX = 4;

/** The refusals on the way are added to `refusals`. `null`: no endpoint takes the turn. */
export async function findSeat(
  candidates: readonly Candidate[],
  { request, admissions, refusals }: SeatSearch,
): Promise<Seat | null> {
  const mains = candidates.filter(({ tier }) => tier === "main").slice(0, ASKED_MAX);
  const fallbacks = candidates.filter(({ tier }) => tier === "fallback").slice(0, ASKED_MAX);
  const search = { request, admissions, refusals };
  const soon = await askAll(mains, OWN_WAIT_MS_MAX, search);
  if ("candidate" in soon) return soon;
  // Ask again where the wait is bearable though not short. Who refused for another reason would refuse again.
  const bearable = soon.waits
    .filter(({ expectedWaitMs }) => expectedWaitMs <= WAIT_MS_MAX)
    .toSorted((a, b) => a.expectedWaitMs - b.expectedWaitMs)
    .slice(0, 1)
    .map(({ candidate }) => candidate);
  const later = await askAll(bearable, WAIT_MS_MAX, search);
  if ("candidate" in later) return later;
  const other = await askAll(fallbacks, WAIT_MS_MAX, search);
  return "candidate" in other ? other : null;
}

export type SeatSearch = {
  readonly request: SeatRequest;
  readonly admissions: Admissions;
  readonly refusals: AdmissionRecord["refusals"];
};

type Busy = { readonly candidate: Candidate; readonly expectedWaitMs: number };

/** One after the other, so that no slot is taken that nobody uses. */
async function askAll(
  candidates: readonly Candidate[],
  waitMsMax: number,
  { request, admissions, refusals }: SeatSearch,
): Promise<Seat | { readonly waits: readonly Busy[] }> {
  const waits: Busy[] = [];
  for (const candidate of candidates) {
    const answer = await askOne(candidate, waitMsMax, { request, admissions });
    if (answer.admitted) return { candidate, waitedMs: answer.waitedMs, isLocal: answer.isLocal };
    const { reason, expectedWaitMs, isLocal } = answer;
    refusals.push({ endpoint: candidate.name, reason, expectedWaitMs });
    // A runner's own limit has no queue, and knows of no wait.
    if (reason === "busy" && !isLocal) waits.push({ candidate, expectedWaitMs });
  }
  return { waits };
}

/** Asks one endpoint for a slot. */
export async function askOne(
  { name, limits }: Candidate,
  waitMsMax: number,
  { request, admissions }: Pick<SeatSearch, "request" | "admissions">,
): Promise<AdmissionAnswer> {
  if (limits === null) return { admitted: true, waitedMs: 0, isLocal: false };
  return admissions.admit(name, { ...request, waitMsMax, limits });
}
