import { describe, it } from "vitest";
import { checkFiles } from "../../../harness-kv/check-files.ts";
import { extendFiles, readBaseName, type HarnessLayer } from "../../../harness-kv/extend-files.ts";
import { parseJson } from "../../../shared/core/json.ts";
import { bundleFiles, SETTINGS } from "./bundle-files.ts";

const SKILL = "---\nname: stock\ndescription: 库存\n---\n先查。";

const house = (changes: Readonly<Record<string, string | null>> = {}): HarnessLayer => ({
  prefix: "../house/",
  files: bundleFiles({
    "harness.json": JSON.stringify({ ...SETTINGS, lexicon: { "3C": "三C", "5G": "五G" } }, null, 2),
    "skills/stock/SKILL.md": SKILL,
    "skills/stock/sizes.md": "尺码",
    ...changes,
  }),
});

const merchant = (settings: object, files: Readonly<Record<string, string>> = {}): HarnessLayer => ({
  prefix: "",
  files: new Map(
    Object.entries({
      "harness.json": JSON.stringify({ extends: "../house", name: "shop", ...settings }, null, 2),
      ...files,
    }),
  ),
});

function settingsOf({ files }: ReturnType<typeof extendFiles>): unknown {
  return parseJson(files.get("harness.json") ?? "");
}

describe("extendFiles", () => {
  it("leaves a harness without a base as it is", ({ expect }) => {
    const files = bundleFiles();
    expect(extendFiles([{ prefix: "", files }])).toMatchObject({ files, problems: [] });
  });

  it("merges objects, replaces values and lists, and takes away what is null", ({ expect }) => {
    const patch = {
      description: "一家店",
      budgets: { stepsMax: 3 },
      lines: { fallback: ["我问一下。"] },
      sections: { merchant: [] },
      lexicon: { "5G": "第五代", "3C": null },
    };
    expect(settingsOf(extendFiles([house(), merchant(patch)]))).toEqual({
      ...SETTINGS,
      name: "shop",
      description: "一家店",
      budgets: { stepsMax: 3 },
      lines: { fallback: ["我问一下。"] },
      sections: { ...SETTINGS.sections, merchant: [] },
      lexicon: { "5G": "第五代" },
    });
  });

  it("puts a file in the place of the base's, a skill as a whole, and adds what is new", ({ expect }) => {
    const own = { "prompt/rules.md": "新规则 {{ merchant.rules }}", "skills/stock/SKILL.md": `${SKILL}再答。` };
    const { files, problems } = extendFiles([house(), merchant({}, { ...own, "hooks/50-a.json": "{}" })]);
    expect(problems).toEqual([]);
    expect(files.get("prompt/rules.md")).toBe(own["prompt/rules.md"]);
    expect(files.get("prompt/identity.md")).toBe(house().files.get("prompt/identity.md"));
    expect(files.get("skills/stock/SKILL.md")).toBe(own["skills/stock/SKILL.md"]);
    expect(files.has("skills/stock/sizes.md")).toBe(false);
    expect(files.has("hooks/50-a.json")).toBe(true);
  });

  it("takes out what `remove` names, before its own files are added", ({ expect }) => {
    const remove = ["skills/stock", "prompt/rules.md"];
    const { files } = extendFiles([house(), merchant({ remove }, { "prompt/rules.md": "自己的" })]);
    expect([...files.keys()].filter((file) => file.startsWith("skills/"))).toEqual([]);
    expect(files.get("prompt/rules.md")).toBe("自己的");
  });

  it("gives a whole harness, which says nothing of its base any more", ({ expect }) => {
    const sections = { merchant: ["rules"] };
    const merged = extendFiles([house(), merchant({ sections, remove: ["skills/stock"] })]);
    const { bundle, problems } = checkFiles(merged.files);
    expect(problems).toEqual([]);
    expect(bundle).toMatchObject({ name: "shop", description: SETTINGS.description, skills: [] });
    expect(bundle).not.toHaveProperty("extends");
  });

  it("merges three in order, the last one last", ({ expect }) => {
    const chain = merchant({ name: "chain", description: "连锁", budgets: { stepsMax: 4, retriesMax: 1 } });
    const shop = merchant({ budgets: { stepsMax: 2 } });
    expect(settingsOf(extendFiles([house(), { ...chain, prefix: "../chain/" }, shop]))).toMatchObject({
      name: "shop",
      description: "连锁",
      budgets: { stepsMax: 2, retriesMax: 1 },
    });
  });

  it("refuses to remove what is not there, and to have no name of its own", ({ expect }) => {
    const { problems } = extendFiles([house(), merchant({ name: undefined, remove: ["hooks/39-language.json"] })]);
    expect(problems).toEqual([
      expect.objectContaining({ code: "no-own-name", file: "harness.json", severity: "error" }),
      expect.objectContaining({ code: "removes-nothing", file: "harness.json", line: 4, severity: "error" }),
    ]);
  });

  it("tells a place in the file that someone wrote", ({ expect }) => {
    const own = merchant({ lines: { fallback: ["全网最低价。"] } }, { "prompt/turn.md": "{{ x }}" });
    const { files, placeOf } = extendFiles([house(), own]);
    const lineOf = (text: string | undefined, word: string) =>
      (text ?? "").split("\n").findIndex((line) => line.includes(word)) + 1;
    const merged = files.get("harness.json");
    expect(placeOf({ file: "harness.json", line: lineOf(merged, "最低价") })).toEqual({
      file: "harness.json",
      line: lineOf(own.files.get("harness.json"), "最低价"),
    });
    expect(placeOf({ file: "harness.json", line: lineOf(merged, "五G") })).toEqual({
      file: "../house/harness.json",
      line: lineOf(house().files.get("harness.json"), "五G"),
    });
    expect(placeOf({ file: "prompt/turn.md", line: 1 })).toEqual({ file: "prompt/turn.md", line: 1 });
    expect(placeOf({ file: "skills/stock/SKILL.md" })).toEqual({ file: "../house/skills/stock/SKILL.md" });
  });
});

describe("readBaseName", () => {
  it("reads what a harness extends, with the line", ({ expect }) => {
    expect(readBaseName(merchant({}).files)).toEqual({
      value: { name: "../house", place: { file: "harness.json", line: 2 } },
      problems: [],
    });
    expect(readBaseName(bundleFiles())).toEqual({ value: null, problems: [] });
  });

  it.for([
    [{ extends: 5 }, 2],
    [{ remove: "hooks/a.json" }, 4],
    [{ extends: "" }, 2],
  ] as const)("refuses %j", ([settings, line], { expect }) => {
    expect(readBaseName(merchant(settings).files)).toEqual({
      value: null,
      problems: [expect.objectContaining({ code: "invalid-value", file: "harness.json", line })],
    });
  });

  it("leaves a file that is no JSON to the reader of the whole", ({ expect }) => {
    expect(readBaseName(new Map([["harness.json", "{"]]))).toEqual({ value: null, problems: [] });
  });
});
