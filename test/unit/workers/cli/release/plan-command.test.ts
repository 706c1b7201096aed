import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { parseJson } from "../../../../../shared/core/json.ts";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { runPlan } from "../../../../../workers/cli/release/plan-command.ts";
import { aChannel, runOnEdge, aPlan, refusal, theReleases } from "../an-edge.ts";

const NEW = `9f2c1a0b${"1".repeat(56)}`;
const OLD = `07d1c0de${"3".repeat(56)}`;
const ID = "1a2b3c4d-0000-4000-8000-000000000001";
const BASE = "/v1/harnesses/live-host";
const MAKE = `POST ${BASE}/plans`;
const WAITING = `GET ${BASE}/plans?limit=100&status=waiting`;
const NOW_MS = Date.UTC(2026, 11, 3, 9, 55);
const EIGHT_PM_MS = Date.UTC(2026, 11, 3, 12);

const served = { [`GET ${BASE}/releases`]: theReleases({ channels: [aChannel(OLD)] }) };
const waiting = { [WAITING]: { plans: [aPlan(ID)], nextCursor: null } };

/** Runs `kaibo harness …` against an instance that gives these answers. */
async function kaibo(args: readonly string[], answers: Readonly<Record<string, unknown>>) {
  const command = parseHarness(args);
  if (command.name !== "plan") throw new Error(`${args.join(" ")} is another command`);
  return runOnEdge(answers, (ports) => runPlan(command, { ...ports, clock: { nowMs: () => NOW_MS } }));
}

beforeEach(() => void vi.stubEnv("TZ", "Asia/Shanghai"));
afterEach(() => void vi.unstubAllEnvs());

describe("kaibo harness plan", () => {
  it("plans a move from what the channel serves, and says when, here and how long until", async ({ expect }) => {
    const planned = aPlan(ID, { expected: OLD, dueAtMs: EIGHT_PM_MS, note: "大促" });
    const args = ["plan", "live-host", NEW, "--at", "2026-12-03 20:00", "--note", "大促"];
    const { printed, asked, kinds, failure } = await kaibo(args, { ...served, [MAKE]: planned });
    expect(failure).toBeNull();
    expect(kinds).toEqual(["operator"]);
    expect(asked.at(-1)).toEqual({
      route: MAKE,
      body: {
        channel: "production",
        merchant: "*",
        version: NEW,
        expected: OLD,
        note: "大促",
        dueAtMs: EIGHT_PM_MS,
      },
    });
    expect(printed).toBe(
      "<bold>plan 1a2b3c4d <cyan>waiting\n" +
        "live-host production: <red>07d1c0de → <green>9f2c1a0b\n" +
        "  due       2026-12-03 20:00:00 +08:00, in 2 h 5 min\n" +
        "  planned   by li 2026-01-02T00:00:00Z\n" +
        "  approved  -\n" +
        "  note      大促\n" +
        "Where production takes two people, somebody else approves it: npx kaibo harness approve live-host 1a2b3c4d\n",
    );
  });

  it("counts a span from now, and expects what it is told to, without looking", async ({ expect }) => {
    const planned = aPlan(ID, { channel: "candidate", dueAtMs: NOW_MS + 60_000 });
    const args = ["plan", "live-host", NEW, "--in", "1m", "--channel", "candidate", "--expected", "none"];
    const { printed, asked } = await kaibo(args, { [MAKE]: planned });
    expect(asked).toEqual([
      {
        route: MAKE,
        body: {
          channel: "candidate",
          merchant: "*",
          version: NEW,
          expected: null,
          note: "",
          dueAtMs: NOW_MS + 60_000,
        },
      },
    ]);
    expect(printed).toContain("nothing → <green>9f2c1a0b");
    expect(printed).not.toContain("approve ");
  });

  it("without a time waits for somebody else, or is done at once", async ({ expect }) => {
    const args = ["plan", "live-host", NEW];
    const waits = await kaibo(args, { ...served, [MAKE]: aPlan(ID) });
    expect(waits.asked.at(-1)?.body).not.toHaveProperty("dueAtMs");
    expect(waits.printed).toMatch(/\n {2}due +as soon as it may\n/);
    expect(waits.printed).toMatch(/\nSomebody else approves it: npx kaibo harness approve live-host 1a2b3c4d\n$/);
    const done = await kaibo(args, { ...served, [MAKE]: aPlan(ID, { status: "released" }) });
    expect(done.failure).toBeNull();
    expect(done.printed).toContain("<bold>plan 1a2b3c4d <green>released\n");
    expect(done.printed).not.toContain("npx kaibo harness approve");
  });

  it("refuses a time that is past, before anything is asked", async ({ expect }) => {
    const { kinds, failure } = await kaibo(["plan", "live-host", NEW, "--at", "2026-12-03 17:55"], {});
    expect(failure).toMatchObject({
      message: "2026-12-03 17:55:00 +08:00 is past.",
      next: expect.stringContaining("npx kaibo harness release"),
      exitCode: 2,
    });
    expect(kinds).toEqual([]);
  });

  it("refuses to plan what the channel serves", async ({ expect }) => {
    const { asked, failure } = await kaibo(["plan", "live-host", OLD, "--in", "2h"], served);
    expect(failure).toMatchObject({ message: "live-host production serves 07d1c0de already.", exitCode: 1 });
    expect(asked.map(({ route }) => route)).not.toContain(MAKE);
  });

  it("fails when it was due at once and something stood against it, and prints it all the same", async ({ expect }) => {
    const refused = aPlan(ID, { status: "refused", reason: "harness_gate_closed" });
    const { printed, failure } = await kaibo(["plan", "live-host", NEW, "--json"], { ...served, [MAKE]: refused });
    expect(parseJson(printed)).toEqual(refused);
    expect(failure).toMatchObject({
      why: "This stood against it (harness_gate_closed).",
      next: expect.stringContaining("npx kaibo harness gate"),
      exitCode: 1,
    });
  });
});

describe("kaibo harness plans", () => {
  const plans = [
    aPlan(ID, { dueAtMs: EIGHT_PM_MS, expected: OLD, note: "大促\n二" }),
    aPlan("ffff3c4d-0000-4000-8000-000000000001", {
      merchant: "m-1",
      status: "refused",
      reason: "harness_frozen",
      approvedBy: "wang",
      dueAtMs: 0,
    }),
  ];

  it("has a line for each: what, when, by whom", async ({ expect }) => {
    const answers = { [`GET ${BASE}/plans?limit=100`]: { plans, nextCursor: null } };
    const { printed } = await kaibo(["plans", "live-host"], answers);
    const [head, ...rows] = printed.trimEnd().split("\n");
    expect(head).toMatch(/^plan +status +channel +from +to +due +in +by +approved +note$/);
    expect(rows[0]).toMatch(
      /^1a2b3c4d +waiting +production +07d1c0de +9f2c1a0b +2026-12-03 20:00:00 \+08:00 +2 h 5 min +li +- +大促 二$/,
    );
    expect(rows[1]).toMatch(
      /^ffff3c4d +refused: harness_frozen +production of m-1 +- +9f2c1a0b +1970-01-01 08:00:00 \+08:00 +- +li +wang +-$/,
    );
    const one = await kaibo(["plans", "live-host", "--limit", "1", "--json"], answers);
    expect(parseJson(one.printed)).toEqual({ name: "live-host", plans: plans.slice(0, 1) });
  });

  it("says that there are none", async ({ expect }) => {
    const answers = { [WAITING]: { plans: [], nextCursor: null } };
    const { printed, failure } = await kaibo(["plans", "live-host", "--status", "waiting"], answers);
    expect(failure).toBeNull();
    expect(printed).toBe("live-host has no plan that is waiting\n");
  });
});

describe("kaibo harness approve and withdraw", () => {
  const APPROVE = `POST ${BASE}/plans/${ID}/approve`;

  it("approves the plan that begins so, and says who did", async ({ expect }) => {
    const approved = aPlan(ID, { approvedBy: "wang", dueAtMs: EIGHT_PM_MS });
    const { printed, asked, failure } = await kaibo(["approve", "live-host", "1a2b"], {
      ...waiting,
      [APPROVE]: approved,
    });
    expect(failure).toBeNull();
    expect(asked).toEqual([
      { route: WAITING, body: undefined },
      { route: APPROVE, body: undefined },
    ]);
    expect(printed).toContain("<cyan>waiting\n");
    expect(printed).toMatch(/in 2 h 5 min\n[^]* {2}approved +by wang\n {2}note +-\n$/);
  });

  it("fails when what is due then is refused", async ({ expect }) => {
    const refused = aPlan(ID, { approvedBy: "wang", status: "refused", reason: "channel_moved" });
    const { printed, failure } = await kaibo(["approve", "live-host", ID], { [APPROVE]: refused });
    expect(printed).toContain("<red>refused: channel_moved\n");
    expect(failure).toMatchObject({
      message: "Channel production of live-host was not moved, and the plan has ended.",
      exitCode: 1,
    });
  });

  it("says that somebody else has to, and where plans are that are done", async ({ expect }) => {
    const own = await kaibo(["approve", "live-host", ID], { [APPROVE]: refusal("forbidden", 403) });
    expect(own.failure).toMatchObject({
      message: "Plan 1a2b3c4d of live-host was not approved.",
      next: expect.stringContaining("Somebody else"),
    });
    const done = await kaibo(["approve", "live-host", ID], { [APPROVE]: refusal("release_not_found", 404) });
    expect(done.failure).toMatchObject({ next: "npx kaibo harness plans live-host" });
  });

  it("withdraws", async ({ expect }) => {
    const route = `DELETE ${BASE}/plans/${ID}`;
    const withdrawn = aPlan(ID, { status: "withdrawn" });
    const { printed } = await kaibo(["withdraw", "live-host", "1a2b3c4d"], { ...waiting, [route]: withdrawn });
    expect(printed).toMatch(/^<bold>plan 1a2b3c4d withdrawn\n/);
    const json = await kaibo(["withdraw", "live-host", ID, "--json"], { [route]: withdrawn });
    expect(parseJson(json.printed)).toEqual(withdrawn);
  });
});
