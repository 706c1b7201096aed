import { describe, it } from "vitest";
import { parseTurn } from "../../../../../workers/cli/room/turn-options.ts";
import { refusalOf } from "../refusal-of.ts";

const V = "0123456789abcdef".repeat(4);

describe("parseTurn", () => {
  it("shows a turn", ({ expect }) => {
    expect(parseTurn(["show", "r1", "t12", "--json", "--url", "http://a", "--token", "t"])).toEqual({
      name: "turn",
      action: "show",
      room: "r1",
      turn: "t12",
      json: true,
      url: "http://a",
      token: "t",
    });
  });

  it("replays on what the room would get now, with the recorded tools, unless told otherwise", ({ expect }) => {
    const asked = { name: "turn", action: "replay", room: "r1", turn: "t12", json: false };
    expect(parseTurn(["replay", "r1", "t12"])).toEqual({ ...asked, onTools: "recorded" });
    expect(parseTurn(["replay", "r1", "t12", "--version", V, "--live-tools"])).toEqual({
      ...asked,
      onTools: "live",
      version: V,
    });
    expect(parseTurn(["replay", "r1", "t12", "--harness", "other", "--channel", "candidate"])).toEqual({
      ...asked,
      onTools: "recorded",
      harness: "other",
      channel: "candidate",
    });
  });

  it.for([
    [[], "show and replay"],
    [["rewind"], "show and replay"],
    [["show"], "a room and a turn"],
    [["show", "r1"], "a room and a turn"],
    [["show", "r1", "t1", "t2"], "a room and a turn"],
    [["show", "R 1", "t1"], '"R 1"'],
    [["show", "r1", "12"], '"12"'],
    [["show", "r1", "t1", "--version", V], "--version"],
    [["replay", "r1", "t1", "--version", "v1"], '"v1"'],
    [["replay", "r1", "t1", "--channel", "7"], '"7"'],
    [["replay", "r1", "t1", "--harness", "A B"], '"A B"'],
    [["replay", "r1", "t1", "--version", V, "--channel", "production"], "one version"],
  ] as const)("refuses %j and names what is wrong", ([args, named], { expect }) => {
    const error = refusalOf(parseTurn, args);
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
