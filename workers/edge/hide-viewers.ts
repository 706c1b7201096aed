/** Viewers' platform ids end here: rooms, records and whoever follows a room know viewers by a pseudonym alone. */
import { base64url } from "jose";
import type { ViewerMessage } from "../../shared/contract/message.ts";

/** Of the keyed hash. That any two of a billion viewers share a pseudonym has a chance below 1 in 10^20. */
const PSEUDONYM_BYTES = 16;

/** Separates this use of the secret from all others. A change would make strangers of all viewers. */
const KEY_PURPOSE = "kaibo viewer pseudonym 1";

const keys = new WeakMap<Uint8Array, Promise<CryptoKey>>();

/**
 * The messages with each viewer's id as its pseudonym: `v_` and 22 characters of base64url, HMAC-SHA-256 of the id. The same
 * viewer has the same pseudonym in every room; without the secret, no list of ids leads from one to the other.
 */
export async function hideViewers(messages: readonly ViewerMessage[], secret: Uint8Array): Promise<ViewerMessage[]> {
  return Promise.all(
    messages.map(async (message) => {
      const { viewer } = message;
      return viewer === undefined
        ? message
        : { ...message, viewer: { ...viewer, id: await hideViewer(viewer.id, secret) } };
    }),
  );
}

async function hideViewer(id: string, secret: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.sign("HMAC", await keyOf(secret), new TextEncoder().encode(id));
  return `v_${base64url.encode(new Uint8Array(hash, 0, PSEUDONYM_BYTES))}`;
}

/** Made once an isolate: the settings keep one array for each secret. */
function keyOf(secret: Uint8Array): Promise<CryptoKey> {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const made = deriveKey(secret);
  keys.set(secret, made);
  return made;
}

async function deriveKey(secret: Uint8Array): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode(KEY_PURPOSE) };
  return crypto.subtle.deriveKey(how, base, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign"]);
}
