import { describe, it } from "vitest";
import { EMPTY_CHAIN, nextAuditRow, verifyAuditPage } from "../../../harness-kv/audit-chain.ts";
import { recordChange, type ChangeDeps } from "../../../harness-kv/record-change.ts";
import { toAuditEntry, type RegistryChange } from "../../../harness-kv/registry-change.ts";
import { pause } from "../../../shared/core/timer.ts";
import { FakeTime } from "../../helpers/fake-timer.ts";
import { aRegistry, digest, LI } from "./a-registry.ts";

const unpin = (id: string): RegistryChange => ({ kind: "unpin", name: "small", scope: "room", id });

describe("recordChange", () => {
  it("writes a change with its row, and nothing when it does not apply", async ({ expect }) => {
    const registry = aRegistry();
    expect(await recordChange(registry, unpin("r1"), LI)).toBe(true);
    registry.applies = false;
    expect(await recordChange(registry, unpin("r1"), LI)).toBe(false);
    const row = {
      actor: "li",
      audience: "operator",
      action: "unpin",
      subject: { name: "small", scope: "room", id: "r1" },
    };
    expect(registry.log).toEqual([expect.objectContaining({ seq: 1, atMs: 5, ...row })]);
  });

  it("takes the next number when another writer was first, and both are in the chain", async ({ expect }) => {
    const registry = aRegistry();
    const before = registry.tables;
    let isFirst = true;
    const tables: typeof registry.tables = {
      ...registry.tables,
      async commit(change, row) {
        if (isFirst) {
          isFirst = false;
          const other = toAuditEntry(unpin("other"), LI, 4);
          await before.commit(unpin("other"), await nextAuditRow(EMPTY_CHAIN, other, digest));
        }
        return before.commit(change, row);
      },
    };
    expect(await recordChange({ ...registry, tables }, unpin("mine"), LI)).toBe(true);
    expect(registry.changes).toEqual([unpin("other"), unpin("mine")]);
    expect((await verifyAuditPage(EMPTY_CHAIN, registry.log, digest)).brokenSeq).toBeNull();
  });

  it("knows that it wrote when the answer was lost, and writes it once", async ({ expect }) => {
    const registry = aRegistry();
    const tables: typeof registry.tables = {
      ...registry.tables,
      async commit(change, row) {
        await registry.tables.commit(change, row);
        throw new Error("the connection was lost");
      },
    };
    expect(await recordChange({ ...registry, tables }, unpin("r1"), LI)).toBe(true);
    expect(registry.log.length).toBe(1);
  });

  it("fails with the database, when nothing was written", async ({ expect }) => {
    const registry = aRegistry();
    const commit = async () => Promise.reject(new Error("the database is down"));
    const tables = { ...registry.tables, commit };
    await expect(recordChange({ ...registry, tables }, unpin("r1"), LI)).rejects.toThrow("the database is down");
    expect(registry.log).toEqual([]);
  });

  it("ends when others are always first", async ({ expect }) => {
    const registry = aRegistry();
    const tables = {
      ...registry.tables,
      commit: async () => Promise.reject(new Error("taken")),
      auditHash: async () => "another",
    };
    await expect(recordChange({ ...registry, tables }, unpin("r1"), LI)).rejects.toMatchObject({
      code: "registry_unavailable",
    });
  });

  it("is made once each by 50 writers at the same time, without a gap", async ({ expect }) => {
    const registry = aRegistry();
    let seed = 7;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const timer = { after: (delayMs: number, fire: () => void) => (setTimeout(fire, delayMs), () => {}) };
    const writers = Array.from({ length: 50 }, (_, index) => unpin(`r${index}`));
    await Promise.all(writers.map((change) => recordChange({ ...registry, random, timer }, change, LI)));
    expect(registry.log.length).toBe(50);
    expect(new Set(registry.changes.map((change) => ("id" in change ? change.id : ""))).size).toBe(50);
    expect((await verifyAuditPage(EMPTY_CHAIN, registry.log, digest)).brokenSeq).toBeNull();
  });

  it("lets 200 writers of one moment through, 30 ms away from a database that answers one after another", async ({
    expect,
  }) => {
    const registry = aRegistry();
    const time = new FakeTime();
    const before = registry.tables;
    let freeAtMs = 0;
    const ask = async <Value>(run: () => Promise<Value>): Promise<Value> => {
      await pause(time, 15);
      freeAtMs = Math.max(freeAtMs, time.nowMs()) + 1;
      await pause(time, freeAtMs - time.nowMs());
      const answer = await run().catch((thrown: unknown) => ({ thrown }));
      await pause(time, 15);
      if (typeof answer === "object" && answer !== null && "thrown" in answer) throw answer.thrown;
      return answer;
    };
    const tables: ChangeDeps["tables"] = {
      commit: (change, row) => ask(() => before.commit(change, row)),
      auditHead: () => ask(() => before.auditHead()),
      auditHash: (seq) => ask(() => before.auditHash(seq)),
    };
    let seed = 11;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const deps = { ...registry, tables, timer: time, random };
    let settledCount = 0;
    const writers = Array.from({ length: 200 }, (_, index) =>
      recordChange(deps, unpin(`r${index}`), LI).finally(() => (settledCount += 1)),
    );
    const settled = Promise.allSettled(writers);
    while (settledCount < writers.length) {
      time.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await settled).filter(({ status }) => status === "rejected")).toEqual([]);
    expect(registry.log.length).toBe(200);
    expect(time.nowMs()).toBeLessThan(40_000);
  });
});
