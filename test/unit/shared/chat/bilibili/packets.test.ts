import fc from "fast-check";
import { describe, it } from "vitest";
import {
  OPERATION,
  PACKET_BYTES_MAX,
  type Packet,
  PacketReader,
  writePacket,
} from "../../../../../shared/chat/bilibili/packets.ts";
import { aPacket, joined } from "./packed.ts";

const TEXT = new TextEncoder();

describe("writePacket", () => {
  it("writes the header that the platform documents, then the body", ({ expect }) => {
    expect([...writePacket(OPERATION.auth, TEXT.encode("{}"))]).toEqual([
      0, 0, 0, 18, 0, 16, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0x7b, 0x7d,
    ]);
  });

  it("writes a heartbeat without a body", ({ expect }) => {
    expect([...writePacket(OPERATION.heartbeat)]).toEqual([0, 0, 0, 16, 0, 16, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1]);
  });
});

describe("PacketReader", () => {
  it("reads several packets out of one chunk", ({ expect }) => {
    const reader = new PacketReader();
    const { packets, broken } = reader.push(
      joined([aPacket({ body: "a" }), aPacket({ operation: 3 }), aPacket({ body: "b" })]),
    );
    expect(packets.map(bodyOf)).toEqual(["a", "", "b"]);
    expect(broken).toBeNull();
    expect(reader.isBetweenPackets).toBe(true);
  });

  it("reads a version and a longer header", ({ expect }) => {
    const { packets } = new PacketReader().push(aPacket({ version: 2, headerBytes: 20, body: "1234abc" }));
    expect(packets).toEqual([{ version: 2, operation: 5, body: TEXT.encode("abc") }]);
  });

  it("gives the same packets however the bytes are cut", ({ expect }) => {
    const bodies = fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(400)), (all, cuts) => {
        const stream = joined(all.map((body) => aPacket({ body })));
        const reader = new PacketReader();
        const read = cutAt(stream, cuts).flatMap((chunk) => reader.push(chunk).packets);
        expect(read.map(bodyOf)).toEqual(all.map((body) => new TextDecoder().decode(TEXT.encode(body))));
        expect(reader.isBetweenPackets).toBe(true);
      }),
    );
  });

  it("does not keep the chunk: the sender may use it again", ({ expect }) => {
    const chunk = aPacket({ body: "abc" });
    const { packets } = new PacketReader().push(chunk);
    chunk.fill(0);
    expect(packets.map(bodyOf)).toEqual(["abc"]);
  });

  it.for([
    ["shorter than its header", { packetBytes: 15 }],
    ["empty", { packetBytes: 0 }],
    ["with a header of 15 bytes", { headerBytes: 15 }],
    ["with a header longer than itself", { headerBytes: 17, packetBytes: 16 }],
    ["above the limit", { packetBytes: PACKET_BYTES_MAX + 1 }],
    ["of all the memory there is", { packetBytes: 0xffffffff }],
  ] as const)("ends at a packet that is %s, after the good ones", ([, changes], { expect }) => {
    const reader = new PacketReader();
    const { packets, broken } = reader.push(joined([aPacket({ body: "a" }), aPacket(changes), aPacket({ body: "b" })]));
    expect(packets.map(bodyOf)).toEqual(["a"]);
    expect(broken).toContain("bytes");
    expect(reader.push(aPacket({ body: "c" }))).toEqual({ packets: [], broken });
  });

  it("takes a packet of the limit", ({ expect }) => {
    const { packets } = new PacketReader().push(aPacket({ body: "x".repeat(PACKET_BYTES_MAX - 16) }));
    expect(packets.map(({ body }) => body.length)).toEqual([PACKET_BYTES_MAX - 16]);
  });
});

function bodyOf({ body }: Packet): string {
  return new TextDecoder().decode(body);
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.slice(at[index], end));
}
