import { describe, it } from "vitest";
import { readFrontMatter } from "../../../harness-kv/front-matter.ts";

const read = (text: string) => readFrontMatter({ path: "SKILL.md", text });

describe("readFrontMatter", () => {
  it("splits fields from body", ({ expect }) => {
    expect(read("---\nname: a\n---\n\n# 标题\n正文\n")).toMatchObject({ fields: { name: "a" }, body: "# 标题\n正文" });
  });

  it("is not ended by three hyphens inside a value, and leaves those of the body alone", ({ expect }) => {
    const { fields, body } = read("---\nname: a\nnote: 上 --- 下\nlong: |\n  一\n  ---\n  二\n---\n前\n---\n后");
    expect(fields).toEqual({ name: "a", note: "上 --- 下", long: "一\n---\n二\n" });
    expect(body).toBe("前\n---\n后");
  });

  it("has an empty body when the file ends right after the fence", ({ expect }) => {
    expect(read("---\nname: a\n---")).toMatchObject({ fields: { name: "a" }, body: "", problems: [] });
  });

  it.for(["name: a", "", "---\nname: a\n", "# 标题\n---\nname: a\n---\n"])(
    "says that %j has no front matter",
    (text, { expect }) => {
      expect(read(text)).toMatchObject({ fields: null, problems: [{ severity: "error", line: 1 }] });
    },
  );

  it("takes a value with a second colon as text, and warns with the line", ({ expect }) => {
    const { fields, problems } = read("---\nname: a\ndescription: 用途: 答价格: 和优惠\n---\n正文");
    expect(fields).toEqual({ name: "a", description: "用途: 答价格: 和优惠" });
    expect(problems).toEqual([expect.objectContaining({ line: 3, severity: "warning" })]);
  });

  it.for(["[商品] 答疑", "@商家", "%折扣", "{a} b"])("takes the value %s as text", (value, { expect }) => {
    expect(read(`---\ndescription: ${value}\nname: a\n---\n正文`)).toMatchObject({
      fields: { description: value, name: "a" },
      problems: [{ severity: "warning", line: 2 }],
    });
  });

  it("refuses what quoting does not mend", ({ expect }) => {
    expect(read("---\nname: a\n  : [\n---\n正文")).toMatchObject({ fields: null, problems: [{ severity: "error" }] });
  });

  it("refuses the same field twice", ({ expect }) => {
    expect(read("---\nname: a\nname: b\n---\n正文")).toMatchObject({ fields: null, problems: [{ line: 3 }] });
  });

  it("warns of text that YAML reads as a comment", ({ expect }) => {
    expect(read("---\ndescription: 回答 #1 的问题\n---\n正文").problems).toEqual([
      expect.objectContaining({ line: 2, severity: "warning" }),
    ]);
  });

  it("gives lines of the file, not of the fields", ({ expect }) => {
    const { lineOf } = read('---\nname: a\nmetadata:\n  kaibo.version: "1"\n---\n正文');
    expect([["name"], ["metadata", "kaibo.version"]].map(lineOf)).toEqual([2, 4]);
  });
});
