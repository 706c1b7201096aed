import type { ProblemCode } from "../../contract/problem-codes.ts";

/** A complaint about one hook. An error keeps it from working; a warning tells that it may not do what was meant. */
export type HookProblem = {
  readonly hook: string;
  readonly code: ProblemCode;
  /** Fields of the hook down to the one at fault. */
  readonly at: readonly PropertyKey[];
  readonly message: string;
  readonly fix: string;
  readonly severity: "error" | "warning";
};
