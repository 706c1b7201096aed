/** The real Wrangler deploys the real sources to an emulated API: what is asked of it, and that a second run changes nothing. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { runDeploy } from "../../workers/cli/deploy/deploy-command.ts";
import { parseDeploy } from "../../workers/cli/deploy/deploy-options.ts";
import { deployPorts } from "../../workers/cli/deploy/open-ports.ts";
import { ROOT } from "../../workers/cli/local/project.ts";
import { startFakeCloudflare, type FakeCloudflare } from "../helpers/fake-cloudflare.ts";
import { FakeTime } from "../helpers/fake-timer.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const WORKER = "kaibo-deploy-test";

let cloudflare: FakeCloudflare;

beforeEach(async () => {
  cloudflare = await startFakeCloudflare();
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", cloudflare.url);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "a token of the tests");
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  cloudflare.stop();
});

/** @returns What was printed. */
async function deploy(...args: readonly string[]): Promise<string> {
  let printed = "";
  const out = (text: string) => void (printed += text);
  // The address that the emulated account hands out leads nowhere.
  const answers = async (url: string) => url === `https://${WORKER}.acme.workers.dev`;
  const world = { env: {}, out, answers, nowMs: () => performance.now(), timer: new FakeTime() };
  await runDeploy(parseDeploy(["--name", WORKER, ...args]), { ...deployPorts, ...world });
  return printed;
}

describe("kaibo deploy", () => {
  it(
    "makes everything on a fresh account, nothing twice, and removes all of it",
    { timeout: 300_000 },
    async ({ expect }) => {
      const { account } = cloudflare;
      const secretFile = path.join(await tempFolder(), "secret");
      const printed = await deploy("--secret-file", secretFile);
      expect(account.unknown).toEqual([]);
      expect(printed).toContain(`export KAIBO_URL=https://${WORKER}.acme.workers.dev\n`);

      const bindings = account.worker?.bindings ?? [];
      const [[kvId] = []] = [...account.kv];
      const [[d1Id, d1] = []] = [...account.d1];
      expect(bindings).toContainEqual({ type: "kv_namespace", name: "HARNESS_KV", namespace_id: kvId });
      expect(bindings).toContainEqual(expect.objectContaining({ type: "d1", name: "REGISTRY_DB", id: d1Id }));
      expect(bindings.map(({ type }) => type)).toContain("durable_object_namespace");
      expect(account.worker?.migrations).toMatchObject({ new_tag: expect.stringMatching(/^v\d+$/) });

      const migrations = (await readdir(path.join(ROOT, "migrations")))
        .filter((name) => name.endsWith(".sql"))
        .toSorted();
      const applied = d1?.database.prepare("SELECT name FROM d1_migrations ORDER BY name").all();
      expect(applied).toEqual(migrations.map((name) => ({ name })));
      expect(d1?.database.prepare("SELECT count(*) AS n FROM harness_version").get()).toEqual({ n: 0 });
      const secret = account.secrets.get("TOKEN_SECRET");
      expect(secret).toMatch(/^[0-9a-f]{64}$/);

      const again = await deploy();
      expect(again).toContain("up to date");
      expect(again).toContain("version d0000000-0000-0000-0000-000000000002");
      expect(account.worker?.migrations).toBeUndefined();
      expect(account.worker?.bindings).toEqual(bindings);
      expect([account.kv.size, account.d1.size, account.secrets.get("TOKEN_SECRET")]).toEqual([1, 1, secret]);

      expect(await deploy("--remove", "--yes")).toContain(`Worker ${WORKER} … removed`);
      expect([account.worker, account.kv.size, account.d1.size]).toEqual([null, 0, 0]);
      expect(account.unknown).toEqual([]);
      expect((await readdir(ROOT)).filter((name) => name.includes(WORKER))).toEqual([]);
    },
  );
});
