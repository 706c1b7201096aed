import { describe, it } from "vitest";
import { diffBundles } from "../../../harness-kv/diff-bundles.ts";
import type { HarnessBundleInput } from "../../../shared/contract/harness-bundle.ts";
import { aBundle } from "./bundle-files.ts";

type Hook = NonNullable<HarnessBundleInput["hooks"]>[number];

const words = (list: string[], replacements = {}): Hook => ({
  name: "words",
  event: "PreUtterance",
  type: "check",
  check: { type: "forbidden-words", words: list, replacements },
  action: { type: "block", reason: "不许说" },
});

const skill = (body: string, description = "库存") => ({ name: "stock", description, body });

describe("diffBundles", () => {
  it("finds nothing between equal bundles", ({ expect }) => {
    const { changes, tokens, everyTurn } = diffBundles(aBundle(), aBundle());
    expect({ changes, tokens }).toEqual({ changes: [], tokens: [] });
    expect(everyTurn.before).toBe(everyTurn.after);
  });

  it("tells settings by path, and a section as text", ({ expect }) => {
    const before = aBundle();
    const after = aBundle({
      budgets: { stepsMax: 3 },
      prompt: { ...before.prompt, identity: "你是店主。\n{{ skills }}" },
    });
    expect(diffBundles(before, after).changes).toEqual([
      { file: "harness.json", type: "changed", fields: [{ path: "budgets.stepsMax", before: 5, after: 3 }], hunks: [] },
      {
        file: "prompt/identity.md",
        type: "changed",
        fields: [],
        hunks: [
          {
            before: { line: 1, count: 2 },
            after: { line: 1, count: 2 },
            lines: [
              { type: "removed", text: "你是主播。" },
              { type: "added", text: "你是店主。" },
              { type: "kept", text: "{{ skills }}" },
            ],
          },
        ],
      },
    ]);
  });

  it("tells words of a hook one by one, and a new order as a whole", ({ expect }) => {
    const diff = (before: Hook, after: Hook) =>
      diffBundles(aBundle({ hooks: [before] }), aBundle({ hooks: [after] })).changes.flatMap(({ fields }) => fields);
    expect(diff(words(["甲", "乙"]), words(["甲", "丙"], { 丙: "丁" }))).toEqual([
      { path: "check.replacements.丙", after: "丁" },
      { path: "check.words[]", before: "乙" },
      { path: "check.words[]", after: "丙" },
    ]);
    expect(diff(words(["甲", "乙"]), words(["乙", "甲"]))).toEqual([
      { path: "check.words", before: ["甲", "乙"], after: ["乙", "甲"] },
    ]);
  });

  it("tells what is new and what is gone, a skill's body and a hook's code as text", ({ expect }) => {
    const code: Hook = { name: "mask", event: "PreToolUse", type: "code", code: "export default () => ({});" };
    const changes = diffBundles(aBundle({ skills: [skill("先查。")] }), aBundle({ hooks: [code] })).changes;
    expect(changes.map(({ file, type }) => [file, type])).toEqual([
      ["hooks/mask.json", "added"],
      ["skills/stock/SKILL.md", "removed"],
    ]);
    expect(changes.map(({ hunks }) => hunks[0]?.lines)).toEqual([
      [{ type: "added", text: code.code }],
      [{ type: "removed", text: "先查。" }],
    ]);
  });

  it("counts tokens that changed, and apart those that every turn pays", ({ expect }) => {
    const before = aBundle({ skills: [skill("先查。")] });
    const longer = diffBundles(before, aBundle({ skills: [skill("先查。再答。")] }));
    expect(longer.tokens).toEqual([{ part: "skill", name: "stock", before: 5, after: 9 }]);
    expect(longer.everyTurn.before).toBe(longer.everyTurn.after);
    const described = diffBundles(before, aBundle({ skills: [skill("先查。", "库存和补货")] }));
    expect(described.tokens).toEqual([expect.objectContaining({ part: "catalogue", name: "stock" })]);
    expect(described.everyTurn.after - described.everyTurn.before).toBe(4);
  });
});
