import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { ENDPOINTS_KEY } from "../../../harness-kv/keys.ts";
import { ENDPOINTS_MAX, endpointConfigSchema } from "../../../shared/contract/endpoint.ts";
import { removeEndpoint, saveEndpoint, usableEndpoints } from "../../../workers/inference/endpoint-directory.ts";
import { findEndpoint, listEndpoints } from "../../../workers/inference/endpoint-table.ts";

const SETTINGS = { INFERENCE_BASE_URL: "https://settings.test/v1", INFERENCE_MODEL: "m", INFERENCE_API_KEY: "k" };

/** An isolate of its own: the memo goes by `env`. */
function anEnv(fields: object = {}): Env {
  return { ...env, ...fields };
}

function aChange(name: string, fields: object = {}) {
  const config = endpointConfigSchema.parse({ baseUrl: `https://${name}.test/v1`, model: "m", ...fields });
  return { name, config, capabilities: null, updatedBy: "test" };
}

/** Names of the endpoints that a turn gets, after the work beside it is done. */
async function usableNames(of: Env): Promise<string[]> {
  return (await usable(of)).map(({ name }) => name);
}

async function usable(of: Env) {
  const works: Promise<unknown>[] = [];
  const list = await usableEndpoints(of, (work) => works.push(work));
  for (let done = 0; done < works.length; done += 1) await works[done];
  return list;
}

const failing = () => {
  throw new Error("down");
};
const brokenKv = (fields: object = {}) => ({ get: failing, put: failing, ...fields });
const brokenD1 = { prepare: failing };
const documentText = () => env.HARNESS_KV.get(ENDPOINTS_KEY);

beforeEach(async () => {
  for (const { name } of await listEndpoints(env)) await removeEndpoint(env, name);
  await env.HARNESS_KV.delete(ENDPOINTS_KEY);
  vi.useRealTimers();
});

describe("usableEndpoints", () => {
  it("gives the settings' endpoint with its key while none is stored, and none without one", async ({ expect }) => {
    expect(await usable(anEnv(SETTINGS))).toMatchObject([
      { name: "default", config: { baseUrl: "https://settings.test/v1", slots: 16 }, capabilities: null, apiKey: "k" },
    ]);
    expect(await usable(anEnv())).toEqual([]);
  });

  it("gives the stored ones by name, without the disabled and without the settings'", async ({ expect }) => {
    await saveEndpoint(env, aChange("b"));
    await saveEndpoint(env, aChange("a"));
    await saveEndpoint(env, aChange("c", { enabled: false }));
    expect(await usableNames(anEnv(SETTINGS))).toEqual(["a", "b"]);
  });

  it("gives none when all are disabled: that is what the operator wants", async ({ expect }) => {
    await saveEndpoint(env, aChange("a", { enabled: false }));
    expect(await usableNames(anEnv(SETTINGS))).toEqual([]);
  });

  it("leaves out an endpoint whose key is for another origin, and reports it once, without the key", async ({
    expect,
  }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    await saveEndpoint(env, aChange("a", { keyBinding: "INFERENCE_KEY_A" }));
    await saveEndpoint(env, aChange("b", { keyBinding: "INFERENCE_KEY_B" }));
    const own = anEnv({ INFERENCE_KEY_A: "https://a.test sk-a", INFERENCE_KEY_B: "https://a.test sk-b" });
    expect(await usable(own)).toMatchObject([{ name: "a", apiKey: "sk-a" }]);
    await saveEndpoint(env, aChange("c"));
    expect(await usableNames(own)).toEqual(["a", "c"]);
    const lines = log.mock.calls.flat().map(String);
    expect(lines.filter((line) => line.includes("endpoint-key"))).toEqual([
      expect.stringContaining("b key_for_other_origin"),
    ]);
    expect(lines.join("")).not.toContain("sk-");
    log.mockRestore();
  });

  it.for([
    ["is missing", null],
    ["is no JSON", "{"],
    ["has another shape", '{"endpoints":[{"name":"evil"}]}'],
  ] as const)("asks D1 when the document %s, and writes it again", async ([, text], { expect }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    await saveEndpoint(env, aChange("a"));
    const written = await documentText();
    await (text === null ? env.HARNESS_KV.delete(ENDPOINTS_KEY) : env.HARNESS_KV.put(ENDPOINTS_KEY, text));
    expect(await usableNames(anEnv())).toEqual(["a"]);
    expect(await documentText()).toBe(written);
    log.mockRestore();
  });

  it("asks D1 when KV fails, and KV alone when it does not", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    await saveEndpoint(env, aChange("a"));
    expect(await usableNames(anEnv({ HARNESS_KV: brokenKv() }))).toEqual(["a"]);
    expect(await usableNames(anEnv({ REGISTRY_DB: brokenD1 }))).toEqual(["a"]);
    log.mockRestore();
  });

  it("asks D1 when KV does not answer in time", async ({ expect }) => {
    await saveEndpoint(env, aChange("a"));
    const silentKv = brokenKv({ get: () => new Promise(() => {}), put: () => Promise.resolve() });
    expect(await usableNames(anEnv({ HARNESS_KV: silentKv }))).toEqual(["a"]);
  });

  it("gives the settings' endpoint when nobody answers, and the last list where there is one", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    expect(await usableNames(anEnv({ ...SETTINGS, HARNESS_KV: brokenKv(), REGISTRY_DB: brokenD1 }))).toEqual([
      "default",
    ]);
    await saveEndpoint(env, aChange("a"));
    const own = { ...anEnv(SETTINGS) };
    expect(await usableNames(own)).toEqual(["a"]);
    Object.assign(own, { HARNESS_KV: brokenKv(), REGISTRY_DB: brokenD1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    expect(await usableNames(own)).toEqual(["a"]);
    log.mockRestore();
  });

  it("reads once for turns of one moment, and not again for 5 s", async ({ expect }) => {
    await saveEndpoint(env, aChange("a"));
    let reads = 0;
    const counting = {
      get: (key: string) => {
        reads += 1;
        return env.HARNESS_KV.get(key);
      },
    };
    const own = anEnv({ HARNESS_KV: counting });
    const [one, other] = await Promise.all([usable(own), usable(own)]);
    expect([reads, one === other]).toEqual([1, true]);
    expect([await usable(own), reads]).toEqual([one, 1]);
  });

  it("serves a list of 5 s to 60 s while it reads, keeps what did not change, and waits for an older one", async ({
    expect,
  }) => {
    await saveEndpoint(env, aChange("a"));
    const own = anEnv();
    const [before] = await usable(own);
    // Elsewhere somebody adds one: only the document changes.
    const stored = await listEndpoints(env);
    const elsewhere = async (name: string) => {
      const endpoints = [...stored, { ...stored[0], name }];
      await env.HARNESS_KV.put(ENDPOINTS_KEY, JSON.stringify({ endpoints }));
    };
    const startMs = Date.now();
    await elsewhere("b");
    vi.useFakeTimers({ toFake: ["Date"], now: startMs + 10_000 });
    expect(await usableNames(own)).toEqual(["a"]);
    const after = await usable(own);
    expect(after.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(after[0]).toBe(before);
    await elsewhere("c");
    vi.setSystemTime(startMs + 80_000);
    expect(await usableNames(own)).toEqual(["a", "c"]);
  });

  it("sees a change at once in the isolate that made it", async ({ expect }) => {
    const own = anEnv();
    expect(await usableNames(own)).toEqual([]);
    await saveEndpoint(env, aChange("a"));
    expect(await usableNames(own)).toEqual(["a"]);
    await removeEndpoint(env, "a");
    expect(await usableNames(own)).toEqual([]);
  });
});

describe("saveEndpoint", () => {
  it("counts revisions, and its time grows also where the clock is behind", async ({ expect }) => {
    const first = await saveEndpoint(env, aChange("a"));
    vi.useFakeTimers({ toFake: ["Date"], now: first.updatedAtMs - 60_000 });
    const second = await saveEndpoint(env, aChange("a", { slots: 4 }));
    expect([first.revision, second.revision, second.updatedAtMs]).toEqual([1, 2, first.updatedAtMs + 1]);
    expect(await findEndpoint(env, "a")).toEqual(second);
  });

  it("changes only the revision that the caller saw, and creates none that is gone", async ({ expect }) => {
    await saveEndpoint(env, aChange("a"));
    const saved = await saveEndpoint(env, { ...aChange("a", { slots: 4 }), expectedRevision: 1 });
    expect(saved.revision).toBe(2);
    const late = saveEndpoint(env, { ...aChange("a", { slots: 8 }), expectedRevision: 1 });
    await expect(late).rejects.toMatchObject({ code: "endpoint_changed" });
    const gone = saveEndpoint(env, { ...aChange("b"), expectedRevision: 1 });
    await expect(gone).rejects.toMatchObject({ code: "endpoint_changed" });
    expect((await listEndpoints(env)).map(({ name, config }) => [name, config.slots])).toEqual([["a", 4]]);
  });

  it("takes the last endpoint that fits, not one more, and still changes those there are", async ({ expect }) => {
    const insert = env.REGISTRY_DB.prepare("insert into endpoint values (?, ?, null, 'test', 1, 1)");
    const config = JSON.stringify(aChange("x").config);
    await env.REGISTRY_DB.batch(
      Array.from({ length: ENDPOINTS_MAX - 1 }, (_, index) => insert.bind(`e${index}`, config)),
    );
    await saveEndpoint(env, aChange("last"));
    await expect(saveEndpoint(env, aChange("more"))).rejects.toMatchObject({ code: "endpoints_full" });
    expect((await saveEndpoint(env, aChange("last"))).revision).toBe(2);
    expect(await usable(anEnv())).toHaveLength(ENDPOINTS_MAX);
  });

  it("tries KV again, as it takes one write a second", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    let tries = 0;
    const put: KVNamespace["put"] = (key, value, options) => {
      tries += 1;
      return tries === 1 ? failing() : env.HARNESS_KV.put(key, value, options);
    };
    await saveEndpoint(anEnv({ HARNESS_KV: { put } }), aChange("a"));
    expect([tries, await documentText()]).toEqual([2, expect.stringContaining("https://a.test/v1")]);
    log.mockRestore();
  });

  it("says so when D1 has the change and KV has not", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    const saving = saveEndpoint(anEnv({ HARNESS_KV: brokenKv() }), aChange("a"));
    await expect(saving).rejects.toMatchObject({ code: "registry_unavailable", details: { saved: true } });
    expect(await findEndpoint(env, "a")).toMatchObject({ name: "a" });
    log.mockRestore();
  });

  it("copies what another operator wrote meanwhile", async ({ expect }) => {
    let puts = 0;
    const put: KVNamespace["put"] = async (key, value, options) => {
      puts += 1;
      // The other one's document comes first, and this older one after it.
      if (puts === 1) await saveEndpoint(env, aChange("b"));
      await env.HARNESS_KV.put(key, value, options);
    };
    await saveEndpoint(anEnv({ HARNESS_KV: { put } }), aChange("a"));
    expect(await documentText()).toContain("https://b.test/v1");
  });
});

describe("listEndpoints", () => {
  it("leaves out and reports a row that does not fit, and serves the others", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    await saveEndpoint(env, aChange("good"));
    await env.REGISTRY_DB.prepare("insert into endpoint values ('bad', '{', null, 'test', 1, 1)").run();
    expect((await listEndpoints(env)).map(({ name }) => name)).toEqual(["good"]);
    expect(log.mock.calls.flat().join("")).toContain("endpoint-table bad");
    await removeEndpoint(env, "bad");
    log.mockRestore();
  });
});

describe("removeEndpoint", () => {
  it("refuses a name that is not stored", async ({ expect }) => {
    await expect(removeEndpoint(env, "default")).rejects.toMatchObject({ code: "endpoint_not_found" });
  });
});
