/** Follows one room over its WebSocket, as a live room's client does, and notes when what was heard. */
import { once } from "node:events";
import type { HelloFrame, RoomFrame } from "../../../shared/contract/room-frame.ts";
import { FRAME_PROTOCOL } from "../../../shared/contract/room-frame.ts";

/** Longest wait for the room's first frame, ms. */
const OPEN_MS_MAX = 20_000;

/** A message and what came of it; times by {@link performance}, ms. */
export type SeenTurn = {
  readonly room: string;
  readonly sentAtMs: number;
  turn: string | null;
  /** False for a message that has no turn of its own: it joined an earlier one's, or was dropped as noise. */
  isTurn: boolean;
  startedAtMs: number | null;
  firstSentenceAtMs: number | null;
  endedAtMs: number | null;
};

export type RoomFollower = {
  readonly room: string;
  /** To be called before the message is posted: its frames may come before the answer to the post. */
  readonly expect: (messageId: string, sentAtMs: number) => SeenTurn;
  readonly close: () => void;
};

export async function followRoom(target: { url: string; token: string }, room: string): Promise<RoomFollower> {
  const url = `${target.url.replace(/^http/, "ws")}/v1/rooms/${room}/stream`;
  const socket = new WebSocket(url, [FRAME_PROTOCOL, `kaibo.token.${target.token}`]);
  const byMessage = new Map<string, SeenTurn>();
  const byTurn = new Map<string, SeenTurn>();
  socket.addEventListener("message", ({ data }) => {
    // The room and this benchmark are one program, and 500 rooms leave no time to check its frames.
    const frame = JSON.parse(String(data)) as RoomFrame | HelloFrame;
    const turn = "turn" in frame ? byTurn.get(frame.turn) : undefined;
    if (frame.type === "message") noteMessage(frame);
    else if (frame.type === "dropped") noteDropped(frame);
    else if (turn !== undefined) note(turn, frame);
    if (frame.type === "turn-end") byTurn.delete(frame.turn);
  });
  const noteMessage = ({ turn, message }: Extract<RoomFrame, { type: "message" }>) => {
    const seen = byMessage.get(message.id);
    if (seen === undefined) return;
    byMessage.delete(message.id);
    seen.turn = turn;
    // A message that joins an earlier one's turn is no turn of its own.
    if (byTurn.has(turn)) seen.isTurn = false;
    else byTurn.set(turn, seen);
  };
  const noteDropped = ({ messages }: Extract<RoomFrame, { type: "dropped" }>) => {
    for (const { message } of messages) {
      const seen = byMessage.get(message.id);
      if (seen !== undefined) seen.isTurn = false;
      byMessage.delete(message.id);
    }
  };
  await once(socket, "message", { signal: AbortSignal.timeout(OPEN_MS_MAX) });
  return {
    room,
    expect(messageId, sentAtMs) {
      const times = { startedAtMs: null, firstSentenceAtMs: null, endedAtMs: null };
      const seen: SeenTurn = { room, sentAtMs, turn: null, isTurn: true, ...times };
      byMessage.set(messageId, seen);
      return seen;
    },
    close: () => socket.close(),
  };
}

function note(seen: SeenTurn, frame: RoomFrame | HelloFrame): void {
  const nowMs = performance.now();
  if (frame.type === "turn-start") seen.startedAtMs ??= nowMs;
  if (frame.type === "sentence" && frame.sentence.kind !== "filler") seen.firstSentenceAtMs ??= nowMs;
  if (frame.type === "turn-end") seen.endedAtMs = nowMs;
}
