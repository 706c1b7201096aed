import { describe, it } from "vitest";
import { isAppError } from "../../../../shared/errors/app-error.ts";
import { readSettings } from "../../../../workers/platform/settings.ts";

const ENDPOINT = "http://127.0.0.1:4318";

/** Only the variables are read, never a binding. */
const read = (variables: Record<string, string>) =>
  readSettings({ TOKEN_SECRET: "0123456789abcdef0123456789abcdef", ...variables } as unknown as Env);

/** What the error says to whoever reads the log. */
function refusalOf(variables: Record<string, string>): string {
  try {
    read(variables);
  } catch (thrown) {
    if (isAppError(thrown) && thrown.cause instanceof Error) return thrown.cause.message;
  }
  return "accepted";
}

describe("readSettings: OTLP", () => {
  it.for([{}, { OTLP_ENDPOINT: "" }, { OTLP_ENDPOINT: "", OTLP_HEADERS: "key=value" }])(
    "is off with %j",
    (variables, { expect }) => {
      expect(read(variables).otlp).toBeNull();
    },
  );

  it.for([
    ["", {}],
    ["key=value", { key: "value" }],
    [" API-Key = a%20b , x-tenant=one,", { "api-key": "a b", "x-tenant": "one" }],
    ["authorization=Basic%20dXNlcjpwYXNz==", { authorization: "Basic dXNlcjpwYXNz==" }],
    ["a=1%2C2,b=", { a: "1,2", b: "" }],
  ] as const)("reads the headers %j", ([OTLP_HEADERS, headers], { expect }) => {
    expect(read({ OTLP_ENDPOINT: ENDPOINT, OTLP_HEADERS }).otlp).toEqual({ endpoint: ENDPOINT, headers });
  });

  it.for(["k3y", "a=1,k3y", "=k3y", "a b=k3y", "a=k3y%", "a=k3y%0D%0Ax: y", "a=k3y%E4%BB%B7", "a=k3y\u0000"])(
    "refuses the headers %j by name, without their values",
    (OTLP_HEADERS, { expect }) => {
      const refusal = refusalOf({ OTLP_ENDPOINT: ENDPOINT, OTLP_HEADERS });
      expect(refusal).toMatch(/^OTLP_HEADERS: /);
      expect(refusal).not.toContain("k3y");
    },
  );

  it.for(["k3y", "127.0.0.1:4318/k3y", "ftp://k3y", "https://user:k3y@collector.example", "http://"])(
    "refuses the endpoint %j by name, without its value",
    (OTLP_ENDPOINT, { expect }) => {
      const refusal = refusalOf({ OTLP_ENDPOINT });
      expect(refusal).toMatch(/^OTLP_ENDPOINT: /);
      expect(refusal).not.toContain("k3y");
    },
  );
});

describe("readSettings: speech", () => {
  it.for([{}, { SPEECH_BASE_URL: "" }, { SPEECH_BASE_URL: "", SPEECH_MODEL: "m", SPEECH_API_KEY: "k3y" }])(
    "is off with %j",
    (variables, { expect }) => {
      expect(read(variables).speech).toBeNull();
    },
  );

  it("is a server with its model, voice and key", ({ expect }) => {
    const variables = { SPEECH_BASE_URL: "http://127.0.0.1:8790/v1", SPEECH_MODEL: "kokoro" };
    const server = { baseUrl: variables.SPEECH_BASE_URL, model: "kokoro" };
    expect(read(variables).speech).toEqual({ ...server, voice: "", apiKey: "" });
    expect(read({ ...variables, SPEECH_VOICE: "zf_xiaoxiao", SPEECH_API_KEY: "k3y" }).speech).toEqual({
      ...server,
      voice: "zf_xiaoxiao",
      apiKey: "k3y",
    });
  });

  it.for([
    [{ SPEECH_BASE_URL: "http://127.0.0.1:8790/v1" }, /^SPEECH_MODEL: /],
    [{ SPEECH_BASE_URL: "ftp://k3y", SPEECH_MODEL: "m" }, /^SPEECH_BASE_URL: /],
    [{ SPEECH_API_KEY: "k3y".repeat(500) }, /^SPEECH_API_KEY: /],
  ] as const)("refuses %j by name, without its value", ([variables, named], { expect }) => {
    const refusal = refusalOf(variables);
    expect(refusal).toMatch(named);
    expect(refusal).not.toContain("k3y");
  });
});

describe("readSettings: releases", () => {
  it("take one person and wait for the gate, unless they are told otherwise", ({ expect }) => {
    expect(read({})).toMatchObject({ needsTwo: false, isGated: true });
    expect(read({ TWO_PERSON: "on", GATES: "off" })).toMatchObject({ needsTwo: true, isGated: false });
    expect(read({ TWO_PERSON: "off", GATES: "on" })).toMatchObject({ needsTwo: false, isGated: true });
  });

  it.for(["", "ON", "true", "1"])("refuses TWO_PERSON=%j by name: a guard is not guessed", (TWO_PERSON, { expect }) => {
    expect(refusalOf({ TWO_PERSON })).toMatch(/^TWO_PERSON: /);
  });
});

describe("readSettings: what viewers' pseudonyms are made with", () => {
  const secretIn = (variables: Record<string, string>) => new TextDecoder().decode(read(variables).viewerSecret);

  it("is the secret of tokens, unless there is one for this", ({ expect }) => {
    const TOKEN_SECRET = "a secret that signs all the tokens";
    const VIEWER_SECRET = "a secret that outlives that of tokens";
    expect(secretIn({ TOKEN_SECRET })).toBe(TOKEN_SECRET);
    expect(secretIn({ TOKEN_SECRET, VIEWER_SECRET: "" })).toBe(TOKEN_SECRET);
    expect(secretIn({ TOKEN_SECRET, VIEWER_SECRET })).toBe(VIEWER_SECRET);
  });

  it("is refused by name where it is short", ({ expect }) => {
    const refusal = refusalOf({ VIEWER_SECRET: "k3y" });
    expect(refusal).toMatch(/^VIEWER_SECRET: /);
    expect(refusal).not.toContain("k3y");
  });
});
