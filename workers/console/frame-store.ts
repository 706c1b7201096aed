/**
 * What the page knows of one room, as a pure function of its frames: no sockets, no clock, no DOM.
 *
 * Frames are applied in the order of their numbers, each at most once. A frame that came before changes nothing;
 * a frame that would leave a hole is refused, and the caller asks the room again from `lastSeq`.
 */
import type { HelloFrame, RoomFrame } from "../../shared/contract/room-frame.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import type { SkuOverrides } from "../../shared/contract/room-state.ts";
import type { Sentence, SentenceKind } from "../../shared/contract/sentence.ts";
import type { TurnOutcome, TurnTimings } from "../../shared/contract/turn-record.ts";
import type { RoomView } from "../../shared/contract/room-view.ts";
import type { FrameVerdict } from "../../shared/client/room-stream.ts";
import type { LogFrame } from "../../shared/client/wire.ts";

/** A harness as a frame names it. */
export type HarnessRef = { readonly name: string; readonly version: string };

/** Viewers' messages kept for display. */
export const MESSAGES_KEPT_MAX = 200;
/** Turns kept for display and for the figures. */
export const TURNS_KEPT_MAX = 100;
/** Spoken lines kept for the stage. */
export const LINES_KEPT_MAX = 40;
/** Turns that may wait at once. Far above the room's own limit; it only bounds memory. */
const WAITING_KEPT_MAX = 5_000;
/** Frames of history that are read when a room is opened. */
export const HISTORY_FRAMES = 600;

export type MessageItem = {
  readonly id: string;
  readonly seq: number;
  readonly atMs: number;
  readonly turn: string;
  readonly text: string;
  readonly viewerName: string | null;
};

/** A turn that no runner has taken yet. */
export type WaitingTurn = {
  readonly acceptedAtMs: number;
  readonly question: string;
  readonly askedBy: string | null;
  readonly messageCount: number;
};

export type SpokenSentence = Sentence & { readonly atMs: number };

export type TurnEnd = {
  readonly atMs: number;
  readonly outcome: TurnOutcome;
  readonly reason: string | null;
  readonly timings: TurnTimings;
  readonly activity: Extract<RoomFrame, { type: "turn-end" }>["activity"];
};

/** A turn from its lease on. Fields are `null` where the history that was read begins after them. */
export type TurnItem = {
  readonly id: string;
  readonly seq: number;
  readonly acceptedAtMs: number | null;
  readonly question: string | null;
  readonly askedBy: string | null;
  readonly messageCount: number;
  readonly attempt: number;
  readonly harness: HarnessRef | null;
  readonly startedAtMs: number | null;
  readonly waitedMs: number | null;
  readonly sentences: readonly SpokenSentence[];
  readonly end: TurnEnd | null;
};

/** One line that the room heard: a sentence of the AI host (`turn` is set) or a person's speech. */
export type HeardItem = {
  readonly key: string;
  readonly seq: number;
  readonly atMs: number;
  readonly turn: string | null;
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
  readonly waiting: ReadonlyMap<string, WaitingTurn>;
  readonly turns: readonly TurnItem[];
  readonly heard: readonly HeardItem[];
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
    waiting: new Map(),
    turns: [],
    heard: [],
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
    case "turn-start":
      return applyTurnStart(model, frame);
    case "sentence":
      return applySentence(model, frame);
    case "turn-end":
      return applyTurnEnd(model, frame);
    case "host-speech":
      return withHeard(model, {
        key: `speech-${frame.seq}`,
        seq: frame.seq,
        atMs: frame.atMs,
        turn: null,
        speaker: frame.speaker,
        text: frame.text,
        kind: "host-speech",
      });
    case "state":
      return applyState(model, frame);
    // What was dropped is in no turn; what was interrupted starts again or ends.
    case "dropped":
    case "interrupt":
    case "strategy":
      return model;
    case "config":
      return { ...model, announcedRevision: Math.max(model.announcedRevision, frame.revision), harness: frame.harness };
  }
}

function applyMessage(model: RoomModel, frame: Extract<RoomFrame, { type: "message" }>): RoomModel {
  const item: MessageItem = {
    id: frame.message.id,
    seq: frame.seq,
    atMs: frame.atMs,
    turn: frame.turn,
    text: frame.message.text,
    viewerName: frame.message.viewer?.name ?? null,
  };
  const messages = keepLast([...model.messages, item], MESSAGES_KEPT_MAX);
  const started = model.turns.find((turn) => turn.id === frame.turn);
  if (started !== undefined) {
    const turns = replaceTurn(model.turns, { ...started, messageCount: started.messageCount + 1 });
    return { ...model, messages, turns };
  }
  const isFull = model.waiting.size >= WAITING_KEPT_MAX && !model.waiting.has(frame.turn);
  return { ...model, messages, waiting: isFull ? model.waiting : withWaiting(model.waiting, item) };
}

/** A message that joins a waiting turn leaves the turn its age and its words. */
function withWaiting(waiting: RoomModel["waiting"], item: MessageItem): RoomModel["waiting"] {
  const before = waiting.get(item.turn);
  const turn: WaitingTurn =
    before === undefined
      ? { acceptedAtMs: item.atMs, question: item.text, askedBy: item.viewerName, messageCount: 1 }
      : { ...before, messageCount: before.messageCount + 1 };
  return new Map(waiting).set(item.turn, turn);
}

/** The turn as it is known now, and the turns that still wait without it. */
function takeTurn(model: RoomModel, id: string, seq: number) {
  const known = model.turns.find((turn) => turn.id === id);
  if (known !== undefined) return { turn: known, waiting: model.waiting };
  const waited = model.waiting.get(id);
  const waiting = new Map(model.waiting);
  waiting.delete(id);
  const turn: TurnItem = {
    id,
    seq,
    acceptedAtMs: waited?.acceptedAtMs ?? null,
    question: waited?.question ?? null,
    askedBy: waited?.askedBy ?? null,
    messageCount: waited?.messageCount ?? 0,
    attempt: 1,
    harness: null,
    startedAtMs: null,
    waitedMs: null,
    sentences: [],
    end: null,
  };
  return { turn, waiting };
}

function applyTurnStart(model: RoomModel, frame: Extract<RoomFrame, { type: "turn-start" }>): RoomModel {
  const { turn, waiting } = takeTurn(model, frame.turn, frame.seq);
  const started: TurnItem = {
    ...turn,
    attempt: frame.attempt,
    harness: frame.harness,
    messageCount: Math.max(turn.messageCount, frame.messageIds.length),
    // A second attempt goes on where the first one died; what the viewer waited for began with the first.
    startedAtMs: turn.startedAtMs ?? frame.atMs,
    waitedMs: turn.waitedMs ?? frame.waitedMs,
    acceptedAtMs: turn.acceptedAtMs ?? frame.atMs - frame.waitedMs,
  };
  return { ...model, waiting, turns: replaceTurn(model.turns, started) };
}

function applySentence(model: RoomModel, frame: Extract<RoomFrame, { type: "sentence" }>): RoomModel {
  const { turn, waiting } = takeTurn(model, frame.turn, frame.seq);
  if (turn.sentences.some((spoken) => spoken.seq === frame.sentence.seq)) return model;
  const sentences = [...turn.sentences, { ...frame.sentence, atMs: frame.atMs }];
  const spoken = { ...model, waiting, turns: replaceTurn(model.turns, { ...turn, sentences }) };
  return withHeard(spoken, {
    key: `${frame.turn}-${frame.sentence.seq}`,
    seq: frame.seq,
    atMs: frame.atMs,
    turn: frame.turn,
    speaker: null,
    text: frame.sentence.text,
    kind: frame.sentence.kind,
  });
}

function applyTurnEnd(model: RoomModel, frame: Extract<RoomFrame, { type: "turn-end" }>): RoomModel {
  const { turn, waiting } = takeTurn(model, frame.turn, frame.seq);
  const { atMs, outcome, reason, timings, activity } = frame;
  const ended: TurnItem = {
    ...turn,
    acceptedAtMs: turn.acceptedAtMs ?? atMs - timings.totalMs,
    waitedMs: turn.waitedMs ?? timings.waitedMs,
    end: { atMs, outcome, reason, timings, activity },
  };
  return { ...model, waiting, turns: replaceTurn(model.turns, ended) };
}

/** State up to `stateSeq` came with the view of the room; applying its history again would go back in time. */
function applyState(model: RoomModel, frame: Extract<RoomFrame, { type: "state" }>): RoomModel {
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

function replaceTurn(turns: readonly TurnItem[], turn: TurnItem): readonly TurnItem[] {
  const index = turns.findIndex(({ id }) => id === turn.id);
  return index === -1 ? keepLast([...turns, turn], TURNS_KEPT_MAX) : turns.with(index, turn);
}

function keepLast<Item>(items: readonly Item[], max: number): readonly Item[] {
  return items.length > max ? items.slice(items.length - max) : items;
}

/** Where a turn stands, for a message's badge. `past`: so long ago that the page no longer keeps it. */
export type TurnPhase = "waiting" | "thinking" | "speaking" | TurnOutcome | "past";

/** Where the turn that answers a message stands. */
export function turnPhase(model: RoomModel, id: string): TurnPhase {
  if (model.waiting.has(id)) return "waiting";
  const turn = model.turns.find((candidate) => candidate.id === id);
  if (turn === undefined) return "past";
  if (turn.end !== null) return turn.end.outcome;
  return turn.sentences.length > 0 ? "speaking" : "thinking";
}
