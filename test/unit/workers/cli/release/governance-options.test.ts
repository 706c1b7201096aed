import { describe, it } from "vitest";
import { LIMIT_OPTIONS } from "../../../../../workers/cli/release/governance-options.ts";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { refusalOf } from "../refusal-of.ts";

const V = "9f2c1a0b";

describe("GOVERNANCE_ACTIONS", () => {
  it.for([
    [["canary", "a"], { action: "report" }],
    [["limits", "a"], { action: "limits", changes: null }],
    [["limits", "a", "--error", "0"], { action: "limits", changes: { error: 0 } }],
    [
      ["limits", "a", "--alpha", "0.02", "--turns-min", "50", "--slow-ms", "9000", "--slow", ".1", "--token", "t"],
      { action: "limits", changes: { alpha: 0.02, "turns-min": 50, "slow-ms": 9000, slow: 0.1 }, token: "t" },
    ],
    [["backup", "a"], { action: "backup", backup: null }],
    [["backup", "a", V], { action: "backup", backup: { version: V } }],
    [["backup", "a", "--none"], { action: "backup", backup: { version: null } }],
  ] as const)("reads %j", ([args, command], { expect }) => {
    expect(parseHarness(args)).toEqual({ name: "governance", harness: "a", json: false, ...command });
    expect(parseHarness([...args, "--json"])).toEqual({ name: "governance", harness: "a", json: true, ...command });
  });

  it.for(LIMIT_OPTIONS)("refuses --%s that is no number, or too large", (option, { expect }) => {
    for (const value of ["", "much", "1000001"]) {
      const error = refusalOf(parseHarness, ["limits", "a", `--${option}`, value]);
      expect(error.message).toBe(`--${option} ${value} cannot be.`);
      expect(error.exitCode).toBe(2);
    }
  });

  it.for([
    [["canary", "a", "--share", "5"], "version"],
    [["canary", "a", "--merchant", "m-1"], "version"],
    [["limits"], "name"],
    [["limits", "a", V], "one name"],
    [["limits", "a", "--turns-min", "1.5"], "--turns-min 1.5"],
    [["limits", "a", "--alpha", "0"], "--alpha 0"],
    [["backup", "a", V, "--none"], "or none"],
    [["backup", "a", "9f2c"], "first 7"],
  ] as const)("refuses %j and names what is wrong", ([args, named], { expect }) => {
    const error = refusalOf(parseHarness, args);
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
