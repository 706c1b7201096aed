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
    const warning = warningAt("left-out", { file: "a" }, "m", "f");
    expect([
      hasErrors([]),
      hasErrors([warning]),
      hasErrors([warning, errorAt("not-json", { file: "a", line: 1 }, "m", "f")]),
    ]).toEqual([false, false, true]);
  });
});

describe("sortProblems", () => {
  it("orders by file, line and message, those without a line first", ({ expect }) => {
    const sorted: Problem[] = [
      errorAt("not-json", { file: "a" }, "z", ""),
      errorAt("not-json", { file: "a", line: 2 }, "a", ""),
      errorAt("not-json", { file: "a", line: 2 }, "b", ""),
      errorAt("not-json", { file: "a", line: 10 }, "a", ""),
      errorAt("not-json", { file: "价", line: 1 }, "a", ""),
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
    const problem = { code: "not-json", file: "a", message: "m", fix: "f" };
    const place = { file: "a", line: undefined };
    expect(errorAt("not-json", place, "m", "f")).toStrictEqual({ ...problem, severity: "error" });
    const warning = warningAt("not-json", { file: "a", line: 3 }, "m", "f");
    expect(warning).toEqual({ ...problem, line: 3, severity: "warning" });
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
    expect(problems.map(({ code }) => code)).toEqual([
      "invalid-value",
      "unknown-field",
      "unknown-field",
      "missing-field",
    ]);
  });
});
