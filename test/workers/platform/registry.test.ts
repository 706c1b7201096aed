import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { EMPTY_CHAIN, verifyAuditPage } from "../../../harness-kv/audit-chain.ts";
import { freeze, unfreeze } from "../../../harness-kv/change-release.ts";
import { moveChannel, rollBackChannel } from "../../../harness-kv/move-channel.ts";
import { pushHarness } from "../../../harness-kv/push-harness.ts";
import { loadBundle, resolveVersion } from "../../../harness-kv/resolve-harness.ts";
import { ALL_MERCHANTS, harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { listAudit, listVersions } from "../../../workers/platform/registry-lists.ts";
import { registryOf, releasesOf } from "../../../workers/platform/registry.ts";
import { sha256Hex } from "../../../workers/platform/sha256.ts";
import { aBundle } from "../../helpers/harnesses.ts";

const channel = harnessChannelSchema.parse("production");
const BY = { name: "test", audience: "operator" } as const;

async function push(description: string, name = "live-host") {
  const pushed = await pushHarness(
    { ...releasesOf(env), check: () => [] },
    { bundle: aBundle({ name, description }) },
    BY,
  );
  if (!pushed.ok) throw new Error(pushed.error.code);
  return pushed.value;
}

describe("registryOf", () => {
  it("saves a version once and reads it back, from the table when KV has none", async ({ expect }) => {
    const { version, created } = await push("一");
    expect([created, (await push("一")).created]).toEqual([true, false]);
    await env.HARNESS_KV.delete(`harness:${version}`);
    expect((await loadBundle(registryOf(env), version)).description).toBe("一");
  });

  it("keeps who vouches for a version, in the table and in KV", async ({ expect }) => {
    const signature = { keyId: "li", signature: `${"A".repeat(86)}==` };
    const bundle = aBundle({ name: "live-host", description: "签名" });
    const pushed = await pushHarness({ ...releasesOf(env), check: () => [] }, { bundle, signature }, BY);
    if (!pushed.ok) throw new Error(pushed.error.code);
    const { tables, cache } = registryOf(env);
    const { version } = pushed.value;
    expect(await tables.versionText(version)).toMatchObject({ signature });
    expect(await cache.get(version)).toMatchObject({ signature });
    expect((await tables.versionSummary(version))?.signature).toEqual(signature);
  });

  it("lets no operator lift a governor's freeze, though both have one name", async ({ expect }) => {
    await push("冻结", "frozen");
    const scope = { name: "frozen", merchant: ALL_MERCHANTS };
    const governor = { name: BY.name, audience: "governor" } as const;
    await freeze(releasesOf(env), { ...scope, reason: "双十一" }, governor);
    await expect(unfreeze(releasesOf(env), scope, BY)).rejects.toMatchObject({ code: "forbidden" });
    await unfreeze(releasesOf(env), scope, governor);
    await freeze(releasesOf(env), { ...scope, reason: "我的" }, BY);
    await expect(unfreeze(releasesOf(env), scope, BY)).resolves.toBeUndefined();
  });

  it("takes a KV value with one other byte for a miss", async ({ expect }) => {
    const { version } = await push("二");
    const registry = registryOf(env);
    const stored = await registry.cache.get(version);
    await registry.cache.put(version, { text: (stored?.text ?? "").replace("二", "三"), signature: null });
    expect((await loadBundle(registry, version)).description).toBe("二");
  });

  it("moves a channel only from the version that the caller saw, and back in one call", async ({ expect }) => {
    const [first, next] = [await push("三", "swap"), await push("四", "swap")];
    const scope = { name: "swap", channel, merchant: ALL_MERCHANTS };
    const move = (expected: typeof first.version | null, to: typeof first.version) =>
      moveChannel(releasesOf(env), { ...scope, expected, to }, BY).then(
        () => "moved",
        (thrown: { code?: string }) => thrown.code,
      );
    const moves = [
      await move(next.version, first.version),
      await move(null, first.version),
      await move(null, next.version),
      await move(first.version, next.version),
    ];
    expect(moves).toEqual(["channel_moved", "moved", "channel_moved", "moved"]);
    const served = () => resolveVersion(registryOf(env), { ...scope, room: "r" });
    expect(await served()).toBe(next.version);
    await rollBackChannel(releasesOf(env), scope, BY);
    expect(await served()).toBe(first.version);
  });

  it("keeps a row of the log for each change, in a chain that holds, and lets nobody change one", async ({
    expect,
  }) => {
    const { version } = await push("链");
    await push("链");
    const rows = await listAudit(env, { after: 0, limit: 500 });
    expect(
      rows.filter(({ action, subject }) => action === "push" && JSON.stringify(subject).includes(version)),
    ).toHaveLength(1);
    expect((await verifyAuditPage(EMPTY_CHAIN, rows, sha256Hex)).brokenSeq).toBeNull();
    await expect(env.REGISTRY_DB.prepare("UPDATE audit SET actor = 'nobody'").run()).rejects.toThrow("append-only");
    await expect(env.REGISTRY_DB.prepare("DELETE FROM audit").run()).rejects.toThrow("append-only");
  });

  it("pages versions newest first, without a gap", async ({ expect }) => {
    const pushed: string[] = [];
    for (const description of ["五", "六", "七", "八"]) pushed.push((await push(description, "pages")).version);
    const seen: string[] = [];
    for (let after: Parameters<typeof listVersions>[2]["after"] = null; ;) {
      const [row] = await listVersions(env, "pages", { limit: 1, after });
      if (row === undefined) break;
      seen.push(row.version);
      after = row;
    }
    expect(seen.toSorted()).toEqual(pushed.toSorted());
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("answers registry_unavailable for a database that fails, without its text", async ({ expect }) => {
    const broken = {
      prepare: () => {
        throw new Error("Failed query: params: +86-138");
      },
    } as unknown as D1Database;
    const { tables } = registryOf({ ...env, REGISTRY_DB: broken });
    const failure = await tables
      .versionText(harnessVersionSchema.parse("0".repeat(64)))
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: "registry_unavailable" });
    expect(JSON.stringify(failure) + String((failure as Error).cause)).not.toContain("138");
  });
});
