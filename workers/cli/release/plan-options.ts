/** Releases that wait, as `kaibo harness plan`, `plans`, `approve` and `withdraw`. Pure: nothing is read or done. */
import { planBodySchema, planStatusSchema, type Plan } from "../../../shared/contract/release.ts";
import { harnessNameOf } from "../harness/harness-refs.ts";
import { readSpan, readTime } from "../local-time.ts";
import { checked, readOptions, usage } from "../read-options.ts";
import {
  askedOf,
  COMMON,
  EXPECTED,
  nameOf,
  onChannel,
  withVersion,
  type HarnessAsked,
  type OnChannel,
} from "./release-words.ts";

/** When a plan is to be carried out: at a time, or so long from when it is made, ms. */
export type Due = { readonly type: "at"; readonly atMs: number } | { readonly type: "in"; readonly spanMs: number };

export type PlanCommand = (
  | ({
      readonly action: "plan";
      readonly version: string;
      /** `null`: as soon as it may. */
      readonly due: Due | null;
      readonly note: string;
    } & OnChannel)
  /** `status`: those alone; `null`: all. */
  | { readonly action: "plans"; readonly status: Plan["status"] | null; readonly limit: number }
  /** `plan`: its id, or the first of it. */
  | { readonly action: "approve" | "withdraw"; readonly plan: string }
) & { readonly name: "plan" } & HarnessAsked;

/** Plans that `plans` shows where nobody says how many, and the most that it shows. */
const LIST_DEFAULT = 20;
const LIST_MAX = 10_000;

/** A whole id, or so much of its beginning that people could not have meant another word. */
const PLAN_REF = /^[0-9a-f][0-9a-f-]{3,35}$/;

const EXAMPLE = 'npx kaibo harness plan live-host 9f2c1a0b --at "2026-12-03 20:00"';

/** By the word after `harness`; each takes what stands after it. @throws CliError with exit code 2 */
export const PLAN_ACTIONS: ReadonlyMap<string, (args: readonly string[]) => PlanCommand> = new Map([
  ["plan", parsePlan],
  ["plans", parsePlans],
  ["approve", (args) => parseNamed("approve", args)],
  ["withdraw", (args) => parseNamed("withdraw", args)],
]);

function parsePlan(args: readonly string[]): PlanCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    ...EXPECTED,
    at: { type: "string" },
    in: { type: "string" },
    note: { type: "string" },
  });
  const { harness, version } = withVersion("plan", positionals);
  const note = checked(planBodySchema.shape.note, values.note ?? "", "--note cannot be.");
  const due = dueOf(values.at, values.in);
  return { name: "plan", ...askedOf(values, harness), action: "plan", version, due, note, ...onChannel(values) };
}

function dueOf(at: string | undefined, after: string | undefined): Due | null {
  if (at !== undefined && after !== undefined)
    throw usage("--at and --in are one too many.", "Name one time.", EXAMPLE);
  if (at !== undefined) {
    const atMs = readTime(at);
    if (atMs !== null) return { type: "at", atMs };
    const why = "It takes a day and a time, in this machine's zone where it names none: 2026-12-03 20:00+08:00.";
    throw usage(`--at ${at} is no time.`, why, EXAMPLE);
  }
  if (after === undefined) return null;
  const spanMs = readSpan(after);
  if (spanMs !== null && spanMs > 0) return { type: "in", spanMs };
  const example = "npx kaibo harness plan live-host 9f2c1a0b --in 2h";
  throw usage(`--in ${after} is no time.`, "It takes a number with s, m, h or d.", example);
}

function parsePlans(args: readonly string[]): PlanCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    status: { type: "string" },
    limit: { type: "string" },
  });
  const limit = Number(values.limit ?? LIST_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX) {
    throw usage(`--limit ${values.limit} cannot be.`, `It is a number of plans, from 1 to ${LIST_MAX}.`);
  }
  const status = values.status === undefined ? null : statusOf(values.status);
  return { name: "plan", ...askedOf(values, nameOf("plans", positionals)), action: "plans", status, limit };
}

function statusOf(text: string): Plan["status"] {
  const parsed = planStatusSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  const example = "npx kaibo harness plans live-host --status waiting";
  throw usage(`--status ${text} is none.`, `Plans are ${planStatusSchema.options.join(", ")}.`, example);
}

function parseNamed(action: "approve" | "withdraw", args: readonly string[]): PlanCommand {
  const { values, positionals } = readOptions(args, COMMON);
  const [name, plan, ...more] = positionals;
  if (name === undefined || plan === undefined || more.length > 0) {
    const why = "It is the name of the harness, and the beginning of the plan's id.";
    throw usage(`\`harness ${action}\` takes a name and a plan.`, why, "npx kaibo harness plans <name>");
  }
  const harness = harnessNameOf(name);
  if (!PLAN_REF.test(plan)) {
    throw usage(
      `"${plan}" is no plan.`,
      "A plan is named by its id, as `harness plans` prints it, or its first 4 digits or more.",
      `npx kaibo harness plans ${harness}`,
    );
  }
  return { name: "plan", ...askedOf(values, harness), action, plan };
}
