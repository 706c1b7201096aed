import { describe, it } from "vitest";
import { readDeployment, withIds } from "../../../../../workers/cli/deploy/deployment.ts";

const RAW = {
  name: "kaibo",
  triggers: { crons: ["* * * * *"] },
  kv_namespaces: [{ binding: "HARNESS_KV" }, { binding: "OWN", id: "k1" }],
  d1_databases: [
    { binding: "REGISTRY_DB", migrations_dir: "migrations" },
    { binding: "OTHER", database_name: "other" },
    { binding: "OWN_DB", database_id: "d1" },
  ],
};

describe("readDeployment", () => {
  it("names stores as Wrangler does, and leaves out those that someone gave an id", ({ expect }) => {
    const { worker, stores } = readDeployment(RAW);
    expect(worker).toBe("kaibo");
    expect(stores).toEqual([
      { kind: "kv", binding: "HARNESS_KV", name: "kaibo-harness-kv", hasMigrations: false },
      { kind: "d1", binding: "REGISTRY_DB", name: "kaibo-registry-db", hasMigrations: true },
      { kind: "d1", binding: "OTHER", name: "other", hasMigrations: false },
    ]);
    expect(readDeployment(RAW, "two").stores.map(({ name }) => name)).toEqual([
      "two-harness-kv",
      "two-registry-db",
      "other",
    ]);
  });

  it("takes a file without stores, and refuses one without a name", ({ expect }) => {
    expect(readDeployment({ name: "kaibo" }).stores).toEqual([]);
    expect(() => readDeployment({ main: "a.ts" })).toThrow("wrangler.toml does not read.");
  });
});

describe("withIds", () => {
  it("puts in the ids that are known and keeps everything else as it was", ({ expect }) => {
    const ids = { kv: new Map([["kaibo-harness-kv", "k0"]]), d1: new Map([["kaibo-registry-db", "d0"]]) };
    expect(withIds(readDeployment(RAW), ids)).toEqual({
      ...RAW,
      kv_namespaces: [
        { binding: "HARNESS_KV", id: "k0" },
        { binding: "OWN", id: "k1" },
      ],
      d1_databases: [
        {
          binding: "REGISTRY_DB",
          migrations_dir: "migrations",
          database_name: "kaibo-registry-db",
          database_id: "d0",
        },
        { binding: "OTHER", database_name: "other" },
        { binding: "OWN_DB", database_id: "d1" },
      ],
    });
  });
});
