import { describe, it } from "vitest";
import { moveChannel, rollBackChannel } from "../../../harness-kv/move-channel.ts";
import type { ChannelMove } from "../../../harness-kv/registry-change.ts";
import { harnessChannelSchema, harnessVersionSchema, type HarnessVersion } from "../../../shared/contract/ids.ts";
import { gateConditionSchema } from "../../../shared/contract/release.ts";
import { aRegistry, aSummary, LI } from "./a-registry.ts";

const channel = harnessChannelSchema.parse("production");
const versionOf = (digit: string) => harnessVersionSchema.parse(digit.repeat(64));
const [OLD, NEW, OTHERS, REVOKED] = [versionOf("a"), versionOf("b"), versionOf("c"), versionOf("e")];
const SCOPE = { name: "small", channel, merchant: "*" };
const KEY = "small:production:*";

function aChannel() {
  const registry = aRegistry();
  for (const [version, name, revokedAtMs] of [
    [OLD, "small", null],
    [NEW, "small", null],
    [OTHERS, "other", null],
    [REVOKED, "small", 1],
  ] as const) {
    registry.rows.set(version, { summary: aSummary({ version, name, revokedAtMs }), text: "{}" });
  }
  const move = (change: Pick<ChannelMove, "expected" | "to"> & Partial<ChannelMove>) =>
    moveChannel(registry, { ...SCOPE, ...change }, LI);
  const rollBack = (expected?: HarnessVersion) => rollBackChannel(registry, { ...SCOPE, expected }, LI);
  return { registry, move, rollBack };
}

const frozen = { merchant: "*", reason: "双十一", frozenBy: "chen", frozenAtMs: 0 };
const passed = gateConditionSchema.options.map((condition) => ({
  condition,
  ok: true,
  details: {},
  judgedBy: "gu",
  judgedAtMs: 0,
}));

describe("moveChannel", () => {
  it("gives back what the channel served, and copies the pointer", async ({ expect }) => {
    const { registry, move } = aChannel();
    expect(await move({ expected: null, to: OLD })).toEqual({ from: null, to: OLD, copied: true });
    expect(await move({ expected: OLD, to: NEW })).toEqual({ from: OLD, to: NEW, copied: true });
    expect(registry.channels.get(KEY)).toEqual({ version: NEW, previous: OLD });
    expect(registry.pointers.get(KEY)).toBe(NEW);
    expect(registry.log.map(({ action }) => action)).toEqual(["move", "move"]);
  });

  it.for([
    { name: "another version", expected: NEW },
    { name: "no version", expected: null },
  ])("refuses a move that expects $name, and changes nothing", async ({ expected }, { expect }) => {
    const { registry, move } = aChannel();
    await move({ expected: null, to: OLD });
    await expect(move({ expected, to: NEW })).rejects.toMatchObject({ code: "channel_moved" });
    expect(registry.channels.get(KEY)?.version).toBe(OLD);
    expect(registry.pointers.get(KEY)).toBe(OLD);
    expect(registry.log.length).toBe(1);
  });

  it.for([
    { name: "another harness's version", to: OTHERS, code: "harness_not_found" },
    { name: "a version that does not exist", to: versionOf("d"), code: "harness_not_found" },
    { name: "a revoked version", to: REVOKED, code: "harness_revoked" },
  ])("refuses $name", async ({ to, code }, { expect }) => {
    const { registry, move } = aChannel();
    await expect(move({ expected: null, to })).rejects.toMatchObject({ code });
    expect([registry.channels.size, registry.writes]).toEqual([0, []]);
  });

  it("refuses while frozen, also when the freeze comes in between", async ({ expect }) => {
    const { registry, move } = aChannel();
    registry.freezes.push(frozen);
    await expect(move({ expected: null, to: OLD })).rejects.toMatchObject({
      code: "harness_frozen",
      details: { frozenBy: "chen", reason: "双十一" },
    });
    registry.freezes.pop();
    const before = registry.tables;
    const tables: typeof registry.tables = {
      ...registry.tables,
      commit: async (change, row) => {
        registry.freezes.push(frozen);
        registry.applies = false;
        return before.commit(change, row);
      },
    };
    const late = moveChannel({ ...registry, tables }, { ...SCOPE, expected: null, to: OLD }, LI);
    await expect(late).rejects.toMatchObject({ code: "harness_frozen" });
  });

  it("asks production alone for all four conditions of the gate, where the gate is on", async ({ expect }) => {
    const { registry } = aChannel();
    const gated = (name: string) =>
      moveChannel(
        { ...registry, isGated: true },
        { ...SCOPE, channel: harnessChannelSchema.parse(name), expected: null, to: OLD },
        LI,
      );
    await expect(gated("candidate")).resolves.toMatchObject({ to: OLD });
    await expect(gated("production")).rejects.toMatchObject({ code: "harness_gate_closed" });
    registry.results.push(...passed.slice(0, 3), ...passed.slice(3).map((result) => ({ ...result, ok: false })));
    await expect(gated("production")).rejects.toMatchObject({ details: { missing: "holdout_holds" } });
    registry.results.splice(0, 4, ...passed);
    await expect(gated("production")).resolves.toMatchObject({ to: OLD });
  });

  it("holds when KV does not take its copy of the pointer, and says so", async ({ expect }) => {
    const { registry } = aChannel();
    const cache = { ...registry.cache, putChannel: async () => Promise.reject(new Error("KV is down")) };
    const moved = await moveChannel({ ...registry, cache }, { ...SCOPE, expected: null, to: OLD }, LI);
    expect(moved).toEqual({ from: null, to: OLD, copied: false });
    expect(registry.channels.get(KEY)?.version).toBe(OLD);
  });
});

describe("rollBackChannel", () => {
  it("goes back in one call, and forward again when repeated", async ({ expect }) => {
    const { registry, move, rollBack } = aChannel();
    await move({ expected: null, to: OLD });
    await move({ expected: OLD, to: NEW });
    expect(await rollBack()).toEqual({ from: NEW, to: OLD, copied: true });
    expect(registry.pointers.get(KEY)).toBe(OLD);
    expect(await rollBack()).toEqual({ from: OLD, to: NEW, copied: true });
    expect(registry.log.at(-1)).toMatchObject({ action: "roll-back", subject: { expected: OLD, to: NEW } });
  });

  it("works while frozen and with a closed gate", async ({ expect }) => {
    const { registry, move } = aChannel();
    await move({ expected: null, to: OLD });
    await move({ expected: OLD, to: NEW });
    registry.freezes.push(frozen);
    expect(await rollBackChannel({ ...registry, isGated: true }, SCOPE, LI)).toMatchObject({ to: OLD });
  });

  it("refuses what the caller did not mean: another version, no channel, nothing before", async ({ expect }) => {
    const { move, rollBack } = aChannel();
    await expect(rollBack()).rejects.toMatchObject({ code: "harness_channel_not_found" });
    await move({ expected: null, to: OLD });
    await expect(rollBack()).rejects.toMatchObject({ code: "harness_no_previous" });
    await move({ expected: OLD, to: NEW });
    await expect(rollBack(OLD)).rejects.toMatchObject({ code: "channel_moved" });
  });

  it("refuses a version that was revoked since", async ({ expect }) => {
    const { registry, move, rollBack } = aChannel();
    await move({ expected: null, to: OLD });
    await move({ expected: OLD, to: NEW });
    const row = registry.rows.get(OLD);
    if (row !== undefined) row.summary = { ...row.summary, revokedAtMs: 3 };
    await expect(rollBack()).rejects.toMatchObject({ code: "harness_revoked" });
  });
});
