/** What a schema cannot see: whether the parts of a bundle fit one another and the engine that will run it. */
import type { HookProblem } from "../shared/agent/hooks/hook-problem.ts";
import {
  BUNDLE_BYTES_MAX,
  type HarnessBundle,
  type HookDefinition,
  type ToolDefinition,
} from "../shared/contract/harness-bundle.ts";
import { utf8Bytes } from "../shared/core/text.ts";
import { canonicalBundle } from "./canonical-bundle.ts";
import { checkPrompt } from "./check-prompt.ts";
import { checkSkills, checkTools } from "./check-tools.ts";
import { placeInWireForm, type PlaceOf } from "./place-of.ts";
import { errorAt, hasErrors, sortProblems, warningAt, type Problem } from "./problem.ts";

/** What the check must be told, because it lives where this folder does not reach. */
export type BundleChecks = {
  /** Names of the builtin tools that this deployment has. */
  readonly knownBuiltins: readonly string[];
  /** Hooks that do not compile, and pairs that contradict each other. */
  readonly checkHooks: (
    hooks: readonly HookDefinition[],
    context: { readonly tools: readonly ToolDefinition[] },
  ) => readonly HookProblem[];
  /** Words that the host must not say, found in one of the harness's own lines. */
  readonly findForbiddenWords: (text: string) => readonly string[];
};

/**
 * Everything that would keep a bundle from working, and what would make it work badly. Sorted; empty for a good bundle.
 *
 * @param at - Gives places in files; a bundle without files has names of files alone.
 */
export function checkBundle(bundle: HarnessBundle, checks: BundleChecks, at: PlaceOf = placeInWireForm): Problem[] {
  const tools = checkTools(bundle, checks.knownBuiltins, at);
  const hooks = checkHookSet(bundle, checks, at);
  return sortProblems([
    ...checkSize(bundle, at),
    ...checkDuplicates(bundle, at),
    ...checkPrompt(bundle, at),
    ...tools,
    ...checkSkills(bundle, at),
    // A tool whose schema is broken is told of once, at the tool.
    ...hooks.filter(({ code }) => code !== "invalid-check" || !hasErrors(tools)),
    ...checkLines(bundle, checks, at),
    ...checkTimes(bundle, at),
  ]);
}

function checkSize(bundle: HarnessBundle, at: PlaceOf): Problem[] {
  const bytes = utf8Bytes(canonicalBundle(bundle));
  if (bytes <= BUNDLE_BYTES_MAX) return [];
  return [
    errorAt(
      "bundle-too-large",
      at("harness.json"),
      `The bundle has ${bytes} bytes, above ${BUNDLE_BYTES_MAX}`,
      "Move data to the room's configuration or behind a tool",
    ),
  ];
}

function checkDuplicates(bundle: HarnessBundle, at: PlaceOf): Problem[] {
  const names: readonly [folder: string, names: readonly string[]][] = [
    ["tools", bundle.tools.map((tool) => tool.name)],
    ["skills", bundle.skills.map((skill) => skill.name)],
    ["hooks", bundle.hooks.map((hook) => hook.name)],
    ["knowledge", bundle.knowledge.map((entry) => entry.id)],
  ];
  return names.flatMap(([folder, list]) =>
    [...new Set(list.filter((name, index) => list.indexOf(name) !== index))].map((name) =>
      errorAt(
        "duplicate-name",
        at(folder, [name]),
        `\`${name}\` stands twice`,
        "Keep one of them, or give it another name",
      ),
    ),
  );
}

function checkHookSet(bundle: HarnessBundle, checks: BundleChecks, at: PlaceOf): Problem[] {
  const tools = new Set(bundle.tools.map((tool) => tool.name));
  const promised = bundle.hooks.flatMap((hook) => {
    if (hook.type !== "check" || hook.check?.type !== "promise-without-action") return [];
    const named = Object.entries(hook.check.promises).flatMap(([phrase, names]) =>
      names.map((name) => ({ name, path: ["check", "promises", phrase] })),
    );
    return named
      .filter(({ name }, index) => !tools.has(name) && named.findIndex((other) => other.name === name) === index)
      .map(({ name, path }) =>
        errorAt(
          "missing-tool",
          at(hookFile(hook.name), path),
          `There is no tool \`${name}\``,
          "Add the tool, or take it out of `promises`",
        ),
      );
  });
  const compiled = checks.checkHooks(bundle.hooks, { tools: bundle.tools }).map((problem) => ({
    ...errorAt(problem.code, at(hookFile(problem.hook), problem.at), problem.message, problem.fix),
    severity: problem.severity,
  }));
  return [...promised, ...compiled];
}

function hookFile(name: string): string {
  return `hooks/${name}.json`;
}

/** Lines are spoken without asking anyone, so they are held to the rules at push. */
function checkLines(bundle: HarnessBundle, checks: BundleChecks, at: PlaceOf): Problem[] {
  const { fallback, filler, changed } = bundle.lines;
  const lineAt = (...path: PropertyKey[]) => at("harness.json", ["lines", ...path]);
  const own = [
    ...fallback.map((line, index) => ({ line, place: lineAt("fallback", index) })),
    ...filler.map((line, index) => ({ line, place: lineAt("filler", index) })),
    { line: changed, place: lineAt("changed") },
  ];
  const answers = bundle.hooks.flatMap((hook) => {
    if (hook.type !== "check" || hook.action.type !== "answer") return [];
    return [{ line: hook.action.text, place: at(hookFile(hook.name), ["action", "text"]) }];
  });
  const forbidden = [...own, ...answers].flatMap(({ line, place }) =>
    checks
      .findForbiddenWords(line)
      .map((word) =>
        errorAt("forbidden-word", place, `The line 「${line}」 says 「${word}」`, "Say it in other words"),
      ),
  );
  const facts = own
    .filter(({ line }) => /\p{Nd}/u.test(line))
    .map(({ line, place }) =>
      warningAt(
        "number-in-line",
        place,
        `The line 「${line}」 holds a number`,
        "Leave facts out of lines: no one checks them",
      ),
    );
  return [...forbidden, ...facts];
}

function checkTimes({ budgets, lines }: HarnessBundle, at: PlaceOf): Problem[] {
  const problems: Problem[] = [];
  if (lines.filler.length > 0 && lines.fillerAfterMs >= budgets.deadlineMs) {
    problems.push(
      warningAt(
        "late-line",
        at("harness.json", ["lines", "fillerAfterMs"]),
        "The filler would come after the deadline",
        "Lower `lines.fillerAfterMs`",
      ),
    );
  }
  if (budgets.firstByteTimeoutMs >= budgets.deadlineMs) {
    problems.push(
      warningAt(
        "late-line",
        at("harness.json", ["budgets", "firstByteTimeoutMs"]),
        "A model that does not answer takes the whole deadline",
        "Lower `budgets.firstByteTimeoutMs`",
      ),
    );
  }
  return problems;
}
