import { promisify } from "node:util";
import { brotliCompressSync, brotliDecompress, deflateSync, inflate } from "node:zlib";
import fc from "fast-check";
import { describe, it } from "vitest";
import { OpenLiveChat, type Unpack, UNPACKED_BYTES_MAX } from "../../../../../shared/chat/bilibili/open-live-chat.ts";
import type { ChatEvent } from "../../../../../shared/chat/chat-adapter.ts";
import { aCommand, aDanmaku, aPacket, joined } from "./packed.ts";

const UNREADABLE = { type: "ignored", reason: "unreadable" };
const AUTH_BODY = '{"roomid":1001,"key":"k"}';

describe("OpenLiveChat", () => {
  it("begins with the proof, and keeps alive with an empty heartbeat", ({ expect }) => {
    const { opening, heartbeat } = openChat();
    expect(opening).toEqual([writtenWithSequence(aPacket({ operation: 7, body: AUTH_BODY }))]);
    expect(heartbeat).toEqual({ bytes: writtenWithSequence(aPacket({ operation: 2 })), everyMs: 20_000 });
  });

  it.for([
    ['{"code":0}', "accepted"],
    ['{"code":-101}', "refused"],
    ["", "broken"],
  ] as const)("after the answer %j it is %s", async ([body, type], { expect }) => {
    const [event] = await openChat().take(aPacket({ operation: 8, version: 1, body }));
    expect(event?.type).toBe(type);
  });

  it("says nothing of the answer to a heartbeat", async ({ expect }) => {
    expect(await openChat().take(aPacket({ operation: 3, version: 1, body: "\0\0\u0009\u0001" }))).toEqual([]);
  });

  it.for([
    [0, (bytes: Uint8Array) => bytes],
    [1, (bytes: Uint8Array) => bytes],
  ] as const)("reads version %d as it is", async ([version], { expect }) => {
    const events = await openChat().take(aPacket({ version, body: aDanmaku({ msg_id: "1" }) }));
    expect(idsOf(events)).toEqual(["bilibili:1"]);
  });

  it.for([
    [2, deflateSync],
    [3, brotliCompressSync],
  ] as const)("unpacks version %d: several packets, in order", async ([version, pack], { expect }) => {
    const inner = joined(["1", "2", "3"].map((msg_id) => aPacket({ body: aDanmaku({ msg_id }) })));
    const events = await openChat().take(aPacket({ version, body: pack(inner) }));
    expect(idsOf(events)).toEqual(["bilibili:1", "bilibili:2", "bilibili:3"]);
  });

  it("unpacks a packet in a packed one, and no third layer", async ({ expect }) => {
    const one = pack(aPacket({ body: aDanmaku({ msg_id: "1" }) }));
    expect(idsOf(await openChat().take(pack(one)))).toEqual(["bilibili:1"]);
    expect(await openChat().take(pack(pack(one)))).toEqual([UNREADABLE]);
  });

  it.for([
    ["of an unknown version", aPacket({ version: 9, body: "x" })],
    ["of an unknown operation", aPacket({ operation: 9, body: "x" })],
    ["that is damaged", aPacket({ version: 2, body: "damaged" })],
    ["that ends within a packet", aPacket({ version: 2, body: deflateSync(aPacket({ body: "{}" }).slice(0, 17)) })],
    ["with a bad length in it", aPacket({ version: 2, body: deflateSync(aPacket({ packetBytes: 3 })) })],
  ] as const)("loses a packet %s, and not the next one", async ([, bad], { expect }) => {
    const events = await openChat().take(joined([bad, aPacket({ body: aDanmaku({ msg_id: "2" }) })]));
    expect(events[0]).toEqual(UNREADABLE);
    expect(idsOf(events)).toEqual(["bilibili:2"]);
  });

  it("asks for no more bytes than it may hold, and loses what would be more", async ({ expect }) => {
    const asked: number[] = [];
    const chat = openChat(async (bytes, bytesMax) => {
      asked.push(bytesMax);
      return unzip(bytes, bytesMax);
    });
    const bomb = aPacket({ version: 2, body: deflateSync(new Uint8Array(UNPACKED_BYTES_MAX + 1)) });
    expect(bomb.length).toBeLessThan(10_000);
    expect(await chat.take(bomb)).toEqual([UNREADABLE]);
    expect(asked).toEqual([UNPACKED_BYTES_MAX]);
  });

  it("holds the limit over all packets in a packed one", async ({ expect }) => {
    let unpackedBytes = 0;
    const chat = openChat(async (bytes, bytesMax) => {
      const unpacked = await unzip(bytes, bytesMax);
      unpackedBytes += unpacked.length;
      return unpacked;
    });
    // Each fits by itself; all of them would be sixty times the limit.
    const filler = aPacket({ body: " ".repeat(1_000_000) });
    const inner = pack(joined([filler, filler, filler]));
    const events = await chat.take(pack(joined(Array.from({ length: 100 }, () => inner))));
    expect(unpackedBytes).toBeLessThanOrEqual(UNPACKED_BYTES_MAX);
    expect(events.length).toBeGreaterThanOrEqual(100);
  });

  it("does not trust what unpacks to hold the limit", async ({ expect }) => {
    const chat = openChat(async () => new Uint8Array(UNPACKED_BYTES_MAX + 1));
    expect(await chat.take(aPacket({ version: 2, body: "x" }))).toEqual([UNREADABLE]);
  });

  it("is broken by a bad length, after what came before it", async ({ expect }) => {
    const good = aPacket({ body: aDanmaku({ msg_id: "1" }) });
    const events = await openChat().take(joined([good, aPacket({ packetBytes: 2 }), good]));
    expect(events.map(({ type }) => type)).toEqual(["message", "broken"]);
  });

  it("gives the same events however the bytes are cut", async ({ expect }) => {
    const stream = joined([
      aPacket({ operation: 8, version: 1, body: '{"code":0}' }),
      pack(joined([aPacket({ body: aDanmaku({ msg_id: "1" }) }), aPacket({ body: aDanmaku({ msg_id: "2" }) })])),
      aPacket({ operation: 3, version: 1, body: "\0\0\0\u0001" }),
      aPacket({ body: aCommand("LIVE_OPEN_PLATFORM_SEND_GIFT", {}) }),
      aPacket({ version: 3, body: brotliCompressSync(aPacket({ body: aDanmaku({ msg_id: "3" }) })) }),
    ]);
    const whole = await openChat().take(stream);
    expect(whole.map(({ type }) => type)).toEqual(["accepted", "message", "message", "ignored", "message"]);
    const cuts = fc.array(fc.nat(stream.length), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const chat = openChat();
        const events: ChatEvent[] = [];
        let from = 0;
        for (const to of [...at.toSorted((a, b) => a - b), stream.length]) {
          events.push(...(await chat.take(stream.slice(from, to))));
          from = to;
        }
        expect(events).toEqual(whole);
      }),
    );
  });
});

const unzip: Unpack = (bytes, bytesMax) => promisify(inflate)(bytes, { maxOutputLength: bytesMax });
const unbrotli: Unpack = (bytes, bytesMax) => promisify(brotliDecompress)(bytes, { maxOutputLength: bytesMax });

function openChat(zlib = unzip): OpenLiveChat {
  return new OpenLiveChat({ authBody: AUTH_BODY, hostOpenId: null, gameId: null, zlib, brotli: unbrotli });
}

function pack(bytes: Uint8Array): Uint8Array {
  return aPacket({ version: 2, body: deflateSync(bytes) });
}

function idsOf(events: readonly ChatEvent[]): string[] {
  return events.flatMap((event) => (event.type === "message" ? [event.message.id] : []));
}

/** What we write has sequence 1; what the platform sends has 0 here. */
function writtenWithSequence(packet: Uint8Array): Uint8Array {
  packet[15] = 1;
  return packet;
}
