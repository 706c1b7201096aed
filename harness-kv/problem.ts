/** What is wrong with a harness, told so that an operator can mend it without asking anyone. */
import type { z } from "zod";
import type { ProblemCode } from "../shared/contract/problem-codes.ts";

/** Where a problem is. */
export type Place = {
  /** Path inside the harness's folder. */
  readonly file: string;
  /** Line of the file, from 1, where it is known. */
  readonly line?: number | undefined;
};

export type Problem = {
  /** The kind of fault: for programs, and stable. */
  readonly code: ProblemCode;
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  /** An error stops a push. A warning does not. */
  readonly severity: "error" | "warning";
};

/** A value read from files, with everything that was wrong on the way. */
export type Reading<Value> = { readonly value: Value; readonly problems: readonly Problem[] };

/** One file of a harness, its text without byte order mark and with line feeds only. */
export type SourceFile = { readonly path: string; readonly text: string };

/** Line of the value at a path, or of the nearest value around it; undefined where the file has no lines to speak of. */
export type LineOf = (path: readonly PropertyKey[]) => number | undefined;

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}

/** By file, line, message: the same files always give the same list. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) => compare(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0) || compare(a.message, b.message),
  );
}

/** By UTF-16 code unit, so that the order is the same on every machine. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function errorAt(code: ProblemCode, { file, line }: Place, message: string, fix: string): Problem {
  return { code, file, ...(line !== undefined && { line }), message, fix, severity: "error" };
}

export function warningAt(code: ProblemCode, place: Place, message: string, fix: string): Problem {
  return { ...errorAt(code, place, message, fix), severity: "warning" };
}

/** The same problem at another place. */
export function moveProblem(problem: Problem, { file, line }: Place): Problem {
  const { line: _, ...rest } = problem;
  return { ...rest, file, ...(line !== undefined && { line }) };
}

/** A schema's complaints as problems, each with the place it is about and the line of the file. */
export function schemaProblems(file: string, error: z.ZodError, lineOf: LineOf): Problem[] {
  return error.issues.flatMap((issue) => {
    const field = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) =>
        errorAt(
          "unknown-field",
          { file, line: lineOf([...issue.path, key]) },
          `Unknown field \`${[...issue.path.map(String), key].join(".")}\``,
          "Remove it or correct its spelling; the fields are listed in harness-kv/README.md",
        ),
      );
    }
    const place = { file, line: lineOf(issue.path) };
    const message = field === "" ? issue.message : `\`${field}\`: ${issue.message}`;
    if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) {
      return [errorAt("missing-field", place, message, `Add \`${field}\``)];
    }
    return [errorAt("invalid-value", place, message, "Change the value so that it fits")];
  });
}
