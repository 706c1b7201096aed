/** One open room: its model, its stream, and its configuration when that changes. */
import type { ApiFailure } from "../../shared/client/client-error.ts";
import { roomPath } from "../../shared/client/room-api.ts";
import type { ClientPorts } from "../../shared/client/room-connection.ts";
import { type ConnectionState, type RoomStream, createRoomStream } from "../../shared/client/room-stream.ts";
import type { KaiboApi } from "./api.ts";
import { type RoomModel, applyFrame, applyHello, applyRoomView, openRoom, skipTo } from "./frame-store.ts";
import type { LogFrame } from "../../shared/client/wire.ts";
import type { Sentence } from "../../shared/contract/sentence.ts";
import type { Clock } from "../../shared/core/clock.ts";
import type { RoomView } from "../../shared/contract/room-view.ts";

export type RoomSessionOptions = {
  readonly api: KaiboApi;
  readonly view: RoomView;
  readonly token: string;
  /** `ws://127.0.0.1:8787`, without a slash at the end. */
  readonly socketOrigin: string;
  readonly ports: Pick<ClientPorts, "openSocket" | "timer" | "random">;
  readonly clock: Clock;
  /** The model or the connection changed. */
  readonly onChange: () => void;
  /** The server will not let this token follow the room; the session has stopped trying. */
  readonly onRefused: (failure: ApiFailure) => void;
  /** A sentence was spoken `ageMs` ago. Called once per sentence, history left out. */
  readonly onSentence: (sentence: Sentence, ageMs: number) => void;
  /** The host lost the floor now. */
  readonly onInterrupt: (act: "stop" | "finish") => void;
};

export type RoomSession = Pick<RoomStream, "retryNow" | "goOffline" | "stop"> & {
  model(): RoomModel;
  connection(): ConnectionState;
  /** Takes how many turns may wait, which the room tells whoever posts. */
  noteWaitingMax(max: number): void;
};

/** Opens the stream of a room whose view was just read. */
export function openRoomSession(options: RoomSessionOptions): RoomSession {
  const { api, view, clock, onChange } = options;
  let model = openRoom(view);
  let connection: ConnectionState = { status: "connecting" };
  let isReadingView = false;
  /** Sentences up to here were spoken before this page listened. */
  const firstLiveSeq = view.seq + 1;

  const readNewConfig = async (): Promise<void> => {
    if (isReadingView) return;
    isReadingView = true;
    let isBehind = model.announcedRevision > model.revision;
    while (isBehind) {
      const before = model.revision;
      const answer = await api.loadRoom(view.room);
      if (answer.ok) model = applyRoomView(model, answer.value);
      // What brought nothing new would bring nothing again at once; the next greeting asks once more.
      isBehind = model.revision > before && model.announcedRevision > model.revision;
    }
    isReadingView = false;
    onChange();
  };

  const tellVoice = (frame: LogFrame): void => {
    if (frame.type === "interrupt") options.onInterrupt(frame.act);
    if (frame.type !== "sentence") return;
    options.onSentence(frame.sentence, clock.nowMs() + (model.skewMs ?? 0) - frame.atMs);
  };

  const stream = createRoomStream({
    ...options.ports,
    url: `${options.socketOrigin}${roomPath(view.room)}/stream`,
    token: options.token,
    sink: {
      lastSeq: () => model.lastSeq,
      greet: (hello) => {
        model = applyHello(model, hello);
        void readNewConfig();
      },
      skipTo: (seq, openTurns) => {
        model = skipTo(model, seq, openTurns);
      },
      accept: (frame) => {
        const { model: next, verdict } = applyFrame(model, frame, clock.nowMs());
        if (verdict !== "applied") return verdict;
        model = next;
        if (frame.seq >= firstLiveSeq) tellVoice(frame);
        if (frame.type === "config") void readNewConfig();
        onChange();
        return verdict;
      },
    },
    onState: (state) => {
      connection = state;
      if (state.status === "refused") options.onRefused(state.failure);
      onChange();
    },
    findRefusal: () => api.findStreamRefusal(view.room),
  });
  stream.start();
  return {
    model: () => model,
    connection: () => connection,
    noteWaitingMax: (waitingMax) => {
      model = { ...model, waitingMax };
      onChange();
    },
    retryNow: () => stream.retryNow(),
    goOffline: () => stream.goOffline(),
    stop: () => stream.stop(),
  };
}
