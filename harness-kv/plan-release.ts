/** Moves of channels that wait: for their time, for a second person, or for both. */
import { AppError, isAppError } from "../shared/errors/app-error.ts";
import type { ErrorCode } from "../shared/errors/error-codes.ts";
import type { HarnessVersion } from "../shared/contract/ids.ts";
import type { Plan } from "../shared/contract/release.ts";
import { moveChannel, type MovedChannel, type ReleaseDeps } from "./move-channel.ts";
import { recordChange } from "./record-change.ts";
import type { Actor, PlannedMove } from "./registry-change.ts";
import { requireServable, takesTwo } from "./release-rules.ts";

type PlanRef = { readonly name: string; readonly id: string };

/** Failures that say nothing of the plan: it waits on, and is tried again. */
const PASSING: ReadonlySet<ErrorCode> = new Set(["registry_unavailable", "internal"]);

/**
 * Writes down a move that is to be made later. Freeze and gate are asked when it is due.
 *
 * @throws AppError `harness_not_found`, `harness_revoked` - the target is no version of this harness that may serve.
 */
export async function planMove(deps: ReleaseDeps, plan: PlannedMove, by: Actor): Promise<void> {
  const target = { name: plan.name, version: plan.to };
  await requireServable(deps.tables, target);
  if (!(await recordChange(deps, { kind: "plan", ...plan }, by))) await requireServable(deps.tables, target);
}

/**
 * Lets a second person agree.
 *
 * @throws AppError `release_not_found` - there is no such plan, or it is done. `forbidden` - one cannot approve one's own.
 */
export async function approvePlan(deps: ReleaseDeps, ref: PlanRef, by: Actor): Promise<void> {
  if (await recordChange(deps, { kind: "approve-plan", ...ref }, by)) return;
  const plan = await deps.tables.plan(ref.name, ref.id);
  if (plan?.status !== "waiting") throw notWaiting(ref);
  if (plan.plannedBy === by.name) throw new AppError("forbidden", "Who planned it cannot be the one who approves it");
  // Somebody has approved it already: that is what was wanted.
}

/** @throws AppError `release_not_found` - there is no such plan, or it is done. */
export async function withdrawPlan(deps: ReleaseDeps, ref: PlanRef, by: Actor): Promise<void> {
  if (!(await recordChange(deps, { kind: "withdraw-plan", ...ref }, by))) throw notWaiting(ref);
}

/** When a waiting plan can be carried out, ms; null while it waits for a person. */
export function planDueAtMs(plan: Plan, needsTwo: boolean): number | null {
  const waitsForPerson = needsTwo && takesTwo(plan) && plan.approvedBy === null;
  return plan.status !== "waiting" || waitsForPerson ? null : (plan.dueAtMs ?? 0);
}

/**
 * Carries out a plan that is due. What stands against it (a freeze, a closed gate, a channel that somebody has moved since) ends
 * the plan, with that reason: a release that comes late and unlooked-for is worse than none.
 *
 * @returns The move; null when the plan was refused, or is done already.
 * @throws AppError `registry_unavailable` - it waits on.
 */
export async function runPlan(
  deps: ReleaseDeps & { readonly load: (version: HarnessVersion) => Promise<unknown> },
  plan: Plan,
): Promise<MovedChannel | null> {
  const { id, name, channel, merchant, expected, version: to, plannedBy } = plan;
  const by: Actor = { name: plannedBy, audience: "rollout" };
  try {
    // What cannot run must not serve.
    await deps.load(to);
    return await moveChannel(deps, { name, channel, merchant, expected, to, plan: id }, by);
  } catch (thrown) {
    if (!isAppError(thrown) || PASSING.has(thrown.code)) throw thrown;
    await recordChange(deps, { kind: "refuse-plan", name, id, reason: thrown.code }, by);
    return null;
  }
}

function notWaiting({ name, id }: PlanRef): AppError {
  return new AppError("release_not_found", "There is no such plan that waits", { details: { name, id } });
}
