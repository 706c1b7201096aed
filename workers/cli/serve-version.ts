/** A harness's way into an instance: a version is added, then a channel is moved to it. */
import type { z } from "zod";
import type { HarnessBundle } from "../../shared/contract/harness-bundle.ts";
import { channelMovedSchema, channelSchema, versionPushedSchema } from "../../shared/contract/http-api.ts";
import { expectOk, type EdgeApi } from "./edge-api.ts";

/** Adds a version. The same content again is the same version. */
export async function pushVersion(api: EdgeApi, bundle: HarnessBundle): Promise<z.infer<typeof versionPushedSchema>> {
  const pushed = await api.call("POST", "/v1/harnesses", { body: bundle, answer: versionPushedSchema });
  return expectOk(pushed, `Harness ${bundle.name} was refused.`);
}

/**
 * Moves a channel to a version, unless it serves it.
 *
 * @returns Whether it had to be moved.
 */
export async function serveVersion(
  api: EdgeApi,
  { name, channel, version }: { name: string; channel: string; version: string },
): Promise<boolean> {
  const route = `/v1/harnesses/${encodeURIComponent(name)}/channels/${encodeURIComponent(channel)}`;
  const current = await api.call("GET", route, { answer: channelSchema });
  const isNew = !current.ok && current.error.code === "harness_channel_not_found";
  const expected = isNew ? null : expectOk(current, `Channel ${channel} of ${name} could not be read.`).version;
  if (expected === version) return false;
  const moved = await api.call("PUT", route, { body: { version, expected }, answer: channelMovedSchema });
  expectOk(moved, `Channel ${channel} of ${name} was not moved.`);
  return true;
}
