/** Ed25519 keys of those who push: made, kept in a file, and used to sign versions. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { signVersion } from "../../../harness-kv/bundle-signature.ts";
import type { HarnessVersion } from "../../../shared/contract/ids.ts";
import { keyIdSchema, type BundleSignature } from "../../../shared/contract/release.ts";
import { CliError, systemCode } from "../cli-error.ts";

/** Text before the key, which readers of PEM pass over: the id travels with the file. Source: RFC 7468, section 2. */
const KEY_ID_LINE = /^Kaibo-Key: (\S+)$/m;

export type SigningKey = {
  readonly keyId: string;
  readonly sign: (signed: { readonly name: string; readonly version: HarnessVersion }) => Promise<BundleSignature>;
};

export type NewKey = {
  readonly keyId: string;
  readonly file: string;
  /** 32 bytes in base64, as `HARNESS_KEYS` has it. */
  readonly publicKey: string;
};

/**
 * Makes a key pair and writes its private half, for its owner alone.
 *
 * @throws CliError - the file is there already, or cannot be written.
 */
export async function makeKey(keyId: string, file: string): Promise<NewKey> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  try {
    await writeFile(file, `Kaibo-Key: ${keyId}\n${pem.toString()}`, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    const code = systemCode(cause);
    throw new CliError(`${file} was not written.`, {
      why:
        code === "EEXIST"
          ? "There is a file of that name, and a lost key cannot be made again."
          : `The system says ${code}.`,
      next: `npx kaibo keys new ${keyId} --out <another file>`,
      cause,
    });
  }
  return { keyId, file, publicKey: toRaw(publicKey) };
}

/**
 * Reads a private key: PKCS#8 in PEM. Its id stands in the file's first line; one that was made elsewhere is named as its file.
 *
 * @throws CliError - there is no such file, or it holds no such key. Nothing of it is in any text.
 */
export async function loadSigningKey(file: string): Promise<SigningKey> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw noKey(
      file,
      systemCode(cause) === "ENOENT" ? "There is no such file." : `The system says ${systemCode(cause)}.`,
    );
  });
  const key = readPrivateKey(file, text);
  const keyId = keyIdSchema.safeParse(KEY_ID_LINE.exec(text)?.[1] ?? path.basename(file, path.extname(file)));
  if (!keyId.success) {
    throw noKey(file, "Its name says no id: 1 to 64 of A-Z a-z 0-9 _ . -, or a first line `Kaibo-Key: <id>`.");
  }
  const bytes = Uint8Array.from(key.export({ type: "pkcs8", format: "der" }));
  const privateKey = await crypto.subtle.importKey("pkcs8", bytes, "Ed25519", false, ["sign"]);
  return { keyId: keyId.data, sign: (signed) => signVersion(signed, { keyId: keyId.data, privateKey }) };
}

function readPrivateKey(file: string, text: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch {
    // The cause would quote the parser, and says no more.
    throw noKey(file, "It holds no private key in PEM (PKCS#8), or one under a passphrase.");
  }
  if (key.asymmetricKeyType === "ed25519") return key;
  throw noKey(file, `It holds a key of type ${key.asymmetricKeyType}; versions are signed with Ed25519.`);
}

function noKey(file: string, why: string): CliError {
  return new CliError(`${file} is no signing key.`, { why, next: "npx kaibo keys new <id>" });
}

function toRaw(publicKey: KeyObject): string {
  const { x } = publicKey.export({ format: "jwk" });
  return Buffer.from(x ?? "", "base64url").toString("base64");
}
