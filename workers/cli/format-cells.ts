/** Texts as cells of a table or parts of a line. Pure. */

/** Digits of a version that people need to tell two apart. */
const VERSION_DIGITS = 8;

/** Stands for what there is none of. */
export const NONE = "-";

export function shortVersion(version: string | null): string {
  return version === null ? NONE : version.slice(0, VERSION_DIGITS);
}

/** UTC, to the second. */
export function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z");
}

/** What people wrote, in one line and without the control characters that could paint over others' lines. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ").trim();
}
