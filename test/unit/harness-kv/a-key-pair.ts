import type { TrustedKeys } from "../../../harness-kv/bundle-signature.ts";

export type KeyPair = { readonly keyId: string; readonly privateKey: CryptoKey; readonly keys: TrustedKeys };

/** A fresh Ed25519 pair, its public half as the deployment's one trusted key. */
export async function aKeyPair(keyId = "release-1"): Promise<KeyPair> {
  const generated = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in generated)) throw new Error("Ed25519 gives a pair");
  const raw = await crypto.subtle.exportKey("raw", generated.publicKey);
  if (!(raw instanceof ArrayBuffer)) throw new Error("raw keys are bytes");
  return { keyId, privateKey: generated.privateKey, keys: new Map([[keyId, new Uint8Array(raw)]]) };
}
