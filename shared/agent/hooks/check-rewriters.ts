/** Hooks that rewrite the same text in declared order: where one undoes another, the order decides in silence. */
import type { HookDefinition } from "../../contract/harness-bundle.ts";
import { compileWordList } from "../checks/find-words.ts";
import { foldWord } from "../checks/fold-text.ts";
import { compileCheck } from "../checks/compile-check.ts";
import type { HookInput } from "../../contract/hook-io.ts";
import type { HookProblem } from "./hook-problem.ts";

type Replacing = { readonly hook: HookDefinition; readonly replacements: ReadonlyMap<string, string> };

/** Warnings about replacements that contradict, bring back a word that another hook takes out, or are forbidden themselves. */
export function checkRewriters(definitions: readonly HookDefinition[]): HookProblem[] {
  const replacing = definitions.flatMap(toReplacing);
  return [
    ...replacing.flatMap(checkOwnReplacements),
    ...replacing.flatMap((left, index) =>
      replacing
        .slice(index + 1)
        .flatMap((right) => (left.hook.event === right.hook.event ? checkPair(left, right) : [])),
    ),
  ];
}

function toReplacing(hook: HookDefinition): Replacing[] {
  if (hook.type !== "check" || hook.action.type !== "rewrite" || hook.check === undefined) return [];
  if (!("replacements" in hook.check)) return [];
  const entries = Object.entries(hook.check.replacements).map(([word, by]) => [foldWord(word), by] as const);
  return entries.length === 0 ? [] : [{ hook, replacements: new Map(entries) }];
}

function checkPair(left: Replacing, right: Replacing): HookProblem[] {
  const problems: HookProblem[] = [];
  for (const [word, by] of left.replacements) {
    const other = right.replacements.get(word);
    if (other !== undefined && other !== by) {
      problems.push(warningOf(right, `\`${left.hook.name}\` already puts 「${by}」 for 「${word}」, not 「${other}」`));
    }
  }
  const takenOut = compileWordList({ words: [...left.replacements.keys()] });
  for (const [word, by] of right.replacements) {
    const back = takenOut.find(by)[0];
    if (back !== undefined)
      problems.push(
        warningOf(
          right,
          `「${by}」 for 「${word}」 brings back 「${back.written}」, which \`${left.hook.name}\` takes out`,
        ),
      );
  }
  return problems;
}

/** A replacement that the hook's own check finds makes every rewrite end as a block. */
function checkOwnReplacements({ hook, replacements }: Replacing): HookProblem[] {
  if (hook.type !== "check" || hook.check === undefined) return [];
  const check = compileCheck(hook.check, { tools: [] });
  return [...replacements].flatMap(([word, by]) => {
    const finding = check(NO_INPUT, by);
    if (finding === null) return [];
    const problem = warningOf({ hook, replacements }, `「${by}」 for 「${word}」 is refused by the hook's own list`);
    return [problem];
  });
}

/** Word checks read the text alone. */
const NO_INPUT: HookInput = {
  hook_event_name: "UserPromptSubmit",
  session_id: "",
  turn_id: "",
  retry_active: false,
  question: "",
  evidence: [],
  prompt: "",
};

function warningOf({ hook }: Replacing, message: string): HookProblem {
  return {
    hook: hook.name,
    code: "rewriter-conflict",
    at: ["check", "replacements"],
    message,
    fix: "Choose another replacement",
    severity: "warning",
  };
}
