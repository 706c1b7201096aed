/**
 * What a live room decides, as pure functions: room and request in, frames and records out.
 *
 * A step is taken as a whole or not at all: the caller writes it in one transaction, then acts on it.
 * Every decision ends with {@link settle}, so that what is due happens with whichever event comes first.
 */
import { type Result, fail, ok } from "../../shared/core/result.ts";
import { PRIORITY_RESUMED, PRIORITY_TURN } from "../../shared/contract/admission.ts";
import type { InterruptionAct, InterruptionCause, TurnPriority } from "../../shared/contract/intake-policy.ts";
import type { Disposition, HostSpeech, ViewerMessage } from "../../shared/contract/message.ts";
import type { RoomFrame, RoomFrameBody } from "../../shared/contract/room-frame.ts";
import type { RoomPatch } from "../../shared/contract/room-state.ts";
import type { RoomStrategy, StrategyInput } from "../../shared/contract/strategy.ts";
import type { Sentence } from "../../shared/contract/sentence.ts";
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
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { type TurnEnding, activityOf, buildTurnRecord, timingsOf } from "./build-turn-record.ts";
import { type LeasedTurn, type OpenTurn, type RoomRules, type RoomState } from "./room-state.ts";
import type { Heard, Mouth } from "./mouth.ts";
import type { RoomIntake, WaitingTurns } from "./room-intake.ts";
import type { StoredRoom } from "./stored-room.ts";
import { applyFrame, findSpeaking, findTurn, isLeased, nextWakeAtMs, shortenLease } from "./room-state.ts";

/** Runs of one turn. A second loss is answered by the room itself, so that a turn that kills runners ends. */
const ATTEMPTS_MAX = 2;
/** Wait before another runner gets a turn that the one before could not run, ms. */
const RUNNER_RETRY_MS = 250;
/** Sentences of one turn. */
export const TURN_SENTENCES_MAX = 200;
/** Characters (UTF-16 units) that one turn may say, as subtitles and as speech together. */
export const TURN_SPEECH_CHARS_MAX = 50_000;

/** The room at the moment of a decision. */
export type RoomNow = {
  readonly room: string;
  readonly state: RoomState;
  readonly rules: RoomRules;
  readonly intake: RoomIntake;
  readonly mouth: Mouth;
  readonly nowMs: number;
};

/** What a decision changes. Empty when it changes nothing. */
export type RoomStep = {
  readonly state: RoomState;
  /** To be logged and broadcast, in this order. */
  readonly frames: readonly RoomFrame[];
  /** Turns that ended. */
  readonly records: readonly TurnRecord[];
  /** Turns to hand to a runner once the step is durable. */
  readonly leases: readonly TurnRef[];
};

export type SaidStep = { readonly step: RoomStep; readonly said: Said };
export type SayRefusal = Extract<SayResult, { ok: false }>["error"];

/** A step in the making. Only {@link emit} changes its state. */
type Draft = { readonly now: RoomNow; state: RoomState; frames: RoomFrame[]; records: TurnRecord[]; leases: TurnRef[] };

function openDraft(now: RoomNow): Draft {
  return { now, state: now.state, frames: [], records: [], leases: [] };
}

function emit(draft: Draft, body: RoomFrameBody): RoomFrame {
  // The spread of a union is no union; every member has these two fields alike.
  const frame = { ...body, seq: draft.state.lastSeq + 1, atMs: draft.now.nowMs } as RoomFrame;
  draft.state = applyFrame(draft.state, frame, draft.now.rules);
  draft.frames.push(frame);
  return frame;
}

function closeDraft(draft: Draft): RoomStep {
  settle(draft);
  const { state, frames, records, leases } = draft;
  return { state, frames, records, leases };
}

/** Where a message stands that the room has. */
export type KnownMessage = { readonly turn: string; readonly seq: number };

/**
 * Takes viewers' messages: each new one opens a turn, joins a waiting one that asks the same, or is dropped with a reason.
 * Where too many wait, the one that matters least is let go, be it the new one or one that waits.
 *
 * @param known - Messages of the batch that came before, by id.
 */
export function admitMessages(
  now: RoomNow,
  messages: readonly ViewerMessage[],
  known: ReadonlyMap<string, KnownMessage>,
): { readonly step: RoomStep; readonly dispositions: Disposition[] } {
  const draft = openDraft(now);
  // What has expired does not wait.
  settleDue(draft);
  const batch: Batch = { draft, dropped: [], waiting: null };
  const seen = new Map(known);
  const dispositions: Disposition[] = [];
  for (const message of messages) {
    const before = seen.get(message.id);
    const disposition =
      before === undefined
        ? admitMessage(batch, message)
        : { id: message.id, disposition: "duplicate" as const, reason: null, ...before };
    dispositions.push(disposition);
    if (disposition.turn !== null) seen.set(message.id, { turn: disposition.turn, seq: disposition.seq });
  }
  if (batch.dropped.length > 0) emit(draft, { type: "dropped", messages: batch.dropped });
  return { step: closeDraft(draft), dispositions };
}

type Batch = {
  readonly draft: Draft;
  readonly dropped: Dropped[];
  /** Made when the first message finds no place: what waits then, the least first. */
  waiting: WaitingTurns | null;
};
type Dropped = Extract<RoomFrameBody, { type: "dropped" }>["messages"][number];

function admitMessage(batch: Batch, message: ViewerMessage): Disposition {
  const { draft } = batch;
  const { intake, rules, nowMs } = draft.now;
  const judgement = intake.judge(message, draft.state, rules, nowMs);
  const { id } = message;
  const reason = judgement.type === "open" && !findPlace(batch, message) ? "crowded" : null;
  if (judgement.type === "drop" || reason !== null) {
    const why = judgement.type === "drop" ? judgement.reason : "crowded";
    batch.dropped.push({ message, reason: why });
    return { id, disposition: "dropped", reason: why, turn: null, seq: draft.state.lastSeq };
  }
  const turn = judgement.type === "merge" ? judgement.turn : `t${draft.state.lastSeq + 1}`;
  const { seq } = emit(draft, { type: "message", turn, message });
  intake.note(turn, message, draft.state);
  return { id, disposition: judgement.type === "merge" ? "merged" : "queued", reason: null, turn, seq };
}

/** Whether one more turn may wait: there is a place, or one that matters less gives up its own. */
function findPlace(batch: Batch, message: ViewerMessage): boolean {
  const { draft } = batch;
  const { intake, rules, nowMs } = draft.now;
  const hasFloor = findSpeaking(draft.state) === undefined;
  if (countWaiting(draft.state) < rules.policy.intake.backlogMax + (hasFloor ? 1 : 0)) return true;
  batch.waiting ??= intake.rankWaiting(draft.state, rules, nowMs);
  const least = batch.waiting[0];
  if (least === undefined || intake.scoreNew(message, rules) <= least.points) return false;
  batch.waiting.shift();
  endTurn(draft, least.turn, { outcome: "expired", reason: "crowded", trace: null });
  return true;
}

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

export type Interruption = {
  readonly cause: InterruptionCause;
  readonly act: Exclude<InterruptionAct, "keep">;
  /** Kept in the record. */
  readonly reason: string;
};

function interrupt(draft: Draft, interruption: Interruption): string | null {
  const { mouth, nowMs } = draft.now;
  const turn = findSpeaking(draft.state);
  const sounding = mouth.soundingTurn(nowMs);
  // Its turn has ended, but the voice is not through with it; the next one is only being made.
  const tail = sounding === turn?.id ? null : sounding;
  if (tail !== null) {
    emitInterrupt(draft, tail, { ...interruption, resumes: false, heard: mouth.cut(tail, interruption.act, nowMs) });
    if (interruption.cause === "operator") return tail;
  }
  if (turn === undefined) return tail;
  const heard = mouth.cut(turn.id, interruption.act, nowMs);
  const hasAnswered = turn.sentences.slice(0, heard?.sentences).some(({ kind }) => kind === "answer");
  const mayResume = draft.now.rules.policy.interruption.resumes && interruption.cause !== "operator";
  const resumes = mayResume && !hasAnswered && turn.attemptsBefore === 0;
  emitInterrupt(draft, turn.id, { ...interruption, resumes, heard });
  if (!resumes) endTurn(draft, turn, { outcome: "interrupted", reason: interruption.reason, trace: null, heard });
  return turn.id;
}

type Interrupted = Interruption & { readonly resumes: boolean; readonly heard: Heard | undefined };

function emitInterrupt(draft: Draft, turn: string, { cause, act, resumes, heard }: Interrupted): void {
  emit(draft, { type: "interrupt", turn, cause, act, resumes, ...(heard !== undefined && { heard }) });
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
  if (isNewer) emit(draft, { type: "strategy", strategy });
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
    sayAtMs,
    strategy,
    spoken: turn.sentences.map(({ seq, text, speech, kind }) => ({ seq, text, speech, kind })),
    harness,
    configRevision,
    snapshot,
    stateSeq,
    knownPrefixDigest: room.prefixDigest,
  };
}

/** What a lease says of the room itself. */
export type LeasingRoom = Pick<StoredRoom, "name" | "setup" | "prefixDigest"> & {
  readonly state: Pick<RoomState, "strategy">;
};

function countWaiting(state: RoomState): number {
  return state.turns.filter((turn) => !isLeased(turn)).length;
}

/** Ends what has waited too long, takes turns from lost runners, and gives the floor to the next turn. */
function settle(draft: Draft): void {
  const { nowMs, rules } = draft.now;
  settleDue(draft);
  const { intake, policy } = { intake: draft.now.intake, policy: rules.policy.interruption };
  const speaking = findSpeaking(draft.state);
  if (speaking !== undefined && policy.pointsAhead === undefined) return;
  if (floorFreeAtMs(draft.now) > nowMs) return;
  const next = intake.chooseNext(draft.state, rules, nowMs);
  if (next === null) return;
  if (speaking !== undefined) {
    // Waiting does not count against the one that speaks: what interrupts must matter more, not have waited longer.
    const ahead = intake.score(next.turn, rules, next.turn.acceptedAtMs).points;
    const behind = intake.score(speaking, rules, speaking.acceptedAtMs).points;
    if (policy.priority === "keep" || ahead - behind < (policy.pointsAhead ?? 0)) return;
    interrupt(draft, { cause: "priority", act: policy.priority, reason: `priority:${next.turn.id}` });
  }
  const attempt = next.turn.attemptsBefore + 1;
  startTurn(draft, next.turn, { attempt, harness: draft.state.harness, priority: next.priority });
}

/** Until then a person speaks, or the room's own voice is not nearly through with the last turn. */
export function floorFreeAtMs({ intake, mouth }: Pick<RoomNow, "intake" | "mouth">): number {
  return Math.max(intake.quietUntilMs, mouth.busyUntilMs);
}

function settleDue(draft: Draft): void {
  const { nowMs } = draft.now;
  const wakeAtMs = nextWakeAtMs(draft.state);
  if (wakeAtMs === null || wakeAtMs > nowMs) return;
  for (const turn of draft.state.turns) {
    if (!isLeased(turn)) {
      if (turn.waitsUntilMs <= nowMs) endTurn(draft, turn, { outcome: "expired", reason: "ttl", trace: null });
    } else if (turn.lease.expiresAtMs <= nowMs) {
      replaceRunner(draft, turn);
    }
  }
}

function replaceRunner(draft: Draft, turn: LeasedTurn): void {
  const { attempt, harness } = turn.lease;
  // A turn ends on the version it began with, though its second runner sees the room as it is now.
  if (mayRetry(turn, attempt)) startTurn(draft, turn, { attempt: attempt + 1, harness });
  else closeTurn(draft, turn, "runner_lost");
}

/** Attempts are counted anew after an interruption, which is no runner's fault. */
function mayRetry({ attemptsBefore }: OpenTurn, attempt: number): boolean {
  return attempt - attemptsBefore < ATTEMPTS_MAX;
}

/** Ends a turn that no runner will end. Nobody's question stays without a word: the fallback line is the last one. */
function closeTurn(draft: Draft, turn: OpenTurn, reason: string): TurnRecord {
  const kinds = new Set(turn.sentences.map(({ kind }) => kind));
  if (!kinds.has("answer") && !kinds.has("fallback")) {
    const { text, speech } = draft.now.rules.policy.fallback;
    emitSentence(draft, turn, { seq: turn.sentences.length, text, speech, kind: "fallback" });
  }
  const outcome = kinds.has("answer") ? "answered" : "fallback";
  return endTurn(draft, turn, { outcome, reason, trace: null });
}

type Start = { readonly attempt: number; readonly harness: HarnessRef; readonly priority?: TurnPriority };

function startTurn(draft: Draft, turn: OpenTurn, { attempt, harness, priority }: Start): void {
  const waitedMs = turn.waitedMs ?? draft.now.nowMs - turn.acceptedAtMs;
  const messageIds = turn.messages.map(({ id }) => id);
  const why = priority === undefined ? {} : { priority };
  emit(draft, { type: "turn-start", turn: turn.id, attempt, messageIds, harness, waitedMs, ...why });
  draft.leases.push({ turn: turn.id, attempt });
}

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

function emitSentence(draft: Draft, turn: OpenTurn, { seq, text, speech, kind }: Sentence): void {
  const speakingMs = draft.now.mouth.say({ turn: turn.id, seq, speech }, draft.now.nowMs);
  const paced = speakingMs === undefined ? {} : { speakingMs };
  emit(draft, { type: "sentence", turn: turn.id, sentence: { seq, text, speech, kind }, ...paced });
}

function endTurn(draft: Draft, before: OpenTurn, ending: TurnEnding): TurnRecord {
  const { outcome, reason, trace } = ending;
  const turn = findTurn(draft.state, before.id) ?? before;
  const { harness, revision } = draft.state;
  const endedAtMs = draft.now.nowMs;
  const basis = { room: draft.now.room, turn, endedAtMs, harness, revision };
  const record = buildTurnRecord(basis, ending);
  draft.records.push(record);
  draft.now.intake.forget(turn.id);
  if (outcome === "answered") draft.now.intake.noteAnswered(turn, endedAtMs);
  const timings = timingsOf(turn, endedAtMs);
  emit(draft, { type: "turn-end", turn: turn.id, outcome, reason, timings, activity: activityOf(trace) });
  return record;
}
