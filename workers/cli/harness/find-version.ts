/** Versions by what people type: their first digits are enough where no other version begins with them. */
import type { z } from "zod";
import { versionListSchema } from "../../../shared/contract/http-api.ts";
import { CliError } from "../cli-error.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { shortVersion } from "../format-cells.ts";

export type VersionSummary = z.infer<typeof versionListSchema>["versions"][number];

/** The most that the route gives at once. */
const PAGE_VERSIONS = 100;

/** Pages that are read for one command: half a million versions; more is an instance that never comes to an end. */
const PAGES_MAX = 5_000;

/** Digits of a whole version. */
const WHOLE_DIGITS = 64;

/** Path of a harness's routes. */
export function routeOf(harness: string): string {
  return `/v1/harnesses/${encodeURIComponent(harness)}`;
}

/**
 * All versions of a harness, newest first; pages are asked for as they are needed.
 *
 * @throws CliError - the instance refused.
 */
export async function* versionsOf(api: EdgeApi, harness: string): AsyncGenerator<VersionSummary> {
  let cursor = "";
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const route = `${routeOf(harness)}/versions?limit=${PAGE_VERSIONS}${cursor}`;
    const list = await api.call("GET", route, { answer: versionListSchema });
    const { versions, nextCursor } = expectOk(list, `The versions of ${harness} could not be listed.`);
    yield* versions;
    if (nextCursor === null) return;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

/**
 * What the registry says of a version.
 *
 * @param ref - The version, or its first digits.
 * @throws CliError - there is none, or there are several that begin so.
 */
export async function findVersion(api: EdgeApi, harness: string, ref: string): Promise<VersionSummary> {
  const found: VersionSummary[] = [];
  for await (const summary of versionsOf(api, harness)) {
    if (summary.version.startsWith(ref)) found.push(summary);
    if (summary.version === ref) break;
  }
  const [only, ...others] = found;
  if (only === undefined) {
    throw new CliError(`${harness} has no version ${shortVersion(ref)}.`, {
      why: `None of its versions begins with ${ref}.`,
      next: `npx kaibo harness list ${harness}`,
    });
  }
  if (others.length === 0) return only;
  throw new CliError(`${ref} is not one version.`, {
    why: `Several of ${harness} begin so: ${found.map(({ version }) => version.slice(0, ref.length + 4)).join(", ")}.`,
    next: "Type more of its digits.",
  });
}

/** The whole version that its first digits stand for; asks nobody about one that is whole. @throws as `findVersion` */
export async function resolveVersion(api: EdgeApi, harness: string, ref: string): Promise<string> {
  return ref.length === WHOLE_DIGITS ? ref : (await findVersion(api, harness, ref)).version;
}
