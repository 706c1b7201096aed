/** What is asked before a change, and what is said when it does not apply. What the tables do with it: test/workers. */
import { describe, it } from "vitest";
import {
  endCanary,
  freeze,
  judgeVersion,
  pinVersion,
  revokeVersion,
  setBackup,
  setCanary,
  setCanaryLimits,
  unfreeze,
  unpin,
} from "../../../harness-kv/change-release.ts";
import type { Actor } from "../../../harness-kv/registry-change.ts";
import { canaryLimitsSchema } from "../../../shared/contract/canary-limits.ts";
import { harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { aRegistry, aSummary, LI } from "./a-registry.ts";

const version = harnessVersionSchema.parse("a".repeat(64));
const unknown = harnessVersionSchema.parse("b".repeat(64));
const canary = { name: "small", merchant: "*", version, sharePermille: 50, rooms: [], salt: "s" };
const GU: Actor = { name: "gu", audience: "governor" };

function aServedHarness() {
  const registry = aRegistry();
  registry.rows.set(version, { text: "{}", summary: aSummary({ version, name: "small" }) });
  registry.channels.set("small:production:*", { version, previous: null });
  return registry;
}

describe("changes of a release", () => {
  it("are recorded with who made them", async ({ expect }) => {
    const registry = aServedHarness();
    await setCanary(registry, canary, LI);
    await pinVersion(registry, { name: "small", scope: "room", id: "r1", version, note: "" }, LI);
    await unpin(registry, { name: "small", scope: "room", id: "r1" }, LI);
    await endCanary(registry, { name: "small", merchant: "*" }, LI);
    await freeze(registry, { name: "small", merchant: "*", reason: "双十一" }, GU);
    await judgeVersion(registry, { name: "small", version, condition: "holdout_holds", ok: true, details: {} }, GU);
    await setCanaryLimits(registry, { name: "small", limits: canaryLimitsSchema.parse({ turnsMin: 50 }) }, GU);
    await setBackup(registry, { name: "small", version }, GU);
    const revoked = revokeVersion(registry, { name: "small", version, reason: "坏" }, LI);
    await expect(revoked).rejects.toMatchObject({ code: "forbidden" });
    await setBackup(registry, { name: "small", version: null }, GU);
    await revokeVersion(registry, { name: "small", version, reason: "坏" }, LI);
    expect(registry.log.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      "li set-canary",
      "li pin",
      "li unpin",
      "li end-canary",
      "gu freeze",
      "gu judge",
      "gu set-canary-limits",
      "gu set-backup",
      "gu set-backup",
      "li revoke",
    ]);
  });

  it("need a version of the harness", async ({ expect }) => {
    const registry = aServedHarness();
    const attempts = [
      setCanary(registry, { ...canary, version: unknown }, LI),
      pinVersion(registry, { name: "small", scope: "merchant", id: "m", version: unknown, note: "" }, LI),
      revokeVersion(registry, { name: "other", version, reason: "坏" }, LI),
      setBackup(registry, { name: "small", version: unknown }, GU),
      judgeVersion(
        registry,
        { name: "small", version: unknown, condition: "holdout_holds", ok: true, details: {} },
        GU,
      ),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: "harness_not_found" });
    expect(registry.log).toEqual([]);
  });

  it("of a canary or a merchant wait for freeze and gate; a room's pin does not", async ({ expect }) => {
    const registry = { ...aServedHarness(), isGated: true };
    const pin = { name: "small", version, note: "" } as const;
    const releases = () => [
      setCanary(registry, canary, LI),
      pinVersion(registry, { ...pin, scope: "merchant", id: "m" }, LI),
    ];
    for (const release of releases()) await expect(release).rejects.toMatchObject({ code: "harness_gate_closed" });
    registry.freezes.push({ merchant: "*", reason: "双十一", frozenBy: "li", frozenAtMs: 0 });
    for (const release of releases()) await expect(release).rejects.toMatchObject({ code: "harness_frozen" });
    await expect(pinVersion(registry, { ...pin, scope: "room", id: "r1" }, LI)).resolves.toBeUndefined();
  });

  it("keep a merchant on a version by a plan alone, where releases take two people; a room's pin takes one", async ({
    expect,
  }) => {
    const registry = { ...aServedHarness(), needsTwo: true };
    const pin = { name: "small", version, note: "" } as const;
    await expect(pinVersion(registry, { ...pin, scope: "merchant", id: "m" }, LI)).rejects.toMatchObject({
      code: "harness_unapproved",
    });
    expect(registry.log).toEqual([]);
    await expect(pinVersion(registry, { ...pin, scope: "room", id: "r1" }, LI)).resolves.toBeUndefined();
  });

  it("give a canary a tenth of the rooms at most for one person, where releases take two", async ({ expect }) => {
    const registry = { ...aServedHarness(), needsTwo: true };
    await expect(setCanary(registry, { ...canary, sharePermille: 100 }, LI)).resolves.toBeUndefined();
    await expect(setCanary(registry, { ...canary, sharePermille: 101 }, LI)).rejects.toMatchObject({
      code: "harness_unapproved",
    });
    expect(registry.log).toHaveLength(1);
  });

  it("refuse a canary of a harness that serves nothing", async ({ expect }) => {
    const registry = aServedHarness();
    registry.channels.clear();
    await expect(setCanary(registry, canary, LI)).rejects.toMatchObject({ code: "harness_channel_not_found" });
  });

  it("say when there is nothing to end", async ({ expect }) => {
    const registry = aServedHarness();
    registry.applies = false;
    const attempts = [
      endCanary(registry, { name: "small", merchant: "*" }, LI),
      unpin(registry, { name: "small", scope: "room", id: "r1" }, LI),
      unfreeze(registry, { name: "small", merchant: "*" }, LI),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: "release_not_found" });
  });
});

describe("freezes", () => {
  it("are lifted by who set them, or by a governor", async ({ expect }) => {
    const registry = aServedHarness();
    await unfreeze(registry, { name: "small", merchant: "*" }, LI);
    await unfreeze(registry, { name: "small", merchant: "*" }, GU);
    expect(registry.changes.map((change) => change.kind === "unfreeze" && change.onlyBy)).toEqual(["li", null]);
  });

  it("of someone else stay", async ({ expect }) => {
    const registry = aServedHarness();
    registry.freezes.push({ merchant: "*", reason: "双十一", frozenBy: "chen", frozenAtMs: 0 });
    registry.applies = false;
    await expect(unfreeze(registry, { name: "small", merchant: "*" }, LI)).rejects.toMatchObject({ code: "forbidden" });
    await expect(freeze(registry, { name: "small", merchant: "*", reason: "again" }, LI)).rejects.toMatchObject({
      code: "harness_frozen",
    });
  });
});

describe("backups", () => {
  it("are versions that may serve, and none in the end", async ({ expect }) => {
    const registry = aServedHarness();
    await setBackup(registry, { name: "small", version }, GU);
    expect(await registry.tables.backup("small")).toBe(version);
    registry.rows.set(version, { text: "{}", summary: aSummary({ version, name: "small", revokedAtMs: 1 }) });
    await expect(setBackup(registry, { name: "small", version }, GU)).rejects.toMatchObject({
      code: "harness_revoked",
    });
    await setBackup(registry, { name: "small", version: null }, GU);
    expect(await registry.tables.backup("small")).toBeNull();
  });
});
