import fc from "fast-check";
import { describe, it } from "vitest";
import { EMPTY_CHAIN, GENESIS_HASH, nextAuditRow, verifyAuditPage } from "../../../harness-kv/audit-chain.ts";
import type { AuditRow } from "../../../shared/contract/release.ts";
import { digest } from "./a-registry.ts";

const anEntry = (subject: Record<string, unknown> = { name: "live-host" }) => ({
  atMs: 1_764_547_200_000,
  actor: "li",
  audience: "operator",
  action: "push",
  subject,
});

async function aChain(length: number): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  for (let index = 0; index < length; index += 1) {
    rows.push(await nextAuditRow(rows.at(-1) ?? EMPTY_CHAIN, anEntry({ index }), digest));
  }
  return rows;
}

describe("nextAuditRow", () => {
  it("hashes the canonical JSON of all fields, from 64 zeros on", async ({ expect }) => {
    const row = await nextAuditRow(EMPTY_CHAIN, anEntry({ b: 1, a: "主播" }), digest);
    const text =
      `{"action":"push","actor":"li","atMs":1764547200000,"audience":"operator","prevHash":"${"0".repeat(64)}",` +
      `"seq":1,"subject":{"a":"主播","b":1}}`;
    expect(row).toMatchObject({ seq: 1, prevHash: GENESIS_HASH });
    expect(row.hash).toBe(await digest(new TextEncoder().encode(text)));
  });

  it("gives the same hash whatever the order of the subject's fields", async ({ expect }) => {
    const hashOf = async (subject: Record<string, unknown>) =>
      (await nextAuditRow(EMPTY_CHAIN, anEntry(subject), digest)).hash;
    expect(await hashOf({ a: 1, b: 2 })).toBe(await hashOf({ b: 2, a: 1 }));
  });
});

describe("verifyAuditPage", () => {
  it("verifies a whole log, page by page, wherever it is cut", async ({ expect }) => {
    const rows = await aChain(9);
    for (const size of [1, 2, 4, 9, 20]) {
      let head = EMPTY_CHAIN;
      for (let from = 0; from < rows.length; from += size) {
        const verified = await verifyAuditPage(head, rows.slice(from, from + size), digest);
        expect(verified.brokenSeq).toBeNull();
        ({ head } = verified);
      }
      expect(head).toEqual({ seq: 9, hash: rows[8]?.hash });
    }
  });

  it("finds the first row that was changed, dropped, put in or moved", async ({ expect }) => {
    const rows = await aChain(6);
    const forged = async (index: number) => {
      const row = await nextAuditRow(rows[index - 1] ?? EMPTY_CHAIN, anEntry({ forged: true }), digest);
      return rows.with(index, row);
    };
    const broken = async (log: readonly AuditRow[]) => (await verifyAuditPage(EMPTY_CHAIN, log, digest)).brokenSeq;
    expect(await broken(rows.toSpliced(2, 1))).toBe(3);
    expect(await broken(rows.toSpliced(2, 0, ...rows.slice(2, 3)))).toBe(4);
    expect(await broken([...rows.slice(0, 3), ...rows.slice(3).toReversed()])).toBe(4);
    // A row forged with a right hash of its own breaks the row behind it.
    expect(await broken(await forged(2))).toBe(4);
    expect(await broken(rows.slice(1))).toBe(1);
  });

  it("finds any single change of any field", async ({ expect }) => {
    const rows = await aChain(4);
    const change = fc.record({
      index: fc.nat(3),
      field: fc.constantFrom("atMs", "actor", "audience", "action", "prevHash", "hash", "subject", "seq"),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ index, field }) => {
        const row = rows[index];
        if (row === undefined) return;
        const values = { atMs: row.atMs + 1, seq: row.seq + 7, subject: { index: -1 } };
        const changed = {
          ...row,
          [field]: Reflect.get(values, field) ?? `${JSON.stringify(Reflect.get(row, field))}x`,
        };
        const { brokenSeq } = await verifyAuditPage(EMPTY_CHAIN, rows.with(index, changed), digest);
        expect(brokenSeq).toBe(index + 1);
      }),
    );
  });
});
