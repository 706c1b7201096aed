import { describe, it } from "vitest";
import { readBundle } from "../../../harness-kv/read-bundle.ts";
import { bundleFiles, SETTINGS } from "./bundle-files.ts";

const TOOL = {
  name: "check_stock",
  description: "查库存",
  inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false },
  binding: { type: "builtin", builtin: "check_stock" },
};

describe("readBundle", () => {
  it("reads a harness that has nothing wrong with it", ({ expect }) => {
    const { bundle, problems } = readBundle(bundleFiles());
    expect(problems).toEqual([]);
    expect(bundle).toMatchObject({
      name: "small",
      release: "sentence",
      budgets: { deadlineMs: 8_000 },
      prompt: { identity: "你是主播。\n{{ skills }}" },
    });
  });

  it("gives the same bundle and the same problems in whatever order the files come", ({ expect }) => {
    const files = [...bundleFiles({ "tools/check_stock.json": JSON.stringify(TOOL), "b.txt": "x", "a.txt": "x" })];
    const forwards = readBundle(new Map(files));
    expect(readBundle(new Map(files.toReversed()))).toEqual(forwards);
    expect(forwards.problems.map(({ file }) => file)).toEqual(["a.txt", "b.txt"]);
  });

  it("does not mind a byte order mark and carriage returns, in any file", ({ expect }) => {
    const files = bundleFiles({ "tools/check_stock.json": JSON.stringify(TOOL, null, 2) });
    const windows = new Map([...files].map(([name, text]) => [name, `\ufeff${text.replaceAll("\n", "\r\n")}`]));
    expect(readBundle(windows)).toEqual(readBundle(files));
  });

  it.for([
    "hook/forbidden.json",
    "forbidden.json",
    "programs/refund.js",
    "prompt/身份.md",
    "prompt/deep/identity.md",
    "prompt/identity.txt",
    "hooks/notes.md",
    "knowledge/facts.csv",
    "skills/lost.md",
    "live-host/harness.json",
    "prompt/../../secret.md",
    "skills\\stock\\SKILL.md",
  ])("refuses %s, which it does not understand, instead of dropping it", (file, { expect }) => {
    const { bundle, problems } = readBundle(bundleFiles({ [file]: "{}" }));
    expect(bundle).toBeNull();
    expect(problems).toContainEqual(expect.objectContaining({ file, severity: "error" }));
  });

  it.for([".DS_Store", "README", "skills/.git/config", "LICENSE"])(
    "leaves %s out with a warning",
    (file, { expect }) => {
      const { bundle, problems } = readBundle(bundleFiles({ [file]: "x" }));
      expect(bundle).not.toBeNull();
      expect(problems).toEqual([expect.objectContaining({ file, severity: "warning" })]);
    },
  );

  it("leaves out the notes of those who edit it without a word", ({ expect }) => {
    expect(readBundle(bundleFiles({ "README.md": "# 说明" })).problems).toEqual([]);
  });

  it("says the line of a setting that does not fit", ({ expect }) => {
    const text = JSON.stringify({ ...SETTINGS, budgets: { stepsMax: 5, deadlineMs: 1 } }, null, 2);
    const line = text.split("\n").findIndex((entry) => entry.includes("deadlineMs")) + 1;
    expect(readBundle(bundleFiles({ "harness.json": text })).problems).toEqual([
      expect.objectContaining({ file: "harness.json", line, message: expect.stringContaining("budgets.deadlineMs") }),
    ]);
  });

  it("names a setting that it does not know, and one that is missing", ({ expect }) => {
    const { schema: _schema, ...rest } = SETTINGS;
    const text = JSON.stringify({ ...rest, budgets: { deadlineMS: 8_000 }, tools: [] });
    const { bundle, problems } = readBundle(bundleFiles({ "harness.json": text }));
    expect(bundle).toBeNull();
    expect(problems.map(({ message }) => message)).toEqual(
      expect.arrayContaining(["Unknown field `budgets.deadlineMS`", "Unknown field `tools`"]),
    );
    expect(problems.map(({ message }) => message).join("\n")).toContain("schema");
  });

  it.for([
    { name: "harness.json", file: "harness.json" },
    { name: "a tool", file: "tools/check_stock.json" },
    { name: "a hook", file: "hooks/words.json" },
  ])("refuses $name that is not JSON", ({ file }, { expect }) => {
    const { bundle, problems } = readBundle(bundleFiles({ [file]: '{\n  "name": "x",\n}' }));
    expect(bundle).toBeNull();
    expect(problems).toEqual([expect.objectContaining({ file, line: 2, message: "Not valid JSON" })]);
  });

  it("refuses a harness without harness.json", ({ expect }) => {
    const { bundle, problems } = readBundle(bundleFiles({ "harness.json": null }));
    expect(bundle).toBeNull();
    expect(problems).toEqual([expect.objectContaining({ file: "harness.json", severity: "error" })]);
  });

  it("refuses a tool whose name is not its file's", ({ expect }) => {
    const { problems } = readBundle(bundleFiles({ "tools/stock.json": JSON.stringify(TOOL) }));
    expect(problems).toEqual([expect.objectContaining({ file: "tools/stock.json", severity: "error" })]);
  });

  it("refuses an argument list that is not closed", ({ expect }) => {
    const open = { ...TOOL, inputSchema: { ...TOOL.inputSchema, additionalProperties: {} } };
    const { problems } = readBundle(bundleFiles({ "tools/check_stock.json": JSON.stringify(open) }));
    expect(problems).toEqual([
      expect.objectContaining({ message: expect.stringContaining("inputSchema.additionalProperties") }),
    ]);
  });

  it("refuses an empty section and a control character, with the line", ({ expect }) => {
    const { problems } = readBundle(bundleFiles({ "prompt/identity.md": " \n", "prompt/rules.md": "好\n坏\u0000的" }));
    expect(problems).toEqual([
      expect.objectContaining({ file: "prompt/identity.md", message: "The section is empty" }),
      expect.objectContaining({ file: "prompt/rules.md", line: 2 }),
    ]);
  });

  it("refuses more skills than a bundle may have", ({ expect }) => {
    const skills = Array.from({ length: 65 }, (_, index) => [
      `skills/s${index}/SKILL.md`,
      `---\nname: s${index}\ndescription: 第 ${index} 个\n---\n说明`,
    ]);
    const { bundle, problems } = readBundle(bundleFiles(Object.fromEntries(skills)));
    expect(bundle).toBeNull();
    expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining("skills") })]);
  });
});
