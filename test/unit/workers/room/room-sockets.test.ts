import { describe, it } from "vitest";
import { readFollower } from "../../../../workers/room/room-sockets.ts";

const read = (query: string, headers: Record<string, string> = {}) =>
  readFollower(
    new Request(`https://room.invalid/stream${query}`, {
      headers: { "x-test": "1", upgrade: "websocket", ...headers },
    }),
  );

describe("readFollower", () => {
  it("follows from now on, with a viewer's eyes, when nothing else is said", ({ expect }) => {
    expect(read("")).toEqual({ role: "viewer", after: null, hasProtocol: false });
  });

  it.for([
    ["?after=0", 0],
    ["?after=417", 417],
  ] as const)("reads %s", ([query, after], { expect }) => {
    expect(read(query)?.after).toBe(after);
  });

  it.for(["?after=", "?after=-1", "?after=1.5", "?after=1e3", "?after=x", "?after=9999999999999999"])(
    "refuses %s rather than guess",
    (query, { expect }) => {
      expect(read(query)).toBeNull();
    },
  );

  it.for([
    ["room", "room"],
    ["viewer", "viewer"],
    ["ROOM", "viewer"],
    ["operator", "viewer"],
  ] as const)("shows to role %s what a %s sees", ([header, role], { expect }) => {
    expect(read("", { "x-kaibo-role": header })?.role).toBe(role);
  });

  it("finds the subprotocol among others", ({ expect }) => {
    expect(read("", { "sec-websocket-protocol": "kaibo.token.abc, kaibo.v1" })?.hasProtocol).toBe(true);
    expect(read("", { "sec-websocket-protocol": "kaibo.v10" })?.hasProtocol).toBe(false);
  });

  it("is null for a request that is no upgrade", ({ expect }) => {
    expect(read("", { upgrade: "h2c" })).toBeNull();
  });
});
