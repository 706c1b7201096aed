import { describe, it } from "vitest";
import { moveChannel } from "../../../harness-kv/move-channel.ts";
import type { ChannelMove } from "../../../harness-kv/registry-store.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { aRegistry } from "./a-registry.ts";

const channel = harnessChannelSchema.parse("production");
const versionOf = (digit: string) => harnessVersionSchema.parse(digit.repeat(64));
const [OLD, NEW, OTHERS] = [versionOf("a"), versionOf("b"), versionOf("c")];

function aChannel() {
  const registry = aRegistry();
  for (const [version, name] of [
    [OLD, "small"],
    [NEW, "small"],
    [OTHERS, "other"],
  ] as const) {
    const summary = { version, name, description: "", bytes: 2, createdBy: "li", createdAtMs: 0 };
    registry.rows.set(version, { summary, text: "{}" });
  }
  const move = (change: Pick<ChannelMove, "expected" | "to">) =>
    moveChannel({ ...registry, clock: { nowMs: () => 5 } }, { name: "small", channel, movedBy: "li", ...change });
  return { registry, move };
}

describe("moveChannel", () => {
  it("gives back what the channel served, so that the same call rolls back", async ({ expect }) => {
    const { registry, move } = aChannel();
    expect(await move({ expected: null, to: OLD })).toEqual({ from: null, copied: true });
    const { from } = await move({ expected: OLD, to: NEW });
    expect(from).toBe(OLD);
    expect(await move({ expected: NEW, to: OLD })).toEqual({ from: NEW, copied: true });
    expect(registry.channels.get("small:production")).toBe(OLD);
    expect(registry.cached.get("small:production")).toBe(OLD);
  });

  it.for([
    { name: "another version", expected: NEW },
    { name: "no version", expected: null },
  ])("refuses a move that expects $name, and changes nothing", async ({ expected }, { expect }) => {
    const { registry, move } = aChannel();
    await move({ expected: null, to: OLD });
    await expect(move({ expected, to: NEW })).rejects.toMatchObject({ code: "channel_moved" });
    expect(registry.channels.get("small:production")).toBe(OLD);
    expect(registry.cached.get("small:production")).toBe(OLD);
  });

  it.for([
    { name: "another harness's version", to: OTHERS },
    { name: "a version that does not exist", to: versionOf("d") },
  ])("refuses $name", async ({ to }, { expect }) => {
    const { registry, move } = aChannel();
    await expect(move({ expected: null, to })).rejects.toMatchObject({ code: "harness_not_found" });
    expect(registry.channels.size).toBe(0);
  });

  it("holds when KV does not take its copy of the pointer, and says so", async ({ expect }) => {
    const { registry } = aChannel();
    const cache = { ...registry.cache, putChannel: async () => Promise.reject(new Error("KV is down")) };
    const deps = { ...registry, cache, clock: { nowMs: () => 5 } };
    const move = { name: "small", channel, movedBy: "li", expected: null, to: OLD };
    expect(await moveChannel(deps, move)).toEqual({ from: null, copied: false });
    expect(registry.channels.get("small:production")).toBe(OLD);
  });
});
