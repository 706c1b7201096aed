import { describe, it } from "vitest";
import type { ChatConnection, ChatEvent } from "../../../../../shared/chat/chat-adapter.ts";
import { holdConnection, type ConnectionEnd } from "../../../../../workers/cli/chat/hold-connection.ts";
import { FakeTime } from "../../../../helpers/fake-timer.ts";
import { aPlatform, settled } from "./a-platform.ts";

const PROOF = Uint8Array.of(7);
const BEAT = Uint8Array.of(2);
/** Bytes that the adapter of these tests reads as events. */
const BYTES = { accepted: 1, message: 2, refused: 3, ended: 4, broken: 5 } as const;

describe("holdConnection", () => {
  it("sends the proof when it is open, and a heartbeat when it was accepted and every 20 s from then", async ({
    expect,
  }) => {
    const { socket, time, give } = hold();
    expect(socket.sent).toEqual([]);
    socket.opened();
    expect(socket.sent).toEqual([PROOF]);
    await give("accepted");
    expect(socket.sent).toEqual([PROOF, BEAT]);
    time.advance(19_999);
    expect(socket.sent.length).toBe(2);
    time.advance(1);
    expect(socket.sent).toEqual([PROOF, BEAT, BEAT]);
  });

  it("gives events in order, also when unpacking takes its time", async ({ expect }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { socket, events } = hold({ beforeTake: (index) => (index === 0 ? promise : Promise.resolve()) });
    socket.received(Uint8Array.of(BYTES.accepted));
    socket.received(Uint8Array.of(BYTES.message, BYTES.message));
    await settled();
    expect(events).toEqual([]);
    resolve();
    await settled();
    expect(events.map(({ type }) => type)).toEqual(["accepted", "message", "message"]);
  });

  it("gives what came before the close", async ({ expect }) => {
    const { socket, events, ended } = hold();
    socket.received(Uint8Array.of(BYTES.message));
    socket.closed("closed with code 1006");
    expect(await ended).toEqual({ type: "lost", why: "closed with code 1006" });
    expect(events.length).toBe(1);
  });

  it.for([
    ["refused", "refused"],
    ["ended", "ended"],
    ["broken", "lost"],
  ] as const)("is over after %s: %s, and gives nothing more", async ([event, type], { expect }) => {
    const { socket, give, ended, events, time } = hold();
    await give("accepted");
    await give(event);
    expect(await ended).toEqual({ type, why: event });
    expect(socket.isClosed()).toBe(true);
    await give("message");
    expect(events.map((given) => given.type)).toEqual(["accepted", event]);
    expect(time.pendingCount).toBe(0);
  });

  it("is lost when the platform does not accept it within 10 s", async ({ expect }) => {
    const { socket, time, ended } = hold();
    socket.opened();
    time.advance(9_999);
    expect(socket.isClosed()).toBe(false);
    time.advance(1);
    expect((await ended).why).toContain("did not accept");
  });

  it("is lost when nothing comes for two heartbeats and a half", async ({ expect }) => {
    const { socket, time, give, ended } = hold();
    await give("accepted");
    time.advance(40_000);
    await give("message");
    time.advance(49_999);
    expect(socket.isClosed()).toBe(false);
    time.advance(1);
    expect((await ended).why).toContain("silent");
  });

  it("is lost when more waits than it may hold", async ({ expect }) => {
    const { socket, ended } = hold({ beforeTake: () => new Promise(() => {}) });
    const bytes = new Uint8Array(1024 * 1024);
    for (let count = 0; count < 7; count += 1) socket.received(bytes);
    expect(socket.isClosed()).toBe(false);
    socket.received(bytes);
    expect((await ended).why).toContain("more came");
  });

  it("closes from here, leaves no timer, and a later close changes nothing", async ({ expect }) => {
    const { socket, give, close, ended, time } = hold();
    await give("accepted");
    close();
    socket.closed("closed with code 1000");
    expect(await ended).toEqual({ type: "lost", why: "closed from here" });
    expect(time.pendingCount).toBe(0);
  });
});

function hold({ beforeTake }: { beforeTake?: (index: number) => Promise<void> } = {}) {
  const time = new FakeTime();
  const { openSocket, sockets } = aPlatform();
  const events: ChatEvent[] = [];
  let taken = 0;
  const chat: ChatConnection = {
    opening: [PROOF],
    heartbeat: { bytes: BEAT, everyMs: 20_000 },
    async take(bytes) {
      await beforeTake?.(taken++);
      return [...bytes].map(eventOf);
    },
  };
  const onEvent = (event: ChatEvent) => void events.push(event);
  const held = holdConnection("wss://a/sub", chat, { timer: time, openSocket, onEvent });
  const [socket] = sockets;
  if (socket === undefined) throw new Error("no socket was opened");
  const give = async (type: keyof typeof BYTES) => {
    socket.received(Uint8Array.of(BYTES[type]));
    await settled();
  };
  const ended: Promise<ConnectionEnd> = held.ended;
  return { socket, time, events, give, ended, close: held.close };
}

function eventOf(byte: number): ChatEvent {
  switch (byte) {
    case BYTES.accepted:
      return { type: "accepted" };
    case BYTES.refused:
      return { type: "refused", why: "refused" };
    case BYTES.ended:
      return { type: "ended", why: "ended" };
    case BYTES.broken:
      return { type: "broken", why: "broken" };
    default:
      return { type: "message", message: { id: `m${byte}`, text: "在吗" }, sentAtMs: null };
  }
}
