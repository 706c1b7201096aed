import { describe, it } from "vitest";
import { bundleVersion, canonicalBundle } from "../../../harness-kv/canonical-bundle.ts";
import { errorAt, warningAt, type Problem } from "../../../harness-kv/problem.ts";
import { pushHarness, type PushDeps } from "../../../harness-kv/push-harness.ts";
import { aRegistry, digest } from "./a-registry.ts";
import { aBundle } from "./bundle-files.ts";

function aPush(problems: readonly Problem[] = []) {
  const registry = aRegistry();
  const deps: PushDeps = { ...registry, clock: { nowMs: () => 1_000 }, check: () => problems };
  return { ...registry, push: (bundle: unknown = aBundle()) => pushHarness(deps, bundle, "li") };
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
      summary: { version, name: "small", description: "最小的主播", bytes, createdBy: "li", createdAtMs: 1_000 },
    });
    expect(cached.get(version)).toBe(text);
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
    const { push, rows } = aPush();
    await push();
    const again = await push(Object.fromEntries(Object.entries(aBundle()).toReversed()));
    expect(again).toMatchObject({ ok: true, value: { created: false } });
    expect(rows.size).toBe(1);
  });

  it("may be repeated after it died between table and cache", async ({ expect }) => {
    const { push, cached } = aPush();
    await push();
    cached.clear();
    expect(await push()).toMatchObject({ ok: true, value: { created: false } });
    expect(cached.size).toBe(1);
  });

  it("passes warnings on", async ({ expect }) => {
    const warning = warningAt("harness.json", undefined, "长", "短");
    expect(await aPush([warning]).push()).toMatchObject({ ok: true, value: { problems: [warning] } });
  });

  it.for([
    { name: "a bundle with errors", problems: [errorAt("harness.json", undefined, "坏", "改")], bundle: aBundle() },
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
