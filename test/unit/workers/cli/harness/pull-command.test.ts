import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import type { HarnessBundle } from "../../../../../shared/contract/harness-bundle.ts";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { ROOT } from "../../../../../workers/cli/local/project.ts";
import { pullHarness } from "../../../../../workers/cli/harness/pull-command.ts";
import { checkHarness, readHarness } from "../../../../../workers/cli/harness/read-harness.ts";
import { versionOf } from "../../../../../workers/cli/harness/version-of.ts";
import { parseJson } from "../../../../../shared/core/json.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import { aChannel, anEdge, theReleases } from "../an-edge.ts";

const SAMPLE = path.join(ROOT, "harness-kv/bundles/live-host");
const OTHER = "9f".repeat(32);

/** Pulls a bundle from an instance whose production serves it. */
async function pull(bundle: HarnessBundle, options: readonly string[], version?: string) {
  const served = version ?? (await versionOf(bundle));
  const command = parseHarness(["pull", bundle.name, ...options]);
  if (command.name !== "release" || command.action !== "pull") throw new Error("this is another command");
  const base = `/v1/harnesses/${bundle.name}`;
  const { api } = anEdge({
    [`GET ${base}/releases`]: theReleases({ channels: [aChannel(served)] }),
    [`GET ${base}/versions/${served}`]: { name: bundle.name, version: served, bundle },
  });
  let printed = "";
  const failure = await pullHarness(command, { api, out: (text) => void (printed += text) }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { printed, failure };
}

async function overSample(): Promise<string> {
  const folder = await tempFolder();
  const settings = { extends: "live-host", name: "shop", remove: ["skills/complaint"] };
  await writeFile(path.join(folder, "harness.json"), JSON.stringify(settings));
  return folder;
}

describe("kaibo harness pull", () => {
  it("writes what production serves as a folder that is the same version and passes its check", async ({ expect }) => {
    for (const source of [SAMPLE, await overSample()]) {
      const { bundle } = await readHarness(source);
      const folder = path.join(await tempFolder(), "a/b");
      const { printed, failure } = await pull(bundle, ["--to", folder]);
      expect(failure).toBeNull();
      expect(printed).toContain(`npx kaibo harness check ${folder}\n`);
      const again = await checkHarness(folder);
      expect(again.problems).toEqual([]);
      expect(again.bundle && (await versionOf(again.bundle))).toBe(await versionOf(bundle));
    }
  });

  it("writes into a folder that is there and empty, and into no other", async ({ expect }) => {
    const { bundle } = await readHarness(SAMPLE);
    const folder = await tempFolder();
    expect((await pull(bundle, ["--to", folder])).failure).toBeNull();
    expect((await pull(bundle, ["--to", folder])).failure).toMatchObject({
      message: `${folder} holds something.`,
      next: expect.stringContaining("--force"),
    });
  });

  it("replaces the harness with --force, and keeps what is no part of a version", async ({ expect }) => {
    const { bundle } = await readHarness(SAMPLE);
    const folder = await tempFolder();
    const write = async (file: string) => {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), "{}\n");
    };
    const kept = ["README.md", ".git/HEAD", "skills/logistics/examples.jsonl", "skills/logistics/evals/a.json"];
    const stale = ["prompt/old.md", "skills/gone/SKILL.md", "skills/gone/examples.jsonl", "knowledge/old.jsonl"];
    for (const file of [...kept, ...stale]) await write(file);
    const { printed, failure } = await pull(bundle, ["--to", folder, "--force", "--json"]);
    expect(failure).toBeNull();
    expect(parseJson(printed)).toMatchObject({ name: "live-host", removed: expect.arrayContaining(stale) });
    const files = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll(path.sep, "/"));
    expect(files).toEqual(expect.arrayContaining(kept));
    expect(files.filter((file) => stale.includes(file))).toEqual([]);
    expect(await readFile(path.join(folder, "harness.json"), "utf8")).toContain('"live-host"');
  });

  it("writes nothing of what is not the version that was asked for", async ({ expect }) => {
    const { bundle } = await readHarness(SAMPLE);
    const folder = await tempFolder();
    const { failure } = await pull(bundle, [OTHER, "--to", folder], OTHER);
    expect(failure).toMatchObject({ message: "What came is not version 9f9f9f9f." });
    expect(await readdir(folder)).toEqual([]);
  });

  it("writes nothing of a version that no folder reads as, whatever paths it names", async ({ expect }) => {
    const { bundle } = await readHarness(SAMPLE);
    const [first, ...others] = bundle.skills;
    if (first === undefined) throw new Error("the sample has skills");
    const skills = [{ ...first, resources: { "../../../../evil.md": "x" } }, ...others];
    const parent = await tempFolder();
    const { failure } = await pull({ ...bundle, skills }, ["--to", path.join(parent, "a/b")]);
    expect(failure).toMatchObject({ message: expect.stringContaining("has no form as a folder") });
    expect(await readdir(parent)).toEqual([]);
  });
});
