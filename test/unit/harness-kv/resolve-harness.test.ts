import { describe, it } from "vitest";
import { pushHarness } from "../../../harness-kv/push-harness.ts";
import { loadBundle, resolveHarness, resolveVersion } from "../../../harness-kv/resolve-harness.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { aRegistry } from "./a-registry.ts";
import { aBundle } from "./bundle-files.ts";

const PRODUCTION = harnessChannelSchema.parse("production");
const NO_VERSION = harnessVersionSchema.parse("0".repeat(64));

async function aPushedHarness(description = "最小的主播") {
  const registry = aRegistry();
  const push = async (text: string) => {
    const deps = { ...registry, clock: { nowMs: () => 0 }, check: () => [] };
    const pushed = await pushHarness(deps, aBundle({ description: text }), "li");
    if (!pushed.ok) throw new Error("refused");
    return pushed.value.version;
  };
  return { registry, push, version: await push(description) };
}

describe("resolveVersion", () => {
  it("finds what a channel serves, and at once what it serves after a move", async ({ expect }) => {
    const { registry, push, version } = await aPushedHarness();
    registry.channels.set("small:production", version);
    expect(await resolveVersion(registry, { name: "small", channel: PRODUCTION })).toBe(version);
    const next = await push("新的主播");
    registry.channels.set("small:production", next);
    expect(await resolveVersion(registry, { name: "small", channel: PRODUCTION })).toBe(next);
  });

  it("finds a pinned version of the harness that is named", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    expect(await resolveVersion(registry, { name: "small", version })).toBe(version);
  });

  it("refuses an unknown channel, though the harness has another", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    registry.channels.set("small:production", version);
    const channel = harnessChannelSchema.parse("canary");
    await expect(resolveVersion(registry, { name: "small", channel })).rejects.toMatchObject({
      code: "harness_channel_not_found",
    });
  });

  it("refuses channel and version together, and neither", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    registry.channels.set("small:production", version);
    for (const request of [{ name: "small", channel: PRODUCTION, version }, { name: "small" }]) {
      await expect(resolveVersion(registry, request)).rejects.toMatchObject({ code: "invalid_request" });
    }
  });

  it("refuses a version of another harness, and one that does not exist", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    for (const request of [
      { name: "other", version },
      { name: "small", version: NO_VERSION },
    ]) {
      await expect(resolveVersion(registry, request)).rejects.toMatchObject({ code: "harness_not_found" });
    }
  });
});

describe("loadBundle", () => {
  it("reads the cache alone while that is whole", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    registry.rows.clear();
    expect(await loadBundle(registry, version)).toEqual(aBundle());
  });

  it.for([
    { name: "does not have it yet", cached: null },
    { name: "is damaged", cached: "{}" },
  ])("reads the table when the cache $name", async ({ cached }, { expect }) => {
    const { registry, version } = await aPushedHarness();
    if (cached === null) registry.cached.delete(version);
    else registry.cached.set(version, cached);
    expect(await loadBundle(registry, version)).toEqual(aBundle());
  });

  it("refuses a damaged row", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    registry.cached.clear();
    const row = registry.rows.get(version);
    if (row !== undefined) row.text = row.text.replace("主播", "主波");
    await expect(loadBundle(registry, version)).rejects.toMatchObject({ code: "harness_corrupt" });
  });

  it("refuses a version that is nowhere", async ({ expect }) => {
    await expect(loadBundle(aRegistry(), NO_VERSION)).rejects.toMatchObject({ code: "harness_not_found" });
  });

  it("does not take a failing cache for a damaged one", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    const cache = { ...registry.cache, get: async () => Promise.reject(new Error("KV is down")) };
    await expect(loadBundle({ ...registry, cache }, version)).rejects.toThrow("KV is down");
  });
});

describe("resolveHarness", () => {
  it("gives the version with its bundle", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    registry.channels.set("small:production", version);
    expect(await resolveHarness(registry, { name: "small", channel: PRODUCTION })).toEqual({
      version,
      bundle: aBundle(),
    });
  });
});
