/** Signatures of versions: Ed25519 over the version's name and digest, by WebCrypto, which Workers and Node both have. */
import type { HarnessVersion } from "../shared/contract/ids.ts";
import type { BundleSignature } from "../shared/contract/release.ts";
import { AppError } from "../shared/errors/app-error.ts";

/** Public keys that the deployment trusts, by id: 32 raw bytes. Empty: signatures are kept, and asked of nobody. */
export type TrustedKeys = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

type Signed = { readonly name: string; readonly version: HarnessVersion };

/** @param privateKey - Ed25519, with the usage `sign`. */
export async function signVersion(
  signed: Signed,
  { keyId, privateKey }: { readonly keyId: string; readonly privateKey: CryptoKey },
): Promise<BundleSignature> {
  const bytes = new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, textOf(signed)));
  return { keyId, signature: btoa(String.fromCharCode(...bytes)) };
}

/**
 * Lets a version pass that a trusted key has signed, or any where no keys are set.
 *
 * @throws AppError `harness_unsigned` - keys are set, and there is no signature.
 * @throws AppError `harness_signature_invalid` - the key is not one of them, or it did not sign this version.
 */
export async function requireSignature(
  keys: TrustedKeys,
  signed: Signed,
  signature: BundleSignature | null,
): Promise<void> {
  if (keys.size === 0) return;
  const details = { name: signed.name, version: signed.version };
  if (signature === null) throw new AppError("harness_unsigned", "The version has no signature", { details });
  const key = keys.get(signature.keyId);
  if (key === undefined || !(await verifies(key, signed, signature.signature))) {
    throw new AppError("harness_signature_invalid", "No trusted key has signed this version", { details });
  }
}

async function verifies(publicKey: Uint8Array<ArrayBuffer>, signed: Signed, signature: string): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
    const bytes = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0));
    return await crypto.subtle.verify("Ed25519", key, bytes, textOf(signed));
  } catch {
    // What is no base64, or no point of the curve, has signed nothing.
    return false;
  }
}

function textOf({ name, version }: Signed): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(`kaibo.harness/1:${name}:${version}`));
}
