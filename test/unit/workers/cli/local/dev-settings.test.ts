import { stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import {
  loadDevSecret,
  pickSettings,
  policyOf,
  readDevVars,
  requireSettings,
} from "../../../../../workers/cli/local/dev-settings.ts";

const TOKEN_SECRET = "0123456789abcdef0123456789abcdef";

describe("pickSettings", () => {
  it("takes the shell before .dev.vars, and no other variable", ({ expect }) => {
    const env = { INFERENCE_MODEL: "shell", PATH: "/bin" };
    const devVars = { INFERENCE_MODEL: "file", INFERENCE_KIND: "openai", EXTRA: "x" };
    expect(pickSettings(env, devVars)).toEqual({ INFERENCE_MODEL: "shell", INFERENCE_KIND: "openai" });
  });

  it("lets an empty value turn a setting off", ({ expect }) => {
    expect(pickSettings({ INFERENCE_BASE_URL: "" }, { INFERENCE_BASE_URL: "http://a/v1" })).toEqual({
      INFERENCE_BASE_URL: "",
    });
  });
});

describe("requireSettings", () => {
  it.for([
    {},
    { INFERENCE_BASE_URL: "" },
    { INFERENCE_BASE_URL: "http://127.0.0.1:8000/v1", INFERENCE_MODEL: "Qwen3", INFERENCE_KIND: "sglang" },
    { SPEECH_BASE_URL: "http://127.0.0.1:8790/v1", SPEECH_MODEL: "kokoro" },
    { VIEWER_SECRET: "" },
    { VIEWER_SECRET: TOKEN_SECRET },
  ])("accepts %j", (settings, { expect }) => {
    expect(() => requireSettings({ ...settings, TOKEN_SECRET })).not.toThrow();
  });

  it.for([
    [{ INFERENCE_BASE_URL: "127.0.0.1:8000/v1", INFERENCE_MODEL: "m" }, "INFERENCE_BASE_URL"],
    [{ INFERENCE_BASE_URL: "ftp://a/v1", INFERENCE_MODEL: "m" }, "INFERENCE_BASE_URL"],
    [{ INFERENCE_BASE_URL: "http://a/v1" }, "INFERENCE_MODEL is missing"],
    [{ INFERENCE_KIND: "ollama" }, "INFERENCE_KIND=ollama"],
    [{ SPEECH_BASE_URL: "127.0.0.1:8790/v1", SPEECH_MODEL: "m" }, "SPEECH_BASE_URL"],
    [{ SPEECH_BASE_URL: "http://a/v1" }, "SPEECH_MODEL is missing"],
  ] as const)("refuses %j by name", ([settings, named], { expect }) => {
    expect(() => requireSettings({ ...settings, TOKEN_SECRET })).toThrow(named);
  });

  it("refuses a secret of 31 characters without showing it", ({ expect }) => {
    const short = TOKEN_SECRET.slice(1);
    expect(() => requireSettings({ TOKEN_SECRET: short })).toThrow(/^(?!.*0123456789).*TOKEN_SECRET is too short/);
    expect(() => requireSettings({ TOKEN_SECRET, VIEWER_SECRET: short })).toThrow(
      /^(?!.*0123456789).*VIEWER_SECRET is too short/,
    );
  });
});

describe("policyOf", () => {
  it("is the endpoint's host and model, without what the address hides", ({ expect }) => {
    const settings = { INFERENCE_BASE_URL: "https://user:key@gpu.local:8000/v1", INFERENCE_MODEL: "Qwen3" };
    expect(policyOf(settings)).toEqual({ host: "gpu.local:8000", model: "Qwen3" });
  });

  it("is null for the offline policy", ({ expect }) => {
    expect(policyOf({ INFERENCE_BASE_URL: "" })).toBeNull();
  });
});

describe("readDevVars", () => {
  it("reads the file as Wrangler does, and none as nothing", async ({ expect }) => {
    const folder = await tempFolder();
    expect(await readDevVars(folder)).toEqual({});
    await writeFile(path.join(folder, ".dev.vars"), '# note\nINFERENCE_MODEL="Qwen 3"\nINFERENCE_KIND=vllm\n');
    expect(await readDevVars(folder)).toEqual({ INFERENCE_MODEL: "Qwen 3", INFERENCE_KIND: "vllm" });
  });
});

describe("loadDevSecret", () => {
  it("makes a secret once, for its owner alone", async ({ expect }) => {
    const folder = await tempFolder();
    const secret = await loadDevSecret(folder);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await loadDevSecret(folder)).toBe(secret);
    expect((await stat(path.join(folder, "kaibo/dev-secret"))).mode & 0o777).toBe(0o600);
  });
});
