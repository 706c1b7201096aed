import { describe, it } from "vitest";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { refusalOf } from "../refusal-of.ts";

const V = "9f2c1a0b";
const FOR_ALL = { channel: "production", merchant: "*" };

describe("RELEASE_ACTIONS", () => {
  it.for([
    [["list", "a"], { action: "list", limit: 20 }],
    [["list", "a", "--limit", "300"], { action: "list", limit: 300 }],
    [["show", "a"], { action: "show", target: null }],
    [["show", "a", V], { action: "show", target: { type: "version", version: V } }],
    [["show", "a", "--merchant", "m-1"], { action: "show", target: { type: "channel", ...FOR_ALL, merchant: "m-1" } }],
    [["pull", "a"], { action: "pull", target: { type: "channel", ...FOR_ALL }, folder: "a", isForced: false }],
    [
      ["pull", "a", V, "--to", "b/c", "--force"],
      { action: "pull", target: { type: "version", version: V }, folder: "b/c", isForced: true },
    ],
    [["release", "a", V], { action: "release", version: V, ...FOR_ALL }],
    [
      ["release", "a", V, "--channel", "candidate", "--merchant", "m-1", "--expected", "none", "--url", "http://k"],
      { action: "release", version: V, channel: "candidate", merchant: "m-1", expected: null, url: "http://k" },
    ],
    [["rollback", "a", "--expected", V], { action: "rollback", ...FOR_ALL, expected: V }],
    [["canary", "a", V, "--share", "5"], { action: "canary", version: V, share: 5, rooms: [], merchant: "*" }],
    [
      ["canary", "a", V, "--share", "0.5%", "--rooms", "r1,r2", "--merchant", "m-1"],
      { action: "canary", version: V, share: 0.5, rooms: ["r1", "r2"], merchant: "m-1" },
    ],
    [["canary", "a", V, "--rooms", "r1"], { action: "canary", version: V, share: 0, rooms: ["r1"], merchant: "*" }],
    [["canary", "a", "--end"], { action: "end-canary", merchant: "*" }],
    [["pin", "a", V, "--room", "r1"], { action: "pin", version: V, note: "", scope: "room", id: "r1" }],
    [
      ["pin", "a", V, "--merchant", "M.1", "--note", "活动"],
      { action: "pin", version: V, note: "活动", scope: "merchant", id: "M.1" },
    ],
    [["unpin", "a", "--room", "r1"], { action: "unpin", scope: "room", id: "r1" }],
    [["freeze", "a", "--reason", "大促"], { action: "freeze", reason: "大促", merchant: "*" }],
    [["unfreeze", "a", "--merchant", "m-1"], { action: "unfreeze", merchant: "m-1" }],
    [["revoke", "a", V, "--reason", "报错价"], { action: "revoke", version: V, reason: "报错价" }],
    [["gate", "a", V], { action: "gate", version: V, judgement: null }],
    [
      ["gate", "a", V, "--condition", "holdout_holds", "--not-ok", "--details", "lost=3,share=0.5,set=0012,kept=true"],
      {
        action: "gate",
        version: V,
        judgement: {
          condition: "holdout_holds",
          ok: false,
          details: { lost: 3, share: 0.5, set: "0012", kept: true },
        },
      },
    ],
  ] as const)("reads %j", ([args, command], { expect }) => {
    expect(parseHarness(args)).toEqual({ name: "release", harness: "a", json: false, ...command });
    expect(parseHarness([...args, "--json"])).toEqual({ name: "release", harness: "a", json: true, ...command });
  });

  it.for([
    [["list"], "name"],
    [["list", "我的店"], "我的店"],
    [["list", "a", "--limit", "0"], "from 1"],
    [["list", "a", "--limit", "10001"], "10000"],
    [["show", "a", "9f2c1a"], "first 7"],
    [["show", "a", V, "--channel", "production"], "one of them"],
    [["pull", "a", "b", "c"], "name"],
    [["release", "a"], "version"],
    [["release", "a", V, "--channel", "3"], "channel"],
    [["release", "a", V, "--merchant", "a b"], "merchant"],
    [["rollback", "a", "--expected", "none"], "none"],
    [["canary", "a", V], "no room"],
    [["canary", "a", V, "--share", "101"], "--share 101"],
    [["canary", "a", V, "--share", "0.55"], "one decimal"],
    [["canary", "a", V, "--share", "five"], "--share five"],
    [["canary", "a", V, "--rooms", "r1,R 2"], "R 2"],
    [["canary", "a", "--end", "--share", "5"], "--end"],
    [["canary", "a", V, "--end"], "one name"],
    [["pin", "a", V], "one room"],
    [["pin", "a", V, "--room", "r", "--merchant", "m"], "one room"],
    [["pin", "a", V, "--merchant", "*"], "All merchants"],
    [["unpin", "a"], "one room"],
    [["freeze", "a"], "--reason"],
    [["revoke", "a", V], "--reason"],
    [["gate", "a", V, "--ok"], "--condition"],
    [["gate", "a", V, "--condition", "looks_good", "--ok"], "patch_not_empty"],
    [["gate", "a", V, "--condition", "holdout_holds"], "--not-ok"],
    [["gate", "a", V, "--condition", "holdout_holds", "--ok", "--not-ok"], "not both"],
    [["gate", "a", V, "--condition", "holdout_holds", "--ok", "--details", "3"], "name=value"],
  ] as const)("refuses %j and names what is wrong", ([args, named], { expect }) => {
    const error = refusalOf(parseHarness, args);
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
