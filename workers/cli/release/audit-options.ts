/** `kaibo audit …`, as a command. Pure: nothing is read and nothing is done. */
import type { AuditHead } from "../../../harness-kv/audit-chain.ts";
import { instanceOf, readOptions, usage, type InstanceOptions } from "../read-options.ts";

export type AuditCommand = (
  | { readonly action: "list"; readonly after: number; readonly limit: number }
  | {
      readonly action: "verify";
      /** What `audit list --json` printed; absent: the instance's own log. */
      readonly file?: string;
      /** A head that was noted earlier. */
      readonly expected: AuditHead | null;
    }
) & { readonly name: "audit"; readonly json: boolean } & InstanceOptions;

/** Rows that `list` shows where nobody says how many, and the most that it shows. */
const LIST_DEFAULT = 50;
const LIST_MAX = 1_000_000;

const EXAMPLE = "npx kaibo audit verify";
const COMMON = { json: { type: "boolean" }, url: { type: "string" }, token: { type: "string" } } as const;

/**
 * @param args - What stands after `kaibo audit`.
 * @throws CliError with exit code 2 - the action, an option or a value is not understood.
 */
export function parseAudit(args: readonly string[]): AuditCommand {
  const [action, ...rest] = args;
  if (action === "list") return parseList(rest);
  if (action === "verify") return parseVerify(rest);
  throw usage("`audit` needs to know what to do.", "It does list, verify.", EXAMPLE);
}

function parseList(args: readonly string[]): AuditCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    after: { type: "string" },
    limit: { type: "string" },
  });
  requireNoWords("list", positionals);
  const after = countOf("after", values.after ?? "0", { min: 0, max: Number.MAX_SAFE_INTEGER });
  const limit = countOf("limit", values.limit ?? `${LIST_DEFAULT}`, { min: 1, max: LIST_MAX });
  return { name: "audit", action: "list", after, limit, json: values.json ?? false, ...instanceOf(values) };
}

function parseVerify(args: readonly string[]): AuditCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    "from-file": { type: "string" },
    "expect-head": { type: "string" },
  });
  requireNoWords("verify", positionals);
  const file = values["from-file"];
  return {
    name: "audit",
    action: "verify",
    ...(file !== undefined && { file }),
    expected: values["expect-head"] === undefined ? null : headOf(values["expect-head"]),
    json: values.json ?? false,
    ...instanceOf(values),
  };
}

/** `<seq>:<hash>`, as `verify` prints it. */
function headOf(text: string): AuditHead {
  const [, seq, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  throw usage(
    `--expect-head ${text} is no head.`,
    "It is a row's number, a colon and its hash, as verify prints them.",
    EXAMPLE,
  );
}

function countOf(option: string, text: string, { min, max }: { min: number; max: number }): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw usage(`--${option} ${text} cannot be.`, `It is a number from ${min} to ${max}.`, "npx kaibo audit list");
}

function requireNoWords(action: string, positionals: readonly string[]): void {
  if (positionals.length === 0) return;
  throw usage(`\`audit ${action}\` takes no words.`, `It got: ${positionals.join(" ")}.`);
}
