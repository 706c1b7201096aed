/** A browser, or Node from 22 on, behind the client's ports. It comes in as an argument: `platformPorts(globalThis, performance)`. */
import type { RequestParts, HttpAnswer } from "./api-call.ts";
import type { ClientPorts } from "./room-connection.ts";

/** `WebSocket.OPEN`. */
const OPEN = 1;

/** The part of a platform's WebSocket that is used here. */
interface PlatformSocket {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: "message" | "close", listener: (event: object) => void): void;
}

/** The part of `globalThis` that is used here. Browsers and Node type it each in their own way. */
export interface Platform {
  readonly WebSocket: new (url: string, protocols: string[]) => PlatformSocket;
  readonly fetch: (url: string, init: RequestParts) => Promise<HttpAnswer>;
  setTimeout(fire: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
  readonly Math: { readonly random: () => number };
}

/** @param stopwatch - The platform's `performance`, which not every platform's types show on `globalThis`. */
export function platformPorts(platform: Platform, stopwatch: { now(): number }): ClientPorts {
  return {
    openSocket: (url, protocols, events) => {
      const socket = new platform.WebSocket(url, [...protocols]);
      socket.addEventListener("message", (event) => {
        if ("data" in event && typeof event.data === "string") events.onText(event.data);
      });
      socket.addEventListener("close", () => events.onClose());
      return {
        send: (text) => {
          if (socket.readyState === OPEN) socket.send(text);
        },
        close: () => socket.close(),
      };
    },
    request: platform.fetch.bind(platform),
    timer: {
      after: (delayMs, fire) => {
        const handle = platform.setTimeout(fire, delayMs);
        return () => platform.clearTimeout(handle);
      },
    },
    elapsedMs: () => stopwatch.now(),
    random: platform.Math.random,
  };
}
