/** Settings of a local instance: from the shell, then `.dev.vars`, then `wrangler.toml`; a secret is made where none is. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseEnv } from "node:util";
import { CliError, systemCode } from "../cli-error.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What the shell may set. Nothing else of a person's environment enters the Worker. */
const NAMES = [
  "INFERENCE_BASE_URL",
  "INFERENCE_MODEL",
  "INFERENCE_API_KEY",
  "INFERENCE_KIND",
  "INFERENCE_OPENS_THINKING",
  "SPEECH_BASE_URL",
  "SPEECH_MODEL",
  "SPEECH_VOICE",
  "SPEECH_API_KEY",
  "TOOL_ORIGINS",
  "HARNESS_KEYS",
  "GATES",
  "TWO_PERSON",
  "TOKEN_SECRET",
  "VIEWER_SECRET",
  "OTLP_ENDPOINT",
  "OTLP_HEADERS",
];

/** Secrets that endpoints and tools name. */
const SECRET_NAMES = /^(?:INFERENCE_KEY|TOOL_SECRET)_[A-Z0-9_]{1,40}$/;

const SECRET_CHARS_MIN = 32;

/** Which dialects of the endpoint the Worker knows. */
const KINDS = ["vllm", "sglang", "openai"];

/** What the shell and `.dev.vars` set; the shell wins, even with an empty value: that is how one turns a setting off. */
export function pickSettings(env: Variables, devVars: Variables): Record<string, string> {
  const named = [...Object.keys(env), ...Object.keys(devVars)].filter((name) => SECRET_NAMES.test(name));
  const chosen = [...NAMES, ...new Set(named)].flatMap((name) => {
    const value = env[name] ?? devVars[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(chosen);
}

/**
 * The mistakes that would make every turn fail, found before anything starts.
 *
 * @throws CliError - a setting is wrong. A secret's value is in no text.
 */
export function requireSettings(settings: Variables): void {
  requireSecret("TOKEN_SECRET", settings["TOKEN_SECRET"] ?? "", {
    does: "signs every token",
    without: "`npm start` makes one",
  });
  const viewerSecret = settings["VIEWER_SECRET"] ?? "";
  if (viewerSecret !== "") {
    requireSecret("VIEWER_SECRET", viewerSecret, {
      does: "makes viewers' pseudonyms",
      without: "TOKEN_SECRET makes them",
    });
  }
  const kind = settings["INFERENCE_KIND"] ?? "vllm";
  if (!KINDS.includes(kind)) {
    throw new CliError(`INFERENCE_KIND=${kind} is not known.`, {
      why: `It is one of ${KINDS.join(", ")}.`,
      next: "INFERENCE_KIND=openai npm start",
    });
  }
  requireServer("INFERENCE", settings);
  requireServer("SPEECH", settings);
}

function requireSecret(name: string, secret: string, { does, without }: { does: string; without: string }): void {
  if (secret.length >= SECRET_CHARS_MIN) return;
  throw new CliError(`${name} is too short.`, {
    why: `It ${does} and needs ${SECRET_CHARS_MIN} characters or more.`,
    next: `Leave it out: ${without}. Or: ${name}=$(openssl rand -hex 32) npm start`,
  });
}

function requireServer(kind: "INFERENCE" | "SPEECH", settings: Variables): void {
  const baseUrl = settings[`${kind}_BASE_URL`] ?? "";
  if (baseUrl === "") return;
  const next = `${kind}_BASE_URL=http://127.0.0.1:8000/v1 ${kind}_MODEL=<model> npm start`;
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CliError(`${kind}_BASE_URL=${baseUrl} is no address.`, {
      why: "It starts with http:// or https://.",
      next,
    });
  }
  if ((settings[`${kind}_MODEL`] ?? "") === "") {
    throw new CliError(`${kind}_MODEL is missing.`, { why: "The server must be told which model is meant.", next });
  }
}

/** Who answers: `null` for the offline policy inside the Worker, else the endpoint's host and the model. */
export function policyOf(settings: Variables): { readonly host: string; readonly model: string } | null {
  const url = URL.parse(settings["INFERENCE_BASE_URL"] ?? "");
  return url === null ? null : { host: url.host, model: settings["INFERENCE_MODEL"] ?? "" };
}

/** Reads `.dev.vars`; no file, no variables. */
export async function readDevVars(root: string): Promise<Variables> {
  return parseEnv(await readIfThere(path.join(root, ".dev.vars")));
}

/** The secret of this machine's instances, made once and kept where only its owner reads it. */
export async function loadDevSecret(stateFolder: string): Promise<string> {
  const file = path.join(stateFolder, "kaibo/dev-secret");
  const kept = (await readIfThere(file)).trim();
  if (kept.length >= SECRET_CHARS_MIN) return kept;
  const made = randomBytes(32).toString("hex");
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${made}\n`, { mode: 0o600 });
  return made;
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return "";
    throw thrown;
  }
}
