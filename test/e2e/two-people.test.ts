/** Where releases take two people: one plans, another approves, and either can roll back. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { channelMovedSchema } from "../../shared/contract/http-api.ts";
import { planSchema } from "../../shared/contract/release.ts";
import { createEdgeApi, type EdgeApi } from "../../workers/cli/edge-api.ts";
import { signToken } from "../../workers/cli/local/dev-tokens.ts";
import { pushVersion } from "../../workers/cli/harness/serve-version.ts";
import { startProduct, TOKEN_SECRET, type RunningProduct } from "../helpers/product.ts";
import { readSampleBundle } from "../helpers/sample-harness.ts";

let product: RunningProduct;

beforeAll(async () => {
  // The sample's first release takes one person: no room follows it yet.
  product = await startProduct({ settings: { TWO_PERSON: "on" } });
});

afterAll(async () => {
  await product.stop();
});

async function as(subject: string): Promise<EdgeApi> {
  const ask = { audiences: ["operator"], room: "*", subject, ttlMs: 60_000 } as const;
  return createEdgeApi({ url: product.url, token: await signToken(TOKEN_SECRET, Date.now(), ask) });
}

async function send(api: EdgeApi, method: "GET" | "POST" | "PUT", route: string, body?: object) {
  return api.call(method, `/v1/harnesses/live-host${route}`, {
    ...(body !== undefined && { body }),
    answer: planSchema,
  });
}

describe("a deployment with TWO_PERSON", () => {
  it("moves production by one person's plan and another's word, and back by one", async ({ expect }) => {
    const [li, chen] = [await as("li"), await as("chen")];
    const bundle = await readSampleBundle();
    const { version: before } = await pushVersion(li, bundle);
    const { version } = await pushVersion(li, { ...bundle, description: "两个人发布的主播" });

    const direct = await send(li, "PUT", "/channels/production", { version, expected: before });
    expect(direct).toMatchObject({ ok: false, error: { code: "harness_unapproved" } });

    const planned = await send(li, "POST", "/plans", { version, expected: before, note: "周三上新" });
    expect(planned).toMatchObject({ ok: true, value: { status: "waiting", plannedBy: "li", approvedBy: null } });
    const id = planned.ok ? planned.value.id : "";
    expect(await send(li, "POST", `/plans/${id}/approve`)).toMatchObject({ ok: false, error: { code: "forbidden" } });
    expect(await send(chen, "POST", `/plans/${id}/approve`)).toMatchObject({
      ok: true,
      value: { status: "released", approvedBy: "chen" },
    });
    expect(await versionOfRoom()).toBe(version);

    const route = "/v1/harnesses/live-host/channels/production/rollback";
    await li.call("POST", route, { body: {}, answer: channelMovedSchema });
    expect(await versionOfRoom()).toBe(before);
  });
});

async function versionOfRoom(): Promise<unknown> {
  const headers = { authorization: `Bearer ${product.tokens.operator}` };
  const view = await fetch(`${product.url}/v1/rooms/yanxuan-home`, { headers });
  return ((await view.json()) as { harness: { version: string } }).harness.version;
}
