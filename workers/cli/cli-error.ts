/** A failure that people read: what happened, why, and what to type next. */
export class CliError extends Error {
  readonly why: string;
  readonly next: string;
  /** 1: it did not work; 2: the command was not understood. */
  readonly exitCode: 1 | 2;

  constructor(what: string, about: { why: string; next: string; exitCode?: 1 | 2; cause?: unknown }) {
    super(what, { cause: about.cause });
    this.name = "CliError";
    this.why = about.why;
    this.next = about.next;
    this.exitCode = about.exitCode ?? 1;
  }
}

/** The three lines of an error, for standard error. */
export function formatError(thrown: unknown): string {
  if (thrown instanceof CliError) return `kaibo: ${thrown.message}\n  Why:  ${thrown.why}\n  Next: ${thrown.next}\n`;
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return `kaibo: Something went wrong that nobody foresaw.\n  Why:  ${text}\n  Next: Try again; if it stays, report it with these lines.\n`;
}

/** Error code that Node puts on system errors: `EADDRINUSE`, `ENOENT`, …; empty for anything else. */
export function systemCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}
