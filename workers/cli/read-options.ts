/** What the commands share in reading their words: options, and how a mistake is told. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { z } from "zod";
import { CliError } from "./cli-error.ts";

/** Where an instance is, when it is not the one that runs here. */
export type InstanceOptions = { readonly url?: string; readonly token?: string };

/** @throws CliError with exit code 2 - an option is not known, or has no value. */
export function readOptions<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true, tokens: true });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw usage("An option was not understood.", message.split(". ")[0] ?? message);
  }
}

export function instanceOf(values: { url?: string | undefined; token?: string | undefined }): InstanceOptions {
  const { url, token } = values;
  return { ...(url !== undefined && { url }), ...(token !== undefined && { token }) };
}

/** A mistake in what was typed. */
export function usage(what: string, why: string, next?: string): CliError {
  return new CliError(what, { why, next: next ?? "npx kaibo help", exitCode: 2 });
}

/**
 * The value as the schema has it.
 *
 * @param what - What is wrong when it does not fit, as a sentence.
 */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw usage(what, `${parsed.error.issues[0]?.message ?? "It is not well formed"}.`);
}
