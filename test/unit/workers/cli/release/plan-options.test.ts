import { describe, it } from "vitest";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { refusalOf } from "../refusal-of.ts";

const V = "9f2c1a0b";
const PLANNED = { action: "plan", version: V, channel: "production", merchant: "*", due: null, note: "" };

describe("PLAN_ACTIONS", () => {
  it.for([
    [["plan", "a", V], PLANNED],
    [["plan", "a", V, "--in", "2h"], { ...PLANNED, due: { type: "in", spanMs: 7_200_000 } }],
    [
      ["plan", "a", V, "--at", "2026-12-03 20:00+08:00", "--expected", "none", "--note", "大促"],
      { ...PLANNED, due: { type: "at", atMs: Date.UTC(2026, 11, 3, 12) }, expected: null, note: "大促" },
    ],
    [
      ["plan", "a", V, "--channel", "candidate", "--merchant", "m-1", "--expected", V, "--url", "http://k"],
      { ...PLANNED, channel: "candidate", merchant: "m-1", expected: V, url: "http://k" },
    ],
    [["plans", "a"], { action: "plans", status: null, limit: 20 }],
    [["plans", "a", "--status", "waiting", "--limit", "3"], { action: "plans", status: "waiting", limit: 3 }],
    [["approve", "a", "1a2b"], { action: "approve", plan: "1a2b" }],
    [["withdraw", "a", "1a2b3c4d-5"], { action: "withdraw", plan: "1a2b3c4d-5" }],
  ] as const)("reads %j", ([args, command], { expect }) => {
    expect(parseHarness(args)).toEqual({ name: "plan", harness: "a", json: false, ...command });
    expect(parseHarness([...args, "--json"])).toEqual({ name: "plan", harness: "a", json: true, ...command });
  });

  it.for([
    [["plan", "a"], "version"],
    [["plan", "a", "9f2c"], "first 7"],
    [["plan", "a", V, "--at", "20:00"], "--at 20:00"],
    [["plan", "a", V, "--at", "2026-02-30 20:00"], "is no time"],
    [["plan", "a", V, "--in", "0h"], "--in 0h"],
    [["plan", "a", V, "--in", "soon"], "s, m, h or d"],
    [["plan", "a", V, "--in", "2h", "--at", "2026-12-03 20:00"], "one time"],
    [["plan", "a", V, "--note", "x".repeat(501)], "--note"],
    [["plans"], "name"],
    [["plans", "a", "--status", "done"], "waiting, released, refused, withdrawn"],
    [["plans", "a", "--limit", "0"], "from 1"],
    [["approve", "a"], "plan"],
    [["approve", "a", "1a2"], "first 4"],
    [["withdraw", "a", "live-host"], "live-host"],
    [["withdraw", "a", "1a2b", "3c4d"], "plan"],
  ] as const)("refuses %j and names what is wrong", ([args, named], { expect }) => {
    const error = refusalOf(parseHarness, args);
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
