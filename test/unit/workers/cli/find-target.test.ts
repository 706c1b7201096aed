import { describe, it } from "vitest";
import { chooseTarget } from "../../../../workers/cli/find-target.ts";

const local = {
  url: "http://127.0.0.1:8787",
  pid: 1,
  tokens: { room: "room-token", operator: "operator-token", analyst: "a", viewer: "v", governor: "g", page: "p" },
};

describe("chooseTarget", () => {
  it("finds the local instance and the token of the kind", ({ expect }) => {
    expect(chooseTarget({}, {}, { kind: "room", local })).toEqual({ url: local.url, token: "room-token" });
    expect(chooseTarget({}, {}, { kind: "operator", local }).token).toBe("operator-token");
    expect(chooseTarget({}, {}, { kind: "governor", local }).token).toBe("g");
  });

  it("takes an option before the environment, and the environment before the local instance", ({ expect }) => {
    const env = { KAIBO_URL: "https://env.example/", KAIBO_TOKEN: "env-token" };
    expect(chooseTarget({}, env, { kind: "room", local })).toEqual({ url: "https://env.example", token: "env-token" });
    expect(chooseTarget({ url: "https://o.example", token: "o" }, env, { kind: "room", local })).toEqual({
      url: "https://o.example",
      token: "o",
    });
  });

  it("gives the local token to the local address alone", ({ expect }) => {
    expect(chooseTarget({ url: `${local.url}/` }, {}, { kind: "room", local }).token).toBe("room-token");
    expect(() => chooseTarget({ url: "https://elsewhere.example" }, {}, { kind: "room", local })).toThrow("no token");
  });

  it("says so when nothing runs here and no address was given", ({ expect }) => {
    expect(() => chooseTarget({}, { KAIBO_URL: "" }, { kind: "room", local: null })).toThrow("No instance runs");
  });

  it("refuses what is no address", ({ expect }) => {
    expect(() => chooseTarget({ url: "localhost" }, {}, { kind: "room", local })).toThrow('"localhost" is no address');
  });
});
