/** What the commands around releases print for people. Pure. */
import type { z } from "zod";
import { gateConditionSchema, type gateSchema, type Pin, type ToldRooms } from "../../../shared/contract/release.ts";
import type { VersionSummary } from "../harness/find-version.ts";
import { NONE, oneLine, shortVersion, timeOf } from "../format-cells.ts";
import { formatTable } from "../format-table.ts";
import type { Paint } from "../harness/harness-output.ts";
import type { Releases, Serving } from "./read-releases.ts";

export type Gate = z.infer<typeof gateSchema>;

export type ServedVersion = VersionSummary & { readonly serves: Serving };

/** All that is known of one version. */
export type VersionView = ServedVersion & {
  readonly name: string;
  readonly pins: readonly Pin[];
  /** `null`: it was revoked, and nobody judges it any more. */
  readonly gate: Gate | null;
};

export type Overview = Releases & { readonly pins: readonly Pin[] };

/** One line each, newest first. What people wrote stands last: its letters may be two columns wide. */
export function formatVersions(versions: readonly ServedVersion[]): string {
  const rows = versions.map((version) => [
    shortVersion(version.version),
    timeOf(version.createdAtMs),
    version.createdBy,
    version.revokedAtMs === null ? labelsOf(version.serves).join(", ") || NONE : "revoked",
    oneLine(version.notes === "" ? version.description : version.notes),
  ]);
  return formatTable([["version", "pushed", "by", "serves", "notes"], ...rows]);
}

function labelsOf({ channels, canaries }: Serving): string[] {
  return [
    ...channels.map(({ channel, merchant }) => `${channel}${ofMerchant(merchant)}`),
    ...canaries.map(({ merchant, ...canary }) => `canary ${reachOf(canary)}${ofMerchant(merchant)}`),
  ];
}

/** `5 %`, `5 % and 2 rooms`, `2 rooms`. */
function reachOf({ share, rooms }: { readonly share: number; readonly rooms: readonly string[] }): string {
  const named = rooms.length === 0 ? [] : [`${rooms.length} ${rooms.length === 1 ? "room" : "rooms"}`];
  return [...(share > 0 || named.length === 0 ? [`${share} %`] : []), ...named].join(" and ");
}

/** What follows the name of a channel or a canary. */
export function ofMerchant(merchant: string): string {
  return merchant === "*" ? "" : ` of ${merchant}`;
}

/** Channels, canaries, freezes and pins of a harness, each with who set it. */
export function formatOverview({ name, channels, canaries, freezes, pins }: Overview, paint: Paint): string {
  const frozen = freezes.map(({ merchant, reason, frozenBy, frozenAtMs }) => {
    const scope = merchant === "*" ? "frozen" : `frozen for ${merchant}`;
    return `${paint("cyan", scope)} ${whoAndWhen(frozenBy, frozenAtMs)}: ${oneLine(reason)}\n`;
  });
  const channelRows = channels.map((row) => [
    `${row.channel}${ofMerchant(row.merchant)}`,
    shortVersion(row.version),
    shortVersion(row.previous),
    whoAndWhen(row.movedBy, row.movedAtMs),
  ]);
  const canaryRows = canaries.map((row) => [
    `${reachOf(row)}${ofMerchant(row.merchant)}`,
    shortVersion(row.version),
    row.rooms.join(",") || NONE,
    whoAndWhen(row.setBy, row.setAtMs),
  ]);
  const parts = [
    frozen.join(""),
    formatPart(["channel", "serves", "before", "moved"], channelRows, paint),
    formatPart(["canary", "version", "rooms", "set"], canaryRows, paint),
    formatPart(["pin", "version", "pinned", "note"], pins.map(pinRow), paint),
  ].filter((part) => part !== "");
  return `${paint("bold", name)}\n${parts.join("\n")}`;
}

function pinRow({ scope, id, version, note, pinnedBy, pinnedAtMs }: Pin): string[] {
  return [`${scope} ${id}`, shortVersion(version), whoAndWhen(pinnedBy, pinnedAtMs), oneLine(note) || NONE];
}

/** Nothing where there are no rows. */
function formatPart(head: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  if (rows.length === 0) return "";
  const [first = "", ...others] = formatTable([head, ...rows]).split("\n");
  return [paint("dim", first), ...others].join("\n");
}

function whoAndWhen(who: string, atMs: number): string {
  return `by ${who} ${timeOf(atMs)}`;
}

/** Where a version comes from, what it serves, and what the gate says of it. */
export function formatVersion(view: VersionView, paint: Paint): string {
  const { version, description, parent, notes, signature, serves, pins, gate, revokedAtMs } = view;
  const { clusterIds, caseIds, traceIds } = view.evidence;
  const evidence = [
    [clusterIds.length, "groups of complaints"],
    [caseIds.length, "cases"],
    [traceIds.length, "turns"],
  ] as const;
  const told = evidence.flatMap(([count, of]) => (count === 0 ? [] : [`${count} ${of}`]));
  const pinned = pins.map(({ scope, id }) => `${scope} ${id}`);
  const rows = [
    ["description", oneLine(description)],
    ["pushed", whoAndWhen(view.createdBy, view.createdAtMs)],
    ["parent", shortVersion(parent)],
    ["notes", oneLine(notes) || NONE],
    ["evidence", told.join(", ") || NONE],
    ["signature", signature === null ? NONE : `key ${signature.keyId}`],
    ["bytes", `${view.bytes}`],
    ["serves", labelsOf(serves).join(", ") || NONE],
    ["pinned", pinned.join(", ") || NONE],
  ];
  const state = revokedAtMs === null ? "" : ` ${paint("red", `revoked ${timeOf(revokedAtMs)}`)}`;
  const table = formatTable(rows.map(([label = "", value = ""]) => [`  ${label}`, value]));
  return `${paint("bold", `${view.name} ${version}`)}${state}\n${table}${gate === null ? "" : formatGate(gate, paint)}`;
}

/** A line for each condition: holds, does not hold, or not judged. */
export function formatGate({ isOpen, results }: Gate, paint: Paint): string {
  const lines = gateConditionSchema.options.map((condition) => {
    const result = results.find((known) => known.condition === condition);
    if (result === undefined) return `  - ${condition} ${paint("dim", "not judged")}\n`;
    const details = Object.entries(result.details).map(([name, value]) => `${name}=${value}`);
    const about = [oneLine(details.join(", ")), whoAndWhen(result.judgedBy, result.judgedAtMs)];
    const mark = result.ok ? paint("green", "✓") : paint("red", "✗");
    return `  ${mark} ${condition} ${paint("dim", about.filter((part) => part !== "").join("; "))}\n`;
  });
  return `gate ${isOpen ? paint("green", "open") : paint("red", "closed")}\n${lines.join("")}`;
}

export type Moved = {
  readonly name: string;
  readonly channel: string;
  readonly merchant: string;
  readonly version: string;
  readonly previous: string | null;
};

/** What a channel serves now, and what it served. */
export function formatMoved({ name, channel, merchant, version, previous }: Moved, paint: Paint): string {
  const from = previous === null ? paint("dim", "nothing") : paint("red", shortVersion(previous));
  return `${name} ${channel}${ofMerchant(merchant)}: ${from} → ${paint("green", shortVersion(version))}\n`;
}

/** How many rooms know of it, and which do not. */
export function formatRooms({ updated, failed, faults, isComplete }: ToldRooms, paint: Paint): string {
  const told = `${updated} ${updated === 1 ? "room" : "rooms"} updated`;
  const rest = isComplete ? "" : "Others are still being told.\n";
  if (failed === 0) return `${told}\n${rest}`;
  const named = faults.map(({ room, code }) => `  ${room}: ${code}\n`).join("");
  const more = failed > faults.length ? `  and ${failed - faults.length} more\n` : "";
  return `${told}, ${paint("red", `${failed} failed`)} and keep what they have:\n${named}${more}${rest}`;
}
