/** The emulator as a process: what a client sees of it. One process for all, slower only by its real times. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { startEmulator, type RunningEmulator } from "../../helpers/emulator.ts";

let emulator: RunningEmulator;
beforeAll(async () => {
  emulator = await startEmulator(["--speed", "20", "--answers", "fixed", "--key", "k"]);
});
afterAll(() => emulator.stop());

const STREAM = { stream: true, stream_options: { include_usage: true, continuous_usage_stats: true } };
const MESSAGES = [
  { role: "system", content: "你是直播间的主播。".repeat(20) },
  { role: "user", content: "这款多少钱" },
];

function ask(body: object = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${emulator.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: JSON.stringify({ model: "kaibo-emulated", messages: MESSAGES, ...STREAM, ...body }),
    ...init,
  });
}

function textOf(body: string): string {
  return [...body.matchAll(/"delta":\{"content":"([^"]*)"/g)].map((match) => match[1]).join("");
}

describe("the emulator", () => {
  it("streams an answer in vLLM's form, and finds its prompt cached the second time", async ({ expect }) => {
    await (await ask()).text();
    const body = await (await ask()).text();
    expect(textOf(body)).toMatch(/^家人们晚上好.*来回答！$/);
    expect(body).toContain('"finish_reason":"stop"');
    const last = body.trimEnd().split("\n\n").at(-2) ?? "";
    expect(last).toMatch(/"choices":\[\],"usage":\{.*"cached_tokens":(?!0\b)\d+/);
    expect(last).toContain('"mean_acceptance_length"');
    expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
    const metrics = await (await fetch(`${emulator.origin}/metrics`)).text();
    expect(metrics).toMatch(/^vllm:spec_decode_num_accepted_tokens_total\{model_name="kaibo-emulated"\} [1-9]/m);
  });

  it("asks for its key, and ends at max_tokens", async ({ expect }) => {
    expect((await ask({}, { headers: {} })).status).toBe(401);
    const whole = await ask({ stream: false, stream_options: undefined, max_tokens: 5 });
    expect(await whole.json()).toMatchObject({
      choices: [{ finish_reason: "length" }],
      usage: { completion_tokens: 5 },
    });
  });

  it("breaks the connection in the middle of a sentence when told to", async ({ expect }) => {
    await emulator.setFaults([{ fault: "reset", at: "mid-sentence" }]);
    const response = await ask();
    const decoder = new TextDecoder();
    let body = "";
    const read = async () => {
      for await (const chunk of response.body ?? []) body += decoder.decode(chunk, { stream: true });
    };
    await expect(read()).rejects.toThrow();
    expect(textOf(body)).toMatch(/。[^。！？]+$/);
    expect((await emulator.stats()).log.at(-1)?.finish).toBe("fault:reset");
  });

  it.for([
    { fault: "status", status: 429, retryAfter: 3 },
    { fault: "error-event", at: "before-first-sentence" },
    { fault: "close", at: "mid-sentence" },
    { fault: "finish-abort", at: "before-first-sentence" },
    { fault: "garbage", at: "mid-sentence" },
    { fault: "slow", at: "connect", ms: 30 },
    { fault: "fixture", name: "plain-text" },
    { fault: "truncated-json", at: "after-finish" },
  ] as const)("does $fault", async (fault, { expect }) => {
    await emulator.setFaults([fault]);
    const response = await ask();
    const body = await response.text();
    const seen = {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      hasError: body.includes('data: {"error"'),
      finishes: [...body.matchAll(/"finish_reason":"(\w+)"/g)].map((match) => match[1]),
      isDone: body.endsWith("data: [DONE]\n\n"),
    };
    const usual = { status: 200, retryAfter: null, hasError: false, finishes: ["stop"], isDone: true };
    const expected = {
      status: { ...usual, status: 429, retryAfter: "3", finishes: [], isDone: false },
      "error-event": { ...usual, hasError: true, finishes: [] },
      close: { ...usual, finishes: [], isDone: false },
      "finish-abort": { ...usual, finishes: ["abort"] },
      garbage: usual,
      slow: usual,
      fixture: usual,
      "truncated-json": { ...usual, isDone: false },
    };
    expect(seen).toEqual(expected[fault.fault]);
  });

  it("takes a sequence out as soon as its client has gone", async ({ expect }) => {
    await emulator.setFaults([{ fault: "stall", at: "before-first-sentence" }]);
    const gone = new AbortController();
    const response = await ask({}, { signal: gone.signal, headers: { authorization: "Bearer k" } });
    const reader = response.body?.getReader();
    await reader?.read();
    expect((await emulator.stats()).running).toBe(1);
    gone.abort();
    const left = async (): Promise<unknown> => {
      const stats = await emulator.stats();
      return stats.running === 0 ? stats.log.at(-1) : left();
    };
    expect(await left()).toMatchObject({ closedByClient: true, msFromCloseToStop: expect.closeTo(0, -1) });
  });

  it("plays scripted answers, tool calls in pieces", async ({ expect }) => {
    const answer = { toolCalls: [{ name: "check_stock", arguments: '{"product":"1"}' }] };
    await emulator.control("/answers", "POST", { answers: [answer] });
    const body = await (await ask()).text();
    const pieces = [...body.matchAll(/"arguments":("(?:[^"\\]|\\.)*")/g)].map((match) => match[1]?.slice(1, -1) ?? "");
    expect(pieces.join("").replaceAll("\\", "")).toBe('{"product":"1"}');
    expect(body).toContain('"finish_reason":"tool_calls"');
  });

  it("changes its kind at run time", async ({ expect }) => {
    await emulator.control("/options", "POST", { kind: "sglang", thinks: true });
    const body = await (await ask()).text();
    expect(body).toContain('"role":null');
    expect(body).toMatch(/"reasoning_content":"[^"]/);
    expect(await (await fetch(`${emulator.origin}/metrics`)).text()).toContain("sglang:spec_accept_length");
    await expect(emulator.control("/options", "POST", { speed: "fast" })).rejects.toThrow("400");
  });
});
