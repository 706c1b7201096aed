/** The socket to a chat platform, as the commands need it. */

export interface ChatSocket {
  send(bytes: Uint8Array): void;
  /** Safe to repeat. `closed` may still be told after it. */
  close(): void;
}

/** What a socket tells. Nothing is told before `openSocket` has returned. */
export type SocketListener = {
  readonly opened: () => void;
  readonly received: (bytes: Uint8Array) => void;
  /** Told once, with what is known of the reason. */
  readonly closed: (why: string) => void;
};

export type OpenSocket = (url: string, listener: SocketListener) => ChatSocket;

/** A WebSocket of this Node. */
export const openWebSocket: OpenSocket = (url, { opened, received, closed }) => {
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  // An error is always followed by a close, and says nothing that the close does not.
  let why = "";
  socket.addEventListener("open", opened);
  socket.addEventListener("error", ({ message }) => (why = message));
  socket.addEventListener("close", ({ code, reason }) => closed(why || `closed with code ${code} ${reason}`.trim()));
  socket.addEventListener("message", ({ data }) => {
    received(typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data));
  });
  return {
    send: (bytes) => socket.send(bytes),
    close: () => socket.close(),
  };
};
