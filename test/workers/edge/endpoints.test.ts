/** The routes of endpoints. What a check finds in a server is tested with the check. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { endpointListSchema, endpointViewSchema } from "../../../shared/contract/http-api.ts";
import { findKnown, listKnown, statusOf } from "../../../workers/edge/known-endpoints.ts";
import { listEndpoints } from "../../../workers/inference/endpoint-table.ts";
import { aServer, BASE_URL, error } from "../../unit/workers/inference/a-server.ts";
import { aToken, call } from "../api.ts";

const CONFIG = { baseUrl: "https://gpu.test/v1/", model: "qwen", enabled: false };
const put = (name: string, body: object = {}, headers: Record<string, string> = {}) =>
  call(`/v1/endpoints/${name}`, { method: "PUT", body: { ...CONFIG, ...body }, headers });
const codeOf = async (response: Response) => [
  response.status,
  response.status < 400 ? null : (await response.json<{ code: string }>()).code,
];
const storedNames = async () => (await listEndpoints(env)).map(({ name }) => name);

/** What the Worker calls from now on. */
function serve(server: ReturnType<typeof aServer>): void {
  vi.spyOn(globalThis, "fetch").mockImplementation(server.fetch);
}

afterEach(() => vi.restoreAllMocks());
beforeEach(async () => {
  for (const name of await storedNames()) await call(`/v1/endpoints/${name}`, { method: "DELETE" });
});

describe("PUT /v1/endpoints/:name", () => {
  it("saves a disabled endpoint unseen, with the defaults in it, and shows it to the other routes", async ({
    expect,
  }) => {
    const response = await put("gpu-1");
    const saved = await response.json<{ warnings: unknown }>();
    expect(response.status).toBe(200);
    expect(saved.warnings).toEqual([]);
    expect(saved).toMatchObject({
      name: "gpu-1",
      source: "stored",
      config: { baseUrl: "https://gpu.test/v1", slots: 16, tier: "main", enabled: false },
      capabilities: null,
      revision: 1,
      updatedBy: "test",
    });
    const read = endpointViewSchema.parse(await (await call("/v1/endpoints/gpu-1")).json());
    const { endpoints } = endpointListSchema.parse(await (await call("/v1/endpoints")).json());
    expect([read.config, endpoints.map(({ name }) => name)]).toEqual([endpoints[0]?.config, ["gpu-1"]]);
  });

  it.for([
    [{ baseUrl: "gpu.test" }, /baseUrl: /u],
    [{ baseUrl: "https://user:pass@gpu.test/v1" }, /baseUrl: .*secret/u],
    [{ baseUrl: "https://gpu.test/v1?key=1" }, /baseUrl: /u],
    [{ model: "" }, /model: /u],
    [{ slots: 0 }, /slots: /u],
    [{ keyBinding: "TOKEN_SECRET" }, /keyBinding: /u],
    [{ fields: ["logprobs"] }, /fields\.0: /u],
    [{ apiKey: "sk-1" }, /apiKey/u],
  ] as const)("names the field that is wrong in %j, and saves nothing", async ([body, problem], { expect }) => {
    const response = await put("wrong", body);
    const { code, details } = await response.json<{ code: string; details: { problems: string } }>();
    expect([response.status, code]).toEqual([400, "invalid_request"]);
    expect(details.problems).toMatch(problem);
    expect(await storedNames()).toEqual([]);
  });

  it.for(["offline", "GPU", "-a", "a".repeat(41)])("refuses the name %s", async (name, { expect }) => {
    expect(await codeOf(await put(name))).toEqual([400, "invalid_request"]);
  });

  it("refuses an endpoint whose key the deployment does not have, and names the field", async ({ expect }) => {
    const response = await put("keyed", { enabled: true, keyBinding: "INFERENCE_KEY_NONE" });
    const { code, details } = await response.json<{ code: string; details: { problems: string } }>();
    expect([response.status, code]).toEqual([422, "endpoint_refused"]);
    expect(details.problems).toMatch(/^keyBinding: .*no such secret/u);
    expect(await storedNames()).toEqual([]);
  });

  it("saves what it sees of a server that turns can rely on", async ({ expect }) => {
    serve(aServer());
    const saved = await (await put("seen", { baseUrl: BASE_URL, enabled: true })).json();
    expect(saved).toMatchObject({ capabilities: { tools: true }, revision: 1 });
    expect(await listEndpoints(env)).toMatchObject([{ name: "seen", capabilities: { tools: true } }]);
  });

  it("refuses a server that turns could not rely on, says why, and saves nothing", async ({ expect }) => {
    serve(aServer({ models: () => error(401, "Who are you?"), chat: () => error(401, "Who are you?") }));
    const response = await put("seen", { baseUrl: BASE_URL, enabled: true });
    const { code, details } = await response.json<{ code: string; details: { problems: string } }>();
    expect([response.status, code]).toEqual([422, "endpoint_refused"]);
    expect(details.problems).toMatch(/^keyBinding: /u);
    expect(await storedNames()).toEqual([]);
  });

  it("swaps only the revision that was read", async ({ expect }) => {
    await put("swap");
    expect(await codeOf(await put("swap", { slots: 4 }, { "if-match": "1" }))).toEqual([200, null]);
    expect(await codeOf(await put("swap", { slots: 8 }, { "if-match": "1" }))).toEqual([409, "endpoint_changed"]);
    expect(await codeOf(await put("swap", { slots: 8 }, { "if-match": '"2"' }))).toEqual([200, null]);
    expect(await codeOf(await put("new", {}, { "if-match": "1" }))).toEqual([409, "endpoint_changed"]);
    expect(await codeOf(await put("swap", {}, { "if-match": "*" }))).toEqual([400, "invalid_request"]);
    expect(await listEndpoints(env)).toMatchObject([{ name: "swap", revision: 3, config: { slots: 8 } }]);
  });
});

describe("DELETE /v1/endpoints/:name", () => {
  it("removes a stored endpoint, once", async ({ expect }) => {
    await put("gone");
    const remove = () => call("/v1/endpoints/gone", { method: "DELETE" });
    expect(await codeOf(await remove())).toEqual([204, null]);
    expect(await codeOf(await remove())).toEqual([404, "endpoint_not_found"]);
    expect(await codeOf(await call("/v1/endpoints/gone"))).toEqual([404, "endpoint_not_found"]);
  });
});

describe("POST /v1/endpoints/:name/check", () => {
  it("stores what it sees, and keeps that when the server is down the next time", async ({ expect }) => {
    serve(aServer());
    await put("seen", { baseUrl: BASE_URL });
    const check = async () => (await call("/v1/endpoints/seen/check", { method: "POST" })).json();
    expect(await check()).toMatchObject({ capabilities: { tools: true }, problems: [], revision: 2 });
    serve(aServer({ models: () => Promise.reject(new Error("ECONNREFUSED")) }));
    expect(await check()).toMatchObject({
      capabilities: { tools: true },
      problems: [{ field: "baseUrl" }],
      revision: 2,
    });
    expect(await listEndpoints(env)).toMatchObject([{ name: "seen", capabilities: { tools: true }, revision: 2 }]);
  });

  it("reports a key that is missing, and leaves the endpoint as it is", async ({ expect }) => {
    await put("keyed", { keyBinding: "INFERENCE_KEY_NONE" });
    const response = await call("/v1/endpoints/keyed/check", { method: "POST" });
    expect(await response.json()).toMatchObject({
      name: "keyed",
      revision: 1,
      problems: [{ field: "keyBinding" }],
      warnings: [],
    });
    expect(await codeOf(await call("/v1/endpoints/none/check", { method: "POST" }))).toEqual([
      404,
      "endpoint_not_found",
    ]);
  });
});

describe("audiences", () => {
  it("analysts read, operators of all rooms change, nobody else does either", async ({ expect }) => {
    await put("a");
    const tokens = await Promise.all([
      aToken({ aud: ["analyst"] }),
      aToken({ aud: ["room"] }),
      aToken({ aud: ["viewer"] }),
      aToken({ aud: ["operator"], room: "one" }),
    ]);
    const statuses = await Promise.all(
      tokens.map(async (token) => {
        const answers = await Promise.all([
          call("/v1/endpoints", { token }),
          call("/v1/endpoints/a", { token }),
          call("/v1/endpoints/a", { method: "PUT", body: CONFIG, token }),
          call("/v1/endpoints/a/check", { method: "POST", token }),
          call("/v1/endpoints/a", { method: "DELETE", token }),
          call("/metrics", { token }),
        ]);
        return answers.map(({ status }) => status);
      }),
    );
    const refused = [403, 403, 403, 403, 403, 403];
    expect(statuses).toEqual([[200, 200, 403, 403, 403, 403], refused, refused, refused]);
    expect(await storedNames()).toEqual(["a"]);
  });
});

describe("the settings' endpoint", () => {
  const withSettings: Env = Object.assign(
    { ...env },
    { INFERENCE_BASE_URL: "https://settings.test/v1", INFERENCE_MODEL: "m" },
  );

  it("is shown as `default` while none is stored", async ({ expect }) => {
    const shown = { name: "default", source: "settings", revision: null, capabilities: null };
    expect(await listKnown(withSettings)).toMatchObject([shown]);
    expect(await findKnown(withSettings, "default")).toMatchObject(shown);
    await put("gpu-1");
    expect((await listKnown(withSettings)).map(({ name }) => name)).toEqual(["gpu-1"]);
    await expect(findKnown(withSettings, "default")).rejects.toMatchObject({ code: "endpoint_not_found" });
  });

  it("gives way to a stored one of its name", async ({ expect }) => {
    await put("default");
    expect(await listKnown(withSettings)).toMatchObject([{ name: "default", source: "stored", revision: 1 }]);
  });
});

describe("statusOf", () => {
  it.for([
    ["fails", () => Promise.reject(new Error("down"))],
    ["does not answer", () => new Promise(() => {})],
  ] as const)("is null for an object that %s", async ([, status], { expect }) => {
    const broken: Env = Object.assign({ ...env }, { ENDPOINT_ADMISSION: { getByName: () => ({ status }) } });
    expect(await statusOf(broken, "a")).toBeNull();
  });
});

describe("GET /metrics", () => {
  it("shows every endpoint and the policy inside the Worker, as Prometheus reads it", async ({ expect }) => {
    await put("gpu-1");
    const response = await call("/metrics");
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    expect(text).toContain('endpoint="gpu-1"');
    expect(text).toContain('endpoint="offline"');
  });
});

describe("GET /openapi.json", () => {
  it("describes the routes of endpoints", async ({ expect }) => {
    const { paths } = await (await call("/openapi.json")).json<{ paths: Record<string, unknown> }>();
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(["/v1/endpoints", "/v1/endpoints/{name}", "/v1/endpoints/{name}/check", "/metrics"]),
    );
  });
});
