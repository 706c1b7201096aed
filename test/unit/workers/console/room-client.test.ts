import { describe, it } from "vitest";
import type { RoomFrame } from "../../../../shared/contract/room-frame.ts";
import { applyFrame, applyHello, openRoom, skipTo } from "../../../../workers/console/frame-store.ts";
import {
  type ConnectionState,
  createRoomClient,
  GREETING_MAX_MS,
  PING_EVERY_MS,
  PONG_MAX_MS,
  RETRY_FIRST_MS,
  RETRY_MAX_MS,
  retryDelayMs,
  type SocketEvents,
  STABLE_MS,
} from "../../../../workers/console/room-client.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";
import { aHello, aMessage, aView } from "./frames.ts";

type FakeSocket = {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly sent: string[];
  isClosed: boolean;
} & SocketEvents;

/** A client over fake sockets, with the page's own model behind it. */
function aClient({ isRefused = false } = {}) {
  const time = new FakeTime();
  const sockets: FakeSocket[] = [];
  const states: ConnectionState[] = [];
  let model = openRoom(aView());
  const client = createRoomClient({
    url: "ws://kaibo.test/v1/rooms/room-1/stream",
    token: "a.b.c",
    timer: time,
    random: () => 0,
    openSocket: (url, protocols, events) => {
      const socket: FakeSocket = { url, protocols, sent: [], isClosed: false, ...events };
      sockets.push(socket);
      return {
        send: (text) => void socket.sent.push(text),
        close: () => {
          socket.isClosed = true;
          // A browser tells of a close that the page asked for as well.
          events.onClose();
        },
      };
    },
    onState: (state) => states.push(state),
    isRefused: async () => isRefused,
    sink: {
      lastSeq: () => model.lastSeq,
      greet: (hello) => {
        model = applyHello(model, hello);
      },
      accept: (frame) => {
        const { model: next, verdict } = applyFrame(model, frame, time.nowMs());
        model = next;
        return verdict;
      },
      skipTo: (seq, openTurns) => {
        model = skipTo(model, seq, openTurns);
      },
    },
  });
  const socket = (): FakeSocket => {
    const latest = sockets.at(-1);
    if (latest === undefined) throw new Error("no socket was opened");
    return latest;
  };
  return {
    client,
    time,
    sockets,
    states,
    socket,
    ids: () => model.messages.map(({ id }) => id),
    model: () => model,
    state: () => states.at(-1),
    greet: (fields: Parameters<typeof aHello>[0] = {}) => socket().onText(JSON.stringify(aHello(fields))),
    send: (...frames: readonly RoomFrame[]) => {
      const target = socket();
      for (const frame of frames) target.onText(JSON.stringify(frame));
    },
  };
}

const messages = (...seqs: readonly number[]) => seqs.map((seq) => aMessage({ seq }));

describe("createRoomClient", () => {
  it("sends its token as a subprotocol, never in the address", ({ expect }) => {
    const { client, socket } = aClient();
    client.start();
    expect(socket().protocols).toEqual(["kaibo.v1", "kaibo.token.a.b.c"]);
    expect(socket().url).toBe("ws://kaibo.test/v1/rooms/room-1/stream?after=0");
  });

  it("is connected once the room has greeted it", ({ expect }) => {
    const { client, state, greet } = aClient();
    client.start();
    expect(state()).toEqual({ status: "connecting" });
    greet();
    expect(state()).toEqual({ status: "connected" });
  });

  it("resumes after the last frame and takes what comes twice only once", ({ expect }) => {
    const { client, time, socket, sockets, greet, send, ids } = aClient();
    client.start();
    greet();
    send(...messages(1, 2, 3));
    socket().onClose();
    time.advance(RETRY_FIRST_MS);
    expect(sockets).toHaveLength(2);
    expect(socket().url).toContain("after=3");
    greet({ seq: 5 });
    send(...messages(2, 3, 4, 5));
    expect(ids()).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  });

  it("does not hear a socket that it has left", ({ expect }) => {
    const { client, time, sockets, greet, send, ids } = aClient();
    client.start();
    greet();
    send(...messages(1));
    sockets[0]?.onClose();
    time.advance(RETRY_FIRST_MS);
    sockets[0]?.onText(JSON.stringify(aMessage({ seq: 2 })));
    sockets[0]?.onClose();
    expect(ids()).toEqual(["m1"]);
    expect(sockets).toHaveLength(2);
  });

  it("asks again at once when a frame is missing", ({ expect }) => {
    const { client, socket, sockets, greet, send, ids } = aClient();
    client.start();
    greet();
    send(...messages(1, 3));
    expect(sockets).toHaveLength(2);
    expect(socket().url).toContain("after=1");
    greet({ seq: 3 });
    send(...messages(2, 3));
    expect(ids()).toEqual(["m1", "m2", "m3"]);
  });

  it("goes on without frames that the room has lost, and says how many", ({ expect }) => {
    const { client, sockets, greet, send, ids, model } = aClient();
    client.start();
    greet();
    send(...messages(1, 4));
    greet({ seq: 4 });
    send(...messages(4, 5));
    expect(sockets).toHaveLength(2);
    expect(ids()).toEqual(["m1", "m4", "m5"]);
    expect(model().missedCount).toBe(2);
  });

  it("skips texts that are no frames", ({ expect }) => {
    const { client, socket, greet, send, ids } = aClient();
    client.start();
    greet();
    for (const text of ["pong", "{", "null", "[]", '{"type":"message"}', '{"type":"hello","seq":9}'])
      socket().onText(text);
    send(...messages(1));
    expect(ids()).toEqual(["m1"]);
  });

  it("waits twice as long after each failure, and says how long", ({ expect }) => {
    const { client, time, socket, states } = aClient();
    client.start();
    for (const retryInMs of [500, 1_000, 2_000]) {
      socket().onClose();
      time.advance(retryInMs);
    }
    expect(states.filter(({ status }) => status === "waiting")).toMatchObject([
      { retryInMs: 500, attempt: 1 },
      { retryInMs: 1_000, attempt: 2 },
      { retryInMs: 2_000, attempt: 3 },
    ]);
  });

  it.for([
    { name: "a connection that lived long enough starts the waits anew", livedMs: STABLE_MS, attempt: 1 },
    { name: "a connection that was cut at once does not", livedMs: STABLE_MS - 1, attempt: 2 },
  ])("$name", ({ livedMs, attempt }, { expect }) => {
    const { client, time, socket, state, greet } = aClient();
    client.start();
    socket().onClose();
    time.advance(RETRY_FIRST_MS);
    greet();
    time.advance(livedMs);
    socket().onClose();
    expect(state()).toMatchObject({ status: "waiting", attempt });
  });

  it("gives up a socket that never greets", ({ expect }) => {
    const { client, time, sockets, state } = aClient();
    client.start();
    time.advance(GREETING_MAX_MS);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(state()).toMatchObject({ status: "waiting" });
  });

  it("stops for good when the server refuses the token", async ({ expect }) => {
    const { client, time, socket, sockets, state } = aClient({ isRefused: true });
    client.start();
    socket().onClose();
    await Promise.resolve();
    await Promise.resolve();
    expect(state()).toEqual({ status: "refused" });
    time.advance(RETRY_MAX_MS * 2);
    expect(sockets).toHaveLength(1);
  });

  it("does not try while the device is offline, and tries at once when it is back", ({ expect }) => {
    const { client, time, sockets, state, greet, send, socket } = aClient();
    client.start();
    greet();
    send(...messages(1));
    client.goOffline();
    expect(state()).toEqual({ status: "offline" });
    time.advance(RETRY_MAX_MS * 2);
    expect(sockets).toHaveLength(1);
    client.retryNow();
    expect(socket().url).toContain("after=1");
  });

  it("does not wait on when it is told to retry now", ({ expect }) => {
    const { client, sockets, socket, time } = aClient();
    client.start();
    socket().onClose();
    client.retryNow();
    client.retryNow();
    expect(sockets).toHaveLength(2);
    time.advance(GREETING_MAX_MS - 1);
    expect(sockets).toHaveLength(2);
  });

  it("asks a silent room for a sign of life, and leaves one that used to answer and does not", ({ expect }) => {
    const { client, time, socket, sockets, greet, state } = aClient();
    client.start();
    greet();
    time.advance(PING_EVERY_MS);
    expect(socket().sent).toEqual(["ping"]);
    socket().onText("pong");
    time.advance(PING_EVERY_MS);
    expect(socket().sent).toEqual(["ping", "ping"]);
    time.advance(PONG_MAX_MS);
    expect(state()).toMatchObject({ status: "waiting" });
    expect(sockets[0]?.isClosed).toBe(true);
  });

  it("stays with a room that never answers pings", ({ expect }) => {
    const { client, time, sockets, greet } = aClient();
    client.start();
    greet();
    time.advance(PING_EVERY_MS);
    time.advance(PONG_MAX_MS);
    expect(sockets).toHaveLength(1);
  });

  it("leaves no timer and no socket behind when it stops", ({ expect }) => {
    const { client, time, sockets, greet, state } = aClient();
    client.start();
    greet();
    client.stop();
    expect(time.pendingCount).toBe(0);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(state()).toEqual({ status: "closed" });
  });
});

describe("retryDelayMs", () => {
  it.for([
    { name: "the first wait is the shortest", attempt: 1, random: 0, delayMs: RETRY_FIRST_MS },
    { name: "chance takes off up to half", attempt: 2, random: 1, delayMs: RETRY_FIRST_MS },
    { name: "no wait is longer than the longest", attempt: 99, random: 0, delayMs: RETRY_MAX_MS },
  ])("$name", ({ attempt, random, delayMs }, { expect }) => {
    expect(retryDelayMs(attempt, random)).toBe(delayMs);
  });
});
