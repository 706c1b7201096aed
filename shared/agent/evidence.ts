/**
 * Evidence: text from viewers, products and tools, fenced so that it can never be read as an instruction.
 *
 * A block is `<evidence source="S">`, one JSON value a line, `</evidence>`. Every `<`, `>` and `&` of a value is written
 * as a JSON escape, so no value can close the fence, open another one or look like a chat template's marker.
 */
import { parseJson } from "../core/json.ts";

const OPEN = /^<evidence source="([\w:.-]+)">$/;
const CLOSE = "</evidence>";

/** Sources of the blocks that the prompt pipeline writes; tool results are `tool:<name>`, hooks' additions `hook:<name>`. */
export type EvidenceSource =
  | "shop"
  | "catalogue"
  | "faq"
  | "coupons"
  | "context"
  | "strategy"
  | "asked"
  | "state"
  | "changes"
  | "heard"
  | "facts"
  | "knowledge"
  | "messages"
  | `tool:${string}`
  | `hook:${string}`;

export type Evidence = { readonly source: string; readonly records: readonly unknown[] };

/** One value as one line that holds no line end and no `<`, `>`, `&`. Control characters of chat templates die here. */
export function evidenceLine(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll(">", "\\u003e")
    .replaceAll("&", "\\u0026")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** A fenced block; no records give an empty text, so that a section without facts costs nothing. */
export function evidenceBlock(source: EvidenceSource, records: readonly unknown[]): string {
  if (records.length === 0) return "";
  return `<evidence source="${source}">\n${records.map(evidenceLine).join("\n")}\n${CLOSE}`;
}

/** Reads the blocks of a text back, in order. Lines that are no JSON are left out. */
export function parseEvidence(text: string): Evidence[] {
  const blocks: Evidence[] = [];
  let current: { source: string; records: unknown[] } | null = null;
  for (const line of text.split("\n")) {
    const source = OPEN.exec(line)?.[1];
    if (source !== undefined) current = { source, records: [] };
    else if (line === CLOSE) {
      if (current !== null) blocks.push(current);
      current = null;
    } else if (current !== null) {
      const record = parseJson(line);
      if (record !== undefined) current.records.push(record);
    }
  }
  return blocks;
}
