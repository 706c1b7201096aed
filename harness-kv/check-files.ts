/** The whole check of a harness in source form: what an operator is told before a push. */
import { findAdvertisingWords } from "../shared/agent/checks/advertising-law.ts";
import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";
import { checkForPush } from "./check-for-push.ts";
import { placesIn } from "./place-of.ts";
import { errorAt, hasErrors, sortProblems, type Problem } from "./problem.ts";
import { readBundle } from "./read-bundle.ts";
import type { SkillExample } from "./read-examples.ts";

export type CheckedFiles = {
  /** Null when a problem is an error. */
  readonly bundle: HarnessBundle | null;
  readonly examples: readonly SkillExample[];
  readonly problems: readonly Problem[];
};

/**
 * Reads and checks. Code hooks are not loaded: that takes an engine.
 *
 * @param files - As {@link readBundle} takes them, with whatever the harness extends already in them.
 */
export function checkFiles(files: ReadonlyMap<string, string>): CheckedFiles {
  const { bundle, examples, problems: read } = readBundle(files);
  if (bundle === null) return { bundle, examples, problems: read };
  const problems = sortProblems([...read, ...checkForPush(bundle, placesIn(files)), ...checkExamples(examples)]);
  return { bundle: hasErrors(problems) ? null : bundle, examples, problems };
}

/** What an example wants to hear, the host will be trained to say. */
function checkExamples(examples: readonly SkillExample[]): Problem[] {
  return examples.flatMap(({ mustContain, place }) =>
    mustContain
      .flatMap(findAdvertisingWords)
      .map((word) => errorAt("forbidden-word", place, `The example wants to hear 「${word}」`, "Ask for other words")),
  );
}
