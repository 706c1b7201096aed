/** A complaint about one hook. An error keeps it from working; a warning tells that it may not do what was meant. */
export type HookProblem = {
  readonly hook: string;
  readonly message: string;
  readonly fix: string;
  readonly severity: "error" | "warning";
};
