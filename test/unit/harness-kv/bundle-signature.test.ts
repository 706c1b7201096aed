import { describe, it } from "vitest";
import { requireSignature, signVersion } from "../../../harness-kv/bundle-signature.ts";
import { harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { signatureSchema } from "../../../shared/contract/release.ts";
import { aKeyPair } from "./a-key-pair.ts";

const VERSION = harnessVersionSchema.parse("a".repeat(64));
const signed = { name: "live-host", version: VERSION };

describe("requireSignature", () => {
  it("takes the signature of a trusted key, in the form of the API", async ({ expect }) => {
    const { keys, ...signer } = await aKeyPair();
    const signature = await signVersion(signed, signer);
    expect(signatureSchema.parse(signature)).toEqual(signature);
    await expect(requireSignature(keys, signed, signature)).resolves.toBeUndefined();
  });

  it("asks for none where there are no keys", async ({ expect }) => {
    await expect(requireSignature(new Map(), signed, null)).resolves.toBeUndefined();
  });

  it("refuses a version without one", async ({ expect }) => {
    const { keys } = await aKeyPair();
    await expect(requireSignature(keys, signed, null)).rejects.toMatchObject({ code: "harness_unsigned" });
  });

  it("refuses the signature of another version, name, key or key id, and one that was changed", async ({ expect }) => {
    const { keys, ...signer } = await aKeyPair();
    const { keys: _keys, ...stranger } = await aKeyPair();
    const good = await signVersion(signed, signer);
    const other = harnessVersionSchema.parse("b".repeat(64));
    const bad = [
      await signVersion({ ...signed, version: other }, signer),
      await signVersion({ ...signed, name: "live-hosts" }, signer),
      await signVersion(signed, stranger),
      { ...good, keyId: "release-2" },
      { ...good, signature: (good.signature.startsWith("A") ? "B" : "A") + good.signature.slice(1) },
      { ...good, signature: "not base64!" },
    ];
    for (const signature of bad) {
      await expect(requireSignature(keys, signed, signature)).rejects.toMatchObject({
        code: "harness_signature_invalid",
      });
    }
  });

  it("takes an old key and a new one while both are set", async ({ expect }) => {
    const [old, next] = [await aKeyPair("2025"), await aKeyPair("2026")];
    const keys = new Map([...old.keys, ...next.keys]);
    for (const signer of [old, next]) {
      await expect(requireSignature(keys, signed, await signVersion(signed, signer))).resolves.toBeUndefined();
    }
  });
});
