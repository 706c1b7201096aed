/**
 * What a live room knows, folded from its frames: no storage, no sockets, no clock.
 *
 * Frames are the only thing that changes the state, so the log can always rebuild it. The one exception is
 * {@link shortenLease}, which only makes the room look at a turn sooner; losing it costs time and nothing else.
 */
import { invariant } from "../../shared/core/assert.ts";
import { MERGED_MESSAGES_MAX, type TurnPriority } from "../../shared/contract/intake-policy.ts";
import type { ViewerMessage } from "../../shared/contract/message.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import { AI_HOST_SPEAKER, HEARD_LINES_MAX } from "../../shared/contract/room-state.ts";
import type { HeardLine, RoomPatch, RoomSnapshot } from "../../shared/contract/room-state.ts";
import type { Sentence } from "../../shared/contract/sentence.ts";
import { EMPTY_TALLY, type RoomStrategy, type StrategyTally } from "../../shared/contract/strategy.ts";
import { countTurn } from "../../shared/strategy/count-turn.ts";
import type { HarnessRef, RoomPolicy, RoomSetup } from "../../shared/contract/turn-lease.ts";

/** Time past a turn's deadline in which its runner may still report, ms. Covers the way back and a slow alarm. */
export const LEASE_GRACE_MS = 2_000;

export type Lease = {
  readonly attempt: number;
  readonly deadlineAtMs: number;
  /** From then on the runner counts as dead. */
  readonly expiresAtMs: number;
  readonly harness: HarnessRef;
  readonly configRevision: number;
  /** The room as this attempt saw it. */
  readonly snapshot: RoomSnapshot;
  readonly stateSeq: number;
};

export type SpokenSentence = Sentence & { readonly atMs: number };

export type OpenTurn = {
  readonly id: string;
  readonly acceptedAtMs: number;
  /** While it waits: when the last of its messages, kept or not, has waited too long. */
  readonly waitsUntilMs: number;
  /** What was on screen when it was asked: "这个" means that. */
  readonly onScreenProductId: string | null;
  /** The first {@link MERGED_MESSAGES_MAX} that asked this. */
  readonly messages: readonly ViewerMessage[];
  /** All that asked this. */
  readonly askers: number;
  /** What gave it the floor; `null` while it waits for the first time. */
  readonly priority: TurnPriority | null;
  /** Attempts before the present wait: more than 0 once it was interrupted and waits again. */
  readonly attemptsBefore: number;
  /** From acceptance to the first lease, ms; `null` while the turn waits. */
  readonly waitedMs: number | null;
  /** `null` while the turn waits. */
  readonly lease: Lease | null;
  readonly sentences: readonly SpokenSentence[];
};

export type LeasedTurn = OpenTurn & { readonly lease: Lease };

export type RoomState = {
  /** Number of the last frame; 0 before the first one. */
  readonly lastSeq: number;
  readonly revision: number;
  readonly harness: HarnessRef;
  readonly snapshot: RoomSnapshot;
  /** Number of the last frame that changed, or may have changed, what the room shows or sells. */
  readonly stateSeq: number;
  /** What the slow strategist made last, and what has become of turns since. */
  readonly strategy: RoomStrategy | null;
  readonly tally: StrategyTally;
  /** In the order of their messages. At most `backlogMax` wait and one has a lease. */
  readonly turns: readonly OpenTurn[];
};

/** What decides in a room beside its frames. Changes with its configuration only. */
export type RoomRules = {
  readonly policy: RoomPolicy;
  readonly config: RoomConfig;
  readonly merchant: string;
  readonly productIds: ReadonlySet<string>;
  readonly skuIds: ReadonlySet<string>;
  /** What viewers call the products. */
  readonly products: readonly {
    readonly id: string;
    readonly link: number | null;
    readonly names: readonly string[];
  }[];
};

export const EMPTY_ROOM: RoomState = {
  lastSeq: 0,
  revision: 0,
  harness: { name: "", version: "" },
  stateSeq: 0,
  snapshot: { onScreenProductId: null, skuOverrides: {}, heard: [] },
  strategy: null,
  tally: EMPTY_TALLY,
  turns: [],
};

export function toRules(setup: RoomSetup, policy: RoomPolicy): RoomRules {
  const { products, merchant } = setup.config;
  return {
    policy,
    config: setup.config,
    merchant: merchant.id,
    productIds: new Set(products.map(({ id }) => id)),
    skuIds: new Set(products.flatMap(({ skus }) => skus.map(({ id }) => id))),
    products: products.map(({ id, link, name, aliases }) => ({ id, link: link ?? null, names: [name, ...aliases] })),
  };
}

/**
 * The state after one more frame. A frame that is known already changes nothing.
 *
 * @param rules - Those in force when the frame was written; whoever changes them keeps a copy of the state.
 */
export function applyFrame(state: RoomState, frame: RoomFrame, rules: RoomRules): RoomState {
  if (frame.seq <= state.lastSeq) return state;
  invariant(frame.seq === state.lastSeq + 1, "frames come in the order of their numbers");
  return applyBody({ ...state, lastSeq: frame.seq }, frame, rules);
}

function applyBody(state: RoomState, frame: RoomFrame, rules: RoomRules): RoomState {
  switch (frame.type) {
    case "message":
      return withMessage(state, frame, rules);
    case "dropped":
      return state;
    case "interrupt":
      return frame.resumes ? changeTurn(state, frame.turn, (turn) => toWaiting(turn, frame, rules)) : state;
    case "turn-start":
      return changeTurn(state, frame.turn, (turn) => ({
        ...turn,
        waitedMs: frame.waitedMs,
        priority: frame.priority ?? turn.priority,
        lease: {
          attempt: frame.attempt,
          deadlineAtMs: frame.atMs + rules.policy.deadlineMs,
          expiresAtMs: frame.atMs + rules.policy.deadlineMs + LEASE_GRACE_MS,
          harness: frame.harness,
          configRevision: state.revision,
          snapshot: state.snapshot,
          stateSeq: state.stateSeq,
        },
      }));
    case "sentence": {
      const sentence = { ...frame.sentence, atMs: frame.atMs };
      const said = changeTurn(state, frame.turn, (turn) => ({
        ...turn,
        sentences: [...turn.sentences, sentence],
        lease: extendLease(turn.lease, frame, rules),
      }));
      return withHeard(said, { speaker: AI_HOST_SPEAKER, text: sentence.text, atMs: frame.atMs });
    }
    case "turn-end":
      return withoutTurn(state, frame, rules);
    case "strategy":
      return { ...state, strategy: frame.strategy, tally: EMPTY_TALLY };
    case "host-speech":
      return withHeard(state, { speaker: frame.speaker, text: frame.text, atMs: frame.atMs });
    case "state":
      return { ...state, stateSeq: frame.seq, snapshot: patchSnapshot(state.snapshot, frame.patch) };
    case "config":
      return withConfig(state, frame, rules);
  }
}

/** Prices and what there is may be others now; a strategy is kept only where the harness still wants one. */
function withConfig(state: RoomState, frame: Extract<RoomFrame, { type: "config" }>, rules: RoomRules): RoomState {
  const snapshot = keepKnown(state.snapshot, rules);
  const { strategy, tally } = rules.policy.strategy.isOn ? state : { strategy: null, tally: EMPTY_TALLY };
  const { seq: stateSeq, revision, harness } = frame;
  return { ...state, revision, harness, snapshot, stateSeq, strategy, tally };
}

function withMessage(state: RoomState, frame: Extract<RoomFrame, { type: "message" }>, rules: RoomRules): RoomState {
  const waitsUntilMs = frame.atMs + (frame.message.ttlMs ?? rules.policy.intake.ttlMs);
  if (state.turns.some(({ id }) => id === frame.turn)) {
    return changeTurn(state, frame.turn, (turn) => ({
      ...turn,
      askers: turn.askers + 1,
      waitsUntilMs: Math.max(turn.waitsUntilMs, waitsUntilMs),
      messages: turn.messages.length < MERGED_MESSAGES_MAX ? [...turn.messages, frame.message] : turn.messages,
    }));
  }
  const turn: OpenTurn = {
    id: frame.turn,
    acceptedAtMs: frame.atMs,
    waitsUntilMs,
    onScreenProductId: state.snapshot.onScreenProductId,
    messages: [frame.message],
    askers: 1,
    priority: null,
    attemptsBefore: 0,
    waitedMs: null,
    lease: null,
    sentences: [],
  };
  return { ...state, turns: [...state.turns, turn] };
}

function withoutTurn(
  state: RoomState,
  { turn: id, outcome }: Extract<RoomFrame, { type: "turn-end" }>,
  { policy }: RoomRules,
): RoomState {
  const turn = findTurn(state, id);
  const left = { ...state, turns: state.turns.filter((other) => other !== turn) };
  const text = turn?.messages[0]?.text;
  if (turn === undefined || text === undefined || !policy.strategy.isOn) return left;
  return { ...left, tally: countTurn(state.tally, { text, askers: turn.askers, outcome }) };
}

/** An interrupted turn whose answer was not heard waits again, with its place by when it came. What nobody heard was not said. */
function toWaiting(turn: OpenTurn, { atMs, heard }: InterruptFrame, { policy }: RoomRules): OpenTurn {
  return {
    ...turn,
    sentences: turn.sentences.slice(0, heard?.sentences),
    lease: null,
    attemptsBefore: turn.lease?.attempt ?? turn.attemptsBefore,
    // Its viewers waited for the floor, and had it: they wait as from now.
    waitsUntilMs: Math.max(turn.waitsUntilMs, atMs + policy.intake.ttlMs),
  };
}

type InterruptFrame = Extract<RoomFrame, { type: "interrupt" }>;

/** A runner whose sentence is being spoken waits with the next one, and is not lost. */
function extendLease(lease: Lease | null, { atMs, speakingMs }: SentenceFrame, rules: RoomRules): Lease | null {
  if (lease === null || speakingMs === undefined) return lease;
  const expiresAtMs = atMs + speakingMs + rules.policy.deadlineMs + LEASE_GRACE_MS;
  return { ...lease, expiresAtMs: Math.max(lease.expiresAtMs, expiresAtMs) };
}

type SentenceFrame = Extract<RoomFrame, { type: "sentence" }>;

function changeTurn(state: RoomState, id: string, change: (turn: OpenTurn) => OpenTurn): RoomState {
  return { ...state, turns: state.turns.map((turn) => (turn.id === id ? change(turn) : turn)) };
}

function withHeard(state: RoomState, line: HeardLine): RoomState {
  const heard = [...state.snapshot.heard, line].slice(-HEARD_LINES_MAX);
  return { ...state, snapshot: { ...state.snapshot, heard } };
}

function patchSnapshot(snapshot: RoomSnapshot, patch: RoomPatch): RoomSnapshot {
  const { onScreenProductId = snapshot.onScreenProductId, skus = [] } = patch;
  // A map, because a merchant's id may be the name of an object's own member.
  const overrides = new Map(Object.entries(snapshot.skuOverrides));
  for (const { skuId, ...change } of skus) overrides.set(skuId, { ...overrides.get(skuId), ...change });
  return { ...snapshot, onScreenProductId, skuOverrides: Object.fromEntries(overrides) };
}

/** Live values of what is no longer sold end, so that they cannot come back with a later configuration. */
function keepKnown(snapshot: RoomSnapshot, rules: RoomRules): RoomSnapshot {
  const { onScreenProductId } = snapshot;
  const overrides = Object.entries(snapshot.skuOverrides).filter(([skuId]) => rules.skuIds.has(skuId));
  return {
    ...snapshot,
    onScreenProductId: onScreenProductId !== null && rules.productIds.has(onScreenProductId) ? onScreenProductId : null,
    skuOverrides: Object.fromEntries(overrides),
  };
}

export function findTurn(state: RoomState, id: string): OpenTurn | undefined {
  return state.turns.find((turn) => turn.id === id);
}

/** The turn that has the floor: the room has one mouth. */
export function findSpeaking(state: RoomState): LeasedTurn | undefined {
  return state.turns.find(isLeased);
}

export function isLeased(turn: OpenTurn): turn is LeasedTurn {
  return turn.lease !== null;
}

/**
 * When the room must look at its turns again though nobody calls it, or `null`. Milliseconds since the epoch.
 *
 * @param floorFreeAtMs - When the next turn may begin, where a person or the room's own voice still speaks.
 */
export function nextWakeAtMs(state: RoomState, floorFreeAtMs = 0): number | null {
  const times = state.turns.map(({ lease, waitsUntilMs }) => lease?.expiresAtMs ?? waitsUntilMs);
  if (times.length > 0 && floorFreeAtMs > 0 && findSpeaking(state) === undefined) times.push(floorFreeAtMs);
  return times.length === 0 ? null : Math.min(...times);
}

/** The same room, where a lease whose runner is known to be lost ends at `expiresAtMs` at the latest. */
export function shortenLease(state: RoomState, turnId: string, attempt: number, expiresAtMs: number): RoomState {
  return changeTurn(state, turnId, (turn) =>
    turn.lease?.attempt === attempt
      ? { ...turn, lease: { ...turn.lease, expiresAtMs: Math.min(turn.lease.expiresAtMs, expiresAtMs) } }
      : turn,
  );
}
