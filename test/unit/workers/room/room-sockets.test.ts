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
    expect(read("")).toEqual({ role: "viewer", follow: "all", speaks: false, after: null, hasProtocol: false });
  });

  it("lets the room's own client be its voice, and nobody who only watches", ({ expect }) => {
    const query = "?speaks=1&follow=speech";
    expect(read(query, { "x-kaibo-role": "room" })).toMatchObject({ follow: "speech", speaks: true });
    expect(read(query)).toMatchObject({ follow: "speech", speaks: false });
  });

  it("follows all where it is asked for what it does not know", ({ expect }) => {
    expect(read("?follow=everything")?.follow).toBe("all");
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
