/** What goes over the wire to the endpoint: the prefix that its cache can keep, on the real requests of the real product. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it, onTestFinished } from "vitest";
import { startEndpoint } from "../helpers/endpoint.ts";
import { startProduct, type RunningProduct } from "../helpers/product.ts";
import { aRoomConfig } from "../helpers/rooms.ts";

const COMMENTS = path.resolve(import.meta.dirname, "../../harness-kv/rooms/yanxuan-home/comments.jsonl");
const QUESTIONS = readFileSync(COMMENTS, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { text: string; category: string })
  .filter(({ category }) => category !== "injection")
  .map(({ text }) => text);
const TURNS = 50;

async function ask(product: RunningProduct, room: string, id: string, text: string): Promise<string> {
  const response = await fetch(`${product.url}/v1/rooms/${room}/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${product.tokens.room}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
    body: JSON.stringify({ id, text }),
  });
  return response.text();
}

function sharedBytes(a: string, b: string): number {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  let bytes = 0;
  while (bytes < left.length && left[bytes] === right[bytes]) bytes += 1;
  return bytes;
}

describe("requests to the endpoint", () => {
  it("are for at least 85 % the same bytes as the one before, in one room over 50 turns", async ({ expect }) => {
    const endpoint = await startEndpoint(Array.from({ length: TURNS }, () => ({ texts: ["好的，看页面哈。"] })));
    const product = await startProduct({ settings: { INFERENCE_BASE_URL: endpoint.url, INFERENCE_MODEL: "m" } });
    onTestFinished(product.stop);
    for (let turn = 0; turn < TURNS; turn += 1) {
      await ask(product, "yanxuan-home", `q${turn}`, QUESTIONS[turn * 7] ?? "1号多少钱");
    }
    const shares = endpoint.requests
      .slice(1)
      .map((body, index) => sharedBytes(endpoint.requests[index] ?? "", body) / Buffer.byteLength(body));
    expect(shares).toHaveLength(TURNS - 1);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.85);
  });

  it("begin with the same tools and harness in every room of a merchant", async ({ expect }) => {
    const endpoint = await startEndpoint([{ texts: ["好的。"] }, { texts: ["好的。"] }]);
    const product = await startProduct({ settings: { INFERENCE_BASE_URL: endpoint.url, INFERENCE_MODEL: "m" } });
    onTestFinished(product.stop);
    const saved = await fetch(`${product.url}/v1/rooms/other`, {
      method: "PUT",
      headers: { authorization: `Bearer ${product.tokens.operator}`, "content-type": "application/json" },
      body: JSON.stringify(aRoomConfig({ rules: ["只聊毛巾"], merchant: { id: "yanxuan-demo", name: "栖木毛巾店" } })),
    });
    expect(saved.status).toBe(200);
    await ask(product, "yanxuan-home", "q1", "1号多少钱");
    await ask(product, "other", "q1", "1号多少钱");
    const [first = "", second = ""] = endpoint.requests;
    const shared = Buffer.from(first).subarray(0, sharedBytes(first, second)).toString("utf8");
    const { tools, messages } = JSON.parse(first) as { tools: unknown[]; messages: { content: string }[] };
    expect(shared).toContain(JSON.stringify(tools));
    // The merchant's rules are the first thing that differs.
    // Another merchant's cached prompts are kept apart.
    expect(shared).toContain('"cache_salt":"');
    const [harness = ""] = messages[0]?.content.split("# 商家的要求") ?? [];
    expect(shared).toContain(JSON.stringify(harness).slice(1, -1));
  });

  it("are begun by a warm-up when a room opens, whose bytes are the head of its first turn", async ({ expect }) => {
    const endpoint = await startEndpoint([{ texts: ["好的。"] }]);
    const product = await startProduct({ settings: { INFERENCE_BASE_URL: endpoint.url, INFERENCE_MODEL: "m" } });
    onTestFinished(product.stop);
    await ask(product, "yanxuan-home", "q1", "1号多少钱");
    const [warm, turn] = [endpoint.warmUps, endpoint.requests].map((bodies) =>
      bodies.find((body) => body.includes("栖木家居生活馆")),
    );
    const read = (body: string | undefined) =>
      JSON.parse(body ?? "{}") as { tools: unknown; cache_salt: string; messages: { content: string }[] };
    const [first, second] = [read(warm), read(turn)];
    expect([first.tools, first.cache_salt, first.messages[0]]).toEqual([
      second.tools,
      second.cache_salt,
      second.messages[0],
    ]);
    const head = first.messages[1]?.content ?? "none";
    expect(second.messages[1]?.content.startsWith(head)).toBe(true);
    expect(head.length).toBeGreaterThan(1_000);
  });
});
