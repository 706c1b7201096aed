/** What a schema cannot see: whether the parts of a bundle fit one another and the engine that will run it. */
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
import { errorAt, sortProblems, warningAt, type Problem } from "./problem.ts";

/** A complaint about one hook, by the code that compiles hooks. */
export type HookProblem = {
  /** Name of the hook. */
  readonly hook: string;
  readonly message: string;
  readonly fix?: string;
  readonly severity?: "error" | "warning";
};

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

/** Everything that would keep a bundle from working, and what would make it work badly. Sorted; empty for a good bundle. */
export function checkBundle(bundle: HarnessBundle, checks: BundleChecks): Problem[] {
  return sortProblems([
    ...checkSize(bundle),
    ...checkDuplicates(bundle),
    ...checkPrompt(bundle),
    ...checkTools(bundle, checks.knownBuiltins),
    ...checkSkills(bundle),
    ...checkHookSet(bundle, checks),
    ...checkLines(bundle, checks),
    ...checkTimes(bundle),
  ]);
}

function checkSize(bundle: HarnessBundle): Problem[] {
  const bytes = utf8Bytes(canonicalBundle(bundle));
  if (bytes <= BUNDLE_BYTES_MAX) return [];
  return [
    errorAt(
      "harness.json",
      undefined,
      `The bundle has ${bytes} bytes, above ${BUNDLE_BYTES_MAX}`,
      "Move data to the room's configuration or behind a tool",
    ),
  ];
}

function checkDuplicates(bundle: HarnessBundle): Problem[] {
  const names: readonly [folder: string, names: readonly string[]][] = [
    ["tools", bundle.tools.map((tool) => tool.name)],
    ["skills", bundle.skills.map((skill) => skill.name)],
    ["hooks", bundle.hooks.map((hook) => hook.name)],
    ["knowledge", bundle.knowledge.map((entry) => entry.id)],
  ];
  return names.flatMap(([folder, list]) =>
    [...new Set(list.filter((name, index) => list.indexOf(name) !== index))].map((name) =>
      errorAt(folder, undefined, `\`${name}\` stands twice`, "Keep one of them, or give it another name"),
    ),
  );
}

function checkHookSet(bundle: HarnessBundle, checks: BundleChecks): Problem[] {
  const tools = new Set(bundle.tools.map((tool) => tool.name));
  const promised = bundle.hooks.flatMap((hook) => {
    if (hook.type !== "check" || hook.check?.type !== "promise-without-action") return [];
    const named = [...new Set(Object.values(hook.check.promises).flat())];
    return named
      .filter((name) => !tools.has(name))
      .map((name) =>
        errorAt(
          hookFile(hook.name),
          undefined,
          `There is no tool \`${name}\``,
          "Add the tool, or take it out of `promises`",
        ),
      );
  });
  const compiled = checks.checkHooks(bundle.hooks, { tools: bundle.tools }).map((problem) => ({
    file: hookFile(problem.hook),
    message: problem.message,
    fix: problem.fix ?? "Change the hook; its fields are described in harness-kv/README.md",
    severity: problem.severity ?? ("error" as const),
  }));
  return [...promised, ...compiled];
}

function hookFile(name: string): string {
  return `hooks/${name}.json`;
}

/** Fallback and filler are spoken without asking anyone, so they are held to the rules at push. */
function checkLines(bundle: HarnessBundle, checks: BundleChecks): Problem[] {
  const { fallback, filler } = bundle.lines;
  const answers = bundle.hooks.flatMap((hook) =>
    hook.type === "check" && hook.action.type === "answer" ? [hook.action.text] : [],
  );
  const forbidden = [...fallback, ...filler, ...answers].flatMap((line) =>
    checks
      .findForbiddenWords(line)
      .map((word) =>
        errorAt("harness.json", undefined, `The line 「${line}」 says 「${word}」`, "Say it in other words"),
      ),
  );
  const facts = [...fallback, ...filler]
    .filter((line) => /\p{Nd}/u.test(line))
    .map((line) =>
      warningAt(
        "harness.json",
        undefined,
        `The line 「${line}」 holds a number`,
        "Leave facts out of lines: no one checks them",
      ),
    );
  return [...forbidden, ...facts];
}

function checkTimes({ budgets, lines }: HarnessBundle): Problem[] {
  const problems: Problem[] = [];
  if (lines.filler.length > 0 && lines.fillerAfterMs >= budgets.deadlineMs) {
    problems.push(
      warningAt("harness.json", undefined, "The filler would come after the deadline", "Lower `lines.fillerAfterMs`"),
    );
  }
  if (budgets.firstByteTimeoutMs >= budgets.deadlineMs) {
    problems.push(
      warningAt(
        "harness.json",
        undefined,
        "A model that does not answer takes the whole deadline",
        "Lower `budgets.firstByteTimeoutMs`",
      ),
    );
  }
  return problems;
}
