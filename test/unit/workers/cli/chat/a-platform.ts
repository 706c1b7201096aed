/** A chat platform behind a socket that the test plays. */
import type { ChatSocket, OpenSocket, SocketListener } from "../../../../../workers/cli/chat/chat-socket.ts";

export type PlayedSocket = SocketListener & {
  readonly url: string;
  /** What was sent to the platform. */
  readonly sent: Uint8Array[];
  /** Whether our side closed it. */
  readonly isClosed: () => boolean;
};

/** @returns The port, and every socket that was opened through it, in order. */
export function aPlatform(): { readonly openSocket: OpenSocket; readonly sockets: PlayedSocket[] } {
  const sockets: PlayedSocket[] = [];
  const openSocket: OpenSocket = (url, listener): ChatSocket => {
    let isClosed = false;
    const sent: Uint8Array[] = [];
    sockets.push({ ...listener, url, sent, isClosed: () => isClosed });
    return { send: (bytes) => void sent.push(bytes), close: () => void (isClosed = true) };
  };
  return { openSocket, sockets };
}

/** All that can happen without the time moving on has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}
