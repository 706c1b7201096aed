import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, it } from "vitest";
import { FakeTime } from "../../../../helpers/fake-timer.ts";
import type { ChatStreamPart } from "../../../../../shared/agent/stream/chat-stream.ts";
import { readChatStream, type ReadChatStreamOptions } from "../../../../../shared/agent/stream/read-chat-stream.ts";
import { SSE_EVENT_BYTES_MAX } from "../../../../../shared/agent/stream/sse-parser.ts";
import { mergeText, PROVIDER_FIXTURES, toParts, type ProviderFixture } from "./provider-fixtures.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../../../fixtures/provider");
const OPTIONS: ReadChatStreamOptions = {
  thinking: false,
  callIdPrefix: "t7",
  signal: new AbortController().signal,
};

const textDelta = (content: string) => bytesOf(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
const FINISH = bytesOf('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n');
const DONE = bytesOf("data: [DONE]\n\n");

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A body that hangs after its chunks, or ends or fails there; it records whether it was cancelled. */
function aBody(chunks: readonly Uint8Array[], after: "end" | "fail" | "hang" = "end") {
  const left = [...chunks];
  const seen = { readCount: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        seen.readCount += 1;
        const next = left.shift();
        if (next !== undefined) return controller.enqueue(next);
        if (after === "end") return controller.close();
        if (after === "fail") return controller.error(new Error("socket closed"));
        return new Promise<void>(() => undefined);
      },
      cancel: () => {
        seen.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, seen };
}

/** Lets everything run that waits for no time. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
}

async function collect(batches: AsyncIterable<ChatStreamPart[]>): Promise<ChatStreamPart[]> {
  const parts: ChatStreamPart[] = [];
  for await (const batch of batches) parts.push(...batch);
  return mergeText(parts);
}

function readFixture(fixture: ProviderFixture, cut: (bytes: Uint8Array) => Uint8Array[]): Promise<ChatStreamPart[]> {
  const bytes = new Uint8Array(readFileSync(path.join(FOLDER, `${fixture.name}.sse`)));
  const { stream } = aBody(cut(bytes), fixture.breaks === true ? "fail" : "end");
  return collect(readChatStream(stream, { ...OPTIONS, startsInsideThinking: fixture.startsInsideThinking === true }));
}

const single = (bytes: Uint8Array) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return cuts.map((cut, at) => bytes.subarray(cuts[at - 1] ?? 0, cut));
}

describe("readChatStream on the bodies that engines send", () => {
  it("every body has its meaning written down", ({ expect }) => {
    const files = readdirSync(FOLDER).map((file) => file.replace(/\.sse$/, ""));
    expect(files.toSorted()).toEqual([...new Set(PROVIDER_FIXTURES.map(({ name }) => name))].toSorted());
  });

  it.for(PROVIDER_FIXTURES)("reads $name in one chunk", async (fixture, { expect }) => {
    expect(await readFixture(fixture, (bytes) => [bytes])).toEqual(toParts(fixture));
  });

  it.for(PROVIDER_FIXTURES)("reads $name byte by byte", async (fixture, { expect }) => {
    expect(await readFixture(fixture, single)).toEqual(toParts(fixture));
  });

  it("reads every body the same however it is cut", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PROVIDER_FIXTURES),
        fc.array(fc.nat({ max: 8_000 }), { maxLength: 12 }),
        async (fixture, places) => {
          expect(await readFixture(fixture, (bytes) => cutAt(bytes, places))).toEqual(toParts(fixture));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("readChatStream", () => {
  it("yields one list per chunk that says something, before the next chunk is read", async ({ expect }) => {
    const { stream, seen } = aBody([textDelta("还有"), bytesOf(": ping\n\n"), textDelta("3件"), FINISH, DONE]);
    const batches: [number, ChatStreamPart[]][] = [];
    for await (const batch of readChatStream(stream, OPTIONS)) batches.push([seen.readCount, batch]);
    expect(batches.slice(0, 2)).toEqual([
      [1, [{ type: "text-delta", text: "还有" }]],
      [3, [{ type: "text-delta", text: "3件" }]],
    ]);
    expect(batches).toHaveLength(3);
  });

  it("stops at [DONE] and cancels a body that stays open", async ({ expect }) => {
    const { stream, seen } = aBody([textDelta("好的"), FINISH, DONE], "hang");
    expect((await collect(readChatStream(stream, OPTIONS))).at(-1)).toEqual({
      type: "end",
      finish: "stop",
      code: null,
    });
    expect(seen).toEqual({ readCount: 3, isCancelled: true });
  });

  it("cancels the body when its reader leaves early", async ({ expect }) => {
    const { stream, seen } = aBody([textDelta("好的")], "hang");
    for await (const batch of readChatStream(stream, OPTIONS)) {
      expect(batch).toHaveLength(1);
      break;
    }
    expect(seen.isCancelled).toBe(true);
  });

  it("reads any async iterable, and returns it when done", async ({ expect }) => {
    let isReturned = false;
    async function* chunks() {
      try {
        yield textDelta("好的");
        yield FINISH;
        yield DONE;
        yield textDelta("鬼影");
      } finally {
        isReturned = true;
      }
    }
    const parts = await collect(readChatStream(chunks(), OPTIONS));
    expect(parts.map((part) => part.type)).toEqual(["text-delta", "usage", "end"]);
    expect(isReturned).toBe(true);
  });

  it("ends as aborted, and keeps the text, when the signal fires while it waits", async ({ expect }) => {
    const abort = new AbortController();
    const { stream, seen } = aBody([textDelta("还有")], "hang");
    const parts: ChatStreamPart[] = [];
    for await (const batch of readChatStream(stream, { ...OPTIONS, signal: abort.signal })) {
      parts.push(...batch);
      queueMicrotask(() => abort.abort());
    }
    expect(parts).toEqual([
      { type: "text-delta", text: "还有" },
      { type: "usage", usage: expect.objectContaining({ estimated: true, outputTokens: 2 }) },
      { type: "end", finish: "aborted", code: null },
    ]);
    expect(seen.isCancelled).toBe(true);
  });

  it("is aborted, not broken, when the body fails because of the signal", async ({ expect }) => {
    const abort = new AbortController();
    async function* chunks() {
      yield textDelta("还有");
      abort.abort();
      throw abort.signal.reason;
    }
    const parts = await collect(readChatStream(chunks(), { ...OPTIONS, signal: abort.signal }));
    expect(parts.at(-1)).toEqual({ type: "end", finish: "aborted", code: null });
  });

  it("is aborted also when the body's failure comes just before the signal's event", async ({ expect }) => {
    const abort = new AbortController();
    const next = () => {
      queueMicrotask(() => queueMicrotask(() => abort.abort()));
      return Promise.reject(new Error("socket closed"));
    };
    const body = { [Symbol.asyncIterator]: () => ({ next }) };
    const parts = await collect(readChatStream(body, { ...OPTIONS, signal: abort.signal }));
    expect(parts).toEqual([{ type: "end", finish: "aborted", code: null }]);
  });

  it("reads nothing under a signal that has fired already", async ({ expect }) => {
    const { stream, seen } = aBody([textDelta("还有")]);
    const parts = await collect(readChatStream(stream, { ...OPTIONS, signal: AbortSignal.abort() }));
    expect(parts).toEqual([{ type: "end", finish: "aborted", code: null }]);
    expect(seen).toEqual({ readCount: 0, isCancelled: true });
  });

  it("gives up with model_timed_out when the first byte does not come", async ({ expect }) => {
    const timer = new FakeTime();
    const { stream, seen } = aBody([], "hang");
    const reading = collect(
      readChatStream(stream, { ...OPTIONS, timer, firstByteTimeoutMs: 1_500, betweenChunksTimeoutMs: 700 }),
    );
    await settle();
    timer.advance(1_499);
    await settle();
    expect(seen.isCancelled).toBe(false);
    timer.advance(1);
    expect(await reading).toEqual([{ type: "end", finish: "error", code: "model_timed_out" }]);
    expect([seen.isCancelled, timer.pendingCount]).toEqual([true, 0]);
  });

  it("gives up with model_stalled between chunks, and keeps the text", async ({ expect }) => {
    const timer = new FakeTime();
    const { stream } = aBody([textDelta("还有")], "hang");
    const options = { ...OPTIONS, timer, firstByteTimeoutMs: 1_500, betweenChunksTimeoutMs: 700 };
    const reading = collect(readChatStream(stream, options));
    await settle();
    timer.advance(700);
    const parts = await reading;
    expect(parts[0]).toEqual({ type: "text-delta", text: "还有" });
    expect(parts.at(-1)).toEqual({ type: "end", finish: "error", code: "model_stalled" });
  });

  it("counts each wait anew, with one timer, and not the time that its reader takes", async ({ expect }) => {
    const timer = new FakeTime();
    const { stream } = aBody([textDelta("一"), textDelta("二"), textDelta("三")], "hang");
    const options = { ...OPTIONS, timer, firstByteTimeoutMs: 1_500, betweenChunksTimeoutMs: 700 };
    const parts: ChatStreamPart[] = [];
    const reading = (async () => {
      for await (const batch of readChatStream(stream, options)) {
        parts.push(...batch);
        timer.advance(600);
      }
    })();
    await settle();
    expect(parts.map((part) => (part.type === "text-delta" ? part.text : part.type))).toEqual(["一", "二", "三"]);
    expect(timer.pendingCount).toBe(1);
    timer.advance(699);
    await settle();
    expect(parts).toHaveLength(3);
    timer.advance(1);
    await reading;
    expect(parts.at(-1)).toEqual({ type: "end", finish: "error", code: "model_stalled" });
  });

  it("keeps a whole answer when only [DONE] stalls", async ({ expect }) => {
    const timer = new FakeTime();
    const { stream } = aBody([textDelta("有货"), FINISH], "hang");
    const reading = collect(readChatStream(stream, { ...OPTIONS, timer, betweenChunksTimeoutMs: 700 }));
    await settle();
    timer.advance(700);
    expect((await reading).at(-1)).toEqual({ type: "end", finish: "stop", code: null });
  });

  it("ends as broken when one event is above the limit", async ({ expect }) => {
    const half = new Uint8Array(SSE_EVENT_BYTES_MAX / 2).fill(0x20);
    const { stream } = aBody([textDelta("好的"), bytesOf("data: "), half, half, half]);
    const parts = await collect(readChatStream(stream, OPTIONS));
    expect(parts[0]).toEqual({ type: "text-delta", text: "好的" });
    expect(parts.at(-1)).toMatchObject({ type: "end", finish: "error", code: "model_stream_broken" });
  });

  it("keeps no listener on a signal that outlives the stream", async ({ expect }) => {
    const abort = new AbortController();
    let listenerCount = 0;
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (listenerCount++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (listenerCount--, remove(...args));
    await collect(readChatStream(aBody([textDelta("好的"), FINISH, DONE]).stream, { ...OPTIONS, signal }));
    expect(listenerCount).toBe(0);
  });
});
