/** Every KV key of the registry. Nothing else builds one. Shapes and lifetimes: harness-kv/README.md. */
import type { HarnessChannel, HarnessVersion } from "../shared/contract/ids.ts";

/** `harness:<sha256>` → canonical JSON of the bundle. Never changes, never expires. */
export function bundleKey(version: HarnessVersion): string {
  return `harness:${version}`;
}

/**
 * `channel:<name>:<channel>` → version, a copy for people who look into KV. No room reads it: KV may serve an old value
 * for a minute or more, so the pointer that counts is D1's.
 */
export function channelKey(name: string, channel: HarnessChannel): string {
  return `channel:${name}:${channel}`;
}

/**
 * `endpoints` → JSON of all inference endpoints, a copy of D1's table. One value, because a turn chooses between all of
 * them. Turns read it: an endpoint may be a minute or more behind, as a turn that meets an old one asks the next.
 */
export const ENDPOINTS_KEY = "endpoints";
