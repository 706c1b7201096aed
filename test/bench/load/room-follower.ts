/** Follows one room over its WebSocket, as a live room's client does, and notes when what was heard. */
import { platformPorts } from "../../../shared/client/platform-ports.ts";
import { createRoomConnection } from "../../../shared/client/room-connection.ts";

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
  const connection = createRoomConnection({ ...target, room, ports: platformPorts(globalThis, performance) });
  const byMessage = new Map<string, SeenTurn>();
  const byTurn = new Map<string, SeenTurn>();
  connection.on("message", ({ turn, message }) => {
    const seen = byMessage.get(message.id);
    if (seen === undefined) return;
    byMessage.delete(message.id);
    seen.turn = turn;
    // A message that joins an earlier one's turn is no turn of its own.
    if (byTurn.has(turn)) seen.isTurn = false;
    else byTurn.set(turn, seen);
  });
  connection.on("dropped", ({ messages }) => {
    for (const { message } of messages) {
      const seen = byMessage.get(message.id);
      if (seen !== undefined) seen.isTurn = false;
      byMessage.delete(message.id);
    }
  });
  connection.on("turn-start", ({ turn }) => {
    const seen = byTurn.get(turn);
    if (seen !== undefined) seen.startedAtMs ??= performance.now();
  });
  connection.on("sentence", ({ turn, sentence }) => {
    const seen = byTurn.get(turn);
    if (seen !== undefined && sentence.kind !== "filler") seen.firstSentenceAtMs ??= performance.now();
  });
  connection.on("turn-end", ({ turn }) => {
    const seen = byTurn.get(turn);
    if (seen !== undefined) seen.endedAtMs = performance.now();
    byTurn.delete(turn);
  });
  const { promise: greeted, resolve, reject } = Promise.withResolvers<unknown>();
  connection.on("hello", resolve);
  AbortSignal.timeout(OPEN_MS_MAX).addEventListener("abort", () => reject(new Error(`Room ${room} did not greet`)));
  connection.connect();
  await greeted;
  return {
    room,
    expect(messageId, sentAtMs) {
      const times = { startedAtMs: null, firstSentenceAtMs: null, endedAtMs: null };
      const seen: SeenTurn = { room, sentAtMs, turn: null, isTurn: true, ...times };
      byMessage.set(messageId, seen);
      return seen;
    },
    close: () => connection.close(),
  };
}
