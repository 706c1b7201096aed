/** Releases for a later time, or for a second person: `kaibo harness plan`, `plans`, `approve`, `withdraw`. */
import { planSchema, type Plan } from "../../../shared/contract/release.ts";
import type { Clock } from "../../../shared/core/clock.ts";
import { CliError } from "../cli-error.ts";
import { expectOk, toCliError, type EdgeApi } from "../edge-api.ts";
import { plansOf, resolvePlan, shortPlan } from "./find-plan.ts";
import { resolveVersion, routeOf } from "../harness/find-version.ts";
import { shortVersion } from "../format-cells.ts";
import { localTimeOf } from "../local-time.ts";
import type { PlanCommand } from "./plan-options.ts";
import { formatPlan, formatPlans } from "./plan-output.ts";
import { usage } from "../read-options.ts";
import { readReleases, servedBy } from "./read-releases.ts";
import type { ReleasePorts } from "./release-command.ts";

export type PlanPorts = ReleasePorts & { readonly clock: Clock };

type Asked<Action extends PlanCommand["action"]> = Extract<PlanCommand, { action: Action }>;
type Ports = Omit<PlanPorts, "openApi"> & { readonly api: EdgeApi };

/** @throws CliError - the instance refused, the time is past, or what was planned was due and could not be done. */
export async function runPlan(command: PlanCommand, { openApi, ...output }: PlanPorts): Promise<void> {
  if (command.action === "plan") requireFuture(command, output.clock);
  const ports = { ...output, api: await openApi(command, "operator") };
  switch (command.action) {
    case "plan":
      return plan(command, ports);
    case "plans":
      return list(command, ports);
    case "approve":
    case "withdraw":
      return decide(command, ports);
  }
}

function requireFuture({ due }: Asked<"plan">, clock: Clock): void {
  const nowMs = clock.nowMs();
  if (due?.type !== "at" || due.atMs > nowMs) return;
  throw usage(
    `${localTimeOf(due.atMs)} is past.`,
    `It is ${localTimeOf(nowMs)} now.`,
    "For at once: npx kaibo harness release <name> <version>",
  );
}

async function plan(command: Asked<"plan">, ports: Ports): Promise<void> {
  const { api, clock } = ports;
  const { harness, channel, merchant, due, note } = command;
  const version = await resolveVersion(api, harness, command.version);
  const expected = await expectedOf(api, command);
  if (expected === version) {
    throw new CliError(`${harness} ${channel} serves ${shortVersion(version)} already.`, {
      why: "A plan that changes nothing would only make it forget what it served before.",
      next: `npx kaibo harness show ${harness}`,
    });
  }
  const dueAtMs = due?.type === "in" ? clock.nowMs() + due.spanMs : due?.atMs;
  const body = { channel, merchant, version, expected, note, ...(dueAtMs !== undefined && { dueAtMs }) };
  const made = await api.call("POST", `${routeOf(harness)}/plans`, { body, answer: planSchema });
  tell(expectOk(made, `The release of ${harness} was not planned.`), command, ports);
}

async function expectedOf(api: EdgeApi, { harness, expected, ...scope }: Asked<"plan">): Promise<string | null> {
  if (expected === undefined) return servedBy(await readReleases(api, harness), scope);
  return expected === null ? null : resolveVersion(api, harness, expected);
}

async function list({ harness, status, limit, json }: Asked<"plans">, { api, out, clock }: Ports): Promise<void> {
  const plans: Plan[] = [];
  for await (const planned of plansOf(api, harness, status)) {
    plans.push(planned);
    if (plans.length === limit) break;
  }
  if (json) return out(`${JSON.stringify({ name: harness, plans })}\n`);
  if (plans.length > 0) return out(formatPlans(plans, clock.nowMs()));
  out(status === null ? `${harness} has no plans\n` : `${harness} has no plan that is ${status}\n`);
}

async function decide(command: Asked<"approve" | "withdraw">, ports: Ports): Promise<void> {
  const { harness, action } = command;
  const id = await resolvePlan(ports.api, harness, command.plan);
  const route = `${routeOf(harness)}/plans/${id}`;
  const [method, path] = action === "approve" ? (["POST", `${route}/approve`] as const) : (["DELETE", route] as const);
  const decided = await ports.api.call(method, path, { answer: planSchema });
  const what = `Plan ${shortPlan(id)} of ${harness} was not ${action === "approve" ? "approved" : "withdrawn"}.`;
  const next = {
    release_not_found: `npx kaibo harness plans ${harness}`,
    ...(action === "approve" && {
      forbidden:
        "Somebody else approves it, an operator or a governor with a token of their own: --token, or KAIBO_TOKEN.",
    }),
  };
  tell(expectOk(decided, what, next), command, ports);
}

/** @throws CliError - it was due, and something stood against it. */
function tell(planned: Plan, { json }: Pick<PlanCommand, "json">, { out, paint, clock }: Ports): void {
  out(json ? `${JSON.stringify(planned)}\n` : formatPlan(planned, { nowMs: clock.nowMs(), paint }));
  if (planned.status !== "refused") return;
  const code = planned.reason ?? "internal";
  const what = `Channel ${planned.channel} of ${planned.name} was not moved, and the plan has ended.`;
  throw toCliError(what, { code, title: "This stood against it", details: {} });
}
