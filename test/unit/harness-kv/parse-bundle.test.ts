import { describe, it } from "vitest";
import { bundleVersion, canonicalBundle } from "../../../harness-kv/canonical-bundle.ts";
import { parseBundle } from "../../../harness-kv/parse-bundle.ts";
import { digest } from "./a-registry.ts";
import { aBundle } from "./bundle-files.ts";

describe("parseBundle", () => {
  it("gives back the bundle that was made canonical", async ({ expect }) => {
    const text = canonicalBundle(aBundle());
    expect(await parseBundle(text, await bundleVersion(text, digest), digest)).toEqual(aBundle());
  });

  it("refuses a text with one character changed", async ({ expect }) => {
    const text = canonicalBundle(aBundle());
    const version = await bundleVersion(text, digest);
    await expect(parseBundle(text.replace("主播", "主波"), version, digest)).rejects.toMatchObject({
      code: "harness_corrupt",
      details: { version },
    });
  });

  it.for(["null", "not json", '{"schema":"kaibo.harness/2"}'])(
    "refuses %s, though it hashes to its version",
    async (text, { expect }) => {
      const version = await bundleVersion(text, digest);
      await expect(parseBundle(text, version, digest)).rejects.toMatchObject({ code: "harness_corrupt" });
    },
  );
});
