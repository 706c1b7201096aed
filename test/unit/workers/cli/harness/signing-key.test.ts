import { generateKeyPairSync } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { requireSignature } from "../../../../../harness-kv/bundle-signature.ts";
import { harnessVersionSchema } from "../../../../../shared/contract/ids.ts";
import { loadSigningKey, makeKey } from "../../../../../workers/cli/harness/signing-key.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";

const SIGNED = { name: "live-host", version: harnessVersionSchema.parse("9f".repeat(32)) };

const trusting = (keyId: string, publicKey: string) =>
  new Map([[keyId, Uint8Array.from(Buffer.from(publicKey, "base64"))]]);

describe("makeKey", () => {
  it("makes a key whose signatures its public half accepts, and no other's", async ({ expect }) => {
    const folder = await tempFolder();
    const { publicKey } = await makeKey("li", path.join(folder, "any name.pem"));
    const other = await makeKey("li", path.join(folder, "other.pem"));
    const { keyId, sign } = await loadSigningKey(path.join(folder, "any name.pem"));
    expect(keyId).toBe("li");
    const signature = await sign(SIGNED);
    await requireSignature(trusting("li", publicKey), SIGNED, signature);
    await expect(requireSignature(trusting("li", other.publicKey), SIGNED, signature)).rejects.toMatchObject({
      code: "harness_signature_invalid",
    });
  });

  it("writes for its owner alone, and over nothing", async ({ expect }) => {
    const file = path.join(await tempFolder(), "li.pem");
    await makeKey("li", file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const before = await readFile(file, "utf8");
    await expect(makeKey("li", file)).rejects.toMatchObject({ message: `${file} was not written.`, exitCode: 1 });
    expect(await readFile(file, "utf8")).toBe(before);
  });
});

describe("loadSigningKey", () => {
  const pem = (type: "ed25519" | "x25519") => {
    const { privateKey } = type === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519");
    return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  };

  it("names a key that was made elsewhere as its file", async ({ expect }) => {
    const file = path.join(await tempFolder(), "release-1.key");
    await writeFile(file, pem("ed25519"));
    expect((await loadSigningKey(file)).keyId).toBe("release-1");
  });

  it.for([
    ["li.pem", "no key", "PKCS#8"],
    ["li.pem", pem("x25519"), "x25519"],
    ["李.pem", pem("ed25519"), "Kaibo-Key"],
    [
      "li.pem",
      generateKeyPairSync("ed25519")
        .privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
        .toString(),
      "passphrase",
    ],
  ] as const)("refuses %s with its reason, and none of its text", async ([name, text, why], { expect }) => {
    const file = path.join(await tempFolder(), name);
    await writeFile(file, text);
    const refused = await loadSigningKey(file).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ message: `${file} is no signing key.`, why: expect.stringContaining(why) });
    expect(JSON.stringify(refused)).not.toContain(text.split("\n")[1] ?? "no key");
  });

  it("says that there is no such file", async ({ expect }) => {
    await expect(loadSigningKey("/nonexistent/li.pem")).rejects.toMatchObject({ why: "There is no such file." });
  });
});
