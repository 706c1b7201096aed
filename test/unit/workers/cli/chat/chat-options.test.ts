import { describe, it } from "vitest";
import { parseChat } from "../../../../../workers/cli/chat/chat-options.ts";

describe("parseChat", () => {
  it("takes a platform, a room, the proof, an address and an instance", ({ expect }) => {
    const args = [
      "bilibili",
      "--room",
      "r1",
      "--auth",
      "a.json",
      "--ws",
      "wss://a/sub",
      "--url",
      "http://b",
      "--token",
      "t",
    ];
    expect(parseChat(args)).toEqual({
      name: "chat",
      platform: "bilibili",
      room: "r1",
      authFile: "a.json",
      ws: "wss://a/sub",
      json: false,
      url: "http://b",
      token: "t",
    });
  });

  it("takes the addresses of the file when none is given", ({ expect }) => {
    const command = parseChat(["bilibili", "--room", "r1", "--auth", "a.json", "--json"]);
    expect(command).not.toHaveProperty("ws");
    expect(command.json).toBe(true);
  });

  it.for([
    [[], "platform"],
    [["douyin", "--room", "r1", "--auth", "a"], "platform"],
    [["bilibili", "twice", "--room", "r1", "--auth", "a"], "platform"],
    [["bilibili", "--auth", "a"], "--room"],
    [["bilibili", "--room", "r1"], "--auth"],
    [["bilibili", "--room", "r1", "--auth", "a", "--ws", "http://a"], "--ws http://a"],
    [["bilibili", "--room", "r1", "--auth", "a", "--ws", "wss://"], "--ws wss://"],
    [["bilibili", "--room", "r1", "--auth", "a", "--loud"], "option"],
  ] as const)("does not understand %j", ([args, words], { expect }) => {
    expect(() => parseChat(args)).toThrow(words);
  });
});
