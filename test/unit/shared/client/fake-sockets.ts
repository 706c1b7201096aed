/** Sockets that a test plays the other end of. */
import type { OpenSocket, SocketEvents } from "../../../../shared/client/room-stream.ts";

export type FakeSocket = {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly sent: string[];
  isClosed: boolean;
} & SocketEvents;

export function fakeSockets(onOpen: (socket: FakeSocket) => void = () => {}) {
  const sockets: FakeSocket[] = [];
  const openSocket: OpenSocket = (url, protocols, events) => {
    const socket: FakeSocket = { url, protocols, sent: [], isClosed: false, ...events };
    sockets.push(socket);
    onOpen(socket);
    return {
      send: (text) => void socket.sent.push(text),
      close: () => {
        socket.isClosed = true;
        // A browser tells of a close that the page asked for as well.
        events.onClose();
      },
    };
  };
  /** The one that was opened last. */
  const latest = (): FakeSocket => {
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error("no socket was opened");
    return socket;
  };
  return { sockets, openSocket, latest };
}
