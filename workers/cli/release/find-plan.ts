/** Planned releases by what people type: the beginning of an id is enough where no other that waits begins so. */
import { planListSchema, type Plan } from "../../../shared/contract/release.ts";
import { CliError } from "../cli-error.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { routeOf } from "../harness/find-version.ts";

/** The most that the route gives at once. */
const PAGE_PLANS = 100;

/** Pages that are read for one command: a hundred thousand plans; more is an instance that never comes to an end. */
const PAGES_MAX = 1_000;

/** Characters of a whole id, a UUID. */
const WHOLE_CHARS = 36;

/** Characters of a plan's id that people need to tell two apart. */
const SHORT_CHARS = 8;

export function shortPlan(id: string): string {
  return id.slice(0, SHORT_CHARS);
}

/**
 * Plans of a harness, newest first; pages are asked for as they are needed.
 *
 * @param status - Those alone; `null`: all.
 * @throws CliError - the instance refused.
 */
export async function* plansOf(api: EdgeApi, harness: string, status: Plan["status"] | null): AsyncGenerator<Plan> {
  let cursor = "";
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const route = `${routeOf(harness)}/plans?limit=${PAGE_PLANS}${status === null ? "" : `&status=${status}`}${cursor}`;
    const list = await api.call("GET", route, { answer: planListSchema });
    const { plans, nextCursor } = expectOk(list, `The plans of ${harness} could not be listed.`);
    yield* plans;
    if (nextCursor === null) return;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

/**
 * The whole id of a plan that waits; asks nobody about one that is whole.
 *
 * @throws CliError - none that waits begins so, or several do.
 */
export async function resolvePlan(api: EdgeApi, harness: string, ref: string): Promise<string> {
  if (ref.length === WHOLE_CHARS) return ref;
  const found: string[] = [];
  for await (const { id } of plansOf(api, harness, "waiting")) {
    if (id.startsWith(ref)) found.push(id);
  }
  const [only, ...others] = found;
  if (only === undefined) {
    throw new CliError(`${harness} has no plan ${ref} that waits.`, {
      why: `None that waits begins with ${ref}.`,
      next: `npx kaibo harness plans ${harness}`,
    });
  }
  if (others.length === 0) return only;
  throw new CliError(`${ref} is not one plan.`, {
    why: `Several of ${harness} begin so: ${found.map((id) => id.slice(0, ref.length + 4)).join(", ")}.`,
    next: "Type more of its id.",
  });
}
