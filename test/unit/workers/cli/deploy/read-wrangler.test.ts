import { describe, it } from "vitest";
import {
  isWorkerMissing,
  readAccounts,
  readAddress,
  readCreatedId,
  readNamespaces,
  readVersion,
} from "../../../../../workers/cli/deploy/read-wrangler.ts";

const KV = { kind: "kv", binding: "HARNESS_KV", name: "kaibo-harness-kv", hasMigrations: false } as const;
const D1 = { ...KV, kind: "d1", name: "kaibo-registry-db" } as const;

describe("what Wrangler prints", () => {
  it("gives the accounts of a login, or says that there is none", ({ expect }) => {
    expect(readAccounts({ code: 1, stdout: '\n{"loggedIn":false}\n', stderr: "" })).toBeNull();
    expect(readAccounts({ code: 0, stdout: '{"loggedIn":true,"accounts":[]}', stderr: "" })).toEqual([]);
  });

  it.for(["", "not JSON", '{"result":[]}'])(
    "is not taken for an empty account when it reads %j",
    (stdout, { expect }) => {
      expect(() => readNamespaces(stdout)).toThrow("answered something unexpected");
    },
  );

  it("tells a Worker that is missing from every other failure", ({ expect }) => {
    const ran = { code: 1, stdout: "", stderr: '✘ [ERROR] Worker "kaibo" not found.\n' };
    expect(isWorkerMissing(ran)).toBe(true);
    expect(isWorkerMissing({ ...ran, stderr: '✘ [ERROR] Worker "kaibo" (env: x) not found.\n' })).toBe(true);
    expect(isWorkerMissing({ ...ran, stderr: "✘ [ERROR] Authentication error [code: 10000]" })).toBe(false);
    expect(isWorkerMissing({ ...ran, code: 0 })).toBe(false);
  });

  it("gives the id of what was made, from either form of the configuration", ({ expect }) => {
    const kvId = "0".repeat(32);
    const d1Id = "11111111-2222-3333-4444-555555555550";
    expect(readCreatedId(KV, `[[kv_namespaces]]\nbinding = "kaibo_harness_kv"\nid = "${kvId}"\n`)).toBe(kvId);
    expect(readCreatedId(KV, `{ "binding": "K", "id": "${kvId}" }`)).toBe(kvId);
    expect(readCreatedId(D1, `database_name = "x"\ndatabase_id = "${d1Id}"\n`)).toBe(d1Id);
    expect(() => readCreatedId(D1, `id = "${kvId}"`)).toThrow("did not say its id");
  });

  it("gives the address: a domain of one's own before the one of the account", ({ expect }) => {
    const workersDev = "Deployed kaibo triggers (0.02 sec)\n  https://kaibo.acme.workers.dev\n";
    expect(readAddress(workersDev)).toBe("https://kaibo.acme.workers.dev");
    const domain = "  live.acme.example (custom domain - zone name: acme.example)\n";
    expect(readAddress(`${workersDev}${domain}`)).toBe("https://live.acme.example");
    expect(readAddress("  acme.example/live/* (zone name: acme.example)\n")).toBeNull();
    expect(readAddress("  https://dash.cloudflare.com/acc1/workers\n")).toBeNull();
  });

  it("is no deployment without a version", ({ expect }) => {
    expect(readVersion("Current Version ID: d0-1\n")).toBe("d0-1");
    expect(() => readVersion("Total Upload: 1 KiB\n")).toThrow("without having deployed");
  });
});
