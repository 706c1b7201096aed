/** A connection to Bilibili's open live platform. */
import { z } from "zod";
import { parseJson } from "../../core/json.ts";
import type { ChatConnection, ChatEvent } from "../chat-adapter.ts";
import { OPERATION, type Packet, PacketReader, VERSION, writePacket } from "./packets.ts";
import { type OpenLiveSession, readCommand } from "./read-command.ts";

/** Bytes that one packet may hold when unpacked, over all its layers. JSON of comments shrinks to a tenth at best. */
export const UNPACKED_BYTES_MAX = 4 * 1024 * 1024;

/** Layers of packing. The platform uses one; a packet within a packet within a packet is an attack or an error. */
const LAYERS_MAX = 2;

/**
 * Time between heartbeats, ms. The platform asks for 20 s.
 * Source: https://open-live.bilibili.com/document/657d8e34-f926-a133-16c0-300c1afc6e6b
 */
const HEARTBEAT_MS = 20_000;

/** Unpacks bytes; rejects when they are damaged or would become more than `bytesMax`. */
export type Unpack = (bytes: Uint8Array, bytesMax: number) => Promise<Uint8Array>;

export type OpenLiveOptions = OpenLiveSession & {
  /** `websocket_info.auth_body` of the answer to `/v2/app/start`, as it is. */
  readonly authBody: string;
  readonly zlib: Unpack;
  readonly brotli: Unpack;
};

const authReplySchema = z.object({ code: z.number() });

export class OpenLiveChat implements ChatConnection {
  readonly opening: readonly Uint8Array[];
  /** Without a body: the platform would send it back after its reply, outside of any packet. */
  readonly heartbeat = { bytes: writePacket(OPERATION.heartbeat), everyMs: HEARTBEAT_MS };
  readonly #options: OpenLiveOptions;
  readonly #reader = new PacketReader();
  readonly #decoder = new TextDecoder();

  constructor(options: OpenLiveOptions) {
    this.#options = options;
    this.opening = [writePacket(OPERATION.auth, new TextEncoder().encode(options.authBody))];
  }

  async take(bytes: Uint8Array): Promise<ChatEvent[]> {
    const events: ChatEvent[] = [];
    const { packets, broken } = this.#reader.push(bytes);
    for (const packet of packets) {
      events.push(...(await this.#read(packet, { bytesLeft: UNPACKED_BYTES_MAX, layersLeft: LAYERS_MAX })));
    }
    if (broken !== null) events.push({ type: "broken", why: broken });
    return events;
  }

  async #read(packet: Packet, limits: Limits): Promise<ChatEvent[]> {
    switch (packet.operation) {
      case OPERATION.authReply:
        return [readAuthReply(this.#decoder.decode(packet.body))];
      case OPERATION.message:
        return this.#readMessage(packet, limits);
      case OPERATION.heartbeatReply:
        return [];
      default:
        return [UNREADABLE];
    }
  }

  async #readMessage({ version, body }: Packet, limits: Limits): Promise<ChatEvent[]> {
    switch (version) {
      case VERSION.plain:
      case VERSION.plainReply:
        return [readCommand(this.#decoder.decode(body), this.#options)];
      case VERSION.zlib:
        return this.#unpack(body, this.#options.zlib, limits);
      case VERSION.brotli:
        return this.#unpack(body, this.#options.brotli, limits);
      default:
        return [UNREADABLE];
    }
  }

  /** A packed body that cannot be read costs what is in it, and not the connection: the packets around it are whole. */
  async #unpack(body: Uint8Array, unpack: Unpack, limits: Limits): Promise<ChatEvent[]> {
    const { bytesLeft, layersLeft } = limits;
    if (layersLeft === 0 || bytesLeft === 0) return [UNREADABLE];
    // What fails has cost as much work as what fits: a row of bombs must not be tried one by one.
    limits.bytesLeft = 0;
    const unpacked = await unpack(body, bytesLeft).catch(() => null);
    if (unpacked === null || unpacked.length > bytesLeft) return [UNREADABLE];
    limits.bytesLeft = bytesLeft - unpacked.length;
    const reader = new PacketReader();
    const { packets, broken } = reader.push(unpacked);
    const events: ChatEvent[] = [];
    for (const packet of packets) {
      const inner = { bytesLeft: limits.bytesLeft, layersLeft: layersLeft - 1 };
      events.push(...(await this.#read(packet, inner)));
      limits.bytesLeft = inner.bytesLeft;
    }
    if (broken !== null || !reader.isBetweenPackets) events.push(UNREADABLE);
    return events;
  }
}

/** What one packet may still become. */
type Limits = { bytesLeft: number; readonly layersLeft: number };

const UNREADABLE: ChatEvent = { type: "ignored", reason: "unreadable" };

function readAuthReply(json: string): ChatEvent {
  const reply = authReplySchema.safeParse(parseJson(json)).data;
  if (reply === undefined) return { type: "broken", why: "the platform answered to the proof with no code" };
  if (reply.code === 0) return { type: "accepted" };
  return { type: "refused", why: `the platform answered to the proof with code ${reply.code}` };
}
