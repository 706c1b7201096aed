/** What passes between a room and the runner of one of its turns, over RPC. Plain data both ways. */
import { z } from "zod";
import { intakePolicySchema, interruptionPolicySchema } from "./intake-policy.ts";
import type { ErrorCode } from "../errors/error-codes.ts";
import type { ViewerMessage } from "./message.ts";
import type { RoomConfig } from "./room-config.ts";
import type { RoomSnapshot } from "./room-state.ts";
import { strategyPolicySchema, type RoomStrategy } from "./strategy.ts";
import type { Sentence } from "./sentence.ts";
import type { TurnOutcome, TurnTrace } from "./turn-record.ts";

/** The part of a harness that the room itself needs: it must work when every runner is dead. */
export const roomPolicySchema = z.strictObject({
  /** Time for a turn from its lease to its last sentence. */
  deadlineMs: z.int().min(500).max(25_000),
  intake: intakePolicySchema,
  interruption: interruptionPolicySchema,
  strategy: strategyPolicySchema,
  /** Spoken when a turn cannot be answered. */
  fallback: z.strictObject({ text: z.string().min(1), speech: z.string().min(1) }),
});
export type RoomPolicy = z.infer<typeof roomPolicySchema>;

export type HarnessRef = { readonly name: string; readonly version: string };

/** The right, for one runner, to speak one turn until `expiresAtMs`. A later attempt ends the rights of an earlier one. */
export type TurnLease = {
  readonly room: string;
  readonly turn: string;
  /** The room's merchant: between merchants, endpoints are shared fairly. */
  readonly merchant: string;
  /** 0 to 9, lower first: see `PRIORITY_TURN`. */
  readonly priority: number;
  /** 1, or 2 after a runner was lost. */
  readonly attempt: number;
  /** The last sentence must be made by then, and said where no voice makes it wait. */
  readonly deadlineAtMs: number;
  readonly acceptedAtMs: number;
  readonly messages: readonly ViewerMessage[];
  /** Viewers' messages that asked this, those included that are not kept. */
  readonly askers: number;
  /** What was on screen when it was asked; another product may be now. */
  readonly askedOnScreenProductId: string | null;
  /** When the room wants the first sentence; `null`: as soon as it is made. Else a voice is still speaking until about then. */
  readonly sayAtMs: number | null;
  /** What the slow strategist made of the room last. */
  readonly strategy: RoomStrategy | null;
  /** What an earlier attempt has said already: the new one goes on from there. */
  readonly spoken: readonly Sentence[];
  readonly harness: HarnessRef;
  readonly configRevision: number;
  /** How new the room's knowledge of releases is: `RoomRelease`. */
  readonly releaseSeq: number;
  readonly snapshot: RoomSnapshot;
  /** Number of the last frame that changed what the room shows or sells. */
  readonly stateSeq: number;
  /** Digest of the prompt prefix that the room has stored; another one is sent along with the record. */
  readonly knownPrefixDigest: string | null;
};

/** What work for a room needs that is no turn: a warm-up of its prompt, its strategy. */
export type RoomLease = Pick<TurnLease, "room" | "merchant" | "harness" | "configRevision">;

/** The room's configuration as runners read it, cached by revision. */
export type RoomSetup = {
  readonly revision: number;
  readonly config: RoomConfig;
  readonly harness: HarnessRef;
  /** What SessionStart hooks added when the room took this configuration. */
  readonly sessionContext: readonly string[];
};

export type TurnRef = { readonly turn: string; readonly attempt: number };

/** Sentences that are ready. A sentence that the room has already is ignored. */
export type SayRequest = TurnRef & {
  readonly sentences: readonly Sentence[];
  /** What the runner knows of the room: sentences made before a later change are refused, and looked at again. */
  readonly stateSeq: number;
};

/** What the room shows and sells now. */
export type LiveFacts = { readonly snapshot: RoomSnapshot; readonly stateSeq: number };

export type FinishRequest = SayRequest & {
  readonly outcome: Extract<TurnOutcome, "answered" | "fallback" | "silent">;
  readonly reason: string | null;
  readonly trace: TurnTrace;
  /** Text of the prompt prefix, when its digest is not the one that the lease named. */
  readonly prefix: { readonly digest: string; readonly text: string } | null;
};

/** The runner cannot run its turn at all, because of `code`. */
export type AbandonRequest = TurnRef & { readonly code: ErrorCode };

/** What the room has of a turn, and when it wants the next sentence: `null` for as soon as it is made. */
export type Said = { readonly spokenCount: number; readonly sayAtMs: number | null };

/**
 * What a room answers its runner. A refusal is a value: it must survive RPC.
 *
 * `lease_lost`: the turn has ended or is another runner's. `record_too_large`: more was said than a turn may say.
 * `invalid_request`: a sentence's `seq` leaves a gap; a bug of the runner. `room_changed`: what the room shows or sells has
 * changed since; nothing was said.
 */
export type SayResult =
  | { readonly ok: true; readonly value: Said }
  | { readonly ok: false; readonly error: "room_changed"; readonly now: LiveFacts }
  | { readonly ok: false; readonly error: "lease_lost" | "record_too_large" | "invalid_request" };
