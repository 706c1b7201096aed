import { describe, it, onTestFinished, vi } from "vitest";
import type { EndpointCheck } from "../../../../workers/inference/check-endpoint.ts";
import { aServer, check, error, isPlain, NOW_MS, sse } from "./a-server.ts";

describe("a server probe, as the check tells it", () => {
  it.for([
    ["ENOTFOUND", "name is not known"],
    ["ECONNREFUSED", "nothing listens there"],
    ["CERT_HAS_EXPIRED", "TLS failed"],
    ["ETIMEDOUT", "no route"],
    ["", "connection failed"],
  ] as const)("says in plain words what %s means", async ([code, words], { expect }) => {
    const cause = Object.assign(new Error("inner"), { code });
    const found = await check({ fetch: () => Promise.reject(new TypeError("fetch failed", { cause })) });
    expect(found.problems).toEqual([{ field: "baseUrl", reason: expect.stringContaining(words) }]);
  });

  it.for([
    ["Network connection lost.", "refused or lost"],
    ["internal error; reference = abc123", "spelling of the name"],
  ] as const)("says in plain words what the platform means by %s", async ([message, words], { expect }) => {
    const found = await check({ fetch: () => Promise.reject(new Error(message)) });
    expect(found.problems).toEqual([{ field: "baseUrl", reason: expect.stringContaining(words) }]);
  });

  it.for([
    ["in an error", () => error(400, "Bad key sk-secret in Authorization: Bearer sk-secret")],
    ["in a text", () => new Response("key sk-secret", { status: 400 })],
    ["in a stream", () => sse([{ error: { message: "sk-secret", code: "sk-secret" } }])],
    ["in a redirect", () => new Response(null, { status: 307, headers: { location: "http://x/?key=sk-secret" } })],
    ["across a line end", () => error(400, `${"x".repeat(190)} sk-secret`)],
  ] as const)("hides a key that comes back %s", async ([, chat], { expect }) => {
    const { problems } = await check(aServer({ chat }), {}, "sk-secret");
    expect(problems).toHaveLength(1);
    expect(problems[0]?.reason).not.toMatch(/sk-s/);
    expect(problems[0]?.reason).toMatch(/\[key\]|…/);
  });

  it("hides a key that is longer than what is kept of an error", async ({ expect }) => {
    const key = `sk-${"s".repeat(120)}`;
    const chat = () => sse([{ error: { message: `${key} ${key} ${key}`, code: key } }]);
    const { problems } = await check(aServer({ chat }), {}, key);
    expect(problems[0]?.reason).toMatch(/: \[key\] \[key\] \[key\]$/);
  });

  it("hides a key among the model ids", async ({ expect }) => {
    const models = () => Response.json({ data: [{ id: "sk-secret" }] });
    const { problems } = await check(aServer({ models }), {}, "sk-secret");
    expect(problems).toEqual([{ field: "model", reason: expect.stringContaining("[key]") }]);
  });

  it("keeps 200 characters on one line", async ({ expect }) => {
    const { problems } = await check(aServer({ chat: () => error(400, "a\n\n".repeat(300)) }));
    const quoted = problems[0]?.reason.split("(HTTP 400): ")[1] ?? "";
    expect(quoted).toHaveLength(200);
    expect(quoted).toMatch(/^a a a/);
  });

  it("reads no more than a megabyte", async ({ expect }) => {
    let pulled = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled += 1;
            controller.enqueue(new TextEncoder().encode(`: ${"x".repeat(99_997)}\n`));
          },
        }),
      );
    const { problems } = await check(aServer({ models: endless }));
    expect(problems).toEqual([{ field: "baseUrl", reason: expect.stringContaining("no list") }]);
    expect(pulled).toBeLessThan(15);
    const streamed = await check(aServer({ chat: endless }));
    expect(streamed.problems).toEqual([{ field: "model", reason: expect.stringContaining("too long") }]);
  });

  it("ends within 25 s, whatever hangs", async ({ expect }) => {
    vi.useFakeTimers({ now: NOW_MS });
    onTestFinished(() => void vi.useRealTimers());
    // The models take three seconds and the first, short call is answered; everything after it hangs.
    let calls = 0;
    const server = aServer({
      models: () => new Promise((resolve) => setTimeout(resolve, 3_000, Response.json({ data: [{ id: "qwen" }] }))),
      chat: () => ((calls += 1) === 1 ? undefined : new Promise<never>(() => undefined)),
      metrics: () => new Promise<never>(() => undefined),
    });
    const checking = check(server, { connectTimeoutMs: 5_000 });
    let found: EndpointCheck | undefined;
    void checking.then((done) => (found = done));
    await vi.advanceTimersByTimeAsync(24_999);
    expect(found).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(found?.problems.map(({ field }) => field)).toEqual(["model", "model"]);
    expect(found?.warnings.map(({ field }) => field)).toEqual(["kind", "fields", "fields", "fields", "fields", "kind"]);
  });

  it("counts headers that take longer than turns wait as a problem", async ({ expect }) => {
    vi.useFakeTimers({ now: NOW_MS });
    onTestFinished(() => void vi.useRealTimers());
    const server = aServer({
      chat: async (body) => {
        if (isPlain(body)) await new Promise((resolve) => setTimeout(resolve, 501));
        return undefined;
      },
    });
    const checking = check(server, { connectTimeoutMs: 500 });
    await vi.advanceTimersByTimeAsync(1_000);
    const { capabilities, problems } = await checking;
    expect(problems).toEqual([{ field: "connectTimeoutMs", reason: expect.stringContaining("501 ms") }]);
    expect(capabilities.firstTokenMs).toBe(501);
  });
});
