import fc from "fast-check";
import { describe, it } from "vitest";
import { SSE_EVENT_BYTES_MAX, SseParser } from "../../../../../shared/agent/stream/sse-parser.ts";

function parse(chunks: readonly (string | Uint8Array)[]): string[] {
  const parser = new SseParser();
  const events = chunks.flatMap((chunk) => parser.push(toBytes(chunk)));
  return [...events, ...parser.end()];
}

function toBytes(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
}

describe("SseParser", () => {
  it.for<{ name: string; input: string[]; events: string[] }>([
    { name: "two events", input: ["data: 一\n\ndata: 二\n\n"], events: ["一", "二"] },
    { name: "no space after the colon", input: ["data:一\n\n"], events: ["一"] },
    { name: "only the first space is framing", input: ["data:  一 \n\n"], events: [" 一 "] },
    { name: "lines of one event are joined", input: ["data: 一\ndata: 二\n\n"], events: ["一\n二"] },
    { name: "an empty data line is a line", input: ["data: 一\ndata\ndata:\n\n"], events: ["一\n\n"] },
    { name: "carriage returns", input: ["data: 一\r\rdata: 二\r\r"], events: ["一", "二"] },
    { name: "all line ends mixed", input: ["data: 一\r\n\ndata: 二\n\r\ndata: 三\r\r\n"], events: ["一", "二", "三"] },
    { name: "a line end cut in two is one", input: ["data: 一\r", "\ndata: 二\r", "\n\r", "\n"], events: ["一\n二"] },
    { name: "an empty chunk inside a line end", input: ["data: 一\r", "", "\ndata: 二\n\n"], events: ["一\n二"] },
    {
      name: "a line feed after text does not belong to an older return",
      input: ["data: 一\r", "data: 二\n\n"],
      events: ["一\n二"],
    },
    {
      name: "comments, names, ids and retry",
      input: [": hi\nevent: x\nid: 1\nretry: 9\ndata: 一\n\n"],
      events: ["一"],
    },
    { name: "a comment alone is no event", input: [": keep-alive\n\n", ":\n\n"], events: [] },
    { name: "fields that only start like data", input: ["database: x\ndat: y\n data: z\n\n"], events: [] },
    { name: "a byte order mark at the start", input: ["\ufeffdata: 一\n\n"], events: ["一"] },
    { name: "a byte order mark inside data stays", input: ["data: \ufeff一\n\n"], events: ["\ufeff一"] },
    { name: "the last event without line ends", input: ["data: 一\n\ndata: 二"], events: ["一", "二"] },
    { name: "the last event with one line end", input: ["data: 一\n"], events: ["一"] },
    { name: "nothing", input: [], events: [] },
  ])("reads $name", ({ input, events }, { expect }) => {
    expect(parse(input)).toEqual(events);
  });

  it("gives an event as soon as its empty line is there", ({ expect }) => {
    const parser = new SseParser();
    expect(parser.push(toBytes("data: 一\n"))).toEqual([]);
    expect(parser.push(toBytes("\n"))).toEqual(["一"]);
    expect(parser.push(toBytes("data: 二\r\n\r"))).toEqual(["二"]);
  });

  it("does not keep the caller's bytes", ({ expect }) => {
    const parser = new SseParser();
    const chunk = toBytes("data: 一");
    parser.push(chunk);
    chunk.fill(0);
    expect(parser.push(toBytes("\n\n"))).toEqual(["一"]);
  });

  it("replaces broken UTF-8 and goes on", ({ expect }) => {
    expect(parse([Uint8Array.of(...toBytes("data: "), 0xe4, 0xbb, ...toBytes("\n\ndata: 二\n\n"))])).toEqual([
      "�",
      "二",
    ]);
  });

  it("gives the same events however the bytes are cut", ({ expect }) => {
    const piece = fc.constantFrom(
      "data: 价格🎉",
      "data:",
      "data",
      ": ping",
      "event: x",
      "\n",
      "\r",
      "\r\n",
      "\n\n",
      "\ufeff",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat({ max: 200 })), (pieces, places) => {
        const bytes = toBytes(pieces.join(""));
        const cuts = [...places.map((place) => Math.min(place, bytes.length)), bytes.length].toSorted((a, b) => a - b);
        const chunks = cuts.map((cut, at) => bytes.subarray(cuts[at - 1] ?? 0, cut));
        expect(parse(chunks)).toEqual(parse([bytes]));
      }),
    );
  });

  it("reads an event of 1 MB that comes in single bytes", ({ expect }) => {
    const parser = new SseParser();
    const bytes = toBytes(`data: ${"价".repeat(350_000)}\n\n`);
    let events: string[] = [];
    for (let at = 0; at < bytes.length; at += 1) events = parser.push(bytes.subarray(at, at + 1));
    expect(events[0]?.length).toBe(350_000);
  });

  it.for([
    { name: "one line", start: "data:", filler: "x" },
    { name: "a comment", start: ":", filler: "x" },
    { name: "many lines", start: "", filler: `data:${"x".repeat(64)}\n` },
  ])("refuses an event above the limit in $name", ({ start, filler }, { expect }) => {
    const parser = new SseParser();
    const chunk = toBytes(filler.repeat(2_000));
    expect(() => {
      parser.push(toBytes(start));
      for (let sent = 0; sent < SSE_EVENT_BYTES_MAX * 2; sent += chunk.length) parser.push(chunk);
    }).toThrow(expect.objectContaining({ code: "model_stream_broken" }));
  });

  it("accepts events without end as long as each is below the limit", ({ expect }) => {
    const parser = new SseParser();
    const event = toBytes(`data: ${"x".repeat(SSE_EVENT_BYTES_MAX / 2)}\n\n`);
    const counts = Array.from({ length: 4 }, () => parser.push(event).length);
    expect(counts).toEqual([1, 1, 1, 1]);
  });
});
