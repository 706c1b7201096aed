/** The slow strategist, from the built product: in the background, and its word in the next turn's prompt. */
import { describe, it, onTestFinished } from "vitest";
import { roomFrameSchema, type RoomFrame } from "../../shared/contract/room-frame.ts";
import { startEndpoint } from "../helpers/endpoint.ts";
import { startProduct, type RunningProduct } from "../helpers/product.ts";

const ROOM = "yanxuan-home";
const TURNS = 8;
const SUMMARY = "主播在讲商品，好几位观众在问尺码。";

async function ask(product: RunningProduct, id: string, text: string): Promise<string> {
  const response = await fetch(`${product.url}/v1/rooms/${ROOM}/messages`, {
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

/** The first frame of this type, from the room's beginning. */
async function waitForFrame(product: RunningProduct, token: string, type: RoomFrame["type"]): Promise<string> {
  const stop = new AbortController();
  const response = await fetch(`${product.url}/v1/rooms/${ROOM}/stream?after=0`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
    signal: stop.signal,
  });
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const event = text.split("\n\n").find((lines) => lines.includes(`event: ${type}\n`));
    if (event === undefined) continue;
    stop.abort();
    return (
      event
        .split("\n")
        .find((line) => line.startsWith("data: "))
        ?.slice(6) ?? ""
    );
  }
  throw new Error("the stream ended");
}

describe("the strategist", () => {
  it("sums the room up after some turns, and the next prompt has it as evidence", async ({ expect }) => {
    const answers = Array.from({ length: TURNS + 1 }, () => ({ texts: ["好的，看页面哈。"] }));
    const endpoint = await startEndpoint(answers, `【小结】${SUMMARY}【提示】下一句主动讲尺码。`);
    const product = await startProduct({ settings: { INFERENCE_BASE_URL: endpoint.url, INFERENCE_MODEL: "m" } });
    onTestFinished(product.stop);
    for (let turn = 0; turn < TURNS; turn += 1) await ask(product, `q${turn}`, `第${turn}个问题，这个有什么尺码`);
    const frame = roomFrameSchema.parse(JSON.parse(await waitForFrame(product, product.tokens.room, "strategy")));
    expect(frame).toMatchObject({ strategy: { summary: SUMMARY, advice: "下一句主动讲尺码。", source: "model" } });
    await ask(product, "next", "这个有什么尺码啊");
    expect([endpoint.strategies.length, endpoint.requests.at(-1)?.includes(SUMMARY)]).toEqual([1, true]);
    expect(endpoint.requests[0]).not.toContain(SUMMARY);
    expect(await waitForFrame(product, product.tokens.viewer, "strategy")).not.toContain(SUMMARY);
  });
});
