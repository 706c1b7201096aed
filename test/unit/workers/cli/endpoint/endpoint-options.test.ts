import { describe, it } from "vitest";
import { parseEndpoint } from "../../../../../workers/cli/endpoint/endpoint-options.ts";
import { refusalOf } from "../refusal-of.ts";

describe("parseEndpoint", () => {
  it.for(["show", "check", "remove"] as const)("takes one name to %s", (action, { expect }) => {
    expect(parseEndpoint([action, "h20"])).toEqual({ name: "endpoint", action, endpoint: "h20", json: false });
  });

  it("names an instance elsewhere without --url, which is the server's", ({ expect }) => {
    expect(parseEndpoint(["list", "--json", "--instance", "https://k", "--token", "t"])).toEqual({
      name: "endpoint",
      action: "list",
      json: true,
      url: "https://k",
      token: "t",
    });
    expect(refusalOf(parseEndpoint, ["list", "--url", "https://k"]).why).toContain("--url");
  });

  it("sets only what was given", ({ expect }) => {
    expect(parseEndpoint(["set", "h20", "--slots", "8"])).toMatchObject({ change: { slots: 8 } });
  });

  it("reads every option of `set`", ({ expect }) => {
    const args =
      "set h20 --url http://gpu:8000/v1 --model Qwen3 --kind sglang --key-binding INFERENCE_KEY_A --tier fallback " +
      "--slots 32 --ceiling 0.7 --capacity fixed --fields priority,cache_salt --opens-thinking --connect-timeout 900 --disabled";
    const command = parseEndpoint(args.split(" "));
    expect(command).toMatchObject({
      change: {
        baseUrl: "http://gpu:8000/v1",
        model: "Qwen3",
        kind: "sglang",
        keyBinding: "INFERENCE_KEY_A",
        tier: "fallback",
        slots: 32,
        utilizationCeiling: 0.7,
        capacity: "fixed",
        fields: ["priority", "cache_salt"],
        opensThinking: true,
        connectTimeoutMs: 900,
        enabled: false,
      },
    });
  });

  it("takes fields back to their defaults", ({ expect }) => {
    const args = ["set", "h20", "--key-binding", "none", "--fields", "auto", "--no-opens-thinking", "--enabled"];
    expect(parseEndpoint(args)).toMatchObject({
      change: { keyBinding: null, fields: null, opensThinking: false, enabled: true },
    });
  });

  it.for([
    [[], "list, show, set, check, remove"],
    [["start"], "list, show, set, check, remove"],
    [["list", "h20"], "h20"],
    [["show"], "name"],
    [["check", "a", "b"], "one name"],
    [["show", "H20"], "H20"],
    [["check", "offline"], "offline"],
    [["set", "h20"], "nothing to set"],
    [["check", "h20", "--slots", "3"], "--slots"],
    [["set", "h20", "--slots", "0"], "--slots 0"],
    [["set", "h20", "--slots", "many"], "--slots many"],
    [["set", "h20", "--slots", "1025"], "--slots 1025"],
    [["set", "h20", "--ceiling", "1.1"], "--ceiling 1.1"],
    [["set", "h20", "--kind", "tgi"], "--kind tgi"],
    [["set", "h20", "--fields", "seed"], "--fields seed"],
    [["set", "h20", "--key-binding", "sk-123"], "INFERENCE_KEY_"],
    [["set", "h20", "--url", "http://u:p@gpu/v1"], "secret"],
    [["set", "h20", "--enabled", "--disabled"], "--disabled contradicts"],
  ] as const)("refuses %j and names what is wrong", ([args, named], { expect }) => {
    const error = refusalOf(parseEndpoint, args);
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
