import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { tempFolder } from "../../../helpers/temp-folder.ts";
import { ROOT } from "../../../../workers/cli/local/project.ts";
import { checkHarness, formatProblem, readHarness } from "../../../../workers/cli/read-harness.ts";

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
      why: expect.stringMatching(/^harness\.json:\d+: error: /),
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

describe("formatProblem", () => {
  it("is one line with the place, what is wrong and what to do", ({ expect }) => {
    const problem = {
      file: "hooks/a.json",
      line: 12,
      message: "Unknown field",
      fix: "Remove it",
      severity: "error",
    } as const;
    expect(formatProblem(problem)).toBe("hooks/a.json:12: error: Unknown field → Remove it");
    const { line: _, ...whole } = problem;
    expect(formatProblem({ ...whole, severity: "warning" })).toBe("hooks/a.json: warning: Unknown field → Remove it");
  });
});
