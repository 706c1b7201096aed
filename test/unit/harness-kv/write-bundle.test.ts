import path from "node:path";
import fc from "fast-check";
import { describe, it } from "vitest";
import { canonicalBundle } from "../../../harness-kv/canonical-bundle.ts";
import { checkFiles } from "../../../harness-kv/check-files.ts";
import { extendFiles } from "../../../harness-kv/extend-files.ts";
import { readBundle } from "../../../harness-kv/read-bundle.ts";
import { writeBundle } from "../../../harness-kv/write-bundle.ts";
import type { HarnessBundle, Skill } from "../../../shared/contract/harness-bundle.ts";
import { isCleanText } from "../../../shared/core/text.ts";
import { aBundle, readFolder } from "./bundle-files.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const sample = () => readFolder(path.join(ROOT, "harness-kv/bundles/live-host"));

const SKILL: Skill = {
  name: "price",
  description: "回答价格",
  metadata: {},
  allowedTools: [],
  body: "# 价格\n\n报价。",
  resources: {},
};

const CODE_HOOK = {
  name: "10-mask",
  event: "PreUtterance" as const,
  type: "code" as const,
  code: "export default () => ({});\n",
};

/** The files, read and checked again. */
function reread(bundle: HarnessBundle) {
  const files = writeBundle(bundle);
  if (files === null) throw new Error("it has no folder");
  return { files, ...checkFiles(files) };
}

describe("writeBundle", () => {
  it("writes the sample as a folder that passes its check and is the same version", ({ expect }) => {
    const { bundle } = readBundle(sample());
    if (bundle === null) throw new Error("the sample does not read");
    const again = reread(bundle);
    expect(again.problems).toEqual([]);
    expect(again.bundle && canonicalBundle(again.bundle)).toBe(canonicalBundle(bundle));
    expect([...again.files.keys()]).toContain("skills/price-and-promotion/SKILL.md");
  });

  it("writes a harness over another whole", ({ expect }) => {
    const settings = { extends: "live-host", name: "shop", remove: ["skills/complaint"], budgets: { stepsMax: 3 } };
    const own = new Map([
      ["harness.json", JSON.stringify(settings)],
      ["skills/returns/SKILL.md", '---\nname: returns\ndescription: "退货: 怎么退"\n---\n先问原因。'],
      ["skills/returns/steps/first.md", "\n  第一步\n\n"],
    ]);
    const { files } = extendFiles([
      { prefix: "../live-host/", files: sample() },
      { prefix: "", files: own },
    ]);
    const { bundle } = checkFiles(files);
    if (bundle === null) throw new Error("the harness over the sample does not read");
    const again = reread(bundle);
    expect(again.problems).toEqual([]);
    expect(again.bundle).toEqual(bundle);
    expect(again.files.get("harness.json")).not.toContain("extends");
  });

  it("keeps the order of knowledge, whatever its ids", ({ expect }) => {
    const entry = (id: string) => ({ id, text: `${id}\n说法`, keywords: ["退"], source: "店铺" });
    const bundle = aBundle({ knowledge: [entry("b"), entry("a"), entry("c")] });
    expect(reread(bundle).bundle).toEqual(bundle);
  });

  it("writes a module as a file of its own", ({ expect }) => {
    const bundle = aBundle({ hooks: [CODE_HOOK] });
    const { files, ...again } = reread(bundle);
    expect(files.get("hooks/10-mask.js")).toBe(CODE_HOOK.code);
    expect(again.bundle).toEqual(bundle);
  });

  it("gives every text of a skill's front matter back as it was", ({ expect }) => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }).filter(isCleanText);
    const odd = fc.constantFrom(
      "3",
      "yes",
      "a: b",
      "a # b",
      "---",
      "- a",
      "null",
      "x\n---\ny",
      " a",
      "a\n",
      "'\"",
      "@a",
    );
    const value = fc.oneof(text, odd);
    const key = text.filter((name) => name !== "__proto__");
    const fields = fc.record({ description: value, compatibility: value, metadata: fc.dictionary(key, value) });
    fc.assert(
      fc.property(fields, (about) => {
        const bundle = aBundle({ skills: [{ ...SKILL, ...about, license: "" }] });
        expect(readBundle(writeBundle(bundle) ?? new Map()).bundle).toEqual(bundle);
      }),
    );
  });

  it.for([
    ["tools out of order", { tools: ["b", "a"].map(aTool) }],
    ["spaces around a text", { prompt: { ...aBundle().prompt, identity: " 你是主播。\n{{ skills }}" } }],
    ["a carriage return", { skills: [{ ...SKILL, body: "一\r\n二" }] }],
    ["a resource outside its folder", { skills: [{ ...SKILL, resources: { "../../../evil.md": "x" } }] }],
    ["a resource that would be an example", { skills: [{ ...SKILL, resources: { "examples.jsonl": "" } }] }],
    ["code that looks like the name of a module", { hooks: [{ ...CODE_HOOK, code: "a.js" }] }],
  ] as const)("has no folder for %s", ([, changes], { expect }) => {
    expect(writeBundle(aBundle(structuredClone<object>(changes)))).toBeNull();
  });
});

function aTool(name: string) {
  const inputSchema = { type: "object" as const, properties: {}, required: [], additionalProperties: false as const };
  return { name, description: "查", inputSchema, binding: { type: "builtin" as const, builtin: "check_stock" } };
}
