/** Who served a turn, from its record. */
import type { TurnRecord } from "../../../shared/contract/turn-record.ts";

/**
 * `main`: answered, every call by a main endpoint. `busy`, `queue_full`, `breaker_open`: no endpoint admitted the turn, the
 * policy inside the Worker answered. `failed`: an endpoint had it and failed or ran out of time, and that policy answered or
 * went on. `no_call`: the merchant's own answer or a hook's, without a call.
 */
export const SERVED = [
  "main",
  "busy",
  "queue_full",
  "breaker_open",
  "failed",
  "no_call",
  "fallback",
  "expired",
  "silent",
  "interrupted",
] as const;
export type Served = (typeof SERVED)[number];

export type RecordFacts = {
  readonly served: Served;
  /** Endpoints of the calls, in order. */
  readonly endpoints: readonly string[];
  /** Tries that ended before they had said anything. */
  readonly retries: number;
  /** Wait for the slot, ms. */
  readonly waitedMs: number;
  /** Sentences that were said before in the same turn. */
  readonly repeated: number;
};

export function readFacts({ outcome, trace, sentences }: TurnRecord): RecordFacts {
  const servers = (trace?.steps ?? []).flatMap(({ servedBy }) => servedBy ?? []);
  const texts = sentences.map(({ text }) => text);
  return {
    served: outcome === "answered" ? whoAnswered(trace) : outcome,
    endpoints: servers.map(({ endpoint }) => endpoint),
    retries: servers.reduce((sum, { tries }) => sum + tries.length, 0),
    waitedMs: trace?.admission?.waitedMs ?? 0,
    repeated: texts.length - new Set(texts).size,
  };
}

function whoAnswered(trace: TurnRecord["trace"]): Served {
  if (trace === null || trace.steps.length === 0) return "no_call";
  if (trace.steps.every(({ servedBy }) => servedBy?.tier === "main")) return "main";
  const { admission = null } = trace;
  if (admission === null || admission.endpoint !== null) return "failed";
  // The last one is that of the endpoint that was asked last, and for the longest wait.
  const reason = admission.refusals.findLast(({ reason: why }) => why !== "cancelled")?.reason;
  return SERVED.find((served) => served === reason) ?? "failed";
}
