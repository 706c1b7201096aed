/** What dies in the middle of a turn, against the real product: its runtime, and the client of a stream. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it, onTestFinished } from "vitest";
import { startLocalProduct, type LocalProduct } from "../../workers/cli/local/local-product.ts";
import { startEndpoint } from "../helpers/endpoint.ts";
import { aBundle } from "../helpers/harnesses.ts";
import { runtimePids } from "../helpers/process-figures.ts";
import { aRoomConfig } from "../helpers/rooms.ts";

const ROOM = "crash";
const TOKEN_SECRET = "a secret of tests, which sign and check tokens with it";

type Frame = {
  readonly seq?: number;
  readonly type: string;
  readonly turn?: string;
  readonly sentence?: { seq: number; text: string };
  readonly outcome?: string;
  readonly attempt?: number;
};

describe("a turn survives", () => {
  it("the runtime's death: each message ends once, and no sentence is heard twice", async ({ expect }) => {
    const endpoint = await startEndpoint([
      { texts: ["毛巾是纯棉的。", "价格是"], hangs: true },
      { texts: ["价格是39.9元。"] },
      { texts: ["还有货。"] },
    ]);
    const stateFolder = await aFolder();
    const first = await start(stateFolder, endpoint.url);
    await openRoom(first);
    await post(first, { messages: [message("q1", "1号什么材质多少钱"), message("q2", "还有货吗")] });
    const before = await follow(first, 0, (frames) => frames.some(({ type }) => type === "sentence"));
    for (const pid of runtimePids()) process.kill(pid, "SIGKILL");
    await first.stop();

    const second = await start(stateFolder, endpoint.url);
    onTestFinished(second.stop);
    const isDone = (frames: readonly Frame[]) => frames.filter(({ type }) => type === "turn-end").length === 2;
    const lastSeq = Math.max(...before.map(({ seq }) => seq ?? 0));
    const after = await follow(second, lastSeq, isDone);
    const all = [...before, ...after];
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.flatMap(({ type, sentence }) => (type === "sentence" ? [sentence?.text] : []))).toEqual([
      "毛巾是纯棉的。",
      "价格是39.9元。",
      "还有货。",
    ]);
    expect(all.filter(({ type }) => type === "turn-start").map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
    expect(all.filter(({ type }) => type === "turn-end").map(({ outcome }) => outcome)).toEqual([
      "answered",
      "answered",
    ]);
    expect(endpoint.requests[1]).toContain("毛巾是纯棉的。");
  });

  it.for([
    [true, { outcome: "answered", reason: null }],
    [false, { outcome: "fallback", reason: "deadline_exceeded" }],
  ] as const)(
    "a policy that hangs is closed, and the policy in here answers if it may: %s",
    async ([offlineFallback, end], { expect }) => {
      const endpoint = await startEndpoint([{ texts: ["价格"], hangs: true }]);
      const product = await start(await aFolder(), endpoint.url);
      onTestFinished(product.stop);
      await openRoom(product, { offlineFallback });
      const [result] = await post(product, message("q1", "1号多少钱"));
      const frames = await follow(product, 0, (seen) => seen.some(({ type }) => type === "turn-end"));
      await endpoint.left(0);
      expect(frames.at(-1)).toMatchObject({ turn: result?.turn, ...end });
    },
  );

  it.for([
    [true, { outcome: "answered", reason: null }, "answer"],
    [false, { outcome: "fallback", reason: "model_unavailable" }, "fallback"],
  ] as const)(
    "an endpoint that is down: the room never falls silent, and answers if it may: %s",
    async ([offlineFallback, end, kind], { expect }) => {
      const product = await start(await aFolder(), "http://127.0.0.1:1/v1");
      onTestFinished(product.stop);
      await openRoom(product, { offlineFallback });
      await post(product, message("q1", "1号多少钱"));
      const frames = await follow(product, 0, (seen) => seen.some(({ type }) => type === "turn-end"));
      expect(frames.at(-1)).toMatchObject(end);
      expect(frames.at(-2)).toMatchObject({ type: "sentence", sentence: { kind } });
    },
  );

  it("an interrupt: the call is closed at once, and nothing more is said", async ({ expect }) => {
    const endpoint = await startEndpoint([{ texts: ["毛巾是纯棉的。", "价格是"], hangs: true }]);
    const product = await start(await aFolder(), endpoint.url);
    onTestFinished(product.stop);
    await openRoom(product);
    const [result] = await post(product, message("q1", "1号什么材质多少钱"));
    await follow(product, 0, (seen) => seen.some(({ type }) => type === "sentence"));
    const answer = await call(product, "POST", `/v1/rooms/${ROOM}/interrupt`, { reason: "cohost" });
    expect(await answer.json()).toEqual({ turn: result?.turn });
    await endpoint.left(0);
    const frames = await follow(product, 0, (seen) => seen.some(({ type }) => type === "turn-end"));
    expect(frames.at(-1)).toMatchObject({ turn: result?.turn, outcome: "interrupted", reason: "cohost" });
    expect(frames.filter(({ type }) => type === "sentence")).toHaveLength(1);
  });
});

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "kaibo-crash-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function start(stateFolder: string, baseUrl: string): Promise<LocalProduct> {
  const env = {
    INFERENCE_BASE_URL: baseUrl,
    INFERENCE_MODEL: "scripted",
    INFERENCE_KIND: "vllm",
    TOKEN_SECRET,
    TOOL_ORIGINS: "",
  };
  return startLocalProduct({ port: 0, stateFolder, env });
}

/** A room whose turns have little time, so that the test need not wait long for a lease to run out. */
async function openRoom(product: LocalProduct, model: { offlineFallback?: boolean } = {}): Promise<void> {
  const bundle = aBundle({
    model,
    budgets: { deadlineMs: 1_000, firstByteTimeoutMs: 900, betweenChunksTimeoutMs: 900, retriesMax: 1 },
  });
  const pushed = await call(product, "POST", "/v1/harnesses", bundle);
  const { version } = (await pushed.json()) as { version: string };
  await call(product, "PUT", "/v1/harnesses/live-host/channels/production", { version, expected: null });
  const saved = await call(product, "PUT", `/v1/rooms/${ROOM}`, aRoomConfig());
  if (!saved.ok) throw new Error(`PUT room: ${await saved.text()}`);
}

async function post(product: LocalProduct, body: object): Promise<{ turn: string }[]> {
  const response = await call(product, "POST", `/v1/rooms/${ROOM}/messages`, body);
  return ((await response.json()) as { results: { turn: string }[] }).results;
}

function call(product: LocalProduct, method: string, route: string, body: object): Promise<Response> {
  return fetch(`${product.url}${route}`, {
    method,
    headers: { authorization: `Bearer ${product.tokens.page}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const message = (id: string, text: string) => ({ id, text });

/** Frames after a number, until the test has seen what it waits for. */
async function follow(
  product: LocalProduct,
  after: number,
  isEnough: (frames: readonly Frame[]) => boolean,
): Promise<Frame[]> {
  const response = await fetch(`${product.url}/v1/rooms/${ROOM}/stream?after=${after}`, {
    headers: { authorization: `Bearer ${product.tokens.page}`, accept: "text/event-stream" },
  });
  const frames: Frame[] = [];
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const frame = JSON.parse(data) as Frame;
      if (frame.type !== "hello") frames.push(frame);
    }
    if (isEnough(frames)) return frames;
  }
  throw new Error(`The stream ended after ${JSON.stringify(frames)}`);
}
