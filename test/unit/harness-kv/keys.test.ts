import { describe, it } from "vitest";
import { bundleKey, channelKey } from "../../../harness-kv/keys.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";

describe("keys", () => {
  it("keep versions and channels apart, whatever they are called", ({ expect }) => {
    const version = harnessVersionSchema.parse("a".repeat(64));
    expect(bundleKey(version)).toBe(`harness:${"a".repeat(64)}`);
    expect(channelKey("harness", harnessChannelSchema.parse("canary"))).toBe("channel:harness:canary");
  });
});
