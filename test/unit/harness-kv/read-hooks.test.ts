import { describe, it } from "vitest";
import { readHooks } from "../../../harness-kv/read-hooks.ts";

const json = (name: string, value: object) => ({ path: `hooks/${name}.json`, text: JSON.stringify(value) });
const CODE = { name: "mask", event: "PostToolUse", type: "code", code: "mask.js" };
const MODULE = { path: "hooks/mask.js", text: "export default () => ({});\n" };

describe("readHooks", () => {
  it("reads hooks in the order of their files, closed unless they say otherwise", ({ expect }) => {
    const hook = (name: string) =>
      json(name, {
        name,
        event: "PreUtterance",
        type: "check",
        check: { type: "contact-details" },
        action: { type: "block", reason: "不行" },
      });
    const { value, problems } = readHooks([hook("10-a"), hook("20-b")]);
    expect(problems).toEqual([]);
    expect(value.map(({ name, failure }) => ({ name, failure }))).toEqual([
      { name: "10-a", failure: "closed" },
      { name: "20-b", failure: "closed" },
    ]);
  });

  it("puts the module's text where its name stands", ({ expect }) => {
    expect(readHooks([json("mask", CODE), MODULE])).toEqual({
      value: [expect.objectContaining({ type: "code", code: MODULE.text })],
      problems: [],
    });
  });

  it("refuses a module that is not there: the guard would run as its own name", ({ expect }) => {
    expect(readHooks([json("mask", CODE)]).problems).toEqual([
      expect.objectContaining({ file: "hooks/mask.json", severity: "error", message: "There is no hooks/mask.js" }),
    ]);
  });

  it("refuses a module that no hook uses", ({ expect }) => {
    expect(readHooks([MODULE]).problems).toEqual([
      expect.objectContaining({ file: "hooks/mask.js", severity: "error" }),
    ]);
  });

  it.for([
    { name: "an event that does not exist", change: { event: "PreSpeak" }, says: "event" },
    { name: "a misspelt field", change: { failiure: "open" }, says: "`failiure`" },
    { name: "a type that does not exist", change: { type: "shell" }, says: "type" },
    { name: "a name that is not the file's", change: { name: "unmask" }, says: "unmask" },
  ])("refuses $name", ({ change, says }, { expect }) => {
    expect(readHooks([json("mask", { ...CODE, ...change }), MODULE]).problems).toEqual([
      expect.objectContaining({ file: "hooks/mask.json", message: expect.stringContaining(says) }),
    ]);
  });
});
