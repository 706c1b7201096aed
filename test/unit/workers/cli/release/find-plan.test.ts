import { describe, it } from "vitest";
import { plansOf, resolvePlan } from "../../../../../workers/cli/release/find-plan.ts";
import { anEdge, aPlan } from "../an-edge.ts";

const FIRST = "1a2b3c4d-0000-4000-8000-000000000001";
const OTHER = "1a2b3fff-0000-4000-8000-000000000002";
const WAITING = "GET /v1/harnesses/live-host/plans?limit=100&status=waiting";

describe("plansOf", () => {
  it("reads every page, of all states where none is named", async ({ expect }) => {
    const all = "GET /v1/harnesses/live-host/plans?limit=100";
    const { api } = anEdge({
      [all]: { plans: [aPlan(FIRST)], nextCursor: `7.${FIRST}` },
      [`${all}&cursor=7.${FIRST}`]: { plans: [aPlan(OTHER)], nextCursor: null },
    });
    const plans = await Array.fromAsync(plansOf(api, "live-host", null));
    expect(plans.map(({ id }) => id)).toEqual([FIRST, OTHER]);
  });
});

describe("resolvePlan", () => {
  const answers = { [WAITING]: { plans: [aPlan(FIRST), aPlan(OTHER)], nextCursor: null } };

  it("finds the one that waits and begins so", async ({ expect }) => {
    expect(await resolvePlan(anEdge(answers).api, "live-host", "1a2b3c")).toBe(FIRST);
  });

  it("asks nobody about a whole id", async ({ expect }) => {
    const { api, asked } = anEdge({});
    expect(await resolvePlan(api, "live-host", OTHER)).toBe(OTHER);
    expect(asked).toEqual([]);
  });

  it("shows how those differ that begin so, and refuses what none begins with", async ({ expect }) => {
    const { api } = anEdge(answers);
    await expect(resolvePlan(api, "live-host", "1a2b3")).rejects.toMatchObject({
      message: "1a2b3 is not one plan.",
      why: "Several of live-host begin so: 1a2b3c4d-, 1a2b3fff-.",
    });
    await expect(resolvePlan(api, "live-host", "ffff")).rejects.toMatchObject({
      message: "live-host has no plan ffff that waits.",
      next: "npx kaibo harness plans live-host",
    });
  });
});
