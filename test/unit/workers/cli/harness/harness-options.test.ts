import { describe, it } from "vitest";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { refusalOf } from "../refusal-of.ts";

const VERSION = "9f".repeat(32);

describe("parseHarness", () => {
  it.for([
    [["init", "my-shop"], { action: "init", folder: "my-shop", harness: "my-shop" }],
    [
      ["init", "shops/a1", "--over", "live-host"],
      { action: "init", folder: "shops/a1", harness: "a1", over: "live-host" },
    ],
    [["check", "a/b"], { action: "check", folder: "a/b" }],
    [
      ["check", "a", "--tokenizer", "http://127.0.0.1:8000/v1"],
      { action: "check", folder: "a", tokenizer: "http://127.0.0.1:8000/v1" },
    ],
    [["test", "a", "--room", "room.json"], { action: "test", folder: "a", room: "room.json" }],
    [["push", "a"], { action: "push", folder: "a", notes: "" }],
    [
      ["push", "a", "--notes", "改了价格", "--parent", "9f2c1a0", "--key", "li.pem"],
      { action: "push", folder: "a", notes: "改了价格", parent: "9f2c1a0", keyFile: "li.pem" },
    ],
    [
      ["push", "a", "--channel", "canary", "--url", "http://a"],
      { action: "push", folder: "a", channel: "canary", notes: "", url: "http://a" },
    ],
    [["diff", "a"], { action: "diff", folder: "a", base: { type: "channel", channel: "production" } }],
    [["diff", "a", "b"], { action: "diff", folder: "a", base: { type: "folder", folder: "b" } }],
    [
      ["diff", "a", "--channel", "canary"],
      { action: "diff", folder: "a", base: { type: "channel", channel: "canary" } },
    ],
    [["diff", "a", "--version", VERSION], { action: "diff", folder: "a", base: { type: "version", version: VERSION } }],
  ] as const)("reads %j", ([args, command], { expect }) => {
    expect(parseHarness(args)).toEqual({ name: "harness", json: false, ...command });
    expect(parseHarness([...args, "--json"])).toEqual({ name: "harness", json: true, ...command });
  });

  it.for([
    [[], "init, check, test, diff, push"],
    [["sell"], "check"],
    [["init"], "name"],
    [["init", "我的店"], "我的店"],
    [["check"], "folder"],
    [["check", "a", "--tokenizer", "qwen"], "is no address"],
    [["check", "a", "b"], "folder"],
    [["check", "a", "--channel", "production"], "--channel"],
    [["diff"], "folder"],
    [["diff", "a", "b", "c"], "folder"],
    [["diff", "a", "b", "--channel", "production"], "one thing"],
    [["diff", "a", "--channel", "production", "--version", VERSION], "one thing"],
    [["diff", "a", "--version", "9f2c1a"], "first 7"],
    [["push", "a", "--notes", "长".repeat(501)], "500"],
    [["push", "a", "--parent", "live-host"], "version"],
    [["push", "a", "--channel", "3"], "channel"],
  ] as const)("refuses %j and names what is wrong", ([args, named], { expect }) => {
    const error = refusalOf(parseHarness, args);
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
