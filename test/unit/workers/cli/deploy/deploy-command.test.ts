import { describe, it } from "vitest";
import { runDeploy, type DeployPorts } from "../../../../../workers/cli/deploy/deploy-command.ts";
import { parseDeploy } from "../../../../../workers/cli/deploy/deploy-options.ts";
import { anAccount, D1_ID, fakeWrangler, KV_ID, VERSION, type FakeAccount } from "./fake-wrangler.ts";

const CONFIG = {
  name: "kaibo",
  main: "workers/index.ts",
  durable_objects: { bindings: [{ name: "LIVE_ROOM", class_name: "LiveRoom" }] },
  kv_namespaces: [{ binding: "HARNESS_KV" }],
  d1_databases: [{ binding: "REGISTRY_DB", migrations_dir: "migrations" }],
};
const LOOKS = ["whoami --json", "kv namespace list", "d1 list --json", "secret list --name kaibo"];
const WITH_CONFIG = "--config wrangler.kaibo.json";
const SECRET = "s".repeat(64);
const FIRST_TIME = ["--secret-file", "/home/op/secret"];

type World = {
  account?: FakeAccount;
  broken?: Parameters<typeof fakeWrangler>[1];
  env?: Record<string, string>;
  /** How many questions go by before the deployment answers. */
  silences?: number;
};

/** Runs the command to its end, or to its error. */
async function run(args: readonly string[], { account = anAccount(), broken, env = {}, silences = 0 }: World = {}) {
  const { wrangler, calls } = fakeWrangler(account, broken);
  const files = new Map<string, string>();
  const written: unknown[] = [];
  let printed = "";
  let nowMs = 0;
  let questions = 0;
  const ports: DeployPorts = {
    env,
    wrangler,
    out: (text) => void (printed += text),
    nowMs: () => nowMs,
    timer: {
      after(delayMs, fire) {
        nowMs += delayMs;
        fire();
        return () => {};
      },
    },
    buildPage: async () => void calls.push("(page)"),
    readConfig: async () => CONFIG,
    files: {
      write: async (name, text) => {
        files.set(name, text);
        written.push(JSON.parse(text));
      },
      remove: async (name) => void files.delete(name),
    },
    loadSecret: async () => SECRET,
    answers: async () => {
      questions += 1;
      return questions > silences;
    },
  };
  const error: unknown = await runDeploy(parseDeploy(args), ports).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return {
    account,
    calls: calls.slice(LOOKS.length),
    looks: calls.slice(0, LOOKS.length),
    files,
    written,
    printed,
    error,
  };
}

describe("runDeploy", () => {
  it("makes on a fresh account what is missing, in an order in which each step finds what it needs", async ({
    expect,
  }) => {
    const { account, looks, calls, written, files, printed, error } = await run(FIRST_TIME);
    expect(error).toBeNull();
    expect(looks).toEqual(LOOKS);
    expect(calls).toEqual([
      "kv namespace create kaibo-harness-kv",
      "d1 create kaibo-registry-db",
      "(page)",
      `d1 migrations apply REGISTRY_DB --remote ${WITH_CONFIG}`,
      `deploy --minify ${WITH_CONFIG}`,
      "secret put TOKEN_SECRET --name kaibo",
    ]);
    expect(account.secrets?.get("TOKEN_SECRET")).toBe(SECRET);
    expect(written).toEqual([
      {
        ...CONFIG,
        kv_namespaces: [{ binding: "HARNESS_KV", id: KV_ID }],
        d1_databases: [
          {
            binding: "REGISTRY_DB",
            migrations_dir: "migrations",
            database_name: "kaibo-registry-db",
            database_id: D1_ID,
          },
        ],
      },
    ]);
    expect([...files.keys()]).toEqual([]);
    expect(printed).toContain("Cloudflare account Acme (acc1)\n");
    expect(printed).toContain("4/7 schema of kaibo-registry-db … 3 migration(s) applied");
    expect(printed).toContain(`5/7 Worker … version ${VERSION}, 463.95 KiB gzipped`);
    expect(printed).toContain("export KAIBO_URL=https://kaibo.acme.workers.dev\n");
    expect(printed).toContain("--secret-file /home/op/secret)");
    expect(printed).not.toContain(SECRET);
  });

  it("only brings up to date what is there, and leaves the secret as it is", async ({ expect }) => {
    const first = await run(FIRST_TIME);
    const again = await run([], { account: first.account });
    expect(again.error).toBeNull();
    expect(again.calls).toEqual([
      "(page)",
      `d1 migrations apply REGISTRY_DB --remote ${WITH_CONFIG}`,
      `deploy --minify ${WITH_CONFIG}`,
    ]);
    expect(again.written).toEqual(first.written);
    expect(again.printed).toContain("schema of kaibo-registry-db … up to date");
  });

  it.for(["d1 create", "d1 migrations apply", "deploy", "secret put"])(
    "goes on after `wrangler %s` has failed",
    async (words, { expect }) => {
      const account = anAccount();
      const broken = { words, says: "✘ [ERROR] A request to the Cloudflare API failed.\n\n  Try later [code: 1]" };
      const first = await run(FIRST_TIME, { account, broken });
      expect(first.error).toMatchObject({
        message: expect.stringContaining(words),
        why: expect.stringMatching(/^✘ \[ERROR\] A request[\s\S]*Try later \[code: 1\]$/),
      });
      expect(first.printed).toMatch(/ … failed\n$/);
      expect([...first.files.keys()]).toEqual([]);
      const again = await run(FIRST_TIME, { account });
      expect(again.error).toBeNull();
      expect([...first.calls, ...again.calls].filter((call) => call.startsWith("kv namespace create"))).toHaveLength(1);
      expect(account.secrets?.get("TOKEN_SECRET")).toBe(SECRET);
    },
  );

  it("makes nothing where nobody would hold the secret", async ({ expect }) => {
    const { calls, error } = await run([]);
    expect(error).toMatchObject({ exitCode: 2, next: expect.stringContaining("--secret-file") });
    expect(calls).toEqual([]);
  });

  it("takes the secret from the environment, as a pipeline gives it", async ({ expect }) => {
    const { account, printed } = await run([], { env: { TOKEN_SECRET: "e".repeat(32) } });
    expect(account.secrets?.get("TOKEN_SECRET")).toBe("e".repeat(32));
    expect(printed).not.toContain("e".repeat(32));
  });

  it("says who must log in, and asks the account for nothing", async ({ expect }) => {
    const { looks, error } = await run(FIRST_TIME, { account: anAccount({ accounts: null }) });
    expect(error).toMatchObject({ next: expect.stringContaining("wrangler login") });
    expect(looks).toEqual(["whoami --json"]);
  });

  it("deploys a second installation beside the first, with stores of its own", async ({ expect }) => {
    const first = await run(FIRST_TIME);
    first.account.secrets = null;
    const { calls, written } = await run([...FIRST_TIME, "--name", "kaibo-staging"], { account: first.account });
    expect(calls.slice(0, 2)).toEqual([
      "kv namespace create kaibo-staging-harness-kv",
      "d1 create kaibo-staging-registry-db",
    ]);
    expect(calls.at(-1)).toBe("secret put TOKEN_SECRET --name kaibo-staging");
    expect(written).toMatchObject([{ name: "kaibo-staging" }]);
  });

  it("waits for the first answer, and fails when there is none for three minutes", async ({ expect }) => {
    expect((await run(FIRST_TIME, { silences: 20 })).error).toBeNull();
    const silent = await run(FIRST_TIME, { silences: 1_000 });
    expect(silent.error).toMatchObject({ message: expect.stringContaining("does not answer yet"), exitCode: 1 });
  });

  it("changes nothing in a dry run, and says each command", async ({ expect }) => {
    const account = anAccount();
    const { calls, printed, files, error } = await run(["--dry-run", ...FIRST_TIME], { account });
    expect(error).toBeNull();
    expect(calls).toEqual(["(page)", `deploy --dry-run --minify ${WITH_CONFIG}`]);
    expect(account).toEqual(anAccount());
    expect([...files.keys()]).toEqual([]);
    expect(printed).toContain("  1  npx wrangler kv namespace create kaibo-harness-kv\n");
    expect(printed).toContain("  6  npx wrangler secret put TOKEN_SECRET --name kaibo < /home/op/secret\n");
    expect(printed).toMatch(/Nothing was changed\.\n$/);
  });

  it("shows without a login what a fresh account would get", async ({ expect }) => {
    const { printed, error } = await run(["--dry-run", ...FIRST_TIME], { account: anAccount({ accounts: null }) });
    expect(error).toBeNull();
    expect(printed).toContain("a fresh account (nobody is logged in)");
    expect(printed).toContain("d1 create kaibo-registry-db");
  });
});

describe("runDeploy --remove", () => {
  it("says what is there and removes nothing until it is confirmed", async ({ expect }) => {
    const { account } = await run(FIRST_TIME);
    const { calls, printed } = await run(["--remove"], { account });
    expect(calls).toEqual([]);
    expect(printed).toContain(
      "D1 database kaibo-registry-db: harness versions, releases, endpoints and the audit log\n",
    );
    expect(printed).toContain("npx wrangler d1 export kaibo-registry-db --remote");
    expect(printed).toContain("npx kaibo deploy --remove --yes\n");
  });

  it("removes the Worker, then its stores, and nothing of anyone else", async ({ expect }) => {
    const { account } = await run(FIRST_TIME);
    account.kv.set("shop-cache", "a".repeat(32));
    const { calls } = await run(["--remove", "--yes"], { account });
    expect(calls).toEqual([
      "delete --name kaibo --force",
      `kv namespace delete --namespace-id ${KV_ID} --skip-confirmation`,
      "d1 delete kaibo-registry-db --skip-confirmation",
    ]);
    expect(account).toMatchObject({ secrets: null, d1: new Map(), kv: new Map([["shop-cache", "a".repeat(32)]]) });
    const again = await run(["--remove", "--yes"], { account });
    expect(again.calls).toEqual([]);
    expect(again.printed).toContain("There is nothing to remove.\n");
  });

  it("removes the rest after a removal that failed half-way", async ({ expect }) => {
    const { account } = await run(FIRST_TIME);
    const first = await run(["--remove", "--yes"], { account, broken: { words: "kv namespace delete", says: "no" } });
    expect(first.error).toMatchObject({ why: "no" });
    const again = await run(["--remove", "--yes"], { account });
    expect(again.calls[0]).toMatch(/^kv namespace delete /);
    expect(account).toMatchObject({ kv: new Map(), d1: new Map() });
  });
});
