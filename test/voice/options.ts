/** What the local voice is and does, from its command line. */
import { parseArgs } from "node:util";
import { z } from "zod";
import { fail, ok, type Result } from "../../shared/core/result.ts";

const number = z.coerce.number();

export const formSchema = z.enum(["pcm", "wav", "sse"]);

const optionsSchema = z.strictObject({
  /** 0 takes a free one. */
  port: number.int().min(0).max(65_535).default(8790),
  /** A sine as long as the text would take to say, and no program. */
  tone: z.boolean().default(false),
  /** Empty: no key is asked for. */
  key: z.string().default(""),
  /** espeak-ng's voice for requests that name none of its own. */
  voice: z.string().min(1).default("cmn"),
  /** How many times faster than it plays audio is sent; 0: as fast as it goes. */
  pace: number.min(0).max(1_000).default(20),
  /** How answers come: raw, as WAV at espeak-ng's rate, or as events with marks. */
  form: formSchema.default("pcm"),
});
export type VoiceOptions = z.infer<typeof optionsSchema>;

/** Reads the flags. The failure is a sentence for the one who typed them. */
export function parseFlags(args: readonly string[]): Result<VoiceOptions, string> {
  const text = { type: "string" } as const;
  const options = { port: text, tone: { type: "boolean" }, key: text, voice: text, pace: text, form: text } as const;
  try {
    const parsed = optionsSchema.safeParse({ ...parseArgs({ args: [...args], options }).values });
    if (parsed.success) return ok(parsed.data);
    const issue = parsed.error.issues[0];
    return fail(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
  } catch (thrown) {
    return fail(thrown instanceof Error ? thrown.message : String(thrown));
  }
}
