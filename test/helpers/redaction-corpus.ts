/** The corpus of texts to redact: one JSON object a line, written for it; numbers and names are made up. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { REDACTION_KINDS } from "../../shared/privacy/redaction-kind.ts";
import { redactText } from "../../shared/privacy/redact-text.ts";

const FILE = path.resolve(import.meta.dirname, "../fixtures/redaction/corpus.jsonl");

const lineSchema = z.strictObject({
  text: z.string(),
  /** Kind and text of each find, in order. */
  expect: z.array(z.tuple([z.enum(REDACTION_KINDS), z.string()])),
  /** What is known to go wrong: something stays that should go, or goes that should stay. */
  known: z.enum(["miss", "false"]).optional(),
});

export type CorpusLine = z.infer<typeof lineSchema>;

export function readRedactionCorpus(): CorpusLine[] {
  return readFileSync(FILE, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => lineSchema.parse(JSON.parse(line)));
}

/** Kind and text of each find, as a line of the corpus expects them. */
export function findIn(text: string): CorpusLine["expect"] {
  return redactText(text).found.map(({ kind, start, end }) => [kind, text.slice(start, end)]);
}
