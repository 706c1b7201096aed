/** Wrangler as this command uses it: started with arguments, read by what it prints. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { CliError } from "../cli-error.ts";
import { ROOT } from "../local/project.ts";

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

/**
 * Runs `wrangler <args>` in the root of the repository, with nobody to answer questions.
 *
 * @param input - For its standard input, where a secret must not be an argument that others see.
 */
export type RunWrangler = (args: readonly string[], input?: string) => Promise<Ran>;

/** Not `bin/wrangler.js`: that exits with 0 when the process that it started was killed, by the system for memory say. */
const WRANGLER = fileURLToPath(import.meta.resolve("wrangler"));

/** Characters of Wrangler's complaint that are shown. */
const COMPLAINT_CHARS_MAX = 2_000;

export const runWrangler: RunWrangler = async (args, input = "") => {
  const child = spawn(process.execPath, ["--no-warnings", WRANGLER, ...args], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
  });
  // Wrangler that ends before it has read everything says why on its own.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout: stripVTControlCharacters(stdout), stderr: stripVTControlCharacters(stderr) };
};

/**
 * What a run printed, if it went well.
 *
 * @throws CliError - it did not; Wrangler's own words are in it.
 */
export function expectRan(ran: Ran, args: readonly string[]): string {
  if (ran.code === 0) return ran.stdout;
  throw new CliError(`\`wrangler ${args.slice(0, 3).join(" ")}\` did not work.`, {
    why: complaintOf(ran),
    next: "Mend what Wrangler names, then run the same command again: what is there already is found and kept.",
  });
}

/** The lines that say what is wrong, without those that say where the log is. */
function complaintOf({ stdout, stderr }: Ran): string {
  const said = stderr.trim() === "" ? stdout : stderr;
  const lines = said.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "" && !line.startsWith("🪵"))
    .join("\n        ")
    .slice(0, COMPLAINT_CHARS_MAX);
}
