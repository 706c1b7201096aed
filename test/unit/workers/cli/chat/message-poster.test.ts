import { describe, it } from "vitest";
import type { ViewerMessage } from "../../../../../shared/contract/message.ts";
import { ChatCounts, formatCounts } from "../../../../../workers/cli/chat/chat-counts.ts";
import { MessagePoster } from "../../../../../workers/cli/chat/message-poster.ts";
import { FakeTime } from "../../../../helpers/fake-timer.ts";

const AWAY = { code: "registry_unavailable", title: "The registry does not answer", status: 503, details: {} };
const INVALID = { code: "invalid_request", title: "The request is not valid", status: 400, details: {} };
const GONE = { code: "room_not_found", title: "There is no such room", status: 404, details: {} };

describe("MessagePoster", () => {
  it("posts what came within 100 ms as one batch, in order", async ({ expect }) => {
    const { poster, time, batches, settled, counts } = aPoster();
    poster.add(message(1), 0);
    time.advance(99);
    poster.add(message(2), null);
    await settled();
    expect(batches).toEqual([]);
    time.advance(1);
    await settled();
    expect(batches).toEqual([["m1", "m2"]]);
    expect(lineOf(counts)).toContain("posted 2 (queued 2) · dropped 0 · lag 0.1 s · backlog 1 of 200");
  });

  it("posts a full batch at once", async ({ expect }) => {
    const { poster, time, batches, settled } = aPoster();
    for (let index = 1; index <= 101; index += 1) poster.add(message(index), null);
    await settled();
    expect(batches.map(({ length }) => length)).toEqual([100]);
    time.advance(100);
    await settled();
    expect(batches.map(({ length }) => length)).toEqual([100, 1]);
  });

  it("has one batch under way at a time", async ({ expect }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { poster, batches, settled } = aPoster({ beforeAnswer: () => promise });
    for (let index = 1; index <= 200; index += 1) poster.add(message(index), null);
    await settled();
    expect(batches.length).toBe(1);
    resolve();
    await settled();
    expect(batches.length).toBe(2);
  });

  it.for([["refused for now"], ["without an answer"], ["with an answer that is not ours"]] as const)(
    "sends a batch again that was %s, and says so once",
    async ([how], { expect }) => {
      const failing = [
        how === "refused for now" ? Response.json(AWAY, { status: 503 }) : null,
        how === "without an answer" ? null : new Response("<html>", { status: 502 }),
      ];
      const { poster, time, batches, settled, said, counts } = aPoster({ failing });
      poster.add(message(1), null);
      time.advance(100);
      await settled();
      for (let again = 0; again < 2; again += 1) {
        time.advance(1_000);
        await settled();
      }
      expect(batches).toEqual([["m1"], ["m1"], ["m1"]]);
      expect(said.length).toBe(2);
      expect(said[1]).toBe("the room takes messages again");
      expect(lineOf(counts)).toContain("posted 1 ");
    },
  );

  it("drops what waits too long, by its own life where it has one", async ({ expect }) => {
    const { poster, time, batches, settled, counts } = aPoster({ failing: [null] });
    poster.add(message(1), null);
    poster.add({ ...message(2), ttlMs: 60_000 }, null);
    time.advance(100);
    await settled();
    time.advance(30_000);
    await settled();
    expect(batches).toEqual([["m1", "m2"], ["m2"]]);
    expect(lineOf(counts)).toContain("dropped 1 (room_too_slow 1)");
  });

  it("drops the oldest when too many wait", async ({ expect }) => {
    const { poster, time, settled, counts, batches } = aPoster({ beforeAnswer: () => new Promise(() => {}) });
    for (let index = 1; index <= 100; index += 1) poster.add(message(index), null);
    await settled();
    for (let index = 101; index <= 2_103; index += 1) poster.add(message(index), null);
    time.advance(100);
    await settled();
    expect(lineOf(counts)).toContain("dropped 103 (room_too_slow 103)");
    expect(batches.length).toBe(1);
  });

  it("fails for a room that will never take one", async ({ expect }) => {
    const { poster, time, settled, batches } = aPoster({ failing: [Response.json(GONE, { status: 404 })] });
    poster.add(message(1), null);
    const failed = expect(poster.failed).rejects.toMatchObject({ why: "There is no such room (room_not_found)." });
    time.advance(100);
    await failed;
    await settled();
    expect(batches.length).toBe(1);
  });

  it("counts a message that the room does not take by itself, and goes on", async ({ expect }) => {
    const { poster, time, settled, counts } = aPoster({ failing: [Response.json(INVALID, { status: 400 })] });
    poster.add(message(1), null);
    time.advance(100);
    await settled();
    poster.add(message(2), null);
    time.advance(100);
    await settled();
    expect(lineOf(counts)).toContain("posted 1 (queued 1) · dropped 1 (invalid_request 1)");
  });

  it("posts what waits when it ends, without waiting for more", async ({ expect }) => {
    const { poster, batches } = aPoster();
    poster.add(message(1), null);
    await poster.end();
    expect(batches).toEqual([["m1"]]);
  });

  it("counts what it could not post as lost when it ends", async ({ expect }) => {
    const { poster, counts } = aPoster({ failing: [null] });
    poster.add(message(1), null);
    await poster.end();
    expect(lineOf(counts)).toContain("dropped 1 (room_too_slow 1)");
  });
});

type Edge = {
  /** Answers before the good ones; `null`: nobody answers. */
  readonly failing?: readonly (Response | null)[];
  readonly beforeAnswer?: () => Promise<void>;
};

function aPoster({ failing = [], beforeAnswer }: Edge = {}) {
  const time = new FakeTime();
  const counts = new ChatCounts();
  const batches: string[][] = [];
  const said: string[] = [];
  const fetcher: typeof fetch = async (input, init) => {
    const { messages } = (await new Request(input, init).json()) as { messages: ViewerMessage[] };
    batches.push(messages.map(({ id }) => id));
    await beforeAnswer?.();
    const failure = failing[batches.length - 1];
    if (failure === null) throw new TypeError("fetch failed");
    return failure ?? Response.json(taken(messages), { status: 202 });
  };
  const poster = new MessagePoster({
    target: { url: "http://edge/", token: "t" },
    room: "r1",
    request: fetcher,
    clock: time,
    timer: time,
    elapsedMs: () => time.nowMs(),
    random: () => 0,
    counts,
    say: (line) => void said.push(line),
  });
  /** All that can happen without the time moving on has happened. */
  const settled = async () => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  };
  return { poster, time, counts, batches, said, settled };
}

function lineOf(counts: ChatCounts): string {
  const figures = counts.take();
  return figures === null ? "" : formatCounts(figures);
}

function taken(messages: readonly ViewerMessage[]) {
  const results = messages.map(({ id }) => ({ id, disposition: "queued", reason: null, turn: "t1", seq: 1 }));
  return { results, backlog: { waiting: 1, max: 200 } };
}

function message(index: number): ViewerMessage {
  return { id: `m${index}`, text: "有黑色吗" };
}
