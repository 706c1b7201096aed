/**
 * Packets of Bilibili's long connection: 16 bytes of header, big-endian, then the body.
 *
 * ```
 * 0   u32  bytes of the whole packet, header included
 * 4   u16  bytes of the header: 16
 * 6   u16  version, which says how the body is packed: 0 and 1 not at all, 2 zlib, 3 brotli
 * 8   u32  operation
 * 12  u32  sequence
 * ```
 *
 * A packed body of operation 5 is itself a row of packets.
 *
 * Sources: https://open-live.bilibili.com/document/657d8e34-f926-a133-16c0-300c1afc6e6b (official; it names versions 0
 * and 2), https://github.com/xfgryujk/blivedm/blob/1db652246a32ea02ec3d699decb1d1325ef91bb5/blivedm/clients/ws_base.py,
 * https://github.com/shynome/openapi-bilibili/blob/1102373a0a0d3e010978880877a2b7d5c0fd9d0a/live/packet.go,
 * https://github.com/SocialSisterYi/bilibili-API-collect/blob/0d119e41417bbf6884c05005c35d1aa685af359a/docs/live/message_stream.md
 */

export const OPERATION = { heartbeat: 2, heartbeatReply: 3, message: 5, auth: 7, authReply: 8 } as const;
export const VERSION = { plain: 0, plainReply: 1, zlib: 2, brotli: 3 } as const;

const HEADER_BYTES = 16;

/**
 * Bytes of one packet. The platform documents no limit; a packed burst of comments is some ten thousand bytes. Above
 * this, the length is one that was read at a wrong place.
 */
export const PACKET_BYTES_MAX = 1024 * 1024;

export type Packet = { readonly version: number; readonly operation: number; readonly body: Uint8Array };

/** A packet whose body is not packed. */
export function writePacket(operation: number, body: Uint8Array = new Uint8Array(0)): Uint8Array {
  const packet = new Uint8Array(HEADER_BYTES + body.length);
  const header = new DataView(packet.buffer);
  header.setUint32(0, packet.length);
  header.setUint16(4, HEADER_BYTES);
  header.setUint16(6, VERSION.plain);
  header.setUint32(8, operation);
  header.setUint32(12, 1);
  packet.set(body, HEADER_BYTES);
  return packet;
}

/** Cuts a stream of bytes into packets, whatever the chunks' borders. Holds one packet at most. */
export class PacketReader {
  /** Filled from the front: the header first, then the packet that it announces. */
  #target = new Uint8Array(HEADER_BYTES);
  #filled = 0;
  #headerBytes: number | null = null;
  #broken: string | null = null;

  /** True when all bytes so far were whole packets. */
  get isBetweenPackets(): boolean {
    return this.#filled === 0;
  }

  /**
   * Takes the next bytes. Does not keep them.
   *
   * @returns The packets that they complete; and why the stream cannot be read any further, once it cannot.
   */
  push(bytes: Uint8Array): { readonly packets: readonly Packet[]; readonly broken: string | null } {
    const packets: Packet[] = [];
    let at = 0;
    while (this.#broken === null) {
      const taken = Math.min(this.#target.length - this.#filled, bytes.length - at);
      this.#target.set(bytes.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled < this.#target.length) break;
      if (this.#headerBytes === null) this.#open();
      else packets.push(this.#close(this.#headerBytes));
    }
    return { packets, broken: this.#broken };
  }

  /** Reads the header's lengths and makes room for the packet. */
  #open(): void {
    const header = new DataView(this.#target.buffer);
    const packetBytes = header.getUint32(0);
    const headerBytes = header.getUint16(4);
    if (headerBytes < HEADER_BYTES || packetBytes < headerBytes || packetBytes > PACKET_BYTES_MAX) {
      this.#broken = `a packet says that it has ${packetBytes} bytes, ${headerBytes} of them header`;
      return;
    }
    const packet = new Uint8Array(packetBytes);
    packet.set(this.#target);
    this.#target = packet;
    this.#headerBytes = headerBytes;
  }

  #close(headerBytes: number): Packet {
    const header = new DataView(this.#target.buffer);
    const packet = {
      version: header.getUint16(6),
      operation: header.getUint32(8),
      body: this.#target.subarray(headerBytes),
    };
    this.#target = new Uint8Array(HEADER_BYTES);
    this.#filled = 0;
    this.#headerBytes = null;
    return packet;
  }
}
