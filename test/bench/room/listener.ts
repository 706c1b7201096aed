/** One listener of a room: checks the order of what it hears, and keeps none of it. */
import { once } from "node:events";
import type { RoomFrame } from "../../../shared/contract/room-frame.ts";
import { FRAME_PROTOCOL } from "../../../shared/contract/room-frame.ts";
import type { RoomTarget } from "./post-batches.ts";

/** Longest wait for the room's first frame, ms. */
const OPEN_MS_MAX = 60_000;
/** Wait before a listener that was cut comes again, ms. */
const REOPEN_MS = 500;
const SEQ_FIELD = '"seq":';

type TurnFrame = Extract<RoomFrame, { type: "sentence" | "turn-end" }>;

export class Listener {
  /** Number of the last frame. */
  lastSeq = 0;
  frames = 0;
  chars = 0;
  sentences = 0;
  /** Frames that came without the one before. */
  gaps = 0;
  /** Sentences that came without the one before of their turn. */
  disorders = 0;
  /** Connections that the room, or the network, ended. */
  cuts = 0;
  /** From the room's clock to this one's, of each sentence, ms; both are of one machine. */
  readonly delaysMs: number[] = [];
  readonly outcomes: Record<string, number> = {};
  readonly #target: RoomTarget;
  readonly #spoken = new Map<string, number>();
  #socket: WebSocket | null = null;
  #isClosed = false;

  constructor(target: RoomTarget) {
    this.#target = target;
  }

  async open(): Promise<void> {
    const { url, room, token } = this.#target;
    const after = this.lastSeq === 0 ? "" : `?after=${this.lastSeq}`;
    const address = `${url.replace(/^http/, "ws")}/v1/rooms/${room}/stream${after}`;
    const socket = new WebSocket(address, [FRAME_PROTOCOL, `kaibo.token.${token}`]);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#hear(String(data)));
    socket.addEventListener("close", () => {
      if (this.#isClosed) return;
      this.cuts += 1;
      setTimeout(() => void this.open().catch(() => {}), REOPEN_MS);
    });
    await once(socket, "message", { signal: AbortSignal.timeout(OPEN_MS_MAX) });
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.close();
  }

  #hear(text: string): void {
    if (text.startsWith('{"type":"hello"')) {
      // Frames up to its number come as history where they were asked for.
      if (this.lastSeq === 0) this.lastSeq = readSeq(text);
      return;
    }
    this.frames += 1;
    this.chars += text.length;
    const isOfTurn = text.startsWith('{"type":"sentence"') || text.startsWith('{"type":"turn-end"');
    const seq = isOfTurn ? this.#hearTurn(JSON.parse(text) as TurnFrame) : readSeq(text);
    if (seq !== this.lastSeq + 1) this.gaps += 1;
    this.lastSeq = seq;
  }

  #hearTurn(frame: TurnFrame): number {
    if (frame.type === "turn-end") {
      this.#spoken.delete(frame.turn);
      this.outcomes[frame.outcome] = (this.outcomes[frame.outcome] ?? 0) + 1;
      return frame.seq;
    }
    const spoken = this.#spoken.get(frame.turn) ?? 0;
    if (frame.sentence.seq !== spoken) this.disorders += 1;
    this.#spoken.set(frame.turn, frame.sentence.seq + 1);
    this.sentences += 1;
    this.delaysMs.push(Date.now() - frame.atMs);
    return frame.seq;
  }
}

/** A frame's own number, without reading the whole: hundreds of listeners leave no time for that. In no text is it unescaped. */
function readSeq(text: string): number {
  const start = text.lastIndexOf(SEQ_FIELD) + SEQ_FIELD.length;
  return Number.parseInt(text.slice(start, start + 16), 10);
}
