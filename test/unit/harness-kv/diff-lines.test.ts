import fc from "fast-check";
import { describe, it } from "vitest";
import { diffLines, type Hunk } from "../../../harness-kv/diff-lines.ts";

const print = (hunks: readonly Hunk[]): string[] =>
  hunks.flatMap(({ before, after, lines }) => [
    `@@ -${before.line},${before.count} +${after.line},${after.count} @@`,
    ...lines.map(({ type, text }) => `${{ kept: " ", removed: "-", added: "+" }[type]}${text}`),
  ]);

/** What `patch` does. */
function apply(text: string, hunks: readonly Hunk[]): string {
  const lines = text === "" ? [] : text.split("\n");
  for (const { before, lines: told } of hunks.toReversed()) {
    const start = before.count === 0 ? before.line : before.line - 1;
    lines.splice(start, before.count, ...told.filter(({ type }) => type !== "removed").map((line) => line.text));
  }
  return lines.join("\n");
}

describe("diffLines", () => {
  it("tells a changed line with two lines around it", ({ expect }) => {
    expect(print(diffLines("a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nX\ne\nf\ng"))).toEqual([
      "@@ -2,5 +2,5 @@",
      " b",
      " c",
      "-d",
      "+X",
      " e",
      " f",
    ]);
  });

  it("joins changes that are near, and parts those that are not", ({ expect }) => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9";
    expect(diffLines(before, before.replace("2", "x").replace("7", "y"))).toHaveLength(1);
    expect(diffLines(before, before.replace("1", "x").replace("9", "y"))).toHaveLength(2);
  });

  it("gives nothing for equal texts, and whole texts for those from and to nothing", ({ expect }) => {
    expect(diffLines("一\n二", "一\n二")).toEqual([]);
    expect(print(diffLines("", "一\n二"))).toEqual(["@@ -0,0 +1,2 @@", "+一", "+二"]);
    expect(print(diffLines("一", ""))).toEqual(["@@ -1,1 +0,0 @@", "-一"]);
  });

  it("leads from any text to any other", ({ expect }) => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "好"), { maxLength: 12 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(apply(before, diffLines(before, after))).toBe(after);
      }),
    );
  });

  it("tells texts that are too large to align as replaced, in time", ({ expect }) => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join("\n");
    const [hunk] = diffLines(lines("a"), lines("b"));
    expect(hunk).toMatchObject({ before: { line: 1, count: 20_000 }, after: { line: 1, count: 20_000 } });
  });
});
