import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import { ROOT } from "../../../../../workers/cli/local/project.ts";
import { checkHarness, formatProblem, readHarness } from "../../../../../workers/cli/harness/read-harness.ts";

const SAMPLE = path.join(ROOT, "harness-kv/bundles/live-host");

describe("readHarness", () => {
  it("reads the sample harness, which has no problem", async ({ expect }) => {
    const { bundle, problems } = await readHarness(SAMPLE);
    expect(bundle.name).toBe("live-host");
    expect(problems).toEqual([]);
  });

  it("names the first error of a harness that would be refused, and how to see the others", async ({ expect }) => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, "harness.json"), "{\n");
    await expect(readHarness(folder)).rejects.toMatchObject({
      message: expect.stringMatching(/has \d+ error/),
      why: expect.stringMatching(/^harness\.json:\d+: error\[not-json\]: /),
      next: `npx kaibo harness check ${folder}`,
    });
  });
});

describe("checkHarness", () => {
  it("names files with their folders, and passes over what is no part of any harness", async ({ expect }) => {
    const folder = await tempFolder();
    for (const name of ["prompt/deep", "node_modules/x", ".git"])
      await mkdir(path.join(folder, name), { recursive: true });
    await writeFile(path.join(folder, "prompt/deep/身份.md"), "你是主播");
    await writeFile(path.join(folder, "node_modules/x/index.js"), "");
    await writeFile(path.join(folder, ".git/HEAD"), "");
    const { bundle, problems } = await checkHarness(folder);
    expect(bundle).toBeNull();
    expect(problems.map(({ file }) => file)).toEqual(["harness.json", "prompt/deep/身份.md"]);
  });

  it("refuses a file that is not UTF-8, by name", async ({ expect }) => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, "harness.json"), Buffer.from([0x22, 0xd6, 0xd0, 0x22]));
    await expect(checkHarness(folder)).rejects.toThrow("harness.json is not UTF-8 text.");
  });

  it("refuses a folder that does not exist", async ({ expect }) => {
    await expect(checkHarness("/nonexistent")).rejects.toMatchObject({ why: "There is no such folder." });
  });
});

const HOOK = {
  name: "50-mask",
  event: "PreToolUse",
  type: "code",
  code: "mask.js",
};

/** A harness over the sample one. */
async function aShop(settings: object, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await tempFolder();
  return writeShop(folder, settings, files);
}

async function writeShop(folder: string, settings: object, files: Readonly<Record<string, string>> = {}) {
  const all = { "harness.json": JSON.stringify({ name: "shop", ...settings }, null, 2), ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

describe("a harness over another", () => {
  it("is read whole: the sample's parts, and its own in their place", async ({ expect }) => {
    const folder = await aShop(
      { extends: "live-host", remove: ["skills/complaint"] },
      { "prompt/speech.md": "慢慢说。" },
    );
    const { bundle, problems, examples } = await checkHarness(folder);
    expect(problems).toEqual([]);
    const sample = await readHarness(SAMPLE);
    expect(bundle).toEqual({
      ...sample.bundle,
      name: "shop",
      prompt: { ...sample.bundle.prompt, speech: "慢慢说。" },
      skills: sample.bundle.skills.filter(({ name }) => name !== "complaint"),
    });
    expect(examples.length).toBeGreaterThan(0);
  });

  it("takes a folder by its path, and tells faults of the base in the base", async ({ expect }) => {
    const root = await tempFolder();
    await writeShop(path.join(root, "house"), { extends: "live-host" }, { "prompt/speech.md": "{{ turn.weather }}" });
    const shop = await writeShop(path.join(root, "shop"), { extends: "../house" });
    expect((await checkHarness(shop)).problems).toEqual([
      expect.objectContaining({ code: "unknown-variable", file: "../house/prompt/speech.md", line: 1 }),
    ]);
  });

  it("refuses a base that is not there", async ({ expect }) => {
    const { bundle, problems } = await checkHarness(await aShop({ extends: "../nowhere" }));
    expect(bundle).toBeNull();
    expect(problems).toEqual([expect.objectContaining({ code: "unknown-base", file: "harness.json", line: 3 })]);
  });

  it("refuses to extend itself, over however many", async ({ expect }) => {
    const root = await tempFolder();
    await writeShop(path.join(root, "a"), { extends: "../b" });
    await writeShop(path.join(root, "b"), { extends: "a" });
    expect((await checkHarness(path.join(root, "a"))).problems).toEqual([
      expect.objectContaining({ code: "base-cycle", file: "../b/harness.json", line: 3 }),
    ]);
    await writeShop(path.join(root, "a"), { extends: "./" });
    expect((await checkHarness(path.join(root, "a"))).problems).toEqual([
      expect.objectContaining({ code: "base-cycle", file: "harness.json" }),
    ]);
  });

  it.for([
    ["invalid-code", "export default (input) => ({\n});\nlet a = ;", 3],
    ["no-default-function", "export const mask = () => ({});", undefined],
    ["code-imports", 'import fs from "node:fs";\nexport default () => ({ fs });', undefined],
  ] as const)("reads code hooks without running them: %s", async ([code, text, line], { expect }) => {
    const hook = { "hooks/50-mask.json": JSON.stringify(HOOK), "hooks/mask.js": text };
    const { bundle, problems } = await checkHarness(await aShop({ extends: "live-host" }, hook));
    expect(bundle).toBeNull();
    expect(problems.map((problem) => [problem.code, problem.file, problem.line])).toEqual([
      [code, "hooks/mask.js", line],
    ]);
  });
});

describe("formatProblem", () => {
  it("is one line with the place, what is wrong and what to do", ({ expect }) => {
    const problem = {
      code: "unknown-field",
      file: "hooks/a.json",
      line: 12,
      message: "Unknown field",
      fix: "Remove it",
      severity: "error",
    } as const;
    expect(formatProblem(problem)).toBe("hooks/a.json:12: error[unknown-field]: Unknown field → Remove it");
    const { line: _, ...whole } = problem;
    expect(formatProblem({ ...whole, severity: "warning" })).toBe(
      "hooks/a.json: warning[unknown-field]: Unknown field → Remove it",
    );
  });
});
