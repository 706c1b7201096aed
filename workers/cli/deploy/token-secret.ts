/** The file that keeps `TOKEN_SECRET`: where its owner said, and for its owner alone. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { CliError, systemCode } from "../cli-error.ts";
import { ROOT } from "../local/project.ts";
import { SECRET_CHARS_MIN } from "./plan.ts";

/**
 * The secret in the file.
 *
 * @throws CliError - there is no such file, or what it holds is too short. The secret is in no text.
 */
export async function readTokenSecret(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw new CliError(`The secret's file could not be read.`, {
      why: `${file}: ${systemCode(thrown) || "no reason given"}`,
      next: "Name the file that --secret-file of the deployment named.",
      cause: thrown,
    });
  });
  const secret = text.trim();
  if (secret.length >= SECRET_CHARS_MIN) return secret;
  throw new CliError("The secret is too short.", {
    why: `${file} holds ${secret.length} characters; it takes ${SECRET_CHARS_MIN} or more.`,
    next: "Name another file: one that is not there is made, with a secret in it.",
  });
}

/**
 * The secret in the file, which is made when absent: 256 random bits in hexadecimal, mode 0600.
 *
 * @throws CliError - as `readTokenSecret`, or the file lies where it would be committed one day.
 */
export async function loadTokenSecret(file: string): Promise<string> {
  if (!path.relative(ROOT, file).startsWith("..")) {
    throw new CliError("The secret's file lies within the sources.", {
      why: `${file} would be committed one day.`,
      next: "npm run deploy -- --secret-file ~/.config/kaibo/token-secret",
      exitCode: 2,
    });
  }
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    // Only a file that is not there: two runs at once must not each have a secret of their own.
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    if (systemCode(thrown) !== "EEXIST") throw thrown;
  }
  return readTokenSecret(file);
}
