/** Tools of a merchant's own service. The network is the one thing replaced here. */
import { afterEach, describe, it, vi } from "vitest";
import { aHarness } from "../../helpers/harnesses.ts";
import { createHttpTool } from "../../../workers/platform/http-tool.ts";

const ORIGIN = "https://shop.example";

type Call = { readonly url: string; readonly init: RequestInit };

/** Calls the tool bound to `url` and gives back what went out. */
async function call(binding: object, answer: () => Response, origins: readonly string[] = [ORIGIN]) {
  const calls: Call[] = [];
  vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => {
    calls.push({ url: String(url), init });
    return answer();
  });
  const definition = {
    name: "look_up",
    description: "查",
    inputSchema: {
      type: "object" as const,
      properties: { product: { type: "string" } },
      required: ["product"],
      additionalProperties: false as const,
    },
    binding: { type: "http" as const, url: `${ORIGIN}/look-up`, ...binding },
  };
  const tool = aHarness({ tools: [definition] }).tools.get("look_up");
  if (tool === undefined) throw new Error("no tool");
  const http = createHttpTool(new Set(origins), (name) =>
    name === "TOOL_SECRET_SHOP" ? `${ORIGIN} s3cret` : undefined,
  );
  const result = await http.call(tool, { product: "毛巾 1" }, new AbortController().signal).then(
    (text) => ({ text }),
    (thrown: unknown) => ({ thrown }),
  );
  return { calls, result };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("createHttpTool", () => {
  it("posts the arguments as JSON, with the secret that the binding names", async ({ expect }) => {
    const { calls, result } = await call({ secret: "TOOL_SECRET_SHOP" }, () => new Response('{"price":39.9}'));
    expect(result).toEqual({ text: '{"price":39.9}' });
    expect(calls[0]?.init).toMatchObject({
      method: "POST",
      body: '{"product":"毛巾 1"}',
      headers: { authorization: "Bearer s3cret" },
      redirect: "manual",
    });
  });

  it("puts the arguments of a GET into the query, escaped", async ({ expect }) => {
    const { calls } = await call({ method: "GET" }, () => new Response("{}"));
    expect(calls[0]?.url).toBe(`${ORIGIN}/look-up?product=%E6%AF%9B%E5%B7%BE+1`);
  });

  it.for([
    ["another host", { url: "https://evil.example/look-up" }],
    ["another port", { url: "https://shop.example:8443/look-up" }],
    ["another scheme", { url: "http://shop.example/look-up" }],
    ["a host behind a user name", { url: "https://shop.example@evil.example/look-up" }],
    ["a host that only starts alike", { url: "https://shop.example.evil.example/look-up" }],
  ] as const)("refuses %s before anything goes out", async ([, binding], { expect }) => {
    const { calls, result } = await call(binding, () => new Response("{}"));
    expect(result).toMatchObject({ thrown: { code: "tool_origin_refused" } });
    expect(calls).toEqual([]);
  });

  it("sends a secret to its own origin alone", async ({ expect }) => {
    const other = "https://other.example";
    for (const binding of [{ url: `${other}/x`, secret: "TOOL_SECRET_SHOP" }, { secret: "TOOL_SECRET_NONE" }]) {
      const { calls, result } = await call(binding, () => new Response("{}"), [ORIGIN, other]);
      expect(result).toMatchObject({ thrown: { code: "tool_origin_refused" } });
      expect(calls).toEqual([]);
    }
  });

  it.for([
    ["a redirect, which could leave the allow list", 302],
    ["a refusal", 403],
    ["a failure", 500],
  ] as const)("fails on %s", async ([, status], { expect }) => {
    const { result } = await call(
      {},
      () => new Response(null, { status, headers: { location: "https://evil.example/" } }),
    );
    expect(result).toMatchObject({ thrown: { code: "tool_failed" } });
  });

  it("takes the last byte that fits, and stops at one more", async ({ expect }) => {
    const fits = await call({ bytesMax: 6 }, () => new Response("价格"));
    const over = await call({ bytesMax: 5 }, () => new Response("价格"));
    expect(fits.result).toEqual({ text: "价格" });
    expect(over.result).toMatchObject({ thrown: { code: "tool_output_too_large" } });
  });
});
