/**
 * A stand-in for Bilibili's long connection: a WebSocket server on a free port that takes the proof, and sends what the
 * test gives it. Just enough of RFC 6455 for that: whole frames, no extensions.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

/** Source: https://www.rfc-editor.org/rfc/rfc6455#section-1.3 */
const HANDSHAKE_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const BINARY = 2;
const CLOSE = 8;

export type FakeBilibili = {
  readonly url: string;
  /** The next client that connects. */
  readonly connection: () => Promise<PlatformSide>;
  readonly stop: () => void;
};

export type PlatformSide = {
  /** The next bytes that the client sends, in one frame. */
  readonly received: () => Promise<Uint8Array>;
  /** Sends one frame. */
  readonly send: (bytes: Uint8Array) => void;
  /** Cuts the connection without a word. */
  readonly cut: () => void;
};

export async function startFakeBilibili(): Promise<FakeBilibili> {
  const connections = new Waiting<PlatformSide>();
  const sockets = new Set<Duplex>();
  const server = createServer((_request, response) => response.writeHead(426).end());
  server.on("upgrade", (request, socket) => {
    sockets.add(socket);
    const key = request.headers["sec-websocket-key"] ?? "";
    const accept = createHash("sha1").update(`${key}${HANDSHAKE_SUFFIX}`).digest("base64");
    const headers = ["Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept}`];
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join("\r\n")}\r\n\r\n`);
    connections.put(serve(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/sub`,
    connection: () => connections.take(),
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function serve(socket: Duplex): PlatformSide {
  const frames = new Waiting<Uint8Array>();
  let held = Buffer.alloc(0);
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    for (let frame = readFrame(held); frame !== null; frame = readFrame(held)) {
      held = held.subarray(frame.frameBytes);
      if (frame.opcode === CLOSE) socket.end(frameOf(CLOSE, frame.payload));
      else frames.put(frame.payload);
    }
  });
  return {
    received: () => frames.take(),
    send: (bytes) => void socket.write(frameOf(BINARY, bytes)),
    cut: () => void socket.destroy(),
  };
}

/** The first frame, unmasked; `null`: it is not whole yet. Clients here send far less than 64 KiB. */
function readFrame(bytes: Buffer): { opcode: number; payload: Uint8Array; frameBytes: number } | null {
  if (bytes.length < 2) return null;
  const short = bytes.readUInt8(1) & 0x7f;
  const maskAt = short === 126 ? 4 : 2;
  if (bytes.length < maskAt + 4) return null;
  const payloadBytes = short === 126 ? bytes.readUInt16BE(2) : short;
  const frameBytes = maskAt + 4 + payloadBytes;
  if (bytes.length < frameBytes) return null;
  const mask = bytes.subarray(maskAt, maskAt + 4);
  const payload = bytes.subarray(maskAt + 4, frameBytes).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return { opcode: bytes.readUInt8(0) & 0x0f, payload, frameBytes };
}

function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const isShort = payload.length < 126;
  const header = Buffer.alloc(isShort ? 2 : 4);
  header.writeUInt8(0x80 | opcode, 0);
  header.writeUInt8(isShort ? payload.length : 126, 1);
  if (!isShort) header.writeUInt16BE(payload.length, 2);
  return Buffer.concat([header, payload]);
}

/** Things that are taken one by one, before or after they are put. */
class Waiting<Thing> {
  readonly #things: Thing[] = [];
  readonly #takers: ((thing: Thing) => void)[] = [];

  put(thing: Thing): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#things.push(thing);
    else taker(thing);
  }

  take(): Promise<Thing> {
    const thing = this.#things.shift();
    if (thing !== undefined) return Promise.resolve(thing);
    return new Promise((resolve) => void this.#takers.push(resolve));
  }
}
