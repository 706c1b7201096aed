/** What decides which version a room runs: channels, canaries, freezes, pins. */
import type { z } from "zod";
import { pinListSchema, releasesSchema, type Pin } from "../../../shared/contract/release.ts";
import { CliError } from "../cli-error.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { routeOf } from "../harness/find-version.ts";

export type Releases = z.infer<typeof releasesSchema>;

/** The most that the route gives at once. */
const PAGE_PINS = 100;

/** Pages that are read for one command: a hundred thousand pins, more than there are rooms. */
const PAGES_MAX = 1_000;

/** Channels, canaries and freezes; none for a harness that there is not. */
export async function readReleases(api: EdgeApi, harness: string): Promise<Releases> {
  const read = await api.call("GET", `${routeOf(harness)}/releases`, { answer: releasesSchema });
  return expectOk(read, `What ${harness} serves could not be read.`);
}

/** Every pin, by scope and id. */
export async function readPins(api: EdgeApi, harness: string): Promise<Pin[]> {
  const pins: Pin[] = [];
  let cursor = "";
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const route = `${routeOf(harness)}/pins?limit=${PAGE_PINS}${cursor}`;
    const list = await api.call("GET", route, { answer: pinListSchema });
    const { pins: more, nextCursor } = expectOk(list, `The pins of ${harness} could not be listed.`);
    pins.push(...more);
    if (nextCursor === null) break;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
  return pins;
}

/**
 * What a channel points at for a merchant of its own, or for all (`*`); `null`: there is no such channel. Unlike the
 * channel's own route it tells of a revoked version too, and never of another scope's: that is what a move must expect.
 */
export function servedBy(
  { channels }: Releases,
  { channel, merchant }: { readonly channel: string; readonly merchant: string },
): string | null {
  return channels.find((known) => known.channel === channel && known.merchant === merchant)?.version ?? null;
}

/** As {@link servedBy}. @throws CliError - there is no such channel. */
export async function readServed(
  api: EdgeApi,
  scope: { readonly harness: string; readonly channel: string; readonly merchant: string },
): Promise<string> {
  const { harness, channel, merchant } = scope;
  const version = servedBy(await readReleases(api, harness), scope);
  if (version !== null) return version;
  throw new CliError(`${harness} has no channel ${channel}${merchant === "*" ? "" : ` of merchant ${merchant}`}.`, {
    why: "No version was ever released there.",
    next: `npx kaibo harness show ${harness}`,
  });
}

/** Where a version serves, pins apart. */
export type Serving = {
  readonly channels: readonly { readonly channel: string; readonly merchant: string }[];
  readonly canaries: readonly {
    readonly merchant: string;
    readonly share: number;
    readonly rooms: readonly string[];
  }[];
};

export function servingOf({ channels, canaries }: Releases, version: string): Serving {
  return {
    channels: channels
      .filter((known) => known.version === version)
      .map(({ channel, merchant }) => ({ channel, merchant })),
    canaries: canaries
      .filter((known) => known.version === version)
      .map(({ merchant, share, rooms }) => ({ merchant, share, rooms })),
  };
}
