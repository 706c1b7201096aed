/**
 * What a live room decides, as pure functions: room and request in, frames and records out.
 *
 * A step is taken as a whole or not at all: the caller writes it in one transaction, then acts on it.
 * Every decision ends with {@link closeDraft}, so that what is due happens with whichever event comes first.
 */
import { type Result, fail, ok } from "../../shared/core/result.ts";
import { PRIORITY_RESUMED, PRIORITY_TURN } from "../../shared/contract/admission.ts";
import type { HostSpeech } from "../../shared/contract/message.ts";
import type { RoomPatch } from "../../shared/contract/room-state.ts";
import type { RoomStrategy, StrategyInput } from "../../shared/contract/strategy.ts";
import type {
  AbandonRequest,
  FinishRequest,
  HarnessRef,
  Said,
  SayRequest,
  SayResult,
  TurnLease,
  TurnRef,
} from "../../shared/contract/turn-lease.ts";
import { roomChanges } from "../../shared/agent/facts/room-change.ts";
import { type Interruption, interrupt, retractStale } from "./interrupt-turn.ts";
import type { Mouth } from "./mouth.ts";
import { type Draft, type RoomNow, type RoomStep, emit, emitSentence, endTurn, openDraft } from "./room-draft.ts";
import { type LeasedTurn, type OpenTurn, type RoomState } from "./room-state.ts";
import { findSpeaking, findTurn, shortenLease } from "./room-state.ts";
import { closeDraft, closeTurn, mayRetry } from "./settle-room.ts";
import type { StoredRoom } from "./stored-room.ts";

/** Wait before another runner gets a turn that the one before could not run, ms. */
const RUNNER_RETRY_MS = 250;

/** Sentences of one turn. */
export const TURN_SENTENCES_MAX = 200;

/** Characters (UTF-16 units) that one turn may say, as subtitles and as speech together. */
export const TURN_SPEECH_CHARS_MAX = 50_000;

export type SaidStep = { readonly step: RoomStep; readonly said: Said };

export type SayRefusal = Extract<SayResult, { ok: false }>["error"];

/** Speaks sentences of a turn. Those that were spoken before are passed over, so a repeated call is safe. */
export function saySentences(now: RoomNow, request: SayRequest): Result<SaidStep, SayRefusal> {
  const draft = openDraft(now);
  const said = speak(draft, request);
  if (!said.ok) return said;
  return ok(toSaid(closeDraft(draft), said.value, now));
}

function toSaid(step: RoomStep, { sentences }: OpenTurn, { mouth }: RoomNow): SaidStep {
  return { step, said: { spokenCount: sentences.length, sayAtMs: mouth.sayAtMs } };
}

/** Speaks a turn's last sentences and ends it. The next turn gets its lease in the same step. */
export function finishTurn(now: RoomNow, request: FinishRequest): Result<SaidStep, SayRefusal> {
  const draft = openDraft(now);
  const said = speak(draft, request);
  if (!said.ok) return said;
  endTurn(draft, said.value, request);
  return ok(toSaid(closeDraft(draft), said.value, now));
}

/**
 * Takes a turn back from a runner that cannot run it. Another one gets it soon; after the last one the room ends the turn
 * in this step, for the reason that the runner gave.
 */
export function abandonTurn(now: RoomNow, request: AbandonRequest): Result<SaidStep, "lease_lost"> {
  const turn = findTurn(now.state, request.turn);
  if (turn?.lease?.attempt !== request.attempt) return fail("lease_lost");
  if (mayRetry(turn, request.attempt)) {
    return ok(toSaid(tickRoom({ ...now, state: loseRunner(now, request) }), turn, now));
  }
  const draft = openDraft(now);
  const { sentences } = closeTurn(draft, turn, request.code);
  return ok(toSaid(closeDraft(draft), { ...turn, sentences: [...sentences] }, now));
}

/**
 * Takes the floor from the turn that is being spoken: what was heard stays heard, and nothing more of it is said. One that had
 * not begun to answer waits again, where the harness lets it, once.
 */
export function interruptTurn(
  now: RoomNow,
  { cause, act, reason }: Interruption,
): Result<{ readonly step: RoomStep; readonly turn: string }, "turn_not_found"> {
  const draft = openDraft(now);
  const turn = interrupt(draft, { cause, act, reason });
  return turn === null ? fail("turn_not_found") : ok({ step: closeDraft(draft), turn });
}

/** The room that will soon replace this runner, because it is known to be lost. Of a lease that has ended it changes nothing. */
export function loseRunner({ state, nowMs }: RoomNow, { turn, attempt }: TurnRef): RoomState {
  return shortenLease(state, turn, attempt, nowMs + RUNNER_RETRY_MS);
}

/** Notes what a person said aloud. Whoever begins to speak may take the floor; what is still being recognised is not kept. */
export function hearHost(now: RoomNow, { speaker, text, isFinal = true }: HostSpeech): RoomStep {
  const draft = openDraft(now);
  const { hostSpeech: act, quietMs } = now.rules.policy.interruption;
  if (act !== "keep") {
    now.intake.keepQuiet(now.nowMs + quietMs);
    interrupt(draft, { cause: "host-speech", act, reason: "host-speech" });
  }
  if (isFinal) emit(draft, { type: "host-speech", speaker, text });
  return closeDraft(draft);
}

/** Changes what the room shows and sells now. All or nothing. */
export function patchState(now: RoomNow, patch: RoomPatch): Result<RoomStep, "product_not_found"> {
  const { onScreenProductId = null, skus = [] } = patch;
  const { productIds, skuIds } = now.rules;
  if (onScreenProductId !== null && !productIds.has(onScreenProductId)) return fail("product_not_found");
  if (skus.some(({ skuId }) => !skuIds.has(skuId))) return fail("product_not_found");
  const draft = openDraft(now);
  const speaking = findSpeaking(now.state);
  const wasOnScreen = speaking !== undefined && now.intake.isOnScreen(speaking, now.state, now.rules);
  emit(draft, { type: "state", patch });
  const change = roomChanges(now.state.snapshot, draft.state.snapshot, now.rules.config);
  if (change !== null) retractStale(draft, change);
  const { productSwitch: act } = now.rules.policy.interruption;
  const hasSwitched = now.state.snapshot.onScreenProductId !== draft.state.snapshot.onScreenProductId;
  if (act !== "keep" && hasSwitched && wasOnScreen) {
    interrupt(draft, { cause: "product-switch", act, reason: "product-switch" });
  }
  return ok(closeDraft(draft));
}

/**
 * Announces a configuration or a harness. `now.rules` are the new ones already. A turn that was made from what the room no
 * longer sells so is not spoken on: it begins anew where nothing of its answer was heard.
 */
export function changeConfig(now: RoomNow, { revision, harness, changesFacts }: ConfigChange): RoomStep {
  const draft = openDraft(now);
  emit(draft, { type: "config", revision, harness });
  if (changesFacts) interrupt(draft, { cause: "config", act: "finish", reason: "config" });
  return closeDraft(draft);
}

export type ConfigChange = {
  readonly revision: number;
  readonly harness: HarnessRef;
  /** Whether products, answers or coupons differ from those before. */
  readonly changesFacts: boolean;
};

/** Takes what the strategist has made, unless it is older than what the room has. */
export function takeStrategy(now: RoomNow, strategy: RoomStrategy): RoomStep {
  const draft = openDraft(now);
  const isNewer = strategy.basedOnSeq > (now.state.strategy?.basedOnSeq ?? -1);
  // Switched off since it was asked for, it is not wanted.
  if (isNewer && now.rules.policy.strategy.isOn) emit(draft, { type: "strategy", strategy });
  return closeDraft(draft);
}

/** What the strategist is told. */
export function toStrategyInput({ strategy, lastSeq, snapshot, tally }: RoomState): StrategyInput {
  const { onScreenProductId, skuOverrides, heard } = snapshot;
  return { previous: strategy, basedOnSeq: lastSeq, onScreenProductId, skuOverrides, heard: [...heard], tally };
}

/** Does what is due, and nothing when nothing is: safe to call at any time, any number of times. */
export function tickRoom(now: RoomNow): RoomStep {
  return closeDraft(openDraft(now));
}

/** The lease to hand to a runner, of a turn that the state says has one. */
export function toLease(room: LeasingRoom, turn: LeasedTurn, { sayAtMs }: Pick<Mouth, "sayAtMs">): TurnLease {
  const { strategy } = room.state;
  const { attempt, deadlineAtMs, harness, configRevision, snapshot, stateSeq } = turn.lease;
  return {
    room: room.name,
    merchant: room.setup.config.merchant.id,
    turn: turn.id,
    attempt,
    priority: attempt > 1 ? PRIORITY_RESUMED : PRIORITY_TURN,
    deadlineAtMs,
    acceptedAtMs: turn.acceptedAtMs,
    messages: turn.messages,
    askers: turn.askers,
    askedOnScreenProductId: turn.onScreenProductId,
    // A first sentence that waited longer would cost its runner the lease.
    sayAtMs: sayAtMs === null ? null : Math.min(sayAtMs, deadlineAtMs),
    strategy,
    spoken: turn.sentences.map(({ seq, text, speech, kind }) => ({ seq, text, speech, kind })),
    harness,
    configRevision,
    releaseSeq: room.release.seq,
    snapshot,
    stateSeq,
    knownPrefixDigest: room.prefixDigest,
  };
}

/** What a lease says of the room itself. */
export type LeasingRoom = Pick<StoredRoom, "name" | "setup" | "prefixDigest" | "release"> & {
  readonly state: Pick<RoomState, "strategy">;
};

/** Speaks what is new of `request` and gives the turn as it is then, or refuses and leaves the draft untouched. */
function speak(draft: Draft, request: SayRequest): Result<OpenTurn, SayRefusal> {
  const turn = findTurn(draft.state, request.turn);
  if (turn?.lease?.attempt !== request.attempt) return fail("lease_lost");
  const fresh = request.sentences.filter(({ seq }) => seq >= turn.sentences.length);
  const hasClaims = fresh.some(({ kind }) => kind === "answer");
  if (hasClaims && request.stateSeq < draft.state.stateSeq) return fail("room_changed");
  if (fresh.some(({ seq }, index) => seq !== turn.sentences.length + index)) return fail("invalid_request");
  const all = [...turn.sentences, ...fresh];
  const charCount = all.reduce((count, { text, speech }) => count + text.length + speech.length, 0);
  if (all.length > TURN_SENTENCES_MAX || charCount > TURN_SPEECH_CHARS_MAX) return fail("record_too_large");
  for (const sentence of fresh) emitSentence(draft, turn, sentence);
  return ok(findTurn(draft.state, turn.id) ?? turn);
}
