/**
 * `npm run bench:redaction`: precision and recall of the redaction by kind, over its corpus, and its speed.
 * A find counts when its kind and its text are exactly the expected ones.
 */
import { REDACTION_KINDS } from "../../shared/privacy/redaction-kind.ts";
import { redactText } from "../../shared/privacy/redact-text.ts";
import { findIn, readRedactionCorpus } from "../helpers/redaction-corpus.ts";
import { rounded } from "./statistics.ts";

const ROUNDS = 50;

const corpus = readRedactionCorpus();
const results = corpus.map((line) => ({ expected: line.expect.map(String), found: findIn(line.text).map(String) }));

for (const kind of REDACTION_KINDS) {
  const isOfKind = (find: string) => find.startsWith(`${kind},`);
  let [expected, found, right] = [0, 0, 0];
  for (const result of results) {
    expected += result.expected.filter(isOfKind).length;
    found += result.found.filter(isOfKind).length;
    right += result.found.filter((find) => isOfKind(find) && result.expected.includes(find)).length;
  }
  console.log(
    `${kind.padEnd(10)} precision ${(right / found).toFixed(3)}  recall ${(right / expected).toFixed(3)}  (${expected} expected, ${found} found)`,
  );
}

const kept = corpus.filter((line) => line.expect.length === 0);
const untouched = kept.filter(({ text }) => redactText(text).text === text);
console.log(`look-alikes ${untouched.length} of ${kept.length} untouched`);

const chars = corpus.reduce((sum, { text }) => sum + text.length, 0);
const startMs = performance.now();
for (let round = 0; round < ROUNDS; round += 1) for (const { text } of corpus) redactText(text);
console.log(`speed ${rounded((chars * ROUNDS) / (performance.now() - startMs))} characters/ms`);
