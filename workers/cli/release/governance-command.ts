/** What governors own of a harness's releases: `kaibo harness limits` and `backup`, and the report on its canaries. */
import { canaryLimitsSchema, type CanaryLimits } from "../../../shared/contract/canary-limits.ts";
import { backupSchema, canaryReportSchema, type CanaryReport } from "../../../shared/contract/release.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { resolveVersion, routeOf } from "../harness/find-version.ts";
import type { BackupChoice, GovernanceCommand, LimitChanges } from "./governance-options.ts";
import { formatBackup, formatLimits, formatReport } from "./governance-output.ts";
import type { ReleasePorts } from "./release-command.ts";

type Asked<Action extends GovernanceCommand["action"]> = Extract<GovernanceCommand, { action: Action }>;
type Ports = Omit<ReleasePorts, "openApi"> & { readonly api: EdgeApi };

/** Operators release; how they are watched is not theirs to say. */
const FOR_GOVERNORS = { forbidden: "Governors alone set it: give a governor's token with --token, or KAIBO_TOKEN." };

/** @throws CliError - the instance refused, or there is no such version. */
export async function runGovernance(command: GovernanceCommand, { openApi, ...output }: ReleasePorts): Promise<void> {
  const ports = { ...output, api: await openApi(command, isSetting(command) ? "governor" : "operator") };
  switch (command.action) {
    case "report":
      return report(command, ports);
    case "limits":
      return limits(command, ports);
    case "backup":
      return backup(command, ports);
  }
}

function isSetting(command: GovernanceCommand): boolean {
  if (command.action === "report") return false;
  return (command.action === "limits" ? command.changes : command.backup) !== null;
}

async function report({ harness, json }: Asked<"report">, { api, out, paint }: Ports): Promise<void> {
  const read = await readReport(api, harness);
  out(json ? `${JSON.stringify(read)}\n` : formatReport(read, paint));
}

async function readReport(api: EdgeApi, harness: string): Promise<CanaryReport> {
  const read = await api.call("GET", `${routeOf(harness)}/canary`, { answer: canaryReportSchema });
  return expectOk(read, `How the canaries of ${harness} do could not be read.`);
}

async function limits({ harness, changes, json }: Asked<"limits">, { api, out, paint }: Ports): Promise<void> {
  const { limits: before } = await readReport(api, harness);
  const now = changes === null ? before : await setLimits(api, harness, withChanges(before, changes));
  out(json ? `${JSON.stringify({ name: harness, limits: now })}\n` : formatLimits(harness, { before, now }, paint));
}

/** The route takes all limits at once, and what it is not given is the default again. */
function withChanges({ margins, ...limits }: CanaryLimits, changes: LimitChanges): CanaryLimits {
  return {
    alpha: changes.alpha ?? limits.alpha,
    turnsMin: changes["turns-min"] ?? limits.turnsMin,
    roomsMin: changes["rooms-min"] ?? limits.roomsMin,
    slowMs: changes["slow-ms"] ?? limits.slowMs,
    margins: {
      error: changes.error ?? margins.error,
      fallback: changes.fallback ?? margins.fallback,
      blocked: changes.blocked ?? margins.blocked,
      slow: changes.slow ?? margins.slow,
    },
  };
}

async function setLimits(api: EdgeApi, harness: string, body: CanaryLimits): Promise<CanaryLimits> {
  const set = await api.call("PUT", `${routeOf(harness)}/canary-limits`, { body, answer: canaryLimitsSchema });
  return expectOk(set, `The limits of ${harness} were not set.`, FOR_GOVERNORS);
}

async function backup(command: Asked<"backup">, { api, out, paint }: Ports): Promise<void> {
  const { harness, json } = command;
  const kept = command.backup === null ? await readBackup(api, harness) : await setBackup(api, harness, command.backup);
  out(json ? `${JSON.stringify(kept)}\n` : formatBackup(kept, paint));
}

async function readBackup(api: EdgeApi, harness: string) {
  const read = await api.call("GET", `${routeOf(harness)}/backup`, { answer: backupSchema });
  return expectOk(read, `The backup of ${harness} could not be read.`);
}

async function setBackup(api: EdgeApi, harness: string, { version: ref }: BackupChoice) {
  const route = `${routeOf(harness)}/backup`;
  const version = ref === null ? null : await resolveVersion(api, harness, ref);
  const set = await (version === null
    ? api.call("DELETE", route, { answer: backupSchema })
    : api.call("PUT", route, { body: { version }, answer: backupSchema }));
  return expectOk(set, `The backup of ${harness} was not set.`, FOR_GOVERNORS);
}
