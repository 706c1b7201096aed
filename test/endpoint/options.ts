/** What an emulated endpoint is and does. The flags of the command line and the fields of `POST /control/options` are the same. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { z } from "zod";
import { fail, ok, type Result } from "../../shared/core/result.ts";

export const engineKindSchema = z.enum(["vllm", "sglang", "openai"]);
export type EngineKind = z.infer<typeof engineKindSchema>;

const number = z.coerce.number();

export const emulatorOptionsSchema = z.strictObject({
  /** 0 takes a free one. */
  port: number.int().min(0).max(65_535).default(0),
  kind: engineKindSchema.default("vllm"),
  model: z.string().min(1).default("kaibo-emulated"),
  /** Empty: no key is asked for. */
  key: z.string().default(""),
  /** Sequences that run at once: vLLM's `--max-num-seqs`, SGLang's `--max-running-requests`. More wait. */
  maxRunning: number.int().min(1).max(4_096).default(64),
  /** Priority scheduling, lower first. */
  priority: z.boolean().default(false),
  /** Blocks of the prefix cache; the least recently used go first. */
  cacheBlocks: number.int().min(0).max(10_000_000).default(20_000),
  /** Tokens of a block. vLLM's default for dense models is 16; hybrid models have hundreds. */
  blockTokens: number.int().min(1).max(8_192).default(16),
  /** Share of drafted tokens that are accepted, with one draft a step. */
  acceptance: number.min(0).max(1).default(0.75),
  /** Usage without `prompt_tokens_details`. */
  noCachedTokens: z.boolean().default(false),
  /** No tool parser: see `refuseChat`. */
  noTools: z.boolean().default(false),
  noMetrics: z.boolean().default(false),
  noUsage: z.boolean().default(false),
  /** Thinks even where the request turns thoughts off. */
  thinks: z.boolean().default(false),
  seed: number.int().min(0).default(1),
  /** Divides every time of the model; faults keep theirs. */
  speed: number.min(0.01).max(10_000).default(1),
  /** `offline`: what the product's offline policy says to the request. `fixed`: one Chinese text. */
  answers: z.enum(["offline", "fixed"]).default("offline"),
  /** JSONL of recorded streams to replay instead, in turn. Empty: none. */
  trace: z.string().default(""),
});
export type EmulatorOptions = z.infer<typeof emulatorOptionsSchema>;

/** What was decided when the process started. */
const FIXED_FIELDS: ReadonlySet<string> = new Set(["port", "trace"]);

export type CommandLine = { readonly options: EmulatorOptions; readonly asJson: boolean };

/** Reads the command line. The failure is a sentence for the one who typed it. */
export function parseFlags(args: readonly string[]): Result<CommandLine, string> {
  const flags = { json: { type: "boolean" }, ...flagsOfFields() } satisfies ParseArgsConfig["options"];
  try {
    const { values } = parseArgs({ args: [...args], options: flags });
    const { json, ...fields } = values;
    const options = readOptions(Object.entries(fields));
    return options.ok ? ok({ options: options.value, asJson: json === true }) : options;
  } catch (thrown) {
    return fail(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** The options after a change at run time. */
export function changeOptions(current: EmulatorOptions, changes: Readonly<Record<string, unknown>>) {
  const fixed = Object.keys(changes).find((name) => FIXED_FIELDS.has(toCamel(name)));
  if (fixed !== undefined) return fail(`${fixed} is set when the process starts`);
  return readOptions([...Object.entries(current), ...Object.entries(changes)]);
}

function readOptions(fields: readonly (readonly [string, unknown])[]): Result<EmulatorOptions, string> {
  const named = Object.fromEntries(fields.map(([name, value]) => [toCamel(name), value]));
  const parsed = emulatorOptionsSchema.safeParse(named);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  return fail(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}

function flagsOfFields(): Record<string, { type: "boolean" | "string" }> {
  const defaults = Object.entries(emulatorOptionsSchema.parse({}));
  return Object.fromEntries(
    defaults.map(([name, value]) => [toKebab(name), { type: typeof value === "boolean" ? "boolean" : "string" }]),
  );
}

function toCamel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function toKebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
