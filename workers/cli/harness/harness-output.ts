/** What `kaibo harness` prints for people. Pure. */
import type { BundleDiff, FieldChange, FileChange } from "../../../harness-kv/diff-bundles.ts";
import type { DiffLine, Hunk } from "../../../harness-kv/diff-lines.ts";
import { tokensEveryTurn, type TokenCost } from "../../../harness-kv/token-costs.ts";
import { formatTable } from "../format-table.ts";
import type { ExampleResult } from "./run-examples.ts";

export type Style = "red" | "green" | "cyan" | "bold" | "dim";

/** Puts a text in a colour, or leaves it as it is where colours are not wanted. */
export type Paint = (style: Style, text: string) => string;

/** Characters of one value in a diff; more is for reading the file. */
const VALUE_CHARS_MAX = 160;

/**
 * A row for each text of the harness, then what every turn pays.
 *
 * @param model - Whose tokenizer counted; `null` for estimates, on the safe side.
 */
export function formatTokens(costs: readonly TokenCost[], model: string | null): string {
  const rows = costs.map(({ part, name, tokens }) => [part, name, `${tokens}`.padStart(6)]);
  const loaded = costs.reduce((sum, { part, tokens }) => sum + (part === "skill" ? tokens : 0), 0);
  const totals = [
    ["every turn", "", `${tokensEveryTurn(costs)}`.padStart(6)],
    ["when loaded", "skills", `${loaded}`.padStart(6)],
  ];
  const counted = model === null ? "estimates; --tokenizer <server> counts" : `counted by ${model}`;
  return `${formatTable([["part", "text", "tokens"], ...rows, ...totals])}tokens: ${counted}\n`;
}

/** As a code review: texts as hunks, everything else by field, then what it costs. */
export function formatDiff({ changes, tokens, everyTurn }: BundleDiff, paint: Paint): string {
  if (changes.length === 0) return "No difference.\n";
  const files = changes.map((change) => formatChange(change, paint)).join("\n");
  const rows = tokens.map(({ part, name, before, after }) => [part, name, ...costCells(before, after)]);
  const total = ["every turn", "", ...costCells(everyTurn.before, everyTurn.after)];
  return `${files}\n${formatTable([["part", "text", "before", "after", "change"], ...rows, total])}`;
}

function costCells(before: number, after: number): string[] {
  const change = after - before;
  return [`${before}`.padStart(6), `${after}`.padStart(6), `${change > 0 ? "+" : ""}${change}`.padStart(6)];
}

function formatChange({ file, type, fields, hunks }: FileChange, paint: Paint): string {
  const head = paint("bold", type === "changed" ? file : `${file} (${type})`);
  return [head, ...fields.map((field) => formatField(field, paint)), ...hunks.map((hunk) => formatHunk(hunk, paint))]
    .map((line) => `${line}\n`)
    .join("");
}

function formatField(change: FieldChange, paint: Paint): string {
  const before = "before" in change ? paint("red", valueText(change.before)) : null;
  const after = "after" in change ? paint("green", valueText(change.after)) : null;
  const path = `  ${change.path}: `;
  if (before === null) return `${path}+ ${after ?? ""}`;
  return after === null ? `${path}- ${before}` : `${path}${before} → ${after}`;
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= VALUE_CHARS_MAX ? text : `${text.slice(0, VALUE_CHARS_MAX)}…`;
}

const MARKS: Readonly<Record<DiffLine["type"], string>> = { kept: " ", removed: "-", added: "+" };
const STYLES: Readonly<Partial<Record<DiffLine["type"], Style>>> = { removed: "red", added: "green" };

function formatHunk({ before, after, lines }: Hunk, paint: Paint): string {
  const head = paint("cyan", `@@ -${before.line},${before.count} +${after.line},${after.count} @@`);
  const told = lines.map(({ type, text }) => {
    const style = STYLES[type];
    return style === undefined ? `${MARKS[type]}${text}` : paint(style, `${MARKS[type]}${text}`);
  });
  return [head, ...told].join("\n");
}

/** One example: passed or not, what was said, and what is wrong with it. */
export function formatExample({ file, line, question, reply, faults }: ExampleResult, paint: Paint): string {
  const mark = faults.length === 0 ? paint("green", "✓") : paint("red", "✗");
  const place = paint("dim", `${file}:${line ?? 1}`);
  const wrong = faults.map((fault) => `    ${paint("red", fault)}\n`).join("");
  return `${mark} ${question} ${place}\n    ${reply === "" ? paint("dim", "(nothing)") : reply}\n${wrong}`;
}
