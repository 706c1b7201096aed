/** What passes between the runner of a turn and the object that admits turns to one endpoint. Plain data both ways. */
import { z } from "zod";

/** Why an endpoint does not take a turn. */
export const refusalReasonSchema = z.enum([
  /** The turn would not be done by its deadline, or would wait longer than it may. */
  "busy",
  /** As many turns wait as may. */
  "queue_full",
  /** The endpoint has failed of late and is left alone. */
  "breaker_open",
  /** The turn's runner took the request back. */
  "cancelled",
]);
export type RefusalReason = z.infer<typeof refusalReasonSchema>;

/** Lower is served first, as in vLLM. Between equals, the merchant that has least in flight is served first. */
export const PRIORITY_RESUMED = 0;
export const PRIORITY_TURN = 4;
export const PRIORITY_BACKGROUND = 9;

/** The part of an endpoint's configuration that admission depends on; it comes with each request, so a change needs no call. */
export type AdmissionLimits = {
  readonly slots: number;
  readonly utilizationCeiling: number;
  readonly capacity: "adaptive" | "fixed";
  /** When the configuration was written: an older one never replaces a newer. */
  readonly updatedAtMs: number;
};

export type AdmissionRequest = {
  /** `<room>/<turn>`: a second runner of a turn takes over the slot of the first. */
  readonly key: string;
  readonly room: string;
  readonly merchant: string;
  /** 0 to 9, lower first. */
  readonly priority: number;
  /** The turn must have ended by then. */
  readonly deadlineAtMs: number;
  /** Longest wait for a slot, ms; a longer expected wait is refused at once. 0: now or never. */
  readonly waitMsMax: number;
  readonly limits: AdmissionLimits;
};

/** A slot is the right to have one call in flight, for the length of a turn. */
export type Admission =
  | { readonly admitted: true; readonly waitedMs: number }
  | { readonly admitted: false; readonly reason: RefusalReason; readonly expectedWaitMs: number };

/** One model call as the endpoint's figures need it. */
export type CallReport = {
  /** `null`: it served the call. `aborted`: the turn no longer wanted it, which says nothing about the endpoint. */
  readonly failure: { readonly code: string; readonly retryAfterMs: number | null } | null;
  readonly startedAtMs: number;
  readonly firstTokenMs: number | null;
  /** From the request to the last byte. */
  readonly totalMs: number;
  readonly inputTokens: number;
  readonly cachedTokens: number | null;
  readonly outputTokens: number;
  /** Tokens per step of speculative decoding; `null` if the server does not say. */
  readonly acceptanceLength: number | null;
  /** Most of this prompt was sent to this endpoint within the last minute: none of it cached is a fault. */
  readonly expectsCache: boolean;
};

/** Ends a turn's use of an endpoint, or tells of calls while it goes on. */
export type UseReport = {
  readonly key: string;
  readonly room: string;
  readonly calls: readonly CallReport[];
  /** Present at the end of the turn: the slot is given back. */
  readonly end: {
    /** From acceptance by the room; `null` when nothing was said. */
    readonly firstSentenceMs: number | null;
    readonly totalMs: number;
    readonly outcome: string;
  } | null;
};
