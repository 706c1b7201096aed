import { describe, it } from "vitest";
import { bundleVersion, canonicalBundle } from "../../../harness-kv/canonical-bundle.ts";
import { digest } from "./a-registry.ts";
import { aBundle } from "./bundle-files.ts";

describe("canonicalBundle", () => {
  it("is the same text in whatever order the fields were written", ({ expect }) => {
    const bundle = aBundle({ lexicon: { 乙: "2", 甲: "1" } });
    const other = Object.fromEntries(Object.entries({ ...bundle, lexicon: { 甲: "1", 乙: "2" } }).toReversed());
    expect(canonicalBundle(aBundle(other))).toBe(canonicalBundle(bundle));
  });

  it("orders keys by code unit, keeps Chinese as it is and leaves no white space", ({ expect }) => {
    const text = canonicalBundle(aBundle({ lexicon: { 价: "价", a: "b", A: "B", "\u{20000}": "x", "\uffee": "y" } }));
    expect(text).toContain('"lexicon":{"A":"B","a":"b","价":"价","\u{20000}":"x","\uffee":"y"}');
  });

  it("changes with every text", ({ expect }) => {
    expect(canonicalBundle(aBundle({ description: "甲" }))).not.toBe(canonicalBundle(aBundle({ description: "乙" })));
  });

  it("refuses half of a surrogate pair, which has no bytes of its own", ({ expect }) => {
    expect(() => canonicalBundle(aBundle({ description: "\ud83c" }))).toThrow(
      expect.objectContaining({ code: "harness_invalid" }),
    );
  });
});

describe("bundleVersion", () => {
  it("is the SHA-256 of the text's UTF-8 bytes", async ({ expect }) => {
    expect(await bundleVersion("abc", digest)).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(await bundleVersion("价", digest)).toBe("3d9a8fc5ef5b1c6398ca80501a9df02c01e016ad91459c9e69696e5b6540ab4d");
  });

  it("refuses a digest that is none", async ({ expect }) => {
    await expect(bundleVersion("abc", async () => "ABC")).rejects.toThrow();
  });
});
