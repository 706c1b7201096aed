import { describe, it } from "vitest";
import { RETRY_FIRST_MS, RETRY_MAX_MS } from "../../../../shared/client/backoff.ts";
import type { ApiFailure } from "../../../../shared/client/client-error.ts";
import { FrameFeed, type MissedFrames } from "../../../../shared/client/frame-feed.ts";
import {
  type ConnectionState,
  createRoomStream,
  GREETING_MAX_MS,
  PING_EVERY_MS,
  PONG_MAX_MS,
  STABLE_MS,
} from "../../../../shared/client/room-stream.ts";
import type { Follow, RoomFrame } from "../../../../shared/contract/room-frame.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";
import { aHello, aMessage, aSentence } from "../../../helpers/frames.ts";
import { fakeSockets } from "./fake-sockets.ts";

const FORBIDDEN: ApiFailure = { code: "forbidden", status: 403, title: "no", retryAfterMs: null };

type Given = {
  readonly after?: number | null;
  readonly follow?: Follow;
  readonly speaks?: boolean;
  readonly refusal?: ApiFailure | null;
};

/** A stream over fake sockets, and what was heard of it. */
function aStream({ after = 0, follow = "all", speaks = false, refusal = null }: Given = {}) {
  const time = new FakeTime();
  const { sockets, openSocket, latest } = fakeSockets();
  const states: ConnectionState[] = [];
  const ids: string[] = [];
  const missed: MissedFrames[] = [];
  const sink = new FrameFeed({ after, follow });
  sink.on("frame", (frame) => ids.push(frame.type === "message" ? frame.message.id : `${frame.type} ${frame.seq}`));
  sink.on("missed", (frames) => missed.push(frames));
  const stream = createRoomStream({
    url: "ws://kaibo.test/v1/rooms/room-1/stream",
    token: "a.b.c",
    follow,
    speaks,
    timer: time,
    random: () => 0,
    openSocket,
    onState: (state) => states.push(state),
    findRefusal: async () => refusal,
    sink,
  });
  return {
    stream,
    sink,
    time,
    sockets,
    states,
    ids,
    missed,
    socket: latest,
    state: () => states.at(-1),
    greet: (fields: Parameters<typeof aHello>[0] = {}) => latest().onText(JSON.stringify(aHello(fields))),
    send: (...frames: readonly RoomFrame[]) => {
      const target = latest();
      for (const frame of frames) target.onText(JSON.stringify(frame));
    },
  };
}

const messages = (...seqs: readonly number[]) => seqs.map((seq) => aMessage({ seq }));

describe("createRoomStream", () => {
  it("sends its token as a subprotocol, never in the address", ({ expect }) => {
    const { stream, socket } = aStream();
    stream.start();
    expect(socket().protocols).toEqual(["kaibo.v1", "kaibo.token.a.b.c"]);
    expect(socket().url).toBe("ws://kaibo.test/v1/rooms/room-1/stream?after=0");
  });

  it("is connected once the room has greeted it", ({ expect }) => {
    const { stream, state, greet } = aStream();
    stream.start();
    expect(state()).toEqual({ status: "connecting" });
    greet();
    expect(state()).toEqual({ status: "connected" });
  });

  it("resumes after the last frame and takes what comes twice only once", ({ expect }) => {
    const { stream, time, socket, sockets, greet, send, ids } = aStream();
    stream.start();
    greet();
    send(...messages(1, 2, 3));
    socket().onClose();
    time.advance(RETRY_FIRST_MS);
    expect(sockets).toHaveLength(2);
    expect(socket().url).toContain("after=3");
    greet({ seq: 5 });
    send(...messages(2, 3, 4, 5));
    expect(ids).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  });

  it("does not hear a socket that it has left", ({ expect }) => {
    const { stream, time, sockets, greet, send, ids } = aStream();
    stream.start();
    greet();
    send(...messages(1));
    sockets[0]?.onClose();
    time.advance(RETRY_FIRST_MS);
    sockets[0]?.onText(JSON.stringify(aMessage({ seq: 2 })));
    sockets[0]?.onClose();
    expect(ids).toEqual(["m1"]);
    expect(sockets).toHaveLength(2);
  });

  it("asks again at once when a frame is missing", ({ expect }) => {
    const { stream, socket, sockets, greet, send, ids } = aStream();
    stream.start();
    greet();
    send(...messages(1, 3));
    expect(sockets).toHaveLength(2);
    expect(socket().url).toContain("after=1");
    greet({ seq: 3 });
    send(...messages(2, 3));
    expect(ids).toEqual(["m1", "m2", "m3"]);
  });

  it("goes on without frames that the room has lost, and says how many", ({ expect }) => {
    const { stream, sockets, greet, send, ids, missed } = aStream();
    stream.start();
    greet();
    send(...messages(1, 4));
    greet({ seq: 4 });
    send(...messages(4, 5));
    expect(sockets).toHaveLength(2);
    expect(ids).toEqual(["m1", "m4", "m5"]);
    expect(missed).toEqual([{ fromSeq: 2, toSeq: 3 }]);
  });

  it("skips texts that are no frames", ({ expect }) => {
    const { stream, socket, greet, send, ids } = aStream();
    stream.start();
    greet();
    for (const text of ["pong", "{", "null", "[]", '{"type":"message"}', '{"type":"hello","seq":9}'])
      socket().onText(text);
    send(...messages(1));
    expect(ids).toEqual(["m1"]);
  });

  it("takes an array as what its frames are one by one", ({ expect }) => {
    const { stream, socket, greet, ids } = aStream();
    stream.start();
    greet();
    socket().onText(JSON.stringify(messages(1, 2)));
    socket().onText(JSON.stringify([...messages(2, 3), { type: "applause", seq: 4, atMs: 1 }]));
    expect(ids).toEqual(["m1", "m2", "m3", "unknown 4"]);
  });

  it("asks again once for an array with a hole, and hears nothing behind the hole before", ({ expect }) => {
    const { stream, socket, sockets, greet, ids } = aStream();
    stream.start();
    greet();
    socket().onText(JSON.stringify(messages(1, 3, 4, 5)));
    expect([ids, sockets.length]).toEqual([["m1"], 2]);
    expect(socket().url).toContain("after=1");
    greet({ seq: 5 });
    socket().onText(JSON.stringify(messages(2, 3, 4, 5)));
    expect(ids).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  });

  it("lets numbers jump in a stream of speech, and goes on after the last that came", ({ expect }) => {
    const { stream, time, socket, sockets, greet, send, ids } = aStream({ after: null, follow: "speech" });
    stream.start();
    expect(socket().url).toBe("ws://kaibo.test/v1/rooms/room-1/stream?follow=speech");
    greet({ seq: 10 });
    send(aSentence({ seq: 12 }), aSentence({ seq: 40 }), aSentence({ seq: 40 }));
    expect([ids, sockets.length]).toEqual([["sentence 12", "sentence 40"], 1]);
    socket().onClose();
    time.advance(RETRY_FIRST_MS);
    expect(socket().url).toContain("?after=40&follow=speech");
  });

  it("says what it has spoken, once it is greeted and while it is connected", ({ expect }) => {
    const { stream, socket, greet } = aStream({ speaks: true });
    expect(stream.spoken("t1", 0)).toBe(false);
    stream.start();
    expect(socket().url).toContain("speaks=1");
    expect(stream.spoken("t1", 0)).toBe(false);
    greet();
    expect(stream.spoken("t1", 0)).toBe(true);
    expect(socket().sent).toEqual(['{"type":"spoken","turn":"t1","seq":0}']);
    socket().onClose();
    expect(stream.spoken("t1", 1)).toBe(false);
  });

  it("opens nothing more for a listener that stops it while it hears", ({ expect }) => {
    const { stream, sink, time, socket, sockets, greet, ids } = aStream();
    sink.on("message", () => stream.stop());
    stream.start();
    greet();
    socket().onText(JSON.stringify(messages(1, 2)));
    expect([ids, sockets.length, time.pendingCount]).toEqual([["m1"], 1, 0]);
  });

  it("waits twice as long after each failure, and says how long", ({ expect }) => {
    const { stream, time, socket, states } = aStream();
    stream.start();
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
    const { stream, time, socket, state, greet } = aStream();
    stream.start();
    socket().onClose();
    time.advance(RETRY_FIRST_MS);
    greet();
    time.advance(livedMs);
    socket().onClose();
    expect(state()).toMatchObject({ status: "waiting", attempt });
  });

  it("gives up a socket that never greets", ({ expect }) => {
    const { stream, time, sockets, state } = aStream();
    stream.start();
    time.advance(GREETING_MAX_MS);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(state()).toMatchObject({ status: "waiting" });
  });

  it("stops for good when the server refuses the token", async ({ expect }) => {
    const { stream, time, socket, sockets, state } = aStream({ refusal: FORBIDDEN });
    stream.start();
    socket().onClose();
    await Promise.resolve();
    await Promise.resolve();
    expect(state()).toEqual({ status: "refused", failure: FORBIDDEN });
    time.advance(RETRY_MAX_MS * 2);
    expect(sockets).toHaveLength(1);
  });

  it("does not try while the device is offline, and tries at once when it is back", ({ expect }) => {
    const { stream, time, sockets, state, greet, send, socket } = aStream();
    stream.start();
    greet();
    send(...messages(1));
    stream.goOffline();
    expect(state()).toEqual({ status: "offline" });
    time.advance(RETRY_MAX_MS * 2);
    expect(sockets).toHaveLength(1);
    stream.retryNow();
    expect(socket().url).toContain("after=1");
  });

  it("does not wait on when it is told to retry now", ({ expect }) => {
    const { stream, sockets, socket, time } = aStream();
    stream.start();
    socket().onClose();
    stream.retryNow();
    stream.retryNow();
    expect(sockets).toHaveLength(2);
    time.advance(GREETING_MAX_MS - 1);
    expect(sockets).toHaveLength(2);
  });

  it("asks a silent room for a sign of life, and leaves one that used to answer and does not", ({ expect }) => {
    const { stream, time, socket, sockets, greet, state } = aStream();
    stream.start();
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
    const { stream, time, sockets, greet } = aStream();
    stream.start();
    greet();
    time.advance(PING_EVERY_MS);
    time.advance(PONG_MAX_MS);
    expect(sockets).toHaveLength(1);
  });

  it("leaves no timer and no socket behind when it stops", ({ expect }) => {
    const { stream, time, sockets, greet, state } = aStream();
    stream.start();
    greet();
    stream.stop();
    expect(time.pendingCount).toBe(0);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(state()).toEqual({ status: "closed" });
  });
});
