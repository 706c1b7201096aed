/** `kaibo audit`: who changed the registry, and whether anyone has changed the log of that. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { z } from "zod";
import { EMPTY_CHAIN, verifyAuditPage, type AuditHead } from "../../../harness-kv/audit-chain.ts";
import { auditPageSchema, auditRowSchema, type AuditRow } from "../../../shared/contract/release.ts";
import { parseJson } from "../../../shared/core/json.ts";
import type { AuditCommand } from "./audit-options.ts";
import { CliError, systemCode } from "../cli-error.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { NONE, oneLine, shortVersion, timeOf } from "../format-cells.ts";
import { formatTable } from "../format-table.ts";
import type { InstanceOptions } from "../read-options.ts";
import { sha256Hex } from "../harness/version-of.ts";

/** The most rows that the route gives at once. */
const PAGE_ROWS = 500;

export type AuditPorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  /** Takes a line that the next one replaces; absent where nobody watches. */
  readonly progress?: (line: string) => void;
  /** Opened by what needs an instance alone. */
  readonly openApi: (options: InstanceOptions) => Promise<EdgeApi>;
};

type Asked<Action extends AuditCommand["action"]> = Extract<AuditCommand, { action: Action }>;

/** @throws CliError - the log could not be read, or is not what it should be. */
export async function runAudit(command: AuditCommand, ports: AuditPorts): Promise<void> {
  return command.action === "list" ? list(command, ports) : verify(command, ports);
}

async function list(command: Asked<"list">, { out, openApi }: AuditPorts): Promise<void> {
  const { after, limit, json } = command;
  const rows: AuditRow[] = [];
  for await (const page of pagesAfter(await openApi(command), after, Math.min(limit, PAGE_ROWS))) {
    rows.push(...page.slice(0, limit - rows.length));
    if (rows.length === limit) break;
  }
  if (json)
    return out(`${JSON.stringify({ rows, nextAfter: rows.length === limit ? (rows.at(-1)?.seq ?? null) : null })}\n`);
  if (rows.length === 0) return out(after === 0 ? "The log is empty.\n" : `No row comes after ${after}.\n`);
  const cells = rows.map((row) => [
    `${row.seq}`,
    timeOf(row.atMs),
    `${row.actor} (${row.audience})`,
    row.action,
    formatSubject(row.subject),
  ]);
  out(formatTable([["row", "time", "who", "did", "what"], ...cells]));
}

/** What a change was of: its name first, then each field, versions by their first digits. */
function formatSubject({ name, ...fields }: AuditRow["subject"]): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== "")
    .map(([field, value]) => `${field}=${textOf(value)}`);
  return oneLine([...(name === undefined ? [] : [textOf(name)]), ...pairs].join(" ")) || NONE;
}

function textOf(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /^[0-9a-f]{64}$/.test(value) ? shortVersion(value) : value;
}

/** How a log compares with a head that was noted earlier: `null` where none was. */
type Compared = "found" | "cut" | "different" | null;

type Checked = { readonly head: AuditHead; readonly brokenSeq: number | null; readonly expectedHead: Compared };

async function verify(command: Asked<"verify">, { out, progress, openApi }: AuditPorts): Promise<void> {
  const { file, expected, json } = command;
  const pages = file === undefined ? pagesAfter(await openApi(command), 0, PAGE_ROWS) : pagesOfFile(file);
  const checked = await checkChain(pages, expected, (head) => progress?.(`${head.seq} rows checked`));
  progress?.("");
  const { head } = checked;
  out(
    json
      ? `${JSON.stringify({ rows: head.seq, ...checked })}\n`
      : `${head.seq} rows checked, head ${head.seq}:${head.hash}\n`,
  );
  requireGood(checked, expected);
  if (!json) out(formatGood(expected));
}

/** Stops at the first row that is not the one that follows. */
async function checkChain(
  pages: AsyncIterable<readonly AuditRow[]>,
  expected: AuditHead | null,
  seen: (head: AuditHead) => void,
): Promise<Checked> {
  let head: AuditHead = EMPTY_CHAIN;
  let expectedHead: Compared = expected === null ? null : "cut";
  for await (const rows of pages) {
    const verified = await verifyAuditPage(head, rows, sha256Hex);
    ({ head } = verified);
    const noted = rows.find(({ seq }) => seq === expected?.seq);
    if (noted !== undefined) expectedHead = noted.hash === expected?.hash ? "found" : "different";
    if (verified.brokenSeq !== null) return { ...verified, expectedHead };
    seen(head);
  }
  return { head, brokenSeq: null, expectedHead };
}

/** @throws CliError - the chain is broken, or the log is not the one whose head was noted. */
function requireGood({ head, brokenSeq, expectedHead }: Checked, expected: AuditHead | null): void {
  if (brokenSeq !== null) throw broken(brokenSeq, head);
  const seq = expected?.seq ?? 0;
  const next = "Compare with an export of before; who could write to the database can say more.";
  if (expectedHead === "cut") {
    throw new CliError("The log was cut short.", {
      why: `It ends at row ${head.seq}, and had ${seq} rows before.`,
      next,
    });
  }
  if (expectedHead === "different") {
    throw new CliError("The log was written anew.", { why: `Its row ${seq} is not the one that was noted.`, next });
  }
}

function formatGood(expected: AuditHead | null): string {
  if (expected !== null) return `The chain holds, and row ${expected.seq} is the one that was noted.\n`;
  return "The chain holds. So does one that was cut short: note the head, and check against it with --expect-head.\n";
}

function broken(seq: number, head: AuditHead): CliError {
  return new CliError(`The log is broken at row ${seq}.`, {
    why: "That row is not the one that follows, or is not what its hash says: rows were changed, dropped or put in.",
    next: `Keep a copy (npx kaibo audit list --after ${head.seq} --json), and compare with an export of before.`,
  });
}

/** Rows after a number, oldest first, page by page. */
async function* pagesAfter(api: EdgeApi, first: number, limit: number): AsyncGenerator<readonly AuditRow[]> {
  for (let after = first; ;) {
    const { rows, nextAfter } = await loadPage(api, `after=${after}&limit=${limit}`);
    if (rows.length > 0) yield rows;
    // An instance that gives the same page again would never come to an end.
    if (nextAfter === null || nextAfter <= after) return;
    after = nextAfter;
  }
}

async function loadPage(api: EdgeApi, query: string): Promise<z.infer<typeof auditPageSchema>> {
  const read = await api.call("GET", `/v1/audit?${query}`, { answer: auditPageSchema });
  return expectOk(read, "The audit log could not be read.");
}

/** Lines that each are a page, as `audit list --json` and the API print them, or one row. */
async function* pagesOfFile(file: string): AsyncGenerator<readonly AuditRow[]> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  try {
    for await (const text of lines) {
      number += 1;
      if (text.trim() !== "") yield rowsOf(file, number, text);
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(`${file} cannot be read.`, {
      why: systemCode(cause) === "ENOENT" ? "There is no such file." : `The system says ${systemCode(cause)}.`,
      next: "npx kaibo audit list --limit 1000000 --json > audit.json",
      cause,
    });
  }
}

function rowsOf(file: string, number: number, text: string): readonly AuditRow[] {
  const value = parseJson(text);
  const page = auditPageSchema.pick({ rows: true }).safeParse(value);
  if (page.success) return page.data.rows;
  const row = auditRowSchema.safeParse(value);
  if (row.success) return [row.data];
  throw new CliError(`Line ${number} of ${file} is no part of an audit log.`, {
    why: "A line is what `audit list --json` prints, or one row of it.",
    next: "npx kaibo audit list --limit 1000000 --json > audit.json",
  });
}
