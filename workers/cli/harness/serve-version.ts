/** A harness's way into an instance: a version is added, then a channel is moved to it. */
import type { z } from "zod";
import type { HarnessBundle } from "../../../shared/contract/harness-bundle.ts";
import { channelMovedSchema, versionPushedSchema } from "../../../shared/contract/http-api.ts";
import type { BundleSignature } from "../../../shared/contract/release.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { routeOf } from "./find-version.ts";
import { readReleases, servedBy } from "../release/read-releases.ts";

/** What is said of a version when it is pushed. */
export type PushAbout = {
  readonly parent?: string | null;
  readonly notes?: string;
  readonly signature?: BundleSignature | null;
};

export type ChannelMoved = z.infer<typeof channelMovedSchema>;

/** Adds a version. The same content again is the same version, of which the first push has said everything. */
export async function pushVersion(
  api: EdgeApi,
  bundle: HarnessBundle,
  about: PushAbout = {},
): Promise<z.infer<typeof versionPushedSchema>> {
  const body = { schema: "kaibo.push/1", bundle, ...about };
  const pushed = await api.call("POST", "/v1/harnesses", { body, answer: versionPushedSchema });
  return expectOk(pushed, `Harness ${bundle.name} was refused.`);
}

export type ServeRequest = {
  readonly name: string;
  readonly channel: string;
  readonly version: string;
  /** Absent: all that have no channel of their own. */
  readonly merchant?: string;
  /** What the channel must serve for it to be moved; `null`: nothing. Absent: whatever it serves now. */
  readonly expected?: string | null;
};

/**
 * Moves a channel to a version.
 *
 * @returns `null` when it serves the version already: then nothing is asked for, and what it served before stays known.
 */
export async function serveVersion(
  api: EdgeApi,
  { name, channel, version, merchant = "*", ...request }: ServeRequest,
): Promise<ChannelMoved | null> {
  const expected =
    request.expected === undefined ? servedBy(await readReleases(api, name), { channel, merchant }) : request.expected;
  if (expected === version) return null;
  const route = `${routeOf(name)}/channels/${encodeURIComponent(channel)}`;
  const body = { version, expected, merchant };
  const moved = await api.call("PUT", route, { body, answer: channelMovedSchema });
  return expectOk(moved, `Channel ${channel} of ${name} was not moved.`);
}
