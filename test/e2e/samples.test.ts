/** The samples are for an instance that has none: a restart is no release, and undoes nobody's work. */
import { describe, it, onTestFinished } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadSamples } from "../../workers/cli/local/load-samples.ts";
import { startLocalProduct, type LocalProduct } from "../../workers/cli/local/local-product.ts";
import { aBundle } from "../helpers/harnesses.ts";

const ENV = { TOKEN_SECRET: "a secret of tests, which sign and check tokens with it", INFERENCE_BASE_URL: "" };
const CHANNEL = "/v1/harnesses/live-host/channels/production";
const ROOM = "/v1/rooms/yanxuan-home";

async function call<Answer>(product: LocalProduct, method: string, route: string, body?: object): Promise<Answer> {
  const response = await fetch(`${product.url}${route}`, {
    method,
    headers: { authorization: `Bearer ${product.tokens.page}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

describe("the samples", () => {
  it("leave what an operator released and what a room shows as they are", async ({ expect }) => {
    const stateFolder = await mkdtemp(path.join(tmpdir(), "kaibo-samples-"));
    onTestFinished(() => rm(stateFolder, { recursive: true, force: true, maxRetries: 3 }));
    const first = await startLocalProduct({ port: 0, stateFolder, env: ENV });
    const shipped = await loadSamples({ url: first.url, token: first.tokens.operator });
    expect(shipped.folderDiffers).toBe(false);
    const { version } = await call<{ version: string }>(first, "POST", "/v1/harnesses", aBundle());
    await call(first, "PUT", CHANNEL, { version, expected: shipped.harness.version });
    await call(first, "PATCH", `${ROOM}/state`, { onScreenProductId: null });
    await first.stop();

    const second = await startLocalProduct({ port: 0, stateFolder, env: ENV });
    onTestFinished(second.stop);
    const kept = await loadSamples({ url: second.url, token: second.tokens.operator });
    expect(kept).toEqual({ room: "yanxuan-home", harness: { name: "live-host", version }, folderDiffers: true });
    expect(await call(second, "GET", CHANNEL)).toMatchObject({ version });
    expect(await call(second, "GET", ROOM)).toMatchObject({ snapshot: { onScreenProductId: null } });
  });
});
