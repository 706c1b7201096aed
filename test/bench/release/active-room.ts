/** A live room that somebody follows and asks: what it runs, and when it learned of it. */
import { once } from "node:events";
import { FRAME_PROTOCOL, type HelloFrame, type RoomFrame } from "../../../shared/contract/room-frame.ts";

export type Target = { readonly url: string; readonly token: string };

/** What one room showed of one version, in ms of this machine's clock. */
export type Sighting = {
  /** From here on its turns run on the version. */
  readonly taken: PromiseWithResolvers<number>;
  readonly firstTurn: PromiseWithResolvers<number>;
  readonly firstSentence: PromiseWithResolvers<number>;
};

export class ActiveRoom {
  readonly name: string;
  /** Turns that began on another version than the room had last announced. */
  lateTurns = 0;
  readonly #target: Target;
  readonly #sightings = new Map<string, Sighting>();
  readonly #versions = new Map<string, string>();
  #announced: string | null = null;
  #socket: WebSocket | null = null;
  #asked = 0;

  constructor(name: string, target: Target) {
    this.name = name;
    this.#target = target;
  }

  /** Waits until the room says hello. */
  async open(): Promise<void> {
    const { url, token } = this.#target;
    const address = `${url.replace(/^http/, "ws")}/v1/rooms/${this.name}/stream?follow=all`;
    const socket = new WebSocket(address, [FRAME_PROTOCOL, `kaibo.token.${token}`]);
    this.#socket = socket;
    const hello = Promise.withResolvers<void>();
    socket.addEventListener("message", ({ data }) => {
      hello.resolve();
      const parsed = JSON.parse(String(data)) as RoomFrame | HelloFrame | (RoomFrame | HelloFrame)[];
      for (const frame of [parsed].flat()) this.#take(frame);
    });
    socket.addEventListener("close", () => hello.reject(new Error(`${this.name} was closed`)));
    await Promise.all([once(socket, "open"), hello.promise]);
  }

  /** An object without a call for some seconds sleeps, sockets or not. */
  async wake(): Promise<void> {
    const { url, token } = this.#target;
    const answer = await fetch(`${url}/v1/rooms/${this.name}`, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
  }

  close(): void {
    this.#socket?.close();
  }

  /** What the room shows of a version from now on. */
  watch(version: string): Sighting {
    const sighting: Sighting = {
      taken: Promise.withResolvers(),
      firstTurn: Promise.withResolvers(),
      firstSentence: Promise.withResolvers(),
    };
    this.#sightings.set(version, sighting);
    return sighting;
  }

  /** Posts one message; the room may take it into a turn that is waiting already. */
  async ask(text: string): Promise<void> {
    const { url, token } = this.#target;
    this.#asked += 1;
    const message = { id: `m${this.#asked}`, text: `${text}${"？".repeat(1 + (this.#asked % 2))}` };
    const answer = await fetch(`${url}/v1/rooms/${this.name}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: [message] }),
    });
    if (!answer.ok) throw new Error(`${this.name} answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  }

  #take(frame: RoomFrame | HelloFrame): void {
    if (frame.type === "config") {
      this.#announced = frame.harness.version;
      this.#sightings.get(frame.harness.version)?.taken.resolve(Date.now());
    }
    if (frame.type === "turn-start") {
      const { version } = frame.harness;
      if (this.#announced !== null && version !== this.#announced) this.lateTurns += 1;
      this.#versions.set(frame.turn, version);
      this.#sightings.get(version)?.firstTurn.resolve(Date.now());
    }
    if (frame.type === "sentence") {
      this.#sightings.get(this.#versions.get(frame.turn) ?? "")?.firstSentence.resolve(Date.now());
    }
    if (frame.type === "turn-end") this.#versions.delete(frame.turn);
  }
}
