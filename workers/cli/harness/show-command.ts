/** `kaibo harness list` and `show`: which versions there are, and which of them rooms run. */
import { gateSchema } from "../../../shared/contract/release.ts";
import { CliError } from "../cli-error.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { findVersion, routeOf, versionsOf } from "./find-version.ts";
import type { Paint } from "./harness-output.ts";
import { readPins, readReleases, readServed, servingOf } from "../release/read-releases.ts";
import type { ReleaseCommand, VersionTarget } from "../release/release-options.ts";
import {
  formatOverview,
  formatVersion,
  formatVersions,
  type Gate,
  type ServedVersion,
  type VersionView,
} from "../release/release-output.ts";

type ShowPorts = { readonly api: EdgeApi; readonly out: (text: string) => void; readonly paint: Paint };

/** @throws CliError - there is no such harness, or the instance refused. */
export async function listVersions(
  { harness, limit, json }: Extract<ReleaseCommand, { action: "list" }>,
  { api, out }: ShowPorts,
): Promise<void> {
  const releases = await readReleases(api, harness);
  const versions: ServedVersion[] = [];
  for await (const summary of versionsOf(api, harness)) {
    versions.push({ ...summary, serves: servingOf(releases, summary.version) });
    if (versions.length === limit) break;
  }
  if (versions.length === 0) throw noHarness(harness);
  out(json ? `${JSON.stringify({ name: harness, versions })}\n` : formatVersions(versions));
}

/** @throws CliError - there is no such harness or version, or the instance refused. */
export async function showHarness(
  { harness, target, json }: Extract<ReleaseCommand, { action: "show" }>,
  { api, out, paint }: ShowPorts,
): Promise<void> {
  if (target !== null) {
    const view = await viewOf(api, harness, target);
    return out(json ? `${JSON.stringify(view)}\n` : formatVersion(view, paint));
  }
  const [releases, pins] = await Promise.all([readReleases(api, harness), readPins(api, harness)]);
  const { channels, canaries, freezes } = releases;
  if (channels.length + canaries.length + freezes.length + pins.length === 0) throw servesNothing(harness);
  const overview = { ...releases, pins };
  out(json ? `${JSON.stringify(overview)}\n` : formatOverview(overview, paint));
}

async function viewOf(api: EdgeApi, harness: string, target: VersionTarget): Promise<VersionView> {
  const ref = target.type === "version" ? target.version : await readServed(api, { harness, ...target });
  const [summary, releases, pins] = await Promise.all([
    findVersion(api, harness, ref),
    readReleases(api, harness),
    readPins(api, harness),
  ]);
  const { version, revokedAtMs } = summary;
  return {
    name: harness,
    ...summary,
    serves: servingOf(releases, version),
    pins: pins.filter((pin) => pin.version === version),
    gate: revokedAtMs === null ? await readGate(api, harness, version) : null,
  };
}

/** Which conditions of the gate hold for a version. */
export async function readGate(api: EdgeApi, harness: string, version: string): Promise<Gate> {
  const read = await api.call("GET", `${routeOf(harness)}/versions/${version}/gate`, { answer: gateSchema });
  return expectOk(read, `The gate of ${harness} could not be read.`);
}

function noHarness(harness: string): CliError {
  return new CliError(`There is no harness ${harness}.`, {
    why: "No version of it was ever pushed.",
    next: "npx kaibo harness push <folder>",
  });
}

function servesNothing(harness: string): CliError {
  return new CliError(`${harness} serves nothing.`, {
    why: "It has no channel, no canary, no freeze and no pin.",
    next: `npx kaibo harness list ${harness}`,
  });
}
