/** Everything that the deployment sets by variables and secrets, read once. Nobody else reads a string from `env`. */
import { z } from "zod";
import type { TrustedKeys } from "../../harness-kv/bundle-signature.ts";
import { keyIdSchema } from "../../shared/contract/release.ts";
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

/** As OTEL_EXPORTER_OTLP_HEADERS has it: `key=value,key2=value2`, values percent-encoded. */
const headersSchema = z
  .string()
  .max(4_000)
  .transform((text, context): Readonly<Record<string, string>> => {
    const entries = text.split(",").filter((entry) => entry.trim() !== "");
    const headers = entries.map(readHeader);
    if (headers.every((header) => header !== null)) return Object.fromEntries(headers);
    context.addIssue("wants name=value pairs, comma-separated, with percent-encoded values");
    return z.NEVER;
  });

/** `<id>=<32 bytes in base64>`, comma-separated: public Ed25519 keys. */
const keysSchema = z
  .string()
  .max(4_000)
  .transform((text, context): TrustedKeys => {
    const entries = text.split(",").filter((entry) => entry.trim() !== "");
    const keys = entries.map(readKey);
    if (keys.every((key) => key !== null)) return new Map(keys);
    context.addIssue("wants id=key pairs, comma-separated; a key is 32 bytes in base64");
    return z.NEVER;
  });

const settingsSchema = z
  .object({
    INFERENCE_BASE_URL: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).default(""),
    INFERENCE_MODEL: z.string().max(200).default(""),
    INFERENCE_OPENS_THINKING: z.enum(["", "1"]).default(""),
    INFERENCE_KIND: z.enum(["vllm", "sglang", "openai"]).default("vllm"),
    INFERENCE_API_KEY: z.string().max(1_000).default(""),
    SPEECH_BASE_URL: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).default(""),
    SPEECH_MODEL: z.string().max(200).default(""),
    SPEECH_VOICE: z.string().max(200).default(""),
    SPEECH_API_KEY: z.string().max(1_000).default(""),
    TOOL_ORIGINS: originsSchema.default([]),
    HARNESS_KEYS: keysSchema.default(new Map()),
    GATES: z.enum(["on", "off"]).default("on"),
    TWO_PERSON: z.enum(["on", "off"]).default("off"),
    OTLP_ENDPOINT: z
      .string()
      .refine(isCollector, "wants an http(s) address; a key belongs into OTLP_HEADERS")
      .default(""),
    OTLP_HEADERS: headersSchema.default({}),
    TOKEN_SECRET: z.string().min(32, "at least 32 characters"),
    VIEWER_SECRET: z.union([z.literal(""), z.string().min(32, "at least 32 characters")]).default(""),
  })
  .refine((settings) => settings.INFERENCE_BASE_URL === "" || settings.INFERENCE_MODEL !== "", {
    path: ["INFERENCE_MODEL"],
    message: "must be set together with INFERENCE_BASE_URL",
  })
  .refine((settings) => settings.SPEECH_BASE_URL === "" || settings.SPEECH_MODEL !== "", {
    path: ["SPEECH_MODEL"],
    message: "must be set together with SPEECH_BASE_URL",
  });

/** A server with OpenAI's `POST /audio/speech`. */
export type SpeechSettings = {
  readonly baseUrl: string;
  readonly model: string;
  /** Of rooms that name none. Empty: the server's own. */
  readonly voice: string;
  /** Empty: none is needed. */
  readonly apiKey: string;
};

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
  /** `null`: no speech server is configured, and rooms have text only. */
  readonly speech: SpeechSettings | null;
  /** Origins that http tools may call. */
  readonly toolOrigins: ReadonlySet<string>;
  /** Who may sign harness versions. Empty: nobody needs to. */
  readonly harnessKeys: TrustedKeys;
  /** Whether a version must pass the gate's conditions before it serves production or a share of it. */
  readonly isGated: boolean;
  /** Whether production moves only once a second person has approved it. */
  readonly needsTwo: boolean;
  /** Collector for the spans of turns, and headers for it. `null`: none. */
  readonly otlp: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> } | null;
  readonly tokenSecret: Uint8Array;
  /** What viewers' pseudonyms are made with: the secret of tokens, unless the deployment has one for this. */
  readonly viewerSecret: Uint8Array;
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
  const { OTLP_ENDPOINT: endpoint, OTLP_HEADERS: headers } = parsed.data;
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
    speech: toSpeech(parsed.data),
    toolOrigins: new Set(parsed.data.TOOL_ORIGINS),
    harnessKeys: parsed.data.HARNESS_KEYS,
    isGated: parsed.data.GATES === "on",
    needsTwo: parsed.data.TWO_PERSON === "on",
    otlp: endpoint === "" ? null : { endpoint, headers },
    tokenSecret: new TextEncoder().encode(parsed.data.TOKEN_SECRET),
    viewerSecret: new TextEncoder().encode(parsed.data.VIEWER_SECRET || parsed.data.TOKEN_SECRET),
  };
  cache.set(env, settings);
  return settings;
}

function toSpeech(data: z.infer<typeof settingsSchema>): SpeechSettings | null {
  const { SPEECH_BASE_URL: baseUrl, SPEECH_MODEL: model, SPEECH_VOICE: voice, SPEECH_API_KEY: apiKey } = data;
  return baseUrl === "" ? null : { baseUrl, model, voice, apiKey };
}

/** Name (lower case) and value of a header, or `null` where no request could carry them. */
function readHeader(entry: string): readonly [string, string] | null {
  const [, name, encoded] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/su.exec(entry) ?? [];
  if (name === undefined || encoded === undefined) return null;
  try {
    const value = decodeURIComponent(encoded.trim());
    return /^[\t\x20-\x7e]*$/.test(value) ? [name.toLowerCase(), value] : null;
  } catch {
    return null;
  }
}

/** Id and bytes of a key, or `null` where it is none. */
function readKey(entry: string): readonly [string, Uint8Array<ArrayBuffer>] | null {
  const [, id, encoded] = /^\s*([^=]+)=([A-Za-z0-9+/]{43}=)\s*$/.exec(entry) ?? [];
  if (encoded === undefined || !keyIdSchema.safeParse(id).success) return null;
  return [String(id), Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))];
}

/** Nothing, or an address that `fetch` takes: it refuses one with a user or password. */
function isCollector(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return text === "";
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
