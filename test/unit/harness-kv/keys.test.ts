import { describe, it } from "vitest";
import { bundleKey, channelKey, releaseKey } from "../../../harness-kv/keys.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";

describe("keys", () => {
  it("keep versions and channels apart, whatever they are called", ({ expect }) => {
    const version = harnessVersionSchema.parse("a".repeat(64));
    const scope = { name: "harness", channel: harnessChannelSchema.parse("canary") };
    expect(bundleKey(version)).toBe(`harness:${"a".repeat(64)}`);
    expect(channelKey({ ...scope, merchant: "*" })).toBe("channel:harness:canary");
    expect(channelKey({ ...scope, merchant: "m-1" })).toBe("channel:harness:canary:m-1");
    expect(releaseKey("harness")).toBe("release:harness");
  });
});
