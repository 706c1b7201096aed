/** A room and its turns as others see them. */
import type { HelloFrame } from "../../shared/contract/room-frame.ts";
import type { RoomView, TurnView } from "../../shared/contract/room-view.ts";
import { FRAME_PROTOCOL } from "../../shared/contract/room-frame.ts";
import type { OpenTurn } from "./room-state.ts";
import type { StoredRoom } from "./stored-room.ts";

export function toRoomView({ name, setup, state, release }: StoredRoom, rowsWritten: number): RoomView {
  const { config, revision, harness } = setup;
  return {
    room: name,
    seq: state.lastSeq,
    config,
    revision,
    harness,
    release,
    snapshot: state.snapshot,
    openTurns: openTurnsOf(state),
    rowsWritten,
  };
}

export function toOpenTurnView(room: string, turn: OpenTurn): TurnView {
  return {
    schema: "kaibo.open-turn/1",
    room,
    turn: turn.id,
    status: turn.lease === null ? "waiting" : "speaking",
    attempt: turn.lease?.attempt ?? 0,
    acceptedAtMs: turn.acceptedAtMs,
    messages: [...turn.messages],
    sentences: turn.sentences.map((sentence) => ({ ...sentence, atMs: sentence.atMs - turn.acceptedAtMs })),
  };
}

export function toHello({ name, state }: StoredRoom, firstSeq: number): HelloFrame {
  const openTurns = openTurnsOf(state);
  return { type: "hello", protocol: FRAME_PROTOCOL, room: name, seq: state.lastSeq, firstSeq, openTurns };
}

function openTurnsOf({ turns }: StoredRoom["state"]): string[] {
  return turns.map(({ id }) => id);
}
