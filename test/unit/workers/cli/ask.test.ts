import { describe, it } from "vitest";
import { ask, type Question } from "../../../../workers/cli/ask.ts";

const target = { url: "http://127.0.0.1:8787", token: "t.o.k" };
const VERSION = "ab".repeat(32);
const turn = { turn: "t7", atMs: 1_000 };
const TURN_START = {
  type: "turn-start",
  seq: 7,
  ...turn,
  attempt: 1,
  messageIds: ["m"],
  harness: { name: "live-host", version: VERSION },
  waitedMs: 2,
};
const FIRST = sentence(8, { seq: 0, text: "1号链接现在九十九元。", speech: "一号链接现在九十九元。", kind: "answer" });
const SECOND = sentence(9, { seq: 1, text: "还有券可以领。", speech: "还有券可以领。", kind: "answer" });

describe("ask", () => {
  it("prints each sentence in a line, then what the turn took", async ({ expect }) => {
    const { lines } = await run({ frames: [TURN_START, FIRST, SECOND, turnEnd("answered", null)] });
    expect(lines.join("")).toBe(
      "1号链接现在九十九元。\n还有券可以领。\n\n" +
        "first sentence 30 ms (12 ms in the room) · turn t7 331 ms, waited 2 ms · 2 steps · get_price 3 ms · live-host@abababab\n",
    );
  });

  it("prints a sentence before the next one has come", async ({ expect }) => {
    const { promise: firstPrinted, resolve } = Promise.withResolvers<void>();
    const { lines } = await run({
      frames: [FIRST, SECOND, turnEnd("answered", null)],
      beforeFrame: (index) => (index === 1 ? firstPrinted : Promise.resolve()),
      onPrint: resolve,
    });
    expect(lines[0]).toBe("1号链接现在九十九元。\n");
  });

  it("prints every event as one line of JSON, and nothing else, when asked to", async ({ expect }) => {
    const frames = [TURN_START, FIRST, turnEnd("answered", null)];
    const { lines } = await run({ frames, json: true });
    expect(lines.join("")).toBe(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
  });

  it.for([
    ["fallback", "the harness's own line"],
    ["expired", "waited too long"],
    ["silent", "stayed silent"],
  ] as const)("fails for a turn that ended as %s, with its reason", async ([outcome, words], { expect }) => {
    const asked = run({ frames: [TURN_START, turnEnd(outcome, "model_unavailable")] });
    await expect(asked).rejects.toThrow(words);
    await expect(asked).rejects.toMatchObject({ exitCode: 1, why: "The turn says: model_unavailable." });
  });

  it("fails when the stream ends before the turn", async ({ expect }) => {
    await expect(run({ frames: [TURN_START, FIRST] })).rejects.toThrow("cut off");
  });

  it("passes over events that it does not know", async ({ expect }) => {
    const { lines } = await run({ frames: [{ type: "applause", seq: 8, ...turn }, FIRST, turnEnd("answered", null)] });
    expect(lines[0]).toBe("1号链接现在九十九元。\n");
  });

  it.for([
    [["a-room", "yanxuan-home"], "yanxuan-home"],
    [["a-room"], "a-room"],
  ] as const)("without --room, of %j it asks in %s", async ([rooms, chosen], { expect }) => {
    const { paths } = await run({ rooms, frames: [turnEnd("answered", null)] });
    expect(paths).toEqual(["GET /v1/rooms", `POST /v1/rooms/${chosen}/messages`]);
  });

  it.for([
    [[], "There is no room."],
    [["a-room", "b-room"], "Which room?"],
  ] as const)("without --room, of %j it does not guess", async ([rooms, words], { expect }) => {
    await expect(run({ rooms, frames: [] })).rejects.toThrow(words);
  });

  it("with --room, asks there at once", async ({ expect }) => {
    const { paths } = await run({ room: "b-room", frames: [turnEnd("answered", null)] });
    expect(paths).toEqual(["POST /v1/rooms/b-room/messages"]);
  });
});

type Run = {
  readonly frames: readonly object[];
  readonly rooms?: readonly string[];
  readonly room?: string;
  readonly json?: boolean;
  readonly beforeFrame?: (index: number) => Promise<void>;
  readonly onPrint?: () => void;
};

/** Asks an edge that answers with these frames; the clock moves 30 ms a reading. */
async function run({ frames, rooms = ["yanxuan-home"], room, json = false, ...hooks }: Run) {
  const lines: string[] = [];
  const paths: string[] = [];
  let nowMs = 0;
  const question: Question = { text: "1号链接多少钱", json, timeoutMs: 60_000, ...(room !== undefined && { room }) };
  await ask(question, target, {
    out: (text) => {
      if (text === "") return;
      lines.push(text);
      hooks.onPrint?.();
    },
    nowMs: () => (nowMs += 15),
    newId: () => "cli-1",
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      paths.push(`${request.method} ${pathname}`);
      if (request.method === "POST") return streamOf(frames, hooks.beforeFrame);
      return Response.json({ rooms: rooms.map(roomNamed), nextCursor: null });
    },
  });
  return { lines, paths };
}

function streamOf(frames: readonly object[], beforeFrame: Run["beforeFrame"]): Response {
  let index = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const frame = frames[index];
      if (frame === undefined) return controller.close();
      await beforeFrame?.(index);
      index += 1;
      controller.enqueue(new TextEncoder().encode(`event: x\ndata: ${JSON.stringify(frame)}\n\n`));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function roomNamed(id: string) {
  return {
    id,
    title: "严选家居",
    merchantId: "m",
    harness: { name: "live-host", channel: "production" },
    updatedAtMs: 1,
  };
}

function sentence(seq: number, body: object) {
  return { type: "sentence", seq, ...turn, sentence: body };
}

function turnEnd(outcome: string, reason: string | null) {
  return {
    type: "turn-end",
    seq: 10,
    ...turn,
    outcome,
    reason,
    timings: { waitedMs: 2, firstSentenceMs: 12, totalMs: 331 },
    activity: { steps: 2, tools: [{ tool: "get_price", ms: 3, outcome: "tool-result" }], hooks: [] },
  };
}
