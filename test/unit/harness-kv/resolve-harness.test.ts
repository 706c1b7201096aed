import { describe, it } from "vitest";
import { signVersion } from "../../../harness-kv/bundle-signature.ts";
import type { Canary } from "../../../harness-kv/canary-share.ts";
import { pushHarness } from "../../../harness-kv/push-harness.ts";
import { recordChange } from "../../../harness-kv/record-change.ts";
import { loadBundle, resolveRoute, resolveVersion, type HarnessRequest } from "../../../harness-kv/resolve-harness.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { aKeyPair } from "./a-key-pair.ts";
import { aRegistry, aSummary, LI } from "./a-registry.ts";
import { aBundle } from "./bundle-files.ts";

const PRODUCTION = harnessChannelSchema.parse("production");
const NO_VERSION = harnessVersionSchema.parse("0".repeat(64));
const versionOf = (digit: string) => harnessVersionSchema.parse(digit.repeat(64));

async function aPushedHarness() {
  const registry = aRegistry();
  const pushed = await pushHarness({ ...registry, check: () => [] }, { bundle: aBundle() }, LI);
  if (!pushed.ok) throw new Error("refused");
  return { registry, version: pushed.value.version };
}

/** Versions a to f of one harness; the common channel serves `a`, merchant m-1's own serves `b`. */
function aServedHarness() {
  const registry = aRegistry();
  for (const digit of "abcdef") {
    const version = versionOf(digit);
    registry.rows.set(version, { text: "{}", summary: aSummary({ version, name: "small" }) });
  }
  registry.channels.set("small:production:*", { version: versionOf("a"), previous: null });
  registry.channels.set("small:production:m-1", { version: versionOf("b"), previous: null });
  const resolve = async (request: Partial<HarnessRequest> = {}) =>
    (await resolveVersion(registry, { name: "small", channel: PRODUCTION, ...request })).charAt(0);
  return { registry, resolve };
}

const serves = (digit: string, isRevoked = false) => ({ version: versionOf(digit), isRevoked });

describe("resolveVersion", () => {
  it("finds what a channel serves, and at once what it serves after a move", async ({ expect }) => {
    const { registry, resolve } = aServedHarness();
    expect(await resolve()).toBe("a");
    registry.channels.set("small:production:*", { version: versionOf("c"), previous: versionOf("a") });
    expect(await resolve()).toBe("c");
  });

  it("prefers a merchant's own channel", async ({ expect }) => {
    const { resolve } = aServedHarness();
    expect([await resolve({ merchant: "m-1" }), await resolve({ merchant: "m-2" })]).toEqual(["b", "a"]);
  });

  it("prefers a room's pin to its merchant's, and both to canary and channels", async ({ expect }) => {
    const { registry, resolve } = aServedHarness();
    const rooms = ["r1"];
    registry.canaries.push({ merchant: "*", version: versionOf("c"), sharePermille: 1_000, rooms, salt: "s" });
    Object.assign(registry.pins, { merchantPin: serves("d") });
    expect(await resolve({ merchant: "m-1", room: "r1" })).toBe("d");
    Object.assign(registry.pins, { roomPin: serves("e") });
    expect(await resolve({ merchant: "m-1", room: "r1" })).toBe("e");
    Object.assign(registry.pins, { roomPin: serves("e", true) });
    expect(await resolve({ merchant: "m-1", room: "r1" })).toBe("d");
  });

  it("gives a canary to its share of the rooms that the channel beside it serves, on production alone", async ({
    expect,
  }) => {
    const { registry, resolve } = aServedHarness();
    registry.channels.set("small:candidate:*", { version: versionOf("f"), previous: null });
    registry.canaries.push({
      merchant: "*",
      version: versionOf("c"),
      sharePermille: 1_000,
      rooms: ["named"],
      salt: "s",
    });
    expect(await resolve({ merchant: "m-2", room: "r1" })).toBe("c");
    expect(await resolve({ merchant: "m-1", room: "r1" })).toBe("b");
    expect(await resolve({ merchant: "m-1", room: "named" })).toBe("c");
    expect(await resolve({ merchant: "m-2" })).toBe("a");
    const channel = harnessChannelSchema.parse("candidate");
    expect(await resolve({ channel, merchant: "m-2", room: "r1" })).toBe("f");
  });

  it("prefers a merchant's canary to everyone's, and gives none at a share of 0", async ({ expect }) => {
    const { registry, resolve } = aServedHarness();
    registry.canaries.push(
      { merchant: "m-2", version: versionOf("d"), sharePermille: 1_000, rooms: [], salt: "s" },
      { merchant: "*", version: versionOf("c"), sharePermille: 1_000, rooms: [], salt: "s" },
    );
    expect(await resolve({ merchant: "m-2", room: "r1" })).toBe("d");
    registry.canaries.splice(0, 2, { merchant: "*", version: versionOf("c"), sharePermille: 0, rooms: [], salt: "s" });
    expect(await resolve({ merchant: "m-2", room: "r1" })).toBe("a");
  });

  it("serves no revoked version, by name or by channel", async ({ expect }) => {
    const { registry, resolve } = aServedHarness();
    const version = versionOf("a");
    registry.rows.set(version, { text: "{}", summary: aSummary({ version, name: "small", revokedAtMs: 1 }) });
    await expect(resolve()).rejects.toMatchObject({ code: "harness_revoked" });
    await expect(resolveVersion(registry, { name: "small", version })).rejects.toMatchObject({
      code: "harness_revoked",
    });
  });

  it("finds a pinned version of the harness that is named", async ({ expect }) => {
    const { registry } = aServedHarness();
    expect(await resolveVersion(registry, { name: "small", version: versionOf("d") })).toBe(versionOf("d"));
  });

  it("refuses an unknown channel, though the harness has another, pins apart", async ({ expect }) => {
    const { registry } = aServedHarness();
    registry.canaries.push({ merchant: "*", version: versionOf("c"), sharePermille: 1_000, rooms: [], salt: "s" });
    const request = { name: "small", channel: harnessChannelSchema.parse("canary"), merchant: "m-1", room: "r1" };
    await expect(resolveVersion(registry, request)).rejects.toMatchObject({ code: "harness_channel_not_found" });
  });

  it("refuses channel and version together, and neither", async ({ expect }) => {
    const { registry } = aServedHarness();
    const version = versionOf("a");
    for (const request of [{ name: "small", channel: PRODUCTION, version }, { name: "small" }]) {
      await expect(resolveVersion(registry, request)).rejects.toMatchObject({ code: "invalid_request" });
    }
  });

  it("refuses a version of another harness, and one that does not exist", async ({ expect }) => {
    const { registry } = aServedHarness();
    for (const request of [
      { name: "other", version: versionOf("a") },
      { name: "small", version: NO_VERSION },
    ]) {
      await expect(resolveVersion(registry, request)).rejects.toMatchObject({ code: "harness_not_found" });
    }
  });
});

describe("resolveRoute", () => {
  const aCanary = (fields: Partial<Canary> = {}): Canary => ({
    merchant: "*",
    version: versionOf("c"),
    sharePermille: 0,
    rooms: ["named"],
    salt: "everyone",
    ...fields,
  });

  /** Version and trial of a room, as `<digit> <trial>`; the canaries are in the order of the tables, a merchant's first. */
  function aTrial(...canaries: readonly Canary[]) {
    const { registry } = aServedHarness();
    registry.canaries.push(...canaries);
    const trialOf = async (request: Partial<HarnessRequest>) => {
      const { version, trial } = await resolveRoute(registry, { name: "small", channel: PRODUCTION, ...request });
      return `${version.charAt(0)} ${trial === null ? "none" : `${trial.id}/${trial.arm}`}`;
    };
    return { registry, trialOf };
  }

  it("compares the rooms of a canary with those that it could have taken", async ({ expect }) => {
    const share = aTrial(aCanary({ sharePermille: 1_000 }));
    expect(await share.trialOf({ merchant: "m-2", room: "r1" })).toBe("c everyone/canary");
    const named = aTrial(aCanary());
    expect(await named.trialOf({ merchant: "m-2", room: "named" })).toBe("c everyone/canary");
    expect(await named.trialOf({ merchant: "m-2", room: "r1" })).toBe("a everyone/baseline");
  });

  it("counts every room of a share once, and keeps its arm while the share grows", async ({ expect }) => {
    const rooms = Array.from({ length: 40 }, (_, index) => `room-${index}`);
    const armsAt = async (sharePermille: number) => {
      const { trialOf } = aTrial(aCanary({ sharePermille }));
      return Promise.all(rooms.map((room) => trialOf({ room })));
    };
    const [small, large] = [await armsAt(250), await armsAt(500)];
    expect(new Set(small)).toEqual(new Set(["c everyone/canary", "a everyone/baseline"]));
    const left = small.filter((arm, index) => arm.endsWith("canary") && large[index] !== arm);
    expect(left).toEqual([]);
  });

  it("leaves a merchant with a channel of its own out of everyone's trial, but for rooms that it names", async ({
    expect,
  }) => {
    const { trialOf } = aTrial(aCanary({ sharePermille: 500 }));
    for (const room of ["r1", "r2", "r3", "r4"]) expect(await trialOf({ merchant: "m-1", room })).toBe("b none");
    expect(await trialOf({ merchant: "m-1", room: "named" })).toBe("c everyone/canary");
  });

  it("compares a merchant's canary with that merchant's rooms, on its own channel or the common one", async ({
    expect,
  }) => {
    for (const [merchant, served] of [
      ["m-1", "b"],
      ["m-2", "a"],
    ] as const) {
      const own = aCanary({ merchant, version: versionOf("d"), rooms: ["own"], salt: "own" });
      const { trialOf } = aTrial(own, aCanary());
      expect(await trialOf({ merchant, room: "own" })).toBe("d own/canary");
      expect(await trialOf({ merchant, room: "r1" })).toBe(`${served} own/baseline`);
      expect(await trialOf({ merchant, room: "named" })).toBe("c everyone/canary");
    }
  });

  it("has no trial for a pinned room, whatever it is pinned to, nor where no room is meant", async ({ expect }) => {
    const { registry, trialOf } = aTrial(aCanary({ sharePermille: 1_000 }));
    expect(await trialOf({ merchant: "m-2" })).toBe("a none");
    Object.assign(registry.pins, { merchantPin: serves("d") });
    expect(await trialOf({ merchant: "m-2", room: "r1" })).toBe("d none");
    Object.assign(registry.pins, { roomPin: serves("c") });
    expect(await trialOf({ merchant: "m-2", room: "r1" })).toBe("c none");
    Object.assign(registry.pins, { roomPin: serves("c", true), merchantPin: null });
    expect(await trialOf({ merchant: "m-2", room: "r1" })).toBe("c everyone/canary");
  });

  it("has no trial on other channels", async ({ expect }) => {
    const { registry, trialOf } = aTrial(aCanary({ sharePermille: 1_000 }));
    registry.channels.set("small:candidate:*", { version: versionOf("f"), previous: null });
    const channel = harnessChannelSchema.parse("candidate");
    expect(await trialOf({ channel, room: "named" })).toBe("f none");
  });

  it("says how new it is, and 0 for a room that names its version", async ({ expect }) => {
    const { registry } = aTrial(aCanary());
    const seqOf = async (request: Partial<HarnessRequest>) =>
      (await resolveRoute(registry, { name: "small", ...request })).seq;
    expect(await seqOf({ channel: PRODUCTION })).toBe(0);
    for (const id of ["r1", "r2", "r3"]) {
      await recordChange(registry, { kind: "unpin", name: "small", scope: "room", id }, LI);
    }
    expect(await seqOf({ channel: PRODUCTION })).toBe(3);
    expect(await seqOf({ channel: PRODUCTION, room: "named" })).toBe(3);
    Object.assign(registry.pins, { roomPin: serves("e") });
    expect(await seqOf({ channel: PRODUCTION, room: "r1" })).toBe(3);
    expect(await seqOf({ version: versionOf("d") })).toBe(0);
  });

  it("keeps a canary's rooms where production's version was revoked, and serves no other", async ({ expect }) => {
    const { registry, trialOf } = aTrial(aCanary());
    const version = versionOf("a");
    registry.rows.set(version, { text: "{}", summary: aSummary({ version, name: "small", revokedAtMs: 1 }) });
    expect(await trialOf({ room: "named" })).toBe("c everyone/canary");
    await expect(trialOf({ room: "r1" })).rejects.toMatchObject({ code: "harness_revoked" });
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
    { name: "is damaged", cached: { text: "{}", signature: null } },
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

  it("verifies digest and signature of both copies before anything else", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    const { keys, ...signer } = await aKeyPair();
    const trusting = { ...registry, keys };
    await expect(loadBundle(trusting, version)).rejects.toMatchObject({ code: "harness_unsigned" });

    const row = registry.rows.get(version);
    const cached = registry.cached.get(version);
    if (row === undefined || cached === undefined) throw new Error("it was pushed");
    const signature = await signVersion({ name: "small", version }, signer);
    // The copy has none yet: the table's counts.
    row.summary = { ...row.summary, signature };
    expect(await loadBundle(trusting, version)).toEqual(aBundle());

    const flipped = {
      ...signature,
      signature: (signature.signature.startsWith("A") ? "B" : "A") + signature.signature.slice(1),
    };
    registry.cached.set(version, { ...cached, signature: flipped });
    expect(await loadBundle(trusting, version)).toEqual(aBundle());
    row.summary = { ...row.summary, signature: flipped };
    await expect(loadBundle(trusting, version)).rejects.toMatchObject({ code: "harness_signature_invalid" });
  });

  it("refuses a bundle that was changed by one byte in both, wherever the byte is", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    const { text } = registry.rows.get(version) ?? { text: "" };
    for (let index = 0; index < text.length; index += 37) {
      const changed = `${text.slice(0, index)}${text[index] === "x" ? "y" : "x"}${text.slice(index + 1)}`;
      registry.cached.set(version, { text: changed, signature: null });
      expect(await loadBundle(registry, version)).toEqual(aBundle());
      registry.rows.set(version, { text: changed, summary: aSummary({ version, name: "small" }) });
      await expect(loadBundle(registry, version)).rejects.toMatchObject({ code: "harness_corrupt" });
      registry.rows.set(version, { text, summary: aSummary({ version, name: "small" }) });
    }
  });

  it("refuses a version that is nowhere", async ({ expect }) => {
    await expect(loadBundle(aRegistry(), NO_VERSION)).rejects.toMatchObject({ code: "harness_not_found" });
  });

  it("reads the table where the cache fails", async ({ expect }) => {
    const { registry, version } = await aPushedHarness();
    const cache = { ...registry.cache, get: async () => Promise.reject(new Error("KV is down")) };
    expect((await loadBundle({ ...registry, cache }, version)).name).toBe("small");
  });
});
