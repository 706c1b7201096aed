import { describe, it } from "vitest";
import { z } from "zod";
import {
  compare,
  errorAt,
  hasErrors,
  schemaProblems,
  sortProblems,
  warningAt,
  type Problem,
} from "../../../harness-kv/problem.ts";

describe("hasErrors", () => {
  it("counts errors and no warnings", ({ expect }) => {
    const warning = warningAt("a", undefined, "m", "f");
    expect([hasErrors([]), hasErrors([warning]), hasErrors([warning, errorAt("a", 1, "m", "f")])]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe("sortProblems", () => {
  it("orders by file, line and message, those without a line first", ({ expect }) => {
    const sorted: Problem[] = [
      errorAt("a", undefined, "z", ""),
      errorAt("a", 2, "a", ""),
      errorAt("a", 2, "b", ""),
      errorAt("a", 10, "a", ""),
      errorAt("价", 1, "a", ""),
    ];
    expect(sortProblems(sorted.toReversed())).toEqual(sorted);
  });
});

describe("compare", () => {
  it("orders by code unit: capitals before small letters, Chinese after both", ({ expect }) => {
    expect(["价", "b", "B", "a", "a"].toSorted(compare)).toEqual(["B", "a", "a", "b", "价"]);
  });
});

describe("errorAt, warningAt", () => {
  it("leave the line out where there is none", ({ expect }) => {
    expect(errorAt("a", undefined, "m", "f")).toEqual({ file: "a", message: "m", fix: "f", severity: "error" });
    expect(warningAt("a", 3, "m", "f")).toEqual({ file: "a", line: 3, message: "m", fix: "f", severity: "warning" });
  });
});

describe("schemaProblems", () => {
  it("names the place, the line and what to do, one problem a fault", ({ expect }) => {
    const schema = z.strictObject({ a: z.strictObject({ b: z.int().max(3) }), c: z.string() });
    const { error } = schema.safeParse({ a: { b: 4, x: 1, y: 2 } });
    const lines = new Map([
      ["a.b", 2],
      ["a.x", 3],
      ["a.y", 4],
    ]);
    const problems = schemaProblems("f.json", error ?? new z.ZodError([]), (path) => lines.get(path.join(".")));
    expect(problems.map(({ line, message }) => [line, message.split(":")[0]])).toEqual([
      [2, "`a.b`"],
      [3, "Unknown field `a.x`"],
      [4, "Unknown field `a.y`"],
      [undefined, "`c`"],
    ]);
    expect(problems.at(-1)?.fix).toBe("Add `c`");
  });
});
