import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { loadBundle } from "../../../harness-kv/resolve-harness.ts";
import { canonicalBundle } from "../../../harness-kv/canonical-bundle.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { registryOf } from "../../../workers/platform/registry.ts";
import { sha256Hex } from "../../../workers/platform/sha256.ts";
import { aBundle } from "../../helpers/harnesses.ts";

const channel = harnessChannelSchema.parse("production");

async function saved(description: string, createdAtMs = 1) {
  const registry = registryOf(env);
  const text = canonicalBundle(aBundle({ description }));
  const version = harnessVersionSchema.parse(await sha256Hex(text));
  const summary = { version, name: "live-host", description, bytes: text.length, createdBy: "test", createdAtMs };
  const created = await registry.versions.saveVersion(summary, text);
  return { registry, version, text, created };
}

describe("registryOf", () => {
  it("saves a version once and reads it back, from the table when KV has none", async ({ expect }) => {
    const { registry, version, created } = await saved("一");
    expect([created, (await saved("一")).created]).toEqual([true, false]);
    expect((await loadBundle(registry, version)).description).toBe("一");
  });

  it("takes a damaged KV value for a miss", async ({ expect }) => {
    const { registry, version } = await saved("二");
    await registry.cache.put(version, "{}");
    expect((await loadBundle(registry, version)).description).toBe("二");
  });

  it("moves a channel only from the version that the caller saw", async ({ expect }) => {
    const { registry, version } = await saved("三");
    const { version: next } = await saved("四");
    const move = { name: "swap", channel, movedBy: "test", movedAtMs: 1 };
    const moves = [
      await registry.versions.moveChannel({ ...move, expected: next, to: version }),
      await registry.versions.moveChannel({ ...move, expected: null, to: version }),
      await registry.versions.moveChannel({ ...move, expected: null, to: next }),
      await registry.versions.moveChannel({ ...move, expected: version, to: next }),
    ];
    expect(moves).toEqual([false, true, false, true]);
    expect(await registry.versions.channelVersion("swap", channel)).toBe(next);
  });

  it("pages versions newest first, without a gap at equal times", async ({ expect }) => {
    for (const [description, atMs] of [
      ["五", 7],
      ["六", 7],
      ["七", 9],
    ] as const)
      await saved(description, atMs);
    const { registry } = await saved("八", 3);
    const seen: string[] = [];
    let after: { createdAtMs: number; version: Awaited<ReturnType<typeof saved>>["version"] } | undefined;
    for (;;) {
      const page = await registry.versions.listVersions("live-host", {
        limit: 1,
        ...(after !== undefined && { after }),
      });
      const [row] = page;
      if (row === undefined) break;
      seen.push(row.description);
      after = row;
    }
    expect(seen.slice(0, 1)).toEqual(["七"]);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(["五", "六", "八"]));
  });

  it("answers registry_unavailable for a database that fails, without its text", async ({ expect }) => {
    const broken = {
      prepare: () => {
        throw new Error("Failed query: params: +86-138");
      },
    } as unknown as D1Database;
    const { versions } = registryOf({ ...env, REGISTRY_DB: broken });
    const failure = await versions
      .versionText(harnessVersionSchema.parse("0".repeat(64)))
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: "registry_unavailable" });
    expect(JSON.stringify(failure) + String((failure as Error).cause)).not.toContain("138");
  });
});
