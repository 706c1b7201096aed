import { describe, it } from "vitest";
import { signVersion } from "../../../harness-kv/bundle-signature.ts";
import { bundleVersion, canonicalBundle } from "../../../harness-kv/canonical-bundle.ts";
import { errorAt, warningAt, type Problem } from "../../../harness-kv/problem.ts";
import { pushHarness, type HarnessPush, type PushDeps } from "../../../harness-kv/push-harness.ts";
import type { HarnessVersion } from "../../../shared/contract/ids.ts";
import { aKeyPair } from "./a-key-pair.ts";
import { aRegistry, aSummary, digest, LI } from "./a-registry.ts";
import { aBundle } from "./bundle-files.ts";

function aPush(problems: readonly Problem[] = []) {
  const registry = aRegistry();
  const deps: PushDeps = { ...registry, clock: { nowMs: () => 1_000 }, check: () => problems };
  const pushMore = (push: Partial<HarnessPush>) => pushHarness(deps, { bundle: aBundle(), ...push }, LI);
  return { ...registry, deps, pushMore, push: (bundle: unknown = aBundle()) => pushMore({ bundle }) };
}

describe("pushHarness", () => {
  it("stores the canonical text under its own hash, in the table before the cache", async ({ expect }) => {
    const { push, rows, cached, writes } = aPush();
    const text = canonicalBundle(aBundle());
    const version = await bundleVersion(text, digest);
    const bytes = new TextEncoder().encode(text).byteLength;
    expect(await push()).toEqual({ ok: true, value: { version, name: "small", bytes, created: true, problems: [] } });
    expect(rows.get(version)).toEqual({
      text,
      summary: aSummary({ version, name: "small", description: "最小的主播", bytes, createdAtMs: 1_000 }),
    });
    expect(cached.get(version)).toEqual({ text, signature: null });
    expect(writes).toEqual(["table", "cache"]);
  });

  it("moves no channel", async ({ expect }) => {
    const { push, channels } = aPush();
    await push();
    expect(channels.size).toBe(0);
  });

  it("gives the same version for the same content, with fields in another order and defaults written out", async ({
    expect,
  }) => {
    const { push, rows, log } = aPush();
    await push();
    const again = await push(Object.fromEntries(Object.entries(aBundle()).toReversed()));
    expect(again).toMatchObject({ ok: true, value: { created: false } });
    expect([rows.size, log.length]).toEqual([1, 1]);
  });

  it("may be repeated after it died between table and cache", async ({ expect }) => {
    const { push, cached } = aPush();
    await push();
    cached.clear();
    expect(await push()).toMatchObject({ ok: true, value: { created: false } });
    expect(cached.size).toBe(1);
  });

  it("answers registry_unavailable when the copy was not taken, and makes it when it is repeated", async ({
    expect,
  }) => {
    const { deps, push, rows, cached } = aPush();
    const put = async () => Promise.reject(new Error("KV PUT failed: 500"));
    const cut = { ...deps, cache: { ...deps.cache, put } };
    await expect(pushHarness(cut, { bundle: aBundle() }, LI)).rejects.toMatchObject({ code: "registry_unavailable" });
    expect([rows.size, cached.size]).toEqual([1, 0]);
    expect(await push()).toMatchObject({ ok: true, value: { created: false } });
    expect(cached.size).toBe(1);
  });

  it("keeps what the first push said of the version, in the table and in its copy", async ({ expect }) => {
    const { pushMore, rows, cached, log } = aPush();
    const { keyId, privateKey } = await aKeyPair();
    const version = await bundleVersion(canonicalBundle(aBundle()), digest);
    const signature = await signVersion({ name: "small", version }, { keyId, privateKey });
    const evidence = { clusterIds: ["c1"], caseIds: [], traceIds: ["t1"] };
    await pushMore({ notes: "更短", evidence, signature });
    await pushMore({ notes: "other" });
    expect(rows.get(version)?.summary).toMatchObject({ notes: "更短", evidence, signature });
    expect(cached.get(version)?.signature).toEqual(signature);
    expect(log.map(({ action, actor, subject }) => [action, actor, subject["notes"]])).toEqual([
      ["push", "li", "更短"],
    ]);
  });

  it("asks for a trusted signature where there are keys, and writes nothing without one", async ({ expect }) => {
    const { deps, writes } = aPush();
    const { keyId, privateKey, keys } = await aKeyPair();
    const version = await bundleVersion(canonicalBundle(aBundle()), digest);
    const other = await signVersion({ name: "other", version }, { keyId, privateKey });
    const push = (signature: HarnessPush["signature"]) =>
      pushHarness({ ...deps, keys }, { bundle: aBundle(), signature: signature ?? null }, LI);
    await expect(push(null)).rejects.toMatchObject({ code: "harness_unsigned" });
    await expect(push(other)).rejects.toMatchObject({ code: "harness_signature_invalid" });
    expect(writes).toEqual([]);
    const good = await signVersion({ name: "small", version }, { keyId, privateKey });
    expect(await push(good)).toMatchObject({ ok: true });
  });

  it("refuses a parent that is no version of this harness", async ({ expect }) => {
    const { pushMore, rows, writes } = aPush();
    const parent = "a".repeat(64) as HarnessVersion;
    await expect(pushMore({ parent })).rejects.toMatchObject({ code: "harness_not_found" });
    rows.set(parent, { text: "{}", summary: aSummary({ version: parent, name: "another" }) });
    await expect(pushMore({ parent })).rejects.toMatchObject({ code: "harness_not_found" });
    expect(writes).toEqual([]);
  });

  it("passes warnings on", async ({ expect }) => {
    const warning = warningAt("invalid-value", { file: "harness.json" }, "长", "短");
    expect(await aPush([warning]).push()).toMatchObject({ ok: true, value: { problems: [warning] } });
  });

  it.for([
    {
      name: "a bundle with errors",
      problems: [errorAt("invalid-value", { file: "harness.json" }, "坏", "改")],
      bundle: aBundle(),
    },
    { name: "what is no bundle", problems: [], bundle: { ...aBundle(), hooks: [{ name: "x" }] } },
    { name: "nothing", problems: [], bundle: undefined },
  ])("refuses $name, and writes nothing", async ({ problems, bundle }, { expect }) => {
    const { push, writes } = aPush(problems);
    const refused = await push(bundle ?? null);
    expect(refused).toMatchObject({ ok: false, error: { code: "harness_invalid" } });
    expect(refused.ok || refused.error.problems.length).toBeGreaterThan(0);
    expect(writes).toEqual([]);
  });

  it("refuses a bundle that no row takes, and writes nothing", async ({ expect }) => {
    const { push, writes } = aPush();
    const resources = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`${index}`, "价".repeat(50_000)]));
    const large = aBundle({ skills: [{ name: "a", description: "大", body: "大", resources }] });
    expect(await push(large)).toMatchObject({ ok: false, error: { code: "harness_too_large" } });
    expect(writes).toEqual([]);
  });
});
