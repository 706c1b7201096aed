/** How far canaries may fall behind, and the backup, as `kaibo harness limits` and `backup`. Pure: nothing is read or done. */
import type { z } from "zod";
import { canaryLimitsSchema, canaryMetricSchema } from "../../../shared/contract/canary-limits.ts";
import { versionRefOf } from "../harness/harness-refs.ts";
import { checked, readOptions, usage } from "../read-options.ts";
import { askedOf, COMMON, nameOf, wordsOf, type HarnessAsked } from "./release-words.ts";

/** As they are typed: the margins by the event that they are of. */
export const LIMIT_OPTIONS = ["alpha", "turns-min", "rooms-min", "slow-ms", ...canaryMetricSchema.options] as const;
export type LimitOption = (typeof LIMIT_OPTIONS)[number];
export type LimitChanges = Readonly<Partial<Record<LimitOption, number>>>;

export type GovernanceCommand =
  /** How the canaries do. */
  (
    | { readonly action: "report" }
    /** What is not named stays; `null`: the limits are shown. */
    | { readonly action: "limits"; readonly changes: LimitChanges | null }
    | { readonly action: "backup"; readonly backup: BackupChoice | null }
  ) & { readonly name: "governance" } & HarnessAsked;

/** `version` by its first digits; `null`: none is kept. */
export type BackupChoice = { readonly version: string | null };

const { alpha, turnsMin, roomsMin, slowMs, margins } = canaryLimitsSchema.shape;
const LIMITS: Readonly<Record<LimitOption, z.ZodType<number>>> = {
  alpha,
  "turns-min": turnsMin,
  "rooms-min": roomsMin,
  "slow-ms": slowMs,
  ...margins.unwrap().shape,
};

/** By the word after `harness`; each takes what stands after it. @throws CliError with exit code 2 */
export const GOVERNANCE_ACTIONS: ReadonlyMap<string, (args: readonly string[]) => GovernanceCommand> = new Map([
  ["limits", parseLimits],
  ["backup", parseBackup],
]);

function parseLimits(args: readonly string[]): GovernanceCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    alpha: { type: "string" },
    "turns-min": { type: "string" },
    "rooms-min": { type: "string" },
    "slow-ms": { type: "string" },
    error: { type: "string" },
    fallback: { type: "string" },
    blocked: { type: "string" },
    slow: { type: "string" },
  });
  const changes: Partial<Record<LimitOption, number>> = {};
  for (const option of LIMIT_OPTIONS) {
    const text = values[option];
    if (text === undefined) continue;
    const value = text.trim() === "" ? Number.NaN : Number(text);
    changes[option] = checked(LIMITS[option], value, `--${option} ${text} cannot be.`);
  }
  const asked = askedOf(values, nameOf("limits", positionals));
  return {
    name: "governance",
    ...asked,
    action: "limits",
    changes: Object.keys(changes).length === 0 ? null : changes,
  };
}

function parseBackup(args: readonly string[]): GovernanceCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, none: { type: "boolean" } });
  const { harness, version } = wordsOf("backup", positionals);
  if (version !== undefined && values.none === true) {
    const example = "npx kaibo harness backup live-host --none";
    throw usage("A backup is a version, or none.", "Leave the version or --none out.", example);
  }
  const backup = backupOf(version, values.none ?? false);
  return { name: "governance", ...askedOf(values, harness), action: "backup", backup };
}

function backupOf(version: string | undefined, isNone: boolean): BackupChoice | null {
  if (version !== undefined) return { version: versionRefOf(version) };
  return isNone ? { version: null } : null;
}
