/** Takes an answer to its client, up to the fault that it has been given. */
import type { ChatBodyWriter } from "./chat-bodies.ts";
import type { Finish } from "./dialects.ts";
import type { ArmedFault, MomentFault } from "./faults.ts";
import type { Line } from "./line.ts";

export type DeliveryParts = {
  readonly line: Line;
  readonly body: ChatBodyWriter;
  readonly pieceCount: number;
  readonly finish: Finish;
  readonly armed: ArmedFault | null;
};

/** `hung`: nothing more comes, and the connection stays. `over`: this side has ended it. */
export type DeliveryState = "going" | "hung" | "over";

export class Delivery {
  readonly #parts: DeliveryParts;
  #armed: ArmedFault | null;
  #sent = 0;
  #state: DeliveryState = "going";
  /** How it ended: a finish reason, or `fault:<name>`. */
  #ending: string | null = null;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#armed = parts.armed;
  }

  get state(): DeliveryState {
    return this.#state;
  }

  get ending(): string | null {
    return this.#ending;
  }

  /** Answers with headers, as far as a fault allows. */
  open(): void {
    const connectFault = this.#armed?.moment === "connect" ? this.#armed.fault : null;
    if (connectFault !== null && isBeforeHeaders(connectFault)) {
      this.#fire(connectFault.fault === "close" ? { ...connectFault, fault: "cut" } : connectFault);
    }
    if (this.#state !== "going") return;
    this.#parts.body.open();
    const { moment, fault } = this.#armed ?? {};
    if (fault !== undefined && (moment === "connect" || moment === "before-first-byte")) this.#fire(fault);
  }

  /** `count` pieces have been generated. */
  deliver(count: number): void {
    const armed = this.#armed;
    if (this.#state === "going" && armed !== null && armed.moment !== "after-finish" && count >= armed.afterPieces) {
      this.#send(armed.afterPieces);
      this.#fire(armed.fault);
    }
    if (this.#state !== "going") return;
    this.#send(count);
    if (count >= this.#parts.pieceCount) this.#finish(this.#parts.finish);
  }

  #send(count: number): void {
    if (count <= this.#sent) return;
    this.#parts.body.pieces(this.#sent, count);
    this.#sent = count;
  }

  #finish(reason: Finish): void {
    this.#parts.body.finish(reason);
    if (this.#armed?.moment === "after-finish") this.#fire(this.#armed.fault);
    if (this.#state !== "going") return;
    this.#parts.body.close();
    this.#parts.line.end();
    this.#become("over", reason);
  }

  #fire(fault: MomentFault): void {
    this.#armed = null;
    const { line, body } = this.#parts;
    const name = fault.fault;
    if (name === "slow") return line.hold(fault.ms ?? 0);
    if (name === "garbage") return body.garbage();
    if (name === "finish-abort") return this.#finish("abort");
    if (name === "finish-length") return this.#finish("length");
    if (name === "stall") return this.#become("hung", "fault:stall");
    ENDS[name](this.#parts);
    this.#become("over", `fault:${name}`);
  }

  #become(state: DeliveryState, ending: string): void {
    this.#state = state;
    this.#ending = ending;
  }
}

/** Faults that end the response. */
const ENDS = {
  reset: ({ line }) => line.reset(),
  cut: ({ line }) => line.cut(),
  close: ({ line }) => line.end(),
  "error-event": ({ line, body }) => {
    body.errorEvent();
    line.end();
  },
  "truncated-json": ({ line, body }) => {
    body.truncated();
    line.end();
  },
} satisfies Readonly<Record<string, (parts: DeliveryParts) => void>>;

/** Others say something, and need headers for it. */
function isBeforeHeaders({ fault }: MomentFault): boolean {
  return fault === "stall" || fault === "reset" || fault === "cut" || fault === "close" || fault === "slow";
}
