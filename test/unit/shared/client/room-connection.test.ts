import fc from "fast-check";
import { describe, it } from "vitest";
import { RETRY_MAX_MS } from "../../../../shared/client/backoff.ts";
import { BATCH_WAIT_MS } from "../../../../shared/client/message-intake.ts";
import { createRoomConnection } from "../../../../shared/client/room-connection.ts";
import type { Follow, RoomFrame } from "../../../../shared/contract/room-frame.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";
import { aHello, aMessage, aSentence } from "../../../helpers/frames.ts";
import { fakeSockets, type FakeSocket } from "./fake-sockets.ts";

const SPEECH_TYPES: ReadonlySet<string> = new Set(["turn-start", "sentence", "interrupt", "turn-end"]);
const isWanted = (url: string) => (frame: RoomFrame) =>
  new URL(url).searchParams.get("follow") !== "speech" || SPEECH_TYPES.has(frame.type);

type SentText = { readonly text: string; readonly isLive: boolean };

/** A room that keeps all, sends single frames and arrays, and says the last ones twice; its line to its one client can lose texts. */
class FakeRoom {
  readonly log: RoomFrame[] = [];
  /** Sent, and not yet come. */
  #line: { readonly socket: FakeSocket; readonly texts: SentText[] } | null = null;

  accept(socket: FakeSocket): void {
    const after = Number(new URL(socket.url).searchParams.get("after") ?? this.log.length);
    this.#line = { socket, texts: [{ text: JSON.stringify(aHello({ seq: this.log.length })), isLive: false }] };
    this.#send(this.log.slice(Math.max(0, after - 2)), false);
  }

  /** A comment, or a sentence: what happens together is one text. */
  happen(kinds: readonly boolean[]): void {
    const frames = kinds.map((isSpeech, index) => {
      const seq = this.log.length + 1 + index;
      return isSpeech ? aSentence({ seq }) : aMessage({ seq });
    });
    this.log.push(...frames);
    this.#send(frames, true);
  }

  #send(frames: readonly RoomFrame[], isLive: boolean): void {
    const [first, ...more] = frames.filter(isWanted(this.#line?.socket.url ?? "ws://kaibo.test"));
    if (first === undefined) return;
    this.#line?.texts.push({ text: JSON.stringify(more.length === 0 ? first : [first, ...more]), isLive });
  }

  arrive(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const line = this.#line;
      const sent = line?.texts.shift();
      if (line === null || sent === undefined) return;
      line.socket.onText(sent.text);
    }
  }

  cut(): void {
    const line = this.#line;
    this.#line = null;
    line?.socket.onClose();
  }

  /** What just happened is lost, and the line stays: a room that was put out while it gathered does this. */
  lose(): void {
    const texts = this.#line?.texts ?? [];
    if (texts.at(-1)?.isLive === true) texts.pop();
  }

  get hasClient(): boolean {
    return this.#line !== null && !this.#line.socket.isClosed;
  }

  get hasSent(): boolean {
    return this.#line !== null && this.#line.texts.length > 0;
  }
}

type Step =
  | { readonly act: "happen"; readonly kinds: readonly boolean[] }
  | { readonly act: "arrive"; readonly count: number }
  | { readonly act: "wait"; readonly ms: number }
  | { readonly act: "cut" | "lose" };

const happening = fc.record({
  act: fc.constant("happen" as const),
  kinds: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
});
const arriving = fc.record({ act: fc.constant("arrive" as const), count: fc.integer({ min: 1, max: 4 }) });
const waiting = fc.record({ act: fc.constant("wait" as const), ms: fc.constantFrom(100, 500, 6_000, RETRY_MAX_MS) });
const cutting = fc.record({ act: fc.constant("cut" as const) });
const losing = fc.record({ act: fc.constant("lose" as const) });

/** What a client has heard of a room after these steps, once its line is good. */
async function play(steps: readonly Step[], options: { follow: Follow; after?: number }) {
  const time = new FakeTime();
  const room = new FakeRoom();
  room.happen([false, true, false]);
  const { sockets, openSocket } = fakeSockets((socket) => room.accept(socket));
  const connection = createRoomConnection({
    ...options,
    url: "http://kaibo.test/",
    room: "room-1",
    token: "a.b.c",
    ports: {
      openSocket,
      timer: time,
      elapsedMs: () => time.nowMs(),
      random: () => 0,
      request: () => Promise.reject(new Error("away")),
    },
  });
  const heard: number[] = [];
  connection.on("frame", ({ seq }) => heard.push(seq));
  connection.connect();
  for (const step of steps) {
    if (step.act === "happen") room.happen(step.kinds);
    else if (step.act === "arrive") room.arrive(step.count);
    else if (step.act === "wait") time.advance(step.ms);
    else room[step.act]();
    // Why a stream failed is asked in the background.
    await Promise.resolve();
  }
  // The end: a line that is good again, and something to hear, so that a hole before it shows; then all comes.
  if (!room.hasClient) time.advance(RETRY_MAX_MS);
  room.happen([true]);
  while (room.hasSent) room.arrive(1);
  connection.close();
  await new Promise((resolve) => setImmediate(resolve));
  return { heard, log: room.log, sockets, openTimers: time.pendingCount };
}

describe("createRoomConnection", () => {
  it("hears exactly the log, wherever its stream is cut and whatever is lost on the way", async ({ expect }) => {
    const steps = fc.array(fc.oneof(happening, happening, arriving, arriving, waiting, cutting, losing), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const { heard, log, openTimers } = await play(given, { follow: "all", after: 0 });
        expect(heard).toEqual(log.map(({ seq }) => seq));
        expect(openTimers).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("hears exactly what is spoken, wherever a stream of speech is cut", async ({ expect }) => {
    const steps = fc.array(fc.oneof(happening, happening, arriving, arriving, waiting, cutting), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const { heard, log } = await play(given, { follow: "speech", after: 0 });
        const spoken = log.filter(({ type }) => SPEECH_TYPES.has(type));
        expect(heard).toEqual(spoken.map(({ seq }) => seq));
      }),
      { numRuns: 300 },
    );
  });

  it("hears what happens from its first greeting on when it was told no number", async ({ expect }) => {
    const { heard, sockets } = await play(
      [
        { act: "arrive", count: 1 },
        { act: "happen", kinds: [true] },
        { act: "cut" },
        { act: "happen", kinds: [true, false] },
      ],
      { follow: "all" },
    );
    expect(heard).toEqual([4, 5, 6, 7]);
    expect(sockets.map(({ url }) => url)).toEqual([
      "ws://kaibo.test/v1/rooms/room-1/stream",
      "ws://kaibo.test/v1/rooms/room-1/stream?after=3",
    ]);
  });

  it("posts without a stream, and rejects what the API refuses with its code", async ({ expect }) => {
    const time = new FakeTime();
    const connection = createRoomConnection({
      url: "https://kaibo.test",
      room: "room-1",
      token: "a.b.c",
      ports: {
        openSocket: () => {
          throw new Error("nothing is followed here");
        },
        timer: time,
        elapsedMs: () => time.nowMs(),
        random: () => 0,
        request: async (url) => {
          if (!url.endsWith("/messages")) return Response.json({ code: "turn_not_found", title: "" }, { status: 404 });
          const results = [{ id: "m1", disposition: "queued", reason: null, turn: "t1", seq: 1 }];
          return Response.json({ results, backlog: { waiting: 3, max: 200 } }, { status: 202 });
        },
      },
    });
    const posted = connection.post({ id: "m1", text: "在吗" });
    expect(connection).toMatchObject({ pending: 1, isFull: false });
    time.advance(BATCH_WAIT_MS);
    expect(await posted).toMatchObject({ disposition: "queued", turn: "t1" });
    expect(connection).toMatchObject({ pending: 0, backlog: { waiting: 3, max: 200 } });
    await expect(connection.interrupt()).rejects.toMatchObject({ name: "ClientError", code: "turn_not_found" });
    connection.close();
    await expect(connection.post({ id: "m2", text: "在吗" })).rejects.toMatchObject({ code: "closed" });
    expect(time.pendingCount).toBe(0);
  });
});
