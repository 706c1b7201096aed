import { describe, it } from "vitest";
import { readEndpointKey } from "../../../../workers/inference/endpoint-key.ts";

const BASE_URL = "https://api.example.com/v1";
const read = (secret: unknown, config: { keyBinding?: string; baseUrl?: string } = {}) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the secret alone matters
  readEndpointKey(
    { INFERENCE_KEY_A: secret, TOKEN_SECRET: `https://api.example.com ${"t".repeat(32)}` } as unknown as Env,
    {
      keyBinding: "INFERENCE_KEY_A",
      baseUrl: BASE_URL,
      ...config,
    },
  );

describe("readEndpointKey", () => {
  it("is empty for an endpoint without a key", ({ expect }) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing is read from it
    expect(readEndpointKey({} as unknown as Env, { baseUrl: BASE_URL })).toEqual({ ok: true, value: "" });
  });

  it.for([
    ["https://api.example.com sk-1"],
    ["https://api.example.com/ sk-1"],
    ["https://API.example.com:443   sk-1\n"],
  ])("reads %j", ([secret], { expect }) => {
    expect(read(secret)).toEqual({ ok: true, value: "sk-1" });
  });

  it.for([
    { why: "no secret", secret: undefined, error: "key_missing" },
    { why: "an empty secret", secret: " \n", error: "key_missing" },
    { why: "a binding that is no text", secret: {}, error: "key_missing" },
    { why: "a key alone", secret: "sk-1", error: "key_malformed" },
    { why: "an origin alone", secret: "https://api.example.com", error: "key_malformed" },
    { why: "an origin with a path", secret: "https://api.example.com/v1 sk-1", error: "key_malformed" },
    { why: "another protocol", secret: "ftp://api.example.com sk-1", error: "key_malformed" },
    { why: "a key in two words", secret: "https://api.example.com sk-1 sk-2", error: "key_malformed" },
    { why: "a key that no header may carry", secret: "https://api.example.com 钥匙", error: "key_malformed" },
    { why: "another host", secret: "https://example.com sk-1", error: "key_for_other_origin" },
    { why: "another port", secret: "https://api.example.com:8443 sk-1", error: "key_for_other_origin" },
    { why: "plain HTTP for a key of HTTPS", secret: "http://api.example.com sk-1", error: "key_for_other_origin" },
  ])("refuses $why with $error, and does not show the secret", ({ secret, error }, { expect }) => {
    expect(read(secret)).toEqual({ ok: false, error });
  });

  it("takes no other binding for a key", ({ expect }) => {
    expect(read(undefined, { keyBinding: "TOKEN_SECRET" })).toEqual({ ok: false, error: "key_missing" });
  });

  it("does not follow an endpoint to another address", ({ expect }) => {
    const moved = read("https://api.example.com sk-1", { baseUrl: "https://api.example.com.evil.test/v1" });
    expect(moved).toEqual({ ok: false, error: "key_for_other_origin" });
  });
});
