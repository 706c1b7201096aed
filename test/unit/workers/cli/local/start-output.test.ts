import { describe, it } from "vitest";
import { createStages, formatReady, toReadyFacts } from "../../../../../workers/cli/local/start-output.ts";

const tokens = { page: "page.to.ken" };

describe("createStages", () => {
  it("shows a stage when it begins, and how long it took when it ends", ({ expect }) => {
    let printed = "";
    let nowMs = 1_000;
    const stage = createStages({ out: (text) => void (printed += text), nowMs: () => nowMs }, 2);
    const end = stage("runtime");
    expect(printed).toBe("  1/2 runtime … ");
    nowMs += 250.4;
    end("ready");
    stage("samples");
    expect(printed).toBe("  1/2 runtime … ready, 250 ms\n  2/2 samples … ");
  });
});

describe("toReadyFacts", () => {
  it("says where the instance and its tokens are, and gives no token away", ({ expect }) => {
    const harness = { name: "live-host", version: "a".repeat(64) };
    const place = { room: "yanxuan-home", harness, stateFolder: "/s", tokensFile: "/s/kaibo/instance.json" };
    const facts = toReadyFacts({ url: "http://127.0.0.1:8787", tokens, policy: null }, place);
    expect(facts).toEqual({
      ...place,
      url: "http://127.0.0.1:8787",
      docs: "http://127.0.0.1:8787/docs",
      policy: null,
    });
    expect(JSON.stringify(facts)).not.toContain(tokens.page);
  });
});

describe("formatReady", () => {
  it("names the page with its token, the docs, three things to try and how to stop", ({ expect }) => {
    const text = formatReady({ url: "http://127.0.0.1:8787", tokens, policy: null }, "yanxuan-home");
    expect(text).toContain("http://127.0.0.1:8787/#token=page.to.ken&room=yanxuan-home\n");
    expect(text).toContain("http://127.0.0.1:8787/docs\n");
    expect(text).toContain('npx kaibo ask "1号链接多少钱"');
    expect(text).toContain("curl -N http://127.0.0.1:8787/v1/rooms/yanxuan-home/messages");
    expect(text).toContain("the offline policy");
    expect(text).toContain("Ctrl-C");
  });

  it("names the endpoint and the model that answer", ({ expect }) => {
    const policy = { host: "gpu.local:8000", model: "Qwen3" };
    expect(formatReady({ url: "http://a", tokens, policy }, "r")).toContain("Qwen3 at gpu.local:8000\n");
  });
});
