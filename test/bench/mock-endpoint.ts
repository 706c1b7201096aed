/**
 * An OpenAI-compatible endpoint with a fixed script, in its own process: two tool calls, then a text of 80 tokens.
 * The number of tool messages in the request decides which. `GET /pacing/<name>` chooses the pacing, `GET /stats` gives
 * wire facts since `GET /reset`. Its port is the first line that it prints.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What the script says at last; the benchmark gives it, because it must be true of the room that is asked. */
const TEXT = process.env["MOCK_TEXT"] ?? "好的。";

const TEXT_CHUNKS = 80;
const TOOL_CALLS = [
  { name: "get_product", arguments: '{"product":"1"}' },
  { name: "check_stock", arguments: '{"product":"1","spec":""}' },
];

/** Gaps between chunks in ms, as a server with multi-token prediction shows them: bursts of two or three, then a step. */
const TRACE_GAPS_MS = [0, 9, 0, 0, 11, 0, 8, 0, 0, 12, 0, 9, 0, 10, 0, 0];
/** Time to the first chunk of the trace, ms: a cached prompt of some thousand tokens. */
const TRACE_FIRST_MS = 120;

/** `zero`: no delay; `5ms`: 5 ms before each chunk; `trace`: gaps as above. */
let pacing = "zero";

/** Wire facts since the last reset. */
const stats = { requests: 0, requestBytes: 0, prefixShares: [] as number[], closedEarly: 0 };
let lastFirstBody: Buffer | null = null;

createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
}).listen(0, "127.0.0.1", function listening(this: { address(): unknown }) {
  const { port } = this.address() as { port: number };
  process.stdout.write(`${port}\n`);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, first, second] = (request.url ?? "").split("/");
  switch (first ?? "") {
    case "stats":
      return void response.end(JSON.stringify(stats));
    case "reset":
      Object.assign(stats, { requests: 0, requestBytes: 0, prefixShares: [], closedEarly: 0 });
      lastFirstBody = null;
      return void response.end("{}");
    case "pacing":
      pacing = second ?? "zero";
      return void response.end("{}");
    case "v1":
      if (second === "models") return void response.end('{"object":"list","data":[{"id":"mock"}]}');
      return complete(request, response);
    default:
      return void response.writeHead(404).end();
  }
}

async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  // The check of an endpoint asks without tools and wants a text, or with one tool and wants that called.
  const hasTools = body.includes('"tools":');
  const toolMessages = hasTools ? body.toString("utf8").split('"role":"tool"').length - 1 : TOOL_CALLS.length;
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (body.includes('"max_tokens":256')) return void response.end(checkChunks(hasTools).join(""));
  count(body, toolMessages);
  response.on("close", () => {
    if (!response.writableFinished) stats.closedEarly += 1;
  });
  await stream(response, toolMessages);
}

function count(body: Buffer, toolMessages: number): void {
  stats.requests += 1;
  stats.requestBytes += body.byteLength;
  if (toolMessages > 0) return;
  if (lastFirstBody !== null) stats.prefixShares.push(commonPrefixBytes(lastFirstBody, body) / body.byteLength);
  lastFirstBody = body;
}

async function stream(response: ServerResponse, toolMessages: number): Promise<void> {
  const chunks = toolMessages < TOOL_CALLS.length ? toolChunks(toolMessages) : textChunks();
  if (pacing === "zero") {
    response.end(chunks.join(""));
    return;
  }
  if (pacing === "trace") await sleep(TRACE_FIRST_MS);
  for (const [index, chunk] of chunks.entries()) {
    if (response.destroyed) return;
    const gapMs = pacing === "5ms" ? 5 : (TRACE_GAPS_MS[index % TRACE_GAPS_MS.length] ?? 0);
    if (gapMs > 0) await sleep(gapMs);
    response.write(chunk);
  }
  response.end();
}

/** Arguments come a token at a time, as from a real server: here two characters. */
function toolChunks(index: number): string[] {
  const call = TOOL_CALLS[index];
  const head = { index: 0, id: `call_${index}`, type: "function", function: { name: call?.name, arguments: "" } };
  const pieces = call?.arguments.match(/.{1,2}/gu) ?? [];
  return [
    event({ role: "assistant", content: null, tool_calls: [head] }),
    ...pieces.map((piece) => event({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    event({}, "tool_calls"),
    USAGE,
    DONE,
  ];
}

/** What the check of an endpoint wants to see. */
function checkChunks(hasTools: boolean): string[] {
  const call = { index: 0, id: "call_0", type: "function", function: { name: "get_price", arguments: '{"link":1}' } };
  const delta = hasTools ? { tool_calls: [call] } : { content: "收到" };
  return [event(delta), event({}, hasTools ? "tool_calls" : "stop"), USAGE, DONE];
}

/** 80 tokens in 80 chunks: every chunk is a wake-up of the reader, as in a real stream. */
function textChunks(): string[] {
  const chars = [...TEXT];
  const at = (chunk: number) => Math.round((chunk * chars.length) / TEXT_CHUNKS);
  const texts = Array.from({ length: TEXT_CHUNKS }, (_, chunk) => chars.slice(at(chunk), at(chunk + 1)).join(""));
  return [...texts.map((content) => event({ content })), event({}, "stop"), USAGE, DONE];
}

function event(delta: unknown, finish: string | null = null): string {
  const chunk = {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "mock",
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

const USAGE = `data: ${JSON.stringify({ id: "c", choices: [], usage: { prompt_tokens: 8000, completion_tokens: 80, prompt_tokens_details: { cached_tokens: 7680 } } })}\n\n`;
const DONE = "data: [DONE]\n\n";

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function commonPrefixBytes(a: Buffer, b: Buffer): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
