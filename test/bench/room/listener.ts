/** One listener of a room: checks the order of what it hears, and keeps none of it. */
import { once } from "node:events";
import type { Follow, HelloFrame, RoomFrame } from "../../../shared/contract/room-frame.ts";
import { FRAME_PROTOCOL } from "../../../shared/contract/room-frame.ts";
import type { RoomTarget } from "./post-batches.ts";

/** Longest wait for the room's first frame, ms. */
const OPEN_MS_MAX = 60_000;
/** Wait before a listener that was cut comes again, ms. */
const REOPEN_MS = 500;

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
  /** Texts of the socket. */
  texts = 0;
  readonly #target: RoomTarget;
  readonly #follow: Follow;
  readonly #spoken = new Map<string, number>();
  #socket: WebSocket | null = null;
  #isClosed = false;

  constructor(target: RoomTarget, follow: Follow) {
    this.#target = target;
    this.#follow = follow;
  }

  async open(): Promise<void> {
    const { url, room, token } = this.#target;
    const after = this.lastSeq === 0 ? "" : `&after=${this.lastSeq}`;
    const address = `${url.replace(/^http/, "ws")}/v1/rooms/${room}/stream?follow=${this.#follow}${after}`;
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
    // The room and this benchmark are one program, and hundreds of listeners leave no time to check its frames.
    const value = JSON.parse(text) as HelloFrame | RoomFrame | RoomFrame[];
    this.texts += 1;
    this.chars += text.length;
    for (const frame of Array.isArray(value) ? value : [value]) {
      // Frames up to its number come as history where they were asked for.
      if (frame.type === "hello") this.lastSeq ||= frame.seq;
      else this.#hearFrame(frame);
    }
  }

  #hearFrame(frame: RoomFrame): void {
    this.frames += 1;
    if (this.#follow === "all" && frame.seq !== this.lastSeq + 1) this.gaps += 1;
    this.lastSeq = frame.seq;
    if (frame.type === "sentence" || frame.type === "turn-end") this.#hearTurn(frame);
  }

  #hearTurn(frame: TurnFrame): void {
    if (frame.type === "turn-end") {
      this.#spoken.delete(frame.turn);
      this.outcomes[frame.outcome] = (this.outcomes[frame.outcome] ?? 0) + 1;
      return;
    }
    const spoken = this.#spoken.get(frame.turn) ?? 0;
    if (frame.sentence.seq !== spoken) this.disorders += 1;
    this.#spoken.set(frame.turn, frame.sentence.seq + 1);
    this.sentences += 1;
    this.delaysMs.push(Date.now() - frame.atMs);
  }
}
