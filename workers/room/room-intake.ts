/**
 * What a room remembers of its messages beside its state: who wrote how often, which waiting turn asks what, and what was
 * answered just now. In memory only and bounded; what concerns waiting turns is rebuilt from the state at any time.
 */
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import {
  MERGED_MESSAGES_MAX,
  type DropReason,
  type IntakePolicy,
  type TurnPriority,
} from "../../shared/contract/intake-policy.ts";
import type { ViewerMessage } from "../../shared/contract/message.ts";
import { findNoise } from "../../shared/intake/find-noise.ts";
import { toMessageKey } from "../../shared/intake/message-key.ts";
import { QuestionIndex } from "../../shared/intake/question-index.ts";
import { type RoomNames, type ScoredMessage, readForScore, scoreTurn } from "../../shared/intake/score-turn.ts";
import { ViewerRate } from "../../shared/intake/viewer-rate.ts";
import { type OpenTurn, type RoomRules, type RoomState, isLeased } from "./room-state.ts";

/** Viewers whose messages are counted: more than write in a busy room within a window. */
const VIEWERS_MAX = 5_000;
/** Answers that are remembered, by viewer and question. */
const ANSWERED_MAX = 5_000;
/** Messages of one viewer that belong together, ms from the first. */
const BURST_MS = 5_000;
/** Messages of a turn whose words count for its place. */
const SCORED_MESSAGES_MAX = 8;

/** `key`: what the message asks, in one spelling. */
export type Judgement =
  | { readonly type: "open"; readonly key: string }
  | { readonly type: "merge"; readonly key: string; readonly turn: string }
  | { readonly type: "drop"; readonly reason: DropReason };

export type WaitingTurns = { readonly turn: OpenTurn; readonly points: number }[];

export class RoomIntake {
  readonly #rate = new ViewerRate({ viewersMax: VIEWERS_MAX });
  readonly #answeredAtMs = new BoundedCache<string, number>(ANSWERED_MAX);
  readonly #bursts = new BoundedCache<string, { readonly turn: string; readonly atMs: number }>(VIEWERS_MAX);
  readonly #questions = new QuestionIndex();
  /** Waiting turns whose questions are in the index. */
  readonly #indexed = new Set<string>();
  readonly #readings = new Map<string, ScoredMessage[]>();
  /** What the three above were made of. */
  #seq = -1;
  #rules: RoomRules | null = null;
  #onScreenProductId: string | null = null;
  /** What the room's products are called: made once, because reading a message against it folds it once. */
  #names: RoomNames = { onScreen: null, otherNames: [] };
  #quietUntilMs = 0;

  /** Until then a person speaks, and no turn takes the floor. Forgotten with the object: then a turn begins too soon, once. */
  get quietUntilMs(): number {
    return this.#quietUntilMs;
  }

  keepQuiet(untilMs: number): void {
    this.#quietUntilMs = Math.max(this.#quietUntilMs, untilMs);
  }

  /** Decides on a message that the room does not know. Counts it for its viewer. */
  judge(message: ViewerMessage, state: RoomState, rules: RoomRules, nowMs: number): Judgement {
    this.#follow(state, rules);
    const { intake } = rules.policy;
    const key = toScreenKey(message.text, this.#onScreenProductId);
    const reason = this.#reasonToDrop(message, key, intake, nowMs);
    if (reason !== null) return { type: "drop", reason };
    const turn = intake.merges ? this.#findTurn(message, { key, state, nowMs }) : null;
    return turn === null ? { type: "open", key } : { type: "merge", key, turn };
  }

  /** Takes a message into its waiting turn. `state` is the one after it. */
  note(turn: string, message: ViewerMessage, { key, state }: { key: string; state: RoomState }): void {
    this.#indexed.add(turn);
    this.#questions.add(key, turn);
    const reading = this.#readings.get(turn);
    if (reading !== undefined && reading.length < SCORED_MESSAGES_MAX) reading.push(readForScore(message, this.#names));
    const noted = state.turns.find(({ id }) => id === turn);
    // A viewer goes on in a turn of their own: in one that others ask too, a second question would be lost.
    const isOwn = noted?.messages.every(({ viewer }) => viewer?.id === message.viewer?.id) ?? false;
    if (message.viewer !== undefined && noted !== undefined && isOwn) {
      this.#bursts.set(message.viewer.id, { turn, atMs: noted.acceptedAtMs });
    }
    this.#seq = state.lastSeq;
  }

  /** Lets go of a turn that waits no longer: no message joins it. */
  forget(turn: string): void {
    this.#indexed.delete(turn);
    this.#questions.remove(turn);
    this.#readings.delete(turn);
  }

  /** Remembers what a turn answered, for each of its viewers. */
  noteAnswered({ messages, onScreenProductId }: OpenTurn, nowMs: number): void {
    for (const { viewer, text } of messages) {
      const key = toScreenKey(text, onScreenProductId);
      if (viewer !== undefined && key !== "") this.#answeredAtMs.set(answerKey(viewer.id, key), nowMs);
    }
  }

  /** The waiting turn that has the most points now. */
  chooseNext(
    state: RoomState,
    rules: RoomRules,
    nowMs: number,
  ): { readonly turn: OpenTurn; readonly priority: TurnPriority } | null {
    this.#follow(state, rules);
    let best: { readonly turn: OpenTurn; readonly score: ReturnType<typeof scoreTurn> } | null = null;
    let waiting = 0;
    for (const turn of state.turns) {
      if (isLeased(turn)) continue;
      waiting += 1;
      const score = this.score(turn, rules, nowMs);
      // The list is in the order of arrival: the first of equals has waited longest.
      if (best === null || score.points > best.score.points) best = { turn, score };
    }
    return best === null ? null : { turn: best.turn, priority: { ...best.score, waiting } };
  }

  /** Waiting turns with their points now, the least first; of equals the one that came last. */
  rankWaiting(state: RoomState, rules: RoomRules, nowMs: number): WaitingTurns {
    this.#follow(state, rules);
    const waiting = state.turns.filter((turn) => !isLeased(turn)).toReversed();
    return waiting
      .map((turn) => ({ turn, points: this.score(turn, rules, nowMs).points }))
      .toSorted((a, b) => a.points - b.points);
  }

  /** Points of a message that has just come. */
  scoreNew(message: ViewerMessage, rules: RoomRules): number {
    const facts = { messages: [readForScore(message, this.#names)], askers: 0, waitedMs: 0, merchant: rules.merchant };
    return scoreTurn(rules.policy.intake.priority, facts).points;
  }

  /** A turn's points now. */
  score(turn: OpenTurn, rules: RoomRules, nowMs: number): ReturnType<typeof scoreTurn> {
    const { askers, acceptedAtMs } = turn;
    const waitedMs = Math.max(0, nowMs - acceptedAtMs);
    const facts = { messages: this.#read(turn), askers: askers - 1, waitedMs, merchant: rules.merchant };
    return scoreTurn(rules.policy.intake.priority, facts);
  }

  /** Whether a turn is about the product on screen, or names none. */
  isOnScreen(turn: OpenTurn, state: RoomState, rules: RoomRules): boolean {
    this.#follow(state, rules);
    return this.#read(turn).some(({ isOnScreen }) => isOnScreen);
  }

  #read(turn: OpenTurn): ScoredMessage[] {
    const known = this.#readings.get(turn.id);
    if (known !== undefined) return known;
    const reading = turn.messages.slice(0, SCORED_MESSAGES_MAX).map((message) => readForScore(message, this.#names));
    this.#readings.set(turn.id, reading);
    return reading;
  }

  #follow(state: RoomState, rules: RoomRules): void {
    const { onScreenProductId } = state.snapshot;
    if (rules !== this.#rules || onScreenProductId !== this.#onScreenProductId) {
      this.#readings.clear();
      this.#names = namesIn(rules, onScreenProductId);
    }
    this.#rules = rules;
    this.#onScreenProductId = onScreenProductId;
    if (state.lastSeq === this.#seq) return;
    const waiting = new Map(state.turns.filter((turn) => !isLeased(turn)).map((turn) => [turn.id, turn]));
    for (const id of this.#indexed) if (!waiting.has(id)) this.forget(id);
    for (const [id, { messages, onScreenProductId: asked }] of waiting) {
      if (this.#indexed.has(id)) continue;
      this.#indexed.add(id);
      for (const { text } of messages) this.#questions.add(toScreenKey(text, asked), id);
    }
    this.#seq = state.lastSeq;
  }

  #reasonToDrop({ text, viewer }: ViewerMessage, key: string, intake: IntakePolicy, nowMs: number): DropReason | null {
    const noise = intake.dropsNoise ? findNoise(text) : null;
    if (noise !== null || viewer === undefined) return noise;
    const limits = { max: intake.viewerMessagesMax, windowMs: intake.viewerWindowMs };
    if (!this.#rate.take(viewer.id, limits, nowMs)) return "viewer_rate";
    const isRepeated = key !== "" && this.#answeredWithin(intake.repeatMs, answerKey(viewer.id, key), nowMs);
    return isRepeated ? "repeated" : null;
  }

  #findTurn(
    { viewer }: ViewerMessage,
    { key, state, nowMs }: { key: string; state: RoomState; nowMs: number },
  ): string | null {
    const same = key === "" ? null : this.#questions.find(key);
    return same ?? (viewer === undefined ? null : this.#burstOf(viewer.id, state, nowMs));
  }

  /** The waiting turn that the viewer's last messages opened: "多少钱", "？？", "能便宜吗" within a moment are one question. */
  #burstOf(viewer: string, state: RoomState, nowMs: number): string | null {
    const burst = this.#bursts.get(viewer);
    if (burst === undefined || !this.#indexed.has(burst.turn) || nowMs - burst.atMs >= BURST_MS) return null;
    // What others have asked since is theirs too, and what is not kept would not be answered.
    const turn = state.turns.find(({ id }) => id === burst.turn);
    const isOwn =
      turn?.messages.length === turn?.askers && turn?.messages.every((message) => message.viewer?.id === viewer);
    return isOwn === true && turn !== undefined && turn.messages.length < MERGED_MESSAGES_MAX ? burst.turn : null;
  }

  #answeredWithin(limitMs: number, key: string, nowMs: number): boolean {
    const answeredAtMs = this.#answeredAtMs.get(key);
    return answeredAtMs !== undefined && nowMs - answeredAtMs < limitMs;
  }
}

function namesIn({ products }: RoomRules, onScreenProductId: string | null): RoomNames {
  const onScreen = products.find(({ id }) => id === onScreenProductId) ?? null;
  const others = products.filter(({ id }) => id !== onScreenProductId);
  return { onScreen, otherNames: others.flatMap(({ names }) => names) };
}

/** The same words about another product on screen are another question. Empty for a text that asks nothing. */
function toScreenKey(text: string, onScreenProductId: string | null): string {
  const key = toMessageKey(text);
  return key === "" ? "" : `${onScreenProductId ?? ""}\n${key}`;
}

function answerKey(viewer: string, key: string): string {
  return `${viewer}\n${key}`;
}
