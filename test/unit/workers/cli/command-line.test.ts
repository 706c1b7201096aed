import { describe, it } from "vitest";
import { parseCommand } from "../../../../workers/cli/command-line.ts";
import { refusalOf } from "./refusal-of.ts";

describe("parseCommand", () => {
  it("asks what stands in quotation marks, in the default room, for a minute", ({ expect }) => {
    expect(parseCommand(["ask", "1号链接多少钱"])).toEqual({
      name: "ask",
      text: "1号链接多少钱",
      json: false,
      timeoutMs: 60_000,
    });
  });

  it("joins words that came without quotation marks", ({ expect }) => {
    expect(parseCommand(["ask", "how", "much", "--json"])).toMatchObject({ text: "how much", json: true });
  });

  it("takes options before and after the text", ({ expect }) => {
    expect(parseCommand(["ask", "--room", "r1", "你好", "--url", "http://a", "--token=t", "--timeout", "1.5"])).toEqual(
      {
        name: "ask",
        text: "你好",
        room: "r1",
        json: false,
        timeoutMs: 1_500,
        url: "http://a",
        token: "t",
      },
    );
  });

  it.for([
    ["90s", 90_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["365d", 31_536_000_000],
  ] as const)("reads the life of a token: %s", ([ttl, ttlMs], { expect }) => {
    expect(parseCommand(["token", "--aud", "room,operator,room", "--ttl", ttl])).toEqual({
      name: "token",
      audiences: ["room", "operator"],
      room: "*",
      ttlMs,
      subject: "kaibo-cli",
      json: false,
    });
  });

  it("reads whom a token is for, and refuses what is no name", ({ expect }) => {
    expect(parseCommand(["token", "--aud", "operator", "--sub", "李雷@shop"])).toMatchObject({ subject: "李雷@shop" });
    expect(() => parseCommand(["token", "--aud", "operator", "--sub", "a b"])).toThrow("is no name");
  });

  it("leaves `harness` to its own reader", ({ expect }) => {
    const command = { name: "harness", action: "check", folder: "a/b", json: false };
    expect(parseCommand(["harness", "check", "a/b"])).toEqual(command);
  });

  it("prints the completion of a shell", ({ expect }) => {
    expect(parseCommand(["completion", "zsh"])).toEqual({ name: "completion", shell: "zsh" });
  });

  it("leaves `endpoint` to its own reader", ({ expect }) => {
    expect(parseCommand(["endpoint", "list", "--json"])).toEqual({ name: "endpoint", action: "list", json: true });
  });

  it("leaves `chat` to its own reader", ({ expect }) => {
    const args = ["chat", "bilibili", "--room", "r1", "--auth", "start.json"];
    expect(parseCommand(args)).toEqual({
      name: "chat",
      platform: "bilibili",
      room: "r1",
      authFile: "start.json",
      json: false,
    });
  });

  it("leaves `room` to its own reader", ({ expect }) => {
    expect(parseCommand(["room", "list", "--json"])).toEqual({ name: "room", action: "list", json: true });
  });

  it.for([
    [[], []],
    [["help"], []],
    [["--help"], []],
    [["-h"], []],
    [["sell", "--help"], []],
    [["ask", "多少钱", "--help"], ["ask"]],
    [["token", "-h"], ["token"]],
    [["harness", "--help"], ["harness"]],
    [["harness", "sell", "--help"], ["harness"]],
    [
      ["harness", "check", "a/b", "--help"],
      ["harness", "check"],
    ],
    [
      ["help", "room", "state"],
      ["room", "state"],
    ],
  ] as const)("shows the help for %j, about %j", ([args, about], { expect }) => {
    expect(parseCommand(args)).toEqual({ name: "help", about });
  });

  it.for([["--version"], ["-v"], ["room", "--version"], ["harness", "push", "--version"], ["ask", "在吗", "-v"]])(
    "shows the version for %j",
    (args, { expect }) => {
      expect(parseCommand(args)).toEqual({ name: "version" });
    },
  );

  it("leaves a command its own --version", ({ expect }) => {
    const version = "a".repeat(64);
    expect(parseCommand(["harness", "diff", "a", "--version", version])).toMatchObject({
      action: "diff",
      base: { type: "version", version },
    });
  });

  it("starts for people or for programs", ({ expect }) => {
    expect(parseCommand(["start"])).toEqual({ name: "start", json: false });
    expect(parseCommand(["start", "--json"])).toEqual({ name: "start", json: true });
  });

  it.for([
    [["sell"], "sell"],
    [["start", "now"], "now"],
    [["ask"], "text"],
    [["ask", "   "], "text"],
    [["ask", "x", "--loud"], "--loud"],
    [["ask", "x", "--room"], "--room"],
    [["ask", "x", "--timeout", "0"], "--timeout 0"],
    [["ask", "x", "--timeout", "3601"], "3600"],
    [["token"], "--aud"],
    [["token", "--aud", "boss"], "boss"],
    [["token", "--aud", "room", "--ttl", "0h"], "--ttl 0h"],
    [["token", "--aud", "room", "--ttl", "366d"], "365d"],
    [["token", "--aud", "room", "--ttl", "1w"], "--ttl 1w"],
    [["harness"], "check"],
    [["completion"], "shell"],
    [["completion", "fish"], "bash"],
  ] as const)("refuses %j and names what is wrong", ([args, named], { expect }) => {
    const error = refusalOf(parseCommand, args);
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
