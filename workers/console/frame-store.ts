/**
 * What the page knows of one room, as a pure function of its frames: no sockets, no clock, no DOM.
 *
 * Frames are applied in the order of their numbers, each at most once. A frame that came before changes nothing;
 * a frame that would leave a hole is refused, and the caller asks the room again from `lastSeq`.
 */
import type { HelloFrame, RoomFrame } from "../../shared/contract/room-frame.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import type { SkuOverrides } from "../../shared/contract/room-state.ts";
import type { SentenceKind } from "../../shared/contract/sentence.ts";
import type { RoomStrategy } from "../../shared/contract/strategy.ts";
import type { RoomView } from "../../shared/contract/room-view.ts";
import type { FrameVerdict } from "../../shared/client/room-stream.ts";
import type { LogFrame } from "../../shared/client/wire.ts";
import {
  type FrameOf,
  type HarnessRef,
  type TurnItem,
  type TurnPhase,
  type WaitingTurn,
  NOT_SEEN,
  endTurn,
  interruptTurn,
  openTurn,
  phaseOf,
  sayIn,
  startTurn,
} from "./turn-item.ts";
import { NONE_UNANSWERED, type Unanswered, addUnanswered } from "./unanswered.ts";

/** Viewers' messages kept for display. */
export const MESSAGES_KEPT_MAX = 200;
/** Turns kept for display and for the figures. */
export const TURNS_KEPT_MAX = 100;
/** Spoken lines kept for the stage. */
export const LINES_KEPT_MAX = 40;
/** Turns that may wait at once: the most that a harness may let wait. */
const WAITING_KEPT_MAX = 1_000;
/** Frames of history that are read when a room is opened. */
export const HISTORY_FRAMES = 600;

/** A viewer's message, and those that came after it and ask the same. */
export type MessageItem = {
  readonly id: string;
  readonly seq: number;
  readonly atMs: number;
  readonly turn: string;
  readonly text: string;
  readonly viewerName: string | null;
  /** Viewers who ask this. */
  readonly askers: number;
};

/** A message that is not answered. */
export type DroppedItem = {
  readonly key: string;
  readonly atMs: number;
  readonly text: string;
  readonly viewerName: string | null;
  readonly reason: string;
};

/** One line that the room heard: a sentence of the AI host (`turn` is set) or a person's speech. */
export type HeardItem = {
  readonly key: string;
  readonly seq: number;
  readonly atMs: number;
  readonly turn: string | null;
  /** Place of the sentence in its turn; `null` for a person's speech. */
  readonly place: number | null;
  readonly speaker: string | null;
  readonly text: string;
  readonly kind: SentenceKind | "host-speech";
};

export type RoomModel = {
  readonly room: string;
  readonly config: RoomConfig;
  readonly revision: number;
  /** Newer than `revision` when the room has a configuration that was not read yet. */
  readonly announcedRevision: number;
  readonly harness: HarnessRef;
  readonly lastSeq: number;
  /** Last number in the room's log when the stream was last opened: frames up to it are history. */
  readonly historySeq: number;
  readonly stateSeq: number;
  readonly onScreenProductId: string | null;
  readonly skuOverrides: SkuOverrides;
  readonly messages: readonly MessageItem[];
  readonly dropped: Unanswered<DroppedItem>;
  readonly waiting: ReadonlyMap<string, WaitingTurn>;
  /** Turns that may wait; `null` until the room has told. */
  readonly waitingMax: number | null;
  readonly turns: readonly TurnItem[];
  /** Turns that waited in vain. They are kept apart, so that many of them push no answer out. */
  readonly expired: Unanswered<TurnItem>;
  readonly heard: readonly HeardItem[];
  /** When the room's voice will be through with all that was said, by the server's clock; 0 without a voice. */
  readonly voiceUntilMs: number;
  /** What the strategist made last; `null` where the history has none. */
  readonly strategy: RoomStrategy | null;
  /** Frames that the room no longer keeps and this page never saw. */
  readonly missedCount: number;
  /** Server clock minus this page's clock, ms; 0 until a live frame tells. */
  readonly skewMs: number | null;
};

/** The model of a room that was just opened. Its history starts {@link HISTORY_FRAMES} back, or at its oldest open turn. */
export function openRoom(view: RoomView): RoomModel {
  const oldestOpen = Math.min(view.seq + 1, ...view.openTurns.map(turnNumber));
  return {
    room: view.room,
    config: view.config,
    revision: view.revision,
    announcedRevision: view.revision,
    harness: view.harness,
    lastSeq: Math.max(0, Math.min(view.seq - HISTORY_FRAMES, oldestOpen - 1)),
    historySeq: view.seq,
    stateSeq: view.seq,
    onScreenProductId: view.snapshot.onScreenProductId,
    skuOverrides: view.snapshot.skuOverrides,
    messages: [],
    dropped: NONE_UNANSWERED,
    waiting: new Map(),
    waitingMax: null,
    turns: [],
    expired: NONE_UNANSWERED,
    heard: [],
    voiceUntilMs: 0,
    strategy: null,
    missedCount: 0,
    skewMs: null,
  };
}

/** A turn's id carries the number of the message that opened it. An id without one does not move the start. */
function turnNumber(turn: string): number {
  const number = Number(turn.slice(1));
  return Number.isSafeInteger(number) && number > 0 ? number : Number.POSITIVE_INFINITY;
}

/** Takes a newly read configuration, unless a newer one is there. Live values are taken only when the view is not older than what frames told. */
export function applyRoomView(model: RoomModel, view: RoomView): RoomModel {
  if (view.revision < model.revision) return model;
  const next = {
    ...model,
    config: view.config,
    revision: view.revision,
    announcedRevision: Math.max(model.announcedRevision, view.revision),
    harness: view.revision >= model.announcedRevision ? view.harness : model.harness,
  };
  if (view.seq < model.stateSeq) return next;
  return {
    ...next,
    stateSeq: view.seq,
    onScreenProductId: view.snapshot.onScreenProductId,
    skuOverrides: view.snapshot.skuOverrides,
  };
}

/** Takes the greeting of a stream: what is history, and what the room has forgotten since. */
export function applyHello(model: RoomModel, hello: HelloFrame): RoomModel {
  const next = { ...model, historySeq: Math.max(model.historySeq, hello.seq) };
  return hello.firstSeq > model.lastSeq + 1 ? skipTo(next, hello.firstSeq - 1, hello.openTurns) : next;
}

/**
 * Goes on after `seq` although frames before it are missing. They are counted as missed, unless nothing was read
 * before: then the history only begins later. Turns that are no longer open stop waiting.
 */
export function skipTo(model: RoomModel, seq: number, openTurns: readonly string[]): RoomModel {
  if (seq <= model.lastSeq) return model;
  const isStart = model.messages.length === 0 && model.heard.length === 0 && model.turns.length === 0;
  const open = new Set(openTurns);
  return {
    ...model,
    lastSeq: seq,
    missedCount: model.missedCount + (isStart ? 0 : seq - model.lastSeq),
    waiting: new Map([...model.waiting].filter(([turn]) => open.has(turn))),
  };
}

/**
 * Applies one frame. Idempotent by `seq`.
 *
 * @param receivedAtMs - This page's clock when the frame came, to learn how far the server's clock is from it.
 */
export function applyFrame(
  model: RoomModel,
  frame: LogFrame,
  receivedAtMs: number,
): { readonly model: RoomModel; readonly verdict: FrameVerdict } {
  if (frame.seq <= model.lastSeq) return { model, verdict: "duplicate" };
  if (frame.seq !== model.lastSeq + 1) return { model, verdict: "gap" };
  if (frame.type === "unknown") return { model: { ...model, lastSeq: frame.seq }, verdict: "applied" };
  const counted = { ...model, lastSeq: frame.seq, skewMs: learnSkew(model, frame, receivedAtMs) };
  return { model: applyBody(counted, frame), verdict: "applied" };
}

/** The frame that took the shortest time to come tells best; network delay only ever makes the difference smaller. */
function learnSkew(model: RoomModel, frame: RoomFrame, receivedAtMs: number): number | null {
  if (frame.seq <= model.historySeq) return model.skewMs;
  const skewMs = frame.atMs - receivedAtMs;
  return model.skewMs === null ? skewMs : Math.max(model.skewMs, skewMs);
}

function applyBody(model: RoomModel, frame: RoomFrame): RoomModel {
  switch (frame.type) {
    case "message":
      return applyMessage(model, frame);
    case "dropped":
      return applyDropped(model, frame);
    case "turn-start": {
      const { turn, rest } = takeTurn(model, frame);
      return withTurn(rest, startTurn(turn, frame));
    }
    case "sentence":
      return applySentence(model, frame);
    case "interrupt":
      return applyInterrupt(model, frame);
    case "turn-end":
      return applyTurnEnd(model, frame);
    case "host-speech":
      return withHeard(model, {
        key: `speech-${frame.seq}`,
        seq: frame.seq,
        atMs: frame.atMs,
        turn: null,
        place: null,
        speaker: frame.speaker,
        text: frame.text,
        kind: "host-speech",
      });
    case "state":
      return applyState(model, frame);
    case "strategy":
      return { ...model, strategy: frame.strategy };
    case "config":
      return { ...model, announcedRevision: Math.max(model.announcedRevision, frame.revision), harness: frame.harness };
  }
}

function applyMessage(model: RoomModel, { message, seq, atMs, turn }: FrameOf<"message">): RoomModel {
  const started = model.turns.find(({ id }) => id === turn);
  const known = started ?? model.waiting.get(turn) ?? NOT_SEEN;
  const viewerId = message.viewer?.id ?? null;
  const goesOn = viewerId !== null && viewerId === known.viewerId;
  const counts = { messageCount: known.messageCount + 1, askers: known.askers + (goesOn ? 0 : 1) };
  const item = {
    id: message.id,
    seq,
    atMs,
    turn,
    text: message.text,
    viewerName: message.viewer?.name ?? null,
    askers: goesOn ? 1 : counts.askers,
  };
  const next = { ...model, messages: withMessage(model.messages, item, goesOn) };
  if (started !== undefined) return withTurn(next, { ...started, ...counts });
  return { ...next, waiting: withWaiting(model.waiting, item, { viewerId, ...counts }) };
}

type Counts = Pick<WaitingTurn, "viewerId" | "messageCount" | "askers">;

/** A message that joins a waiting turn leaves the turn its age and its words. */
function withWaiting(waiting: RoomModel["waiting"], item: MessageItem, counts: Counts): RoomModel["waiting"] {
  const before = waiting.get(item.turn);
  if (before === undefined && waiting.size >= WAITING_KEPT_MAX) return waiting;
  const first = before ?? { acceptedAtMs: item.atMs, question: item.text, askedBy: item.viewerName };
  return new Map(waiting).set(item.turn, { ...first, ...counts, viewerId: before?.viewerId ?? counts.viewerId });
}

/**
 * A message that asks what an earlier one asks adds to its count, and is no line of its own. What the first viewer goes on
 * to say in other words is one.
 */
function withMessage(messages: readonly MessageItem[], item: MessageItem, goesOn: boolean): readonly MessageItem[] {
  const sameWords = messages.findIndex(({ turn, text }) => turn === item.turn && text === item.text);
  const index = sameWords === -1 && !goesOn ? messages.findIndex(({ turn }) => turn === item.turn) : sameWords;
  const line = messages[index];
  if (line === undefined) return keepLast([...messages, item], MESSAGES_KEPT_MAX);
  return goesOn ? messages : messages.with(index, { ...line, askers: line.askers + 1 });
}

function applyDropped(model: RoomModel, { seq, atMs, messages }: FrameOf<"dropped">): RoomModel {
  const added = messages.map(({ message, reason }, index) => ({
    reason,
    item: { key: `${seq}-${index}`, atMs, text: message.text, viewerName: message.viewer?.name ?? null, reason },
  }));
  return { ...model, dropped: addUnanswered(model.dropped, added) };
}

/** The turn of a frame as it is known now, and the room in which it does not wait. */
function takeTurn(model: RoomModel, frame: { readonly turn: string; readonly seq: number }) {
  const known = model.turns.find(({ id }) => id === frame.turn);
  if (known !== undefined) return { turn: known, rest: model };
  const waiting = new Map(model.waiting);
  waiting.delete(frame.turn);
  return { turn: openTurn(frame.turn, frame.seq, model.waiting.get(frame.turn)), rest: { ...model, waiting } };
}

function applySentence(model: RoomModel, frame: FrameOf<"sentence">): RoomModel {
  const { sentence, seq, atMs, speakingMs = 0 } = frame;
  const { turn, rest } = takeTurn(model, frame);
  if (turn.sentences.some((spoken) => spoken.seq === sentence.seq)) return model;
  const voiceUntilMs = speakingMs === 0 ? rest.voiceUntilMs : Math.max(rest.voiceUntilMs, atMs) + speakingMs;
  return withHeard(withTurn({ ...rest, voiceUntilMs }, sayIn(turn, frame)), {
    key: `${frame.turn}-${sentence.seq}`,
    seq,
    atMs,
    turn: frame.turn,
    place: sentence.seq,
    speaker: null,
    text: sentence.text,
    kind: sentence.kind,
  });
}

/** What the voice had not begun to say leaves the stage: nobody heard it. */
function applyInterrupt(model: RoomModel, frame: FrameOf<"interrupt">): RoomModel {
  const turn = model.turns.find(({ id }) => id === frame.turn);
  // Its voice spoke on after its end, which is older than the history.
  if (turn === undefined) return model;
  const interrupted = withTurn(model, interruptTurn(turn, frame));
  const { atMs, act, heard } = frame;
  if (heard === undefined) return interrupted;
  const lastMs = turn.sentences[heard.sentences - 1]?.speakingMs ?? heard.lastMs;
  return {
    ...interrupted,
    voiceUntilMs: act === "stop" ? atMs : atMs + Math.max(0, lastMs - heard.lastMs),
    heard: model.heard.filter((line) => line.turn !== frame.turn || (line.place ?? 0) < heard.sentences),
  };
}

function applyTurnEnd(model: RoomModel, frame: FrameOf<"turn-end">): RoomModel {
  const { turn, rest } = takeTurn(model, frame);
  const ended = endTurn(turn, frame);
  const hadFloor = turn.startedAtMs !== null || turn.sentences.length > 0;
  if (frame.outcome !== "expired" || hadFloor) return withTurn(rest, ended);
  return { ...rest, expired: addUnanswered(rest.expired, [{ item: ended, reason: frame.reason ?? frame.outcome }]) };
}

/** State up to `stateSeq` came with the view of the room; applying its history again would go back in time. */
function applyState(model: RoomModel, frame: FrameOf<"state">): RoomModel {
  if (frame.seq <= model.stateSeq) return model;
  const { onScreenProductId, skus = [] } = frame.patch;
  const skuOverrides: SkuOverrides = { ...model.skuOverrides };
  for (const { skuId, ...change } of skus) skuOverrides[skuId] = { ...skuOverrides[skuId], ...change };
  return {
    ...model,
    stateSeq: frame.seq,
    onScreenProductId: onScreenProductId === undefined ? model.onScreenProductId : onScreenProductId,
    skuOverrides,
  };
}

function withHeard(model: RoomModel, item: HeardItem): RoomModel {
  return { ...model, heard: keepLast([...model.heard, item], LINES_KEPT_MAX) };
}

function withTurn(model: RoomModel, turn: TurnItem): RoomModel {
  const index = model.turns.findIndex(({ id }) => id === turn.id);
  const turns = index === -1 ? keepLast([...model.turns, turn], TURNS_KEPT_MAX) : model.turns.with(index, turn);
  return { ...model, turns };
}

function keepLast<Item>(items: readonly Item[], max: number): readonly Item[] {
  return items.length > max ? items.slice(items.length - max) : items;
}

/** Where the turn that answers a message stands. */
export function turnPhase(model: RoomModel, id: string): TurnPhase {
  if (model.waiting.has(id)) return "waiting";
  const isThis = (turn: TurnItem): boolean => turn.id === id;
  const turn = model.turns.find(isThis) ?? model.expired.latest.find(isThis);
  return turn === undefined ? "past" : phaseOf(turn);
}

/** What the room does now: it speaks, makes an answer, or neither. A voice may speak on when its turn has ended. */
export function floorState(model: RoomModel, serverNowMs: number): "on-air" | "thinking" | "standby" {
  const phases = model.turns.map(phaseOf);
  if (phases.includes("speaking") || model.voiceUntilMs > serverNowMs) return "on-air";
  return phases.includes("thinking") ? "thinking" : "standby";
}
