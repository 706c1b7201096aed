import { describe, it } from "vitest";
import { canaryLimitsSchema } from "../../../../../shared/contract/canary-limits.ts";
import { parseJson } from "../../../../../shared/core/json.ts";
import { runGovernance } from "../../../../../workers/cli/release/governance-command.ts";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { runOnEdge, refusal } from "../an-edge.ts";

const NEW = `9f2c1a0b${"1".repeat(56)}`;
const OLD = `07d1c0de${"3".repeat(56)}`;
const BASE = "/v1/harnesses/live-host";
const REPORT = `GET ${BASE}/canary`;
const PUT_LIMITS = `PUT ${BASE}/canary-limits`;

/** One whose governors have set a limit: not the defaults. */
const limits = canaryLimitsSchema.parse({ roomsMin: 2, margins: { slow: 0.1 } });

function aReading(fields: object = {}) {
  return { canaryRate: 0, baselineRate: 0, margin: 0.02, capital: 1, bar: 400, rooms: 0, ...fields };
}

function aReport(fields: object = {}) {
  return { name: "live-host", limits, canaries: [], rolledBack: [], untoldRooms: 0, ...fields };
}

function aCanary(fields: object = {}) {
  const metrics = { error: aReading(), fallback: aReading(), blocked: aReading(), slow: aReading() };
  return { merchant: "*", version: NEW, turns: { canary: 120, baseline: 1100 }, pairs: 118, metrics, ...fields };
}

/** Runs `kaibo harness …` against an instance that gives these answers. */
async function kaibo(args: readonly string[], answers: Readonly<Record<string, unknown>>) {
  const command = parseHarness(args);
  if (command.name !== "governance") throw new Error(`${args.join(" ")} is another command`);
  return runOnEdge(answers, (ports) => runGovernance(command, ports));
}

describe("kaibo harness canary, without a version", () => {
  it("compares each event with production's, and says how much evidence there is", async ({ expect }) => {
    const metrics = {
      ...aCanary().metrics,
      error: aReading({ canaryRate: 0.0833, baselineRate: 0.0102, capital: 3.2411, rooms: 2 }),
      slow: aReading({ margin: 0.05, capital: 1e12 }),
    };
    const report = aReport({ canaries: [aCanary({ metrics }), aCanary({ merchant: "m-1", version: OLD })] });
    const { printed, kinds, failure } = await kaibo(["canary", "live-host"], { [REPORT]: report });
    expect(failure).toBeNull();
    expect(kinds).toEqual(["operator"]);
    expect(printed).toContain(
      "<bold>live-host\n<cyan>canary 9f2c1a0b: 120 turns, 1100 of production beside them, 118 compared\n",
    );
    expect(printed).toMatch(/\nevent +canary +production +may be more by +evidence +rooms\n/);
    expect(printed).toMatch(/\nerror +8\.3 % +1\.0 % +2\.0 % +3\.2 of 400 +2\n/);
    expect(printed).toMatch(/\nslow +0\.0 % +0\.0 % +5\.0 % +1\.0e\+12 of 400 +0\n/);
    expect(printed).toContain("\n<cyan>canary of m-1 07d1c0de: ");
    expect(printed).not.toContain("no verdict");
    expect(parseJson((await kaibo(["canary", "live-host", "--json"], { [REPORT]: report })).printed)).toEqual(report);
  });

  it("says that it is too early for a verdict", async ({ expect }) => {
    const canaries = [aCanary({ turns: { canary: 19, baseline: 4 }, pairs: 4 })];
    const { printed } = await kaibo(["canary", "live-host"], { [REPORT]: aReport({ canaries }) });
    expect(printed).toMatch(/\nno verdict before 20 turns\n$/);
  });

  it("says what was rolled back and why, and which rooms were not told", async ({ expect }) => {
    const reason = "error: 30.0 % of 40 turns, 1.0 % in production; 2.0 % more is allowed";
    const ended = { merchant: "*", version: NEW, reason, atMs: 0 };
    const report = aReport({ rolledBack: [ended, { ...ended, merchant: "m-1" }], untoldRooms: 3 });
    const { printed } = await kaibo(["canary", "live-host"], { [REPORT]: report });
    expect(printed).toMatch(/^<bold>live-host\nno canary\n\nrolled back +of +when +why\n/);
    expect(printed).toContain(`9f2c1a0b     all  1970-01-01T00:00:00Z  ${reason}\n9f2c1a0b     m-1  `);
    expect(printed).toMatch(/\n\n<red>3 rooms were not told of a release yet\n$/);
  });
});

describe("kaibo harness limits", () => {
  it("shows what is set", async ({ expect }) => {
    const { printed, asked, kinds } = await kaibo(["limits", "live-host"], { [REPORT]: aReport() });
    expect(kinds).toEqual(["operator"]);
    expect(asked.map(({ route }) => route)).toEqual([REPORT]);
    expect(printed).toMatch(/^<bold>live-host: when a canary is rolled back\n {2}error +0\.02 +share of turns more/);
    expect(printed).toMatch(/\n {2}rooms-min +2 +rooms of the canary/);
  });

  it("sets as a governor what is named, and keeps the others as they are", async ({ expect }) => {
    const args = ["limits", "live-host", "--alpha", "0.02", "--error", "0"];
    const now = { ...limits, alpha: 0.02, margins: { ...limits.margins, error: 0 } };
    const answers = { [REPORT]: aReport(), [PUT_LIMITS]: now };
    const { printed, asked, kinds, failure } = await kaibo(args, answers);
    expect(failure).toBeNull();
    expect(kinds).toEqual(["governor"]);
    expect(asked.at(-1)).toEqual({ route: PUT_LIMITS, body: now });
    expect(printed).toMatch(/\n {2}error +0\.02 → 0 +share/);
    expect(printed).toMatch(/\n {2}slow +0\.1 +share/);
    expect(printed).toMatch(/\n {2}alpha +0\.01 → 0\.02 +chance/);
    expect(parseJson((await kaibo([...args, "--json"], answers)).printed)).toEqual({ name: "live-host", limits: now });
  });

  it("says whose it is to set", async ({ expect }) => {
    const answers = { [REPORT]: aReport(), [PUT_LIMITS]: refusal("forbidden", 403) };
    const { failure } = await kaibo(["limits", "live-host", "--slow", "0.2"], answers);
    expect(failure).toMatchObject({
      message: "The limits of live-host were not set.",
      next: expect.stringContaining("governor"),
      exitCode: 1,
    });
  });
});

describe("kaibo harness backup", () => {
  const ROUTE = `${BASE}/backup`;
  const none = { name: "live-host", version: null };
  const kept = { name: "live-host", version: OLD };

  it("shows it, and that there is none", async ({ expect }) => {
    const shown = await kaibo(["backup", "live-host"], { [`GET ${ROUTE}`]: kept });
    expect(shown.kinds).toEqual(["operator"]);
    expect(shown.printed).toBe("live-host: rooms that open get <green>07d1c0de when their version is damaged\n");
    const empty = await kaibo(["backup", "live-host"], { [`GET ${ROUTE}`]: none });
    expect(empty.printed).toBe("live-host has no backup: a room does not open when its version is damaged\n");
  });

  it("is set and taken away by governors", async ({ expect }) => {
    const set = await kaibo(["backup", "live-host", OLD, "--json"], { [`PUT ${ROUTE}`]: kept });
    expect(set.kinds).toEqual(["governor"]);
    expect(set.asked).toEqual([{ route: `PUT ${ROUTE}`, body: { version: OLD } }]);
    expect(parseJson(set.printed)).toEqual(kept);
    const removed = await kaibo(["backup", "live-host", "--none"], { [`DELETE ${ROUTE}`]: none });
    expect(removed.kinds).toEqual(["governor"]);
    expect(removed.asked).toEqual([{ route: `DELETE ${ROUTE}`, body: undefined }]);
    expect(removed.failure).toBeNull();
  });

  it("says what was refused", async ({ expect }) => {
    const { failure } = await kaibo(["backup", "live-host", OLD], {
      [`PUT ${ROUTE}`]: refusal("harness_revoked", 409),
    });
    expect(failure).toMatchObject({ message: "The backup of live-host was not set.", exitCode: 1 });
  });
});
