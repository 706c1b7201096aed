import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { EMPTY_CHAIN, nextAuditRow } from "../../../../../harness-kv/audit-chain.ts";
import type { AuditRow } from "../../../../../shared/contract/release.ts";
import { parseJson } from "../../../../../shared/core/json.ts";
import { runAudit } from "../../../../../workers/cli/release/audit-command.ts";
import { parseAudit } from "../../../../../workers/cli/release/audit-options.ts";
import { sha256Hex } from "../../../../../workers/cli/harness/version-of.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import { anEdge } from "../an-edge.ts";
import { refusalOf } from "../refusal-of.ts";

const VERSION = `9f2c1a0b${"1".repeat(56)}`;

async function aChain(count: number): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  for (let seq = 1; seq <= count; seq += 1) {
    const subject = { name: "live-host", channel: "production", to: VERSION, expected: null };
    const entry = { atMs: 1_764_547_200_000 + seq, actor: "li", audience: "operator", action: "move", subject };
    rows.push(await nextAuditRow(rows.at(-1) ?? EMPTY_CHAIN, entry, sha256Hex));
  }
  return rows;
}

/** An instance whose log these rows are, in pages of as many as are asked for. */
function anInstance(rows: readonly AuditRow[]) {
  const answers = new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_, route: string) => {
        const [, after = "", limit = ""] = /^GET \/v1\/audit\?after=(\d+)&limit=(\d+)$/.exec(route) ?? [];
        const page = rows.filter(({ seq }) => seq > Number(after)).slice(0, Math.min(2, Number(limit)));
        const isLast = page.at(-1)?.seq === rows.at(-1)?.seq;
        return { rows: page, nextAfter: isLast ? null : (page.at(-1)?.seq ?? null) };
      },
    },
  );
  return anEdge(answers);
}

async function kaibo(args: readonly string[], rows: readonly AuditRow[] = []) {
  let printed = "";
  const seen: string[] = [];
  const { api, asked } = anInstance(rows);
  const failure = await runAudit(parseAudit(args), {
    out: (text) => void (printed += text),
    progress: (line) => void seen.push(line),
    openApi: async () => api,
  }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { printed, seen, asked, failure };
}

const headOf = (rows: readonly AuditRow[], seq: number) => `${seq}:${rows[seq - 1]?.hash}`;

describe("kaibo audit list", () => {
  it("prints a line for each row, versions by their first digits", async ({ expect }) => {
    const { printed } = await kaibo(["list"], await aChain(3));
    expect(printed).toMatch(/^row +time +who +did +what\n/);
    expect(printed).toMatch(
      /\n3 +2025-12-01T00:00:00Z +li \(operator\) +move +live-host channel=production to=9f2c1a0b\n$/,
    );
  });

  it("stops at the limit, and says where to go on", async ({ expect }) => {
    const rows = await aChain(5);
    const { printed } = await kaibo(["list", "--after", "1", "--limit", "3", "--json"], rows);
    expect(parseJson(printed)).toEqual({ rows: rows.slice(1, 4), nextAfter: 4 });
  });

  it("says that there is nothing", async ({ expect }) => {
    expect((await kaibo(["list"])).printed).toBe("The log is empty.\n");
  });
});

describe("kaibo audit verify", () => {
  it("reads every page, shows how far it is, and prints the head", async ({ expect }) => {
    const rows = await aChain(5);
    const { printed, seen, asked, failure } = await kaibo(["verify"], rows);
    expect(failure).toBeNull();
    expect(asked).toHaveLength(3);
    expect(seen).toEqual(["2 rows checked", "4 rows checked", "5 rows checked", ""]);
    expect(printed).toMatch(new RegExp(`^5 rows checked, head ${headOf(rows, 5)}\nThe chain holds\\..*--expect-head`));
  });

  it("holds for an empty log", async ({ expect }) => {
    expect((await kaibo(["verify"])).failure).toBeNull();
  });

  it.for([
    ["changed", (rows: AuditRow[]) => rows.map((row) => (row.seq === 3 ? { ...row, actor: "wang" } : row))],
    ["dropped", (rows: AuditRow[]) => rows.filter(({ seq }) => seq !== 3)],
  ] as const)("fails at the first row that was %s", async ([, damage], { expect }) => {
    const { printed, failure } = await kaibo(["verify", "--json"], damage(await aChain(5)));
    expect(failure).toMatchObject({ message: "The log is broken at row 3.", exitCode: 1 });
    expect(parseJson(printed)).toMatchObject({ rows: 2, brokenSeq: 3, head: { seq: 2 } });
  });

  it("accepts a log that has grown since its head was noted", async ({ expect }) => {
    const rows = await aChain(5);
    const { printed, failure } = await kaibo(["verify", "--expect-head", headOf(rows, 3)], rows);
    expect(failure).toBeNull();
    expect(printed).toContain("row 3 is the one that was noted");
  });

  it("shows a log that was cut short only to who noted its head", async ({ expect }) => {
    const rows = await aChain(5);
    expect((await kaibo(["verify"], rows.slice(0, 4))).failure).toBeNull();
    const { failure } = await kaibo(["verify", "--expect-head", headOf(rows, 5)], rows.slice(0, 4));
    expect(failure).toMatchObject({ message: "The log was cut short.", exitCode: 1 });
  });

  it("shows a log that was written anew", async ({ expect }) => {
    const rows = await aChain(5);
    const { printed, failure } = await kaibo(["verify", "--expect-head", `3:${"0".repeat(64)}`, "--json"], rows);
    expect(failure).toMatchObject({ message: "The log was written anew." });
    expect(parseJson(printed)).toMatchObject({ brokenSeq: null, expectedHead: "different" });
  });

  it("checks a file that `audit list --json` wrote, or rows line by line, without an instance", async ({ expect }) => {
    const rows = await aChain(5);
    const file = path.join(await tempFolder(), "audit.json");
    const page = (await kaibo(["list", "--limit", "3", "--json"], rows)).printed;
    await writeFile(
      file,
      `${page}\n${rows
        .slice(3)
        .map((row) => JSON.stringify(row))
        .join("\n")}\n`,
    );
    const { printed, asked, failure } = await kaibo(["verify", "--from-file", file]);
    expect(failure).toBeNull();
    expect(asked).toEqual([]);
    expect(printed).toContain(`5 rows checked, head ${headOf(rows, 5)}\n`);
  });

  it("says which line of a file is none of a log, and that a file is not there", async ({ expect }) => {
    const file = path.join(await tempFolder(), "audit.json");
    await writeFile(file, `${JSON.stringify({ rows: await aChain(1) })}\n{"seq": 2}\n`);
    expect((await kaibo(["verify", "--from-file", file])).failure).toMatchObject({
      message: `Line 2 of ${file} is no part of an audit log.`,
    });
    expect((await kaibo(["verify", "--from-file", "/nonexistent"])).failure).toMatchObject({
      why: "There is no such file.",
    });
  });
});

describe("parseAudit", () => {
  it.for([
    [["list"], { action: "list", after: 0, limit: 50 }],
    [["verify"], { action: "verify", expected: null }],
    [
      ["verify", "--from-file", "a.json", "--expect-head", `12:${VERSION}`, "--url", "http://k"],
      { action: "verify", file: "a.json", expected: { seq: 12, hash: VERSION }, url: "http://k" },
    ],
  ] as const)("reads %j", ([args, command], { expect }) => {
    expect(parseAudit(args)).toEqual({ name: "audit", json: false, ...command });
  });

  it.for([
    [[], "list, verify"],
    [["list", "now"], "now"],
    [["list", "--limit", "0"], "from 1"],
    [["list", "--after", "-1"], "--after"],
    [["verify", "--expect-head", "12"], "--expect-head 12"],
    [["verify", "--expect-head", `0:${VERSION}`], "--expect-head 0"],
  ] as const)("refuses %j and names what is wrong", ([args, named], { expect }) => {
    const error = refusalOf(parseAudit, args);
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
