import { describe, it } from "vitest";
import { canonicalBundle } from "../../../harness-kv/canonical-bundle.ts";
import { checkBundle, type BundleChecks } from "../../../harness-kv/check-bundle.ts";
import {
  BUNDLE_BYTES_MAX,
  type HarnessBundle,
  type HarnessBundleInput,
} from "../../../shared/contract/harness-bundle.ts";
import { utf8Bytes } from "../../../shared/core/text.ts";
import { aBundle } from "./bundle-files.ts";

const CHECKS: BundleChecks = { knownBuiltins: [], checkHooks: () => [], findForbiddenWords: () => [] };

const aHook = (name: string): NonNullable<HarnessBundleInput["hooks"]>[number] => ({
  name,
  event: "PreUtterance",
  type: "check",
  check: { type: "promise-without-action", promises: { 已经登记: ["hand_over_to_human"] } },
  action: { type: "block", reason: "先登记" },
});

describe("checkBundle", () => {
  it("finds nothing in a good bundle", ({ expect }) => {
    expect(checkBundle(aBundle(), CHECKS)).toEqual([]);
  });

  it("gathers the faults of prompt, tools and skills, sorted by file", ({ expect }) => {
    const bundle = aBundle({
      prompt: { ...aBundle().prompt, identity: "{{ x }}{{ skills }}" },
      skills: [{ name: "stock", description: "库存", body: "查。", allowedTools: ["none"] }],
      tools: [
        {
          name: "check_stock",
          description: "查库存",
          inputSchema: { type: "object", additionalProperties: false },
          binding: { type: "builtin", builtin: "check_stock" },
        },
      ],
    });
    expect(checkBundle(bundle, CHECKS).map(({ file }) => file)).toEqual([
      "prompt/identity.md",
      "skills/stock/SKILL.md",
      "tools/check_stock.json",
    ]);
  });

  it("refuses what stands twice, once a name", ({ expect }) => {
    const entry = { id: "a", text: "七日", keywords: ["退"], source: "法律" };
    expect(checkBundle(aBundle({ knowledge: [entry, entry, entry] }), CHECKS)).toEqual([
      expect.objectContaining({ file: "knowledge", severity: "error", message: "`a` stands twice" }),
    ]);
  });

  it("refuses a promise that is tied to a tool which does not exist", ({ expect }) => {
    expect(checkBundle(aBundle({ hooks: [aHook("promise")] }), CHECKS)).toEqual([
      expect.objectContaining({ file: "hooks/promise.json", message: "There is no tool `hand_over_to_human`" }),
    ]);
  });

  it("passes on what the hooks' own check finds", ({ expect }) => {
    const checkHooks: BundleChecks["checkHooks"] = (hooks) => [
      { hook: "a", code: "invalid-condition", at: [], message: `${hooks.length} hooks`, fix: "", severity: "error" },
      { hook: "b", code: "always-acts", at: [], message: "slow", fix: "less", severity: "warning" },
    ];
    expect(checkBundle(aBundle(), { ...CHECKS, checkHooks })).toEqual([
      expect.objectContaining({ file: "hooks/a.json", message: "0 hooks", severity: "error" }),
      { code: "always-acts", file: "hooks/b.json", message: "slow", severity: "warning", fix: "less" },
    ]);
  });

  it("holds the harness's own lines to the rules of what may be said", ({ expect }) => {
    const lines = { fallback: ["最好的答案。", "稍等。"], filler: ["还有3秒。"] };
    const findForbiddenWords = (text: string) => (text.includes("最好") ? ["最好"] : []);
    expect(checkBundle(aBundle({ lines }), { ...CHECKS, findForbiddenWords })).toEqual([
      expect.objectContaining({ severity: "error", message: "The line 「最好的答案。」 says 「最好」" }),
      expect.objectContaining({ severity: "warning", message: "The line 「还有3秒。」 holds a number" }),
    ]);
  });

  it("warns of times that cannot come about", ({ expect }) => {
    const bundle = aBundle({
      budgets: { deadlineMs: 2_000, firstByteTimeoutMs: 2_000 },
      lines: { fallback: ["没查到。"], filler: ["稍等。"], fillerAfterMs: 2_000 },
    });
    expect(checkBundle(bundle, CHECKS).map(({ severity }) => severity)).toEqual(["warning", "warning"]);
  });

  it("takes the last byte that fits in a row of the registry, and refuses one more", ({ expect }) => {
    const bundleOf = (lastBytes: number) =>
      aBundle({
        skills: [...Array<number>(37).fill(50_000), lastBytes].map((bytes, index) => ({
          name: `s${index}`,
          description: "库存",
          body: "查。",
          resources: { a: "y".repeat(bytes) },
        })),
      });
    const spareBytes = BUNDLE_BYTES_MAX - utf8Bytes(canonicalBundle(bundleOf(0)));
    const tooLarge = (bundle: HarnessBundle) =>
      checkBundle(bundle, CHECKS).filter(({ message }) => message.includes("bytes"));
    expect(tooLarge(bundleOf(spareBytes))).toEqual([]);
    expect(tooLarge(bundleOf(spareBytes + 1))).toEqual([expect.objectContaining({ severity: "error" })]);
  });
});
