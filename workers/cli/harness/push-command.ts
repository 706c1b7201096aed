/** `kaibo harness push`: a folder becomes a version, and, where it is asked for, what a channel serves. */
import type { HarnessVersion } from "../../../shared/contract/ids.ts";
import type { BundleSignature } from "../../../shared/contract/release.ts";
import type { EdgeApi } from "../edge-api.ts";
import { resolveVersion } from "./find-version.ts";
import type { HarnessCommand } from "./harness-options.ts";
import type { Paint } from "./harness-output.ts";
import { PRODUCTION } from "./harness-refs.ts";
import { readHarness } from "./read-harness.ts";
import type { InstanceOptions } from "../read-options.ts";
import { readReleases, servedBy } from "../release/read-releases.ts";
import { formatMoved, formatRooms } from "../release/release-output.ts";
import { pushVersion, serveVersion, type ChannelMoved } from "./serve-version.ts";
import { loadSigningKey } from "./signing-key.ts";
import { versionOf } from "./version-of.ts";

export type PushPorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  readonly paint: Paint;
  /** Opened by what needs an instance alone. */
  readonly openApi: (options: InstanceOptions) => Promise<EdgeApi>;
  /** File of the key that signs where the command names none; empty or absent: nothing is signed. */
  readonly keyFile?: string | undefined;
};

/** @throws CliError - the folder has faults, the key is none, or the instance refused. */
export async function pushHarness(
  command: Extract<HarnessCommand, { action: "push" }>,
  { out, paint, openApi, keyFile }: PushPorts,
): Promise<void> {
  const { channel, notes, json } = command;
  const { bundle } = await readHarness(command.folder);
  const own = { name: bundle.name, version: await versionOf(bundle) };
  const signature = await sign(own, command.keyFile ?? keyFile);
  const api = await openApi(command);
  const parent = await parentOf(api, own, command.parent);
  const { name, version, created } = await pushVersion(api, bundle, { parent, notes, signature });
  if (!json) out(formatPushed({ name, version, created, signature }));
  const moved = channel === undefined ? null : await serveVersion(api, { name, channel, version });
  if (json) {
    const serving = { channel: channel ?? null, moved: channel === undefined ? null : moved !== null };
    const about = { parent, signedBy: signature?.keyId ?? null, rooms: moved?.rooms ?? null };
    return out(`${JSON.stringify({ name, version, created, ...serving, ...about })}\n`);
  }
  if (channel !== undefined) out(formatServing(channel, moved, paint));
}

async function sign(
  signed: { readonly name: string; readonly version: HarnessVersion },
  file: string | undefined,
): Promise<BundleSignature | null> {
  if (file === undefined || file === "") return null;
  return (await loadSigningKey(file)).sign(signed);
}

/** The version that was named, else the one that production serves; no version comes from itself. */
async function parentOf(
  api: EdgeApi,
  { name, version }: { readonly name: string; readonly version: string },
  ref: string | undefined,
): Promise<string | null> {
  const parent =
    ref === undefined
      ? servedBy(await readReleases(api, name), { channel: PRODUCTION, merchant: "*" })
      : await resolveVersion(api, name, ref);
  return parent === version ? null : parent;
}

type Pushed = {
  readonly name: string;
  readonly version: string;
  readonly created: boolean;
  readonly signature: BundleSignature | null;
};

function formatPushed({ name, version, created, signature }: Pushed): string {
  if (!created) return `${name} ${version} was there already, as its first push described it\n`;
  return `${name} ${version} was added${signature === null ? "" : `, signed with ${signature.keyId}`}\n`;
}

function formatServing(channel: string, moved: ChannelMoved | null, paint: Paint): string {
  if (moved === null) return `channel ${channel} serves it already\n`;
  return formatMoved({ ...moved, merchant: "*" }, paint) + formatRooms(moved.rooms, paint);
}
