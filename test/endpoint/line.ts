/** One HTTP response, with the ends that a server should not give it, and a delay on demand. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Timer } from "../../shared/core/timer.ts";

const RESET_DELAY_MS = 30;

export class Line {
  readonly #response: ServerResponse;
  readonly #timer: Timer;
  /** What waits for the end of a delay; `null` when there is none. */
  #held: (() => void)[] | null = null;
  #isOver = false;

  constructor(response: ServerResponse, timer: Timer) {
    this.#response = response;
    this.#timer = timer;
  }

  /** This side has ended it, in whatever way. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Everything from now on goes out after `delayMs`. */
  hold(delayMs: number): void {
    this.#held ??= [];
    this.#timer.after(delayMs, () => {
      const held = this.#held ?? [];
      this.#held = null;
      for (const act of held) act();
    });
  }

  /** Sends the headers at once, as servers do before the first token. */
  head(status: number, headers: OutgoingHttpHeaders): void {
    this.#do(() => {
      this.#response.writeHead(status, headers);
      this.#response.flushHeaders();
    });
  }

  write(text: string | Uint8Array): void {
    this.#do(() => this.#response.write(text));
  }

  /** Ends the body as HTTP wants it. */
  end(): void {
    this.#finally(() => this.#response.end());
  }

  /** Ends the connection in order (FIN) and the body not. */
  cut(): void {
    this.#finally(() => this.#response.socket?.destroySoon());
  }

  /** Breaks the connection (RST), once the client has had time to read what came before: an RST takes unread bytes away. */
  reset(): void {
    const { socket } = this.#response;
    this.#finally(() => void this.#timer.after(RESET_DELAY_MS, () => socket?.resetAndDestroy()));
  }

  #do(act: () => void): void {
    if (this.#isOver) return;
    if (this.#held === null) act();
    else this.#held.push(act);
  }

  #finally(act: () => void): void {
    this.#do(() => {
      this.#isOver = true;
      act();
    });
  }
}
