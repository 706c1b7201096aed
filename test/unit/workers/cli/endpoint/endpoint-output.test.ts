import { describe, it } from "vitest";
import {
  formatCheck,
  formatEndpoint,
  formatEndpoints,
  formatSaved,
} from "../../../../../workers/cli/endpoint/endpoint-output.ts";
import { anEndpoint, aStatus, CAPABILITIES } from "./an-endpoint.ts";

const ALARM = {
  code: "cache_lost",
  sinceMs: 0,
  message: "Prompts are not found: look at the server's cache.",
} as const;

describe("formatEndpoints", () => {
  it("puts each endpoint in a line, in columns", ({ expect }) => {
    const text = formatEndpoints([
      anEndpoint({ status: aStatus({ alarms: [ALARM, { ...ALARM, code: "shedding" }] }) }),
      anEndpoint({ name: "spare-model", config: { tier: "fallback", kind: "openai", model: "m", enabled: false } }),
    ]);
    expect(text.split("\n")).toEqual([
      "name         tier      kind    model  state     limit  in flight  waiting  first token  acceptance  alarms",
      "h20          main      vllm    Qwen3  ready     8/16   3          1        ≤300 ms      1.80        cache_lost,shedding",
      "spare-model  fallback  openai  m      disabled  -      -          -        -            -           -",
      "",
    ]);
  });

  it("says how to make the first one", ({ expect }) => {
    expect(formatEndpoints([])).toContain("npx kaibo endpoint set");
  });

  it.for([
    [[0, 0, 0], "-"],
    [[5, 5, 0], "≤100 ms"],
    [[4, 5, 0], "≤300 ms"],
    [[1, 0, 2], ">300 ms"],
  ] as const)("gives the bucket of the median of %j as %s", ([counts, median], { expect }) => {
    const row = formatEndpoints([anEndpoint({ status: aStatus({}, [...counts]) })]).split("\n")[1];
    expect(row).toContain(` ${median}  `);
  });

  it.for([
    ["open", "breaker open"],
    ["half_open", "breaker half open"],
  ] as const)("shows a breaker that is %s", ([breaker, state], { expect }) => {
    const { gate } = aStatus();
    if (gate === null) throw new Error("the status has a gate");
    expect(formatEndpoints([anEndpoint({ status: aStatus({ gate: { ...gate, breaker } }) })])).toContain(state);
  });
});

describe("formatEndpoint", () => {
  it("shows what is configured, what was found and how it does", ({ expect }) => {
    const engine = { readAtMs: 0, running: 3, waiting: null, cacheHitShare: 0.912, acceptanceLength: 1.8 };
    const text = formatEndpoint(
      anEndpoint({ config: { keyBinding: "INFERENCE_KEY_A" }, status: aStatus({ engine, alarms: [ALARM] }) }),
    );
    expect(text).toContain("h20: changed 2026-12-03T04:00:00Z by ops, revision 3\n");
    expect(text).toMatch(/ {2}url +http:\/\/gpu:8000\/v1\n/);
    expect(text).toMatch(/ {2}key +INFERENCE_KEY_A\n/);
    expect(text).toMatch(/ {2}slots +16, adaptive, turns may use 50 %\n/);
    expect(text).toContain("Checked 2026-12-03T05:00:00Z:\n✓ tools\n");
    expect(text).toContain("3 in flight, 1 waiting, 9 since 2026-12-03T03:00:00Z");
    expect(text).toMatch(/calls +20, 2 failed, 1 retried\n/);
    expect(text).toMatch(/refused +3\n/);
    expect(text).toMatch(/server +3 running, - waiting, cache 91 %\n/);
    expect(text).toContain("alarm cache_lost: Prompts are not found");
  });

  it("says of one from the settings that it was never checked, nor used", ({ expect }) => {
    const text = formatEndpoint(anEndpoint({ source: "settings", capabilities: null, revision: null }));
    expect(text).toContain("h20: from the deployment's settings\n");
    expect(text).toContain("Never checked.\n");
    expect(text).toContain("Not in use yet.\n");
  });
});

describe("formatCheck", () => {
  it("shows each capability, and that all is good", ({ expect }) => {
    expect(formatCheck({ ...anEndpoint(), problems: [], warnings: [] })).toBe(
      [
        "✓ tools",
        "✓ thoughts off",
        "✓ usage in the stream",
        "✓ cached tokens",
        "✓ metrics",
        "✓ request fields: priority, cache_salt",
        "✓ first token 84.3 ms",
        "h20: good",
        "",
      ].join("\n"),
    );
  });

  it("shows what is missing, then problems before warnings", ({ expect }) => {
    const capabilities = { ...CAPABILITIES, tools: false, metrics: false, fields: [], firstTokenMs: null };
    const problems = [{ field: "kind", reason: "Tool calls come as text." }];
    const warnings = [{ field: "kind", reason: "/metrics has no figures of vllm." }];
    const lines = formatCheck({ ...anEndpoint({ capabilities }), problems, warnings }).split("\n");
    expect(lines.filter((line) => line.startsWith("✗")).map((line) => line.split(":")[0])).toEqual([
      "✗ tools",
      "✗ metrics",
      "✗ request fields",
      "✗ first token",
    ]);
    expect(lines.slice(-3)).toEqual([
      "problem kind: Tool calls come as text.",
      "warning kind: /metrics has no figures of vllm.",
      "",
    ]);
  });
});

describe("formatSaved", () => {
  it("tells one that serves from one that is kept only", ({ expect }) => {
    expect(formatSaved({ ...anEndpoint(), warnings: [] })).toContain("h20 was checked and saved; turns use it\n");
    const kept = formatSaved({ ...anEndpoint({ config: { enabled: false }, capabilities: null }), warnings: [] });
    expect(kept).toBe("h20 was saved; it is disabled, and no turn uses it\n");
  });
});
