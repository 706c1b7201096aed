/** What `kaibo harness canary`, `limits` and `backup` print for people. Pure. */
import type { z } from "zod";
import { canaryMetricSchema, type CanaryLimits, type CanaryMetric } from "../../../shared/contract/canary-limits.ts";
import type { backupSchema, CanaryReport } from "../../../shared/contract/release.ts";
import { oneLine, shortVersion, timeOf } from "../format-cells.ts";
import { formatTable } from "../format-table.ts";
import type { LimitOption } from "./governance-options.ts";
import type { Paint } from "../harness/harness-output.ts";
import { ofMerchant } from "./release-output.ts";

type CanaryView = CanaryReport["canaries"][number];

/** From this on, evidence is told by its size alone. */
const CAPITAL_EXACT_MAX = 1_000_000;

const METRIC_ABOUT: Readonly<Record<CanaryMetric, string>> = {
  error: "no runner lived, or the code threw",
  fallback: "a line stood for the answer",
  blocked: "a hook refused a sentence or the turn",
  slow: "it took longer than slow-ms",
};

/** How each canary does against production, and which ones were rolled back without being asked. */
export function formatReport(report: CanaryReport, paint: Paint): string {
  const { name, canaries, rolledBack, untoldRooms } = report;
  const ended = rolledBack.map(({ merchant, version, reason, atMs }) => [
    shortVersion(version),
    merchant === "*" ? "all" : merchant,
    timeOf(atMs),
    oneLine(reason),
  ]);
  const parts = [
    canaries.length === 0 ? "no canary\n" : "",
    ...canaries.map((canary) => formatCanary(canary, report.limits, paint)),
    ended.length === 0 ? "" : formatPart(["rolled back", "of", "when", "why"], ended, paint),
    untoldRooms === 0 ? "" : `${paint("red", `${untoldText(untoldRooms)} not told of a release yet`)}\n`,
  ];
  return `${paint("bold", name)}\n${parts.filter((part) => part !== "").join("\n")}`;
}

function formatCanary({ merchant, version, turns, pairs, metrics }: CanaryView, limits: CanaryLimits, paint: Paint) {
  const counts = `${turns.canary} turns, ${turns.baseline} of production beside them, ${pairs} compared`;
  const rows = canaryMetricSchema.options.map((metric) => {
    const { canaryRate, baselineRate, margin, capital, bar, rooms } = metrics[metric];
    const evidence = `${capitalOf(capital)} of ${capitalOf(bar)}`;
    return [metric, percentOf(canaryRate), percentOf(baselineRate), percentOf(margin), evidence, `${rooms}`];
  });
  const head = ["event", "canary", "production", "may be more by", "evidence", "rooms"];
  const early = turns.canary < limits.turnsMin ? `no verdict before ${limits.turnsMin} turns\n` : "";
  const title = `canary${ofMerchant(merchant)} ${shortVersion(version)}`;
  return `${paint("cyan", title)}: ${counts}\n${formatPart(head, rows, paint)}${early}`;
}

function formatPart(head: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const [first = "", ...others] = formatTable([head, ...rows]).split("\n");
  return [paint("dim", first), ...others].join("\n");
}

function percentOf(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** `3.2`, `400`, `1.0e+12`. */
function capitalOf(capital: number): string {
  if (capital >= CAPITAL_EXACT_MAX) return capital.toExponential(1);
  return `${Number(capital.toFixed(1))}`;
}

function untoldText(rooms: number): string {
  return rooms === 1 ? "1 room was" : `${rooms} rooms were`;
}

/** A row for each limit, by the option that sets it, and what it was where it is another now. */
export function formatLimits(
  name: string,
  { before, now }: { readonly before: CanaryLimits; readonly now: CanaryLimits },
  paint: Paint,
): string {
  const old = new Map(limitRows(before).map(([option, value]) => [option, value] as const));
  const rows = limitRows(now).map(([option, value, about]) => {
    const was = old.get(option) ?? value;
    return [`  ${option}`, was === value ? `${value}` : `${was} → ${value}`, about];
  });
  return `${paint("bold", name)}: when a canary is rolled back\n${formatTable(rows)}`;
}

function limitRows({ alpha, turnsMin, roomsMin, slowMs, margins }: CanaryLimits): [LimitOption, number, string][] {
  return [
    ...canaryMetricSchema.options.map((metric): [LimitOption, number, string] => [
      metric,
      margins[metric],
      `share of turns more than production's: ${METRIC_ABOUT[metric]}`,
    ]),
    ["slow-ms", slowMs, "a turn that takes longer is slow, ms"],
    ["turns-min", turnsMin, "turns of the canary before any verdict"],
    ["rooms-min", roomsMin, "rooms of the canary that the event was seen in"],
    ["alpha", alpha, "chance that one within its margins is rolled back all the same"],
  ];
}

/** Which version rooms get when theirs is damaged. */
export function formatBackup({ name, version }: z.infer<typeof backupSchema>, paint: Paint): string {
  if (version === null) return `${name} has no backup: a room does not open when its version is damaged\n`;
  return `${name}: rooms that open get ${paint("green", shortVersion(version))} when their version is damaged\n`;
}
