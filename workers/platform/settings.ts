/** Everything that the deployment sets by variables and secrets, read once. Nobody else reads a string from `env`. */
import { z } from "zod";
import { AppError } from "../../shared/errors/app-error.ts";

const originsSchema = z
  .string()
  .transform((text) =>
    text
      .split(",")
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ""),
  )
  .pipe(z.array(z.url().transform((url) => new URL(url).origin)));

const settingsSchema = z
  .object({
    INFERENCE_BASE_URL: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).default(""),
    INFERENCE_MODEL: z.string().max(200).default(""),
    INFERENCE_OPENS_THINKING: z.enum(["", "1"]).default(""),
    INFERENCE_KIND: z.enum(["vllm", "sglang", "openai"]).default("vllm"),
    INFERENCE_API_KEY: z.string().max(1_000).default(""),
    TOOL_ORIGINS: originsSchema.default([]),
    TOKEN_SECRET: z.string().min(32, "at least 32 characters"),
  })
  .refine((settings) => settings.INFERENCE_BASE_URL === "" || settings.INFERENCE_MODEL !== "", {
    path: ["INFERENCE_MODEL"],
    message: "must be set together with INFERENCE_BASE_URL",
  });

export type Settings = {
  /** `null`: no endpoint is configured, and the offline policy answers. */
  readonly inference: {
    readonly baseUrl: string;
    readonly model: string;
    readonly apiKey: string;
    readonly kind: "vllm" | "sglang" | "openai";
    /** The chat template opens `<think>` in the prompt and the server has no reasoning parser. */
    readonly opensThinking: boolean;
  } | null;
  /** Origins that http tools may call. */
  readonly toolOrigins: ReadonlySet<string>;
  readonly tokenSecret: Uint8Array;
};

const cache = new WeakMap<object, Settings>();

/**
 * @throws AppError `internal` - a setting is missing or wrong. The cause names the variable, never its value.
 */
export function readSettings(env: Env): Settings {
  const known = cache.get(env);
  if (known !== undefined) return known;
  const parsed = settingsSchema.safeParse(env);
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
    throw new AppError("internal", "The deployment's settings are wrong", { cause: new Error(names) });
  }
  const { INFERENCE_BASE_URL: baseUrl, INFERENCE_MODEL: model, INFERENCE_API_KEY: apiKey } = parsed.data;
  const settings: Settings = {
    inference:
      baseUrl === ""
        ? null
        : {
            baseUrl,
            model,
            apiKey,
            kind: parsed.data.INFERENCE_KIND,
            opensThinking: parsed.data.INFERENCE_OPENS_THINKING === "1",
          },
    toolOrigins: new Set(parsed.data.TOOL_ORIGINS),
    tokenSecret: new TextEncoder().encode(parsed.data.TOKEN_SECRET),
  };
  cache.set(env, settings);
  return settings;
}
