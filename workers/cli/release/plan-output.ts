/** What the commands around planned releases print for people. Pure but for this machine's time zone. */
import type { Plan } from "../../../shared/contract/release.ts";
import { shortPlan } from "./find-plan.ts";
import { NONE, oneLine, shortVersion, timeOf } from "../format-cells.ts";
import { formatTable } from "../format-table.ts";
import type { Paint, Style } from "../harness/harness-output.ts";
import { PRODUCTION } from "../harness/harness-refs.ts";
import { localTimeOf, spanOf } from "../local-time.ts";
import { ofMerchant } from "./release-output.ts";

const STYLES: Readonly<Record<Plan["status"], Style>> = {
  waiting: "cyan",
  released: "green",
  refused: "red",
  withdrawn: "dim",
};

/** One line each, newest first. */
export function formatPlans(plans: readonly Plan[], nowMs: number): string {
  const rows = plans.map((plan) => [
    shortPlan(plan.id),
    statusOf(plan),
    `${plan.channel}${ofMerchant(plan.merchant)}`,
    shortVersion(plan.expected),
    shortVersion(plan.version),
    plan.dueAtMs === null ? "at once" : localTimeOf(plan.dueAtMs),
    isAhead(plan, nowMs) ? spanOf(plan.dueAtMs - nowMs) : NONE,
    plan.plannedBy,
    plan.approvedBy ?? NONE,
    oneLine(plan.note) || NONE,
  ]);
  const head = ["plan", "status", "channel", "from", "to", "due", "in", "by", "approved", "note"];
  return formatTable([head, ...rows]);
}

/** One plan: what it moves, when, who said so, and whom it may wait for. */
export function formatPlan(plan: Plan, { nowMs, paint }: { readonly nowMs: number; readonly paint: Paint }): string {
  const { id, name, channel, merchant, status, approvedBy } = plan;
  const from = plan.expected === null ? paint("dim", "nothing") : paint("red", shortVersion(plan.expected));
  const move = `${name} ${channel}${ofMerchant(merchant)}: ${from} → ${paint("green", shortVersion(plan.version))}`;
  const rows = [
    ["  due", dueText(plan, nowMs)],
    ["  planned", `by ${plan.plannedBy} ${timeOf(plan.plannedAtMs)}`],
    ["  approved", approvedBy === null ? NONE : `by ${approvedBy}`],
    ["  note", oneLine(plan.note) || NONE],
  ];
  const isOpen = status === "waiting" && approvedBy === null && channel === PRODUCTION;
  const head = `${paint("bold", `plan ${shortPlan(id)}`)} ${paint(STYLES[status], statusOf(plan))}`;
  return `${head}\n${move}\n${formatTable(rows)}${isOpen ? approvalText(plan, nowMs) : ""}`;
}

function statusOf({ status, reason }: Plan): string {
  return reason === null ? status : `${status}: ${reason}`;
}

function dueText(plan: Plan, nowMs: number): string {
  if (plan.dueAtMs === null) return "as soon as it may";
  const time = localTimeOf(plan.dueAtMs);
  return isAhead(plan, nowMs) ? `${time}, in ${spanOf(plan.dueAtMs - nowMs)}` : time;
}

/** Whether releases take two people is the deployment's setting; what is due and still waits shows that they do. */
function approvalText(plan: Plan, nowMs: number): string {
  const who = isAhead(plan, nowMs)
    ? "Where production takes two people, somebody else approves it"
    : "Somebody else approves it";
  return `${who}: npx kaibo harness approve ${plan.name} ${shortPlan(plan.id)}\n`;
}

function isAhead(plan: Plan, nowMs: number): plan is Plan & { readonly dueAtMs: number } {
  return plan.status === "waiting" && plan.dueAtMs !== null && plan.dueAtMs > nowMs;
}
