import { ALL_MERCHANTS, type HarnessVersion } from "../shared/contract/ids.ts";
import { gateConditionSchema, type GateResult } from "../shared/contract/release.ts";
import { AppError } from "../shared/errors/app-error.ts";
import type { ChannelMove } from "./registry-change.ts";
import type { RegistryTables } from "./registry-store.ts";
import { RELEASED_CHANNEL } from "./resolve-harness.ts";

type Tables = Pick<RegistryTables, "versionSummary" | "freeze" | "gateResults" | "plan">;

/**
 * @throws AppError `harness_not_found` - there is no such version of this harness.
 * @throws AppError `harness_revoked` - it must not serve any more.
 */
export async function requireServable(
  { versionSummary }: Pick<Tables, "versionSummary">,
  { name, version }: { readonly name: string; readonly version: HarnessVersion },
): Promise<void> {
  const row = await versionSummary(version);
  const details = { name, version };
  if (row?.name !== name) throw new AppError("harness_not_found", "This harness has no such version", { details });
  if (row.revokedAtMs !== null) throw new AppError("harness_revoked", "The version was revoked", { details });
}

/** @throws AppError `harness_frozen` - who froze it, or a governor, can lift that. */
export async function requireNoFreeze(
  { freeze }: Pick<Tables, "freeze">,
  { name, merchant }: { readonly name: string; readonly merchant: string },
): Promise<void> {
  const frozen = await freeze(name, merchant);
  if (frozen === null) return;
  const { frozenBy, reason } = frozen;
  throw new AppError("harness_frozen", "Nothing of this harness is released while it is frozen", {
    details: { name, merchant: frozen.merchant, frozenBy, reason },
  });
}

/** @throws AppError `harness_gate_closed` - not all four conditions hold for the version. */
export async function requireOpenGate(
  { gateResults }: Pick<Tables, "gateResults">,
  version: HarnessVersion,
): Promise<void> {
  const missing = missingConditions(await gateResults(version));
  if (missing.length === 0) return;
  throw new AppError("harness_gate_closed", "The version has not passed the gate", {
    details: { version, missing: missing.join(", ") },
  });
}

/**
 * Whether a move is one that two people answer for, where the deployment wants that: of production, but for its very first
 * version, which no room can be following.
 */
export function takesTwo({
  channel,
  merchant,
  expected,
}: Pick<ChannelMove, "channel" | "merchant" | "expected">): boolean {
  return channel === RELEASED_CHANNEL && !(merchant === ALL_MERCHANTS && expected === null);
}

/** @throws AppError `harness_unapproved` - no second person has approved a plan of this very move. */
export async function requireApproval(
  { plan }: Pick<Tables, "plan">,
  move: ChannelMove & { readonly plan?: string },
): Promise<void> {
  const { name, plan: id } = move;
  const planned = id === undefined ? null : await plan(name, id);
  const isIt =
    planned !== null &&
    planned.channel === move.channel &&
    planned.merchant === move.merchant &&
    planned.version === move.to;
  if (isIt && planned.approvedBy !== null && planned.approvedBy !== planned.plannedBy) return;
  throw unapproved(move);
}

/** What one person may not do where releases take two. */
export function unapproved({ name, plan }: { readonly name: string; readonly plan?: string }): AppError {
  return new AppError("harness_unapproved", "Production needs two people: plan the move, and let another approve it", {
    details: { name, ...(plan !== undefined && { plan }) },
  });
}

/** The conditions that do not hold, or that nobody has judged. Empty: the gate is open. */
export function missingConditions(results: readonly Pick<GateResult, "condition" | "ok">[]): readonly string[] {
  return gateConditionSchema.options.filter(
    (wanted) => !results.some(({ condition, ok }) => condition === wanted && ok),
  );
}
