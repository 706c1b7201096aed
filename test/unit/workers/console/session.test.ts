import { describe, it } from "vitest";
import {
  findToken,
  forgetToken,
  openSession,
  roomFragment,
  type TabStorage,
} from "../../../../workers/console/session.ts";

function aStorage(): TabStorage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

describe("findToken", () => {
  it.for([
    { name: "takes a token as it is", text: " aa.b-b.c_c \n", token: "aa.b-b.c_c" },
    { name: "takes it out of a link", text: "http://127.0.0.1:8787/#token=aa.bb.cc&room=demo", token: "aa.bb.cc" },
    { name: "refuses two parts", text: "aa.bb", token: null },
    { name: "refuses what could not travel in a header", text: "aa.bb.c c", token: null },
    { name: "refuses nothing", text: "", token: null },
    { name: "refuses a link without a token", text: "http://127.0.0.1:8787/#room=demo", token: null },
  ])("$name", ({ text, token }, { expect }) => {
    expect(findToken(text)).toBe(token);
  });
});

describe("openSession", () => {
  it("keeps the token and lets only the room stay in the address bar", ({ expect }) => {
    const { session, publicFragment } = openSession("#token=a.b.c&room=demo", aStorage());
    expect(session).toEqual({ token: "a.b.c", room: "demo" });
    expect(publicFragment).toBe("#room=demo");
  });

  it("knows the token again after a reload, until it is forgotten", ({ expect }) => {
    const storage = aStorage();
    openSession("#token=a.b.c", storage);
    expect(openSession("#room=demo", storage).session).toEqual({ token: "a.b.c", room: "demo" });
    forgetToken(storage);
    expect(openSession("", storage).session).toEqual({ token: null, room: null });
  });

  it("does not put a broken token in the place of a good one", ({ expect }) => {
    const storage = aStorage();
    openSession("#token=a.b.c", storage);
    expect(openSession("#token=%3Cscript%3E", storage).session.token).toBe("a.b.c");
  });
});

describe("roomFragment", () => {
  it("escapes what a room's name must not do to an address", ({ expect }) => {
    expect(roomFragment("a&token=x")).toBe("#room=a%26token%3Dx");
    expect(roomFragment(null)).toBe("");
  });
});
