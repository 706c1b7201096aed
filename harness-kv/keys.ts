/** Every KV key of the registry. Nothing else builds one. Shapes and lifetimes: harness-kv/README.md. */
import { ALL_MERCHANTS, type HarnessVersion } from "../shared/contract/ids.ts";
import type { ChannelScope } from "./registry-change.ts";

/** `harness:<sha256>` → canonical JSON of the bundle, its signature as the key's metadata. Never changes, never expires. */
export function bundleKey(version: HarnessVersion): string {
  return `harness:${version}`;
}

/**
 * `channel:<name>:<channel>` → version, with `:<merchant>` behind it for a merchant's own; a copy for people who look into KV. No
 * room reads it: KV may serve an old value for a minute or more, so the pointer that counts is D1's.
 */
export function channelKey({ name, channel, merchant }: ChannelScope): string {
  return `channel:${name}:${channel}${merchant === ALL_MERCHANTS ? "" : `:${merchant}`}`;
}

/**
 * `release:<name>` → JSON `{"seq": N}`: the last row of the audit log that may concern the harness's rooms. A room that was not
 * told of a release, because something failed, learns of it from here: with its next turn, a minute or so later.
 */
export function releaseKey(name: string): string {
  return `release:${name}`;
}

/**
 * `endpoints` → JSON of all inference endpoints, a copy of D1's table. One value, because a turn chooses between all of
 * them. Turns read it: an endpoint may be a minute or more behind, as a turn that meets an old one asks the next.
 */
export const ENDPOINTS_KEY = "endpoints";
