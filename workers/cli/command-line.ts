/** What was typed, as a command. Pure: nothing is read and nothing is done. */
import { audienceSchema, type Audience } from "../../shared/contract/token-claims.ts";
import { parseAudit, type AuditCommand } from "./release/audit-options.ts";
import { parseChat, type ChatCommand } from "./chat/chat-options.ts";
import { COMMANDS } from "./command-table.ts";
import type { Shell } from "./completion.ts";
import { parseDeploy, type DeployCommand } from "./deploy/deploy-options.ts";
import { parseEndpoint, type EndpointCommand } from "./endpoint/endpoint-options.ts";
import type { GovernanceCommand } from "./release/governance-options.ts";
import { parseHarness, type HarnessCommand } from "./harness/harness-options.ts";
import { parseKeys, type KeysCommand } from "./harness/keys-options.ts";
import { readSpan } from "./local-time.ts";
import type { PlanCommand } from "./release/plan-options.ts";
import { instanceOf, readOptions, usage, type InstanceOptions } from "./read-options.ts";
import type { ReleaseCommand } from "./release/release-options.ts";
import { parseRoom, type RoomCommand } from "./room/room-options.ts";
import { parseTurn, type TurnCommand } from "./room/turn-options.ts";

export type Command =
  | { readonly name: "start"; readonly json: boolean }
  | ({
      readonly name: "ask";
      readonly text: string;
      readonly room?: string;
      readonly json: boolean;
      readonly timeoutMs: number;
    } & InstanceOptions)
  | {
      readonly name: "token";
      readonly audiences: readonly Audience[];
      readonly room: string;
      readonly ttlMs: number;
      /** Whose changes these are, in the audit log and to the rule of two. */
      readonly subject: string;
      readonly json: boolean;
      /** Holds the secret to sign with; absent: this machine's. */
      readonly secretFile?: string;
    }
  | { readonly name: "completion"; readonly shell: Shell }
  | HarnessCommand
  | ReleaseCommand
  | PlanCommand
  | GovernanceCommand
  | KeysCommand
  | AuditCommand
  | EndpointCommand
  | ChatCommand
  | DeployCommand
  | RoomCommand
  | TurnCommand
  /** `about`: the first words of the commands that are meant; none for all. */
  | { readonly name: "help"; readonly about: readonly string[] }
  | { readonly name: "version" };

const INSTANCE = { url: { type: "string" }, token: { type: "string" } } as const;

const SUBJECT = /^[\p{L}\p{N}._@-]{1,128}$/u;

/** Longest life of a token, ms: a year. */
const TTL_MAX_MS = 365 * 86_400_000;

/** Longest wait of `ask`, s. */
const TIMEOUT_MAX_S = 3_600;

/**
 * @param args - What stands after `kaibo`.
 * @throws CliError with exit code 2 - the command, an option or a value is not understood.
 */
export function parseCommand(args: readonly string[]): Command {
  const [name, ...rest] = args;
  // Asked for anywhere, help is what is wanted; a text that is to be asked stands before any option.
  if (args.includes("--help") || args.includes("-h")) return { name: "help", about: knownWords(args) };
  if (name === undefined || name === "help") return { name: "help", about: knownWords(rest) };
  if (asksVersion(args)) return { name: "version" };
  const parse = PARSERS.get(name);
  if (parse !== undefined) return parse(rest);
  const known = [...PARSERS.keys(), "help"].join(", ");
  throw usage(`There is no command "${name}".`, `The commands are ${known}.`);
}

/** The words at the beginning that a command begins with, or a group of commands. */
function knownWords(args: readonly string[]): readonly string[] {
  const counts = COMMANDS.map(({ words }) => words.findIndex((word, index) => word !== args[index]));
  const lengths = counts.map((count, index) => (count === -1 ? (COMMANDS[index]?.words.length ?? 0) : count));
  return args.slice(0, Math.max(...lengths));
}

/** Of a command with a `--version` of its own, that one is meant. */
function asksVersion(args: readonly string[]): boolean {
  if (!args.includes("--version") && !args.includes("-v")) return false;
  const words = knownWords(args).join(" ");
  const entry = COMMANDS.find((command) => command.words.join(" ") === words);
  return !(entry?.options.some(({ name }) => name === "version") ?? false);
}

function parseStart(args: readonly string[]): Command {
  const { values, positionals } = readOptions(args, { json: { type: "boolean" } });
  if (positionals.length > 0) throw usage("`start` takes no words.", `It got: ${positionals.join(" ")}.`);
  return { name: "start", json: values.json ?? false };
}

function parseAsk(args: readonly string[]): Command {
  const { values, positionals } = readOptions(args, {
    ...INSTANCE,
    room: { type: "string" },
    json: { type: "boolean" },
    timeout: { type: "string" },
  });
  const text = positionals.join(" ").trim();
  if (text === "") throw usage("There is nothing to ask.", "The text of the message is missing.", ASK_EXAMPLE);
  const timeoutS = values.timeout === undefined ? 60 : Number(values.timeout);
  if (!(timeoutS > 0 && timeoutS <= TIMEOUT_MAX_S)) {
    throw usage(`--timeout ${values.timeout} is no time.`, `It takes seconds, more than 0, up to ${TIMEOUT_MAX_S}.`);
  }
  return {
    name: "ask",
    text,
    json: values.json ?? false,
    timeoutMs: timeoutS * 1_000,
    ...(values.room !== undefined && { room: values.room }),
    ...instanceOf(values),
  };
}

const ASK_EXAMPLE = 'npx kaibo ask "1号链接多少钱"';

function parseToken(args: readonly string[]): Command {
  const { values } = readOptions(args, {
    aud: { type: "string" },
    room: { type: "string" },
    ttl: { type: "string" },
    sub: { type: "string" },
    "secret-file": { type: "string" },
    json: { type: "boolean" },
  });
  const example = "npx kaibo token --aud room,operator --room yanxuan-home --ttl 1h";
  if (values.aud === undefined) throw usage("--aud is missing.", "A token is for someone.", example);
  const audiences = values.aud.split(",").map((audience) => {
    const parsed = audienceSchema.safeParse(audience.trim());
    if (parsed.success) return parsed.data;
    throw usage(`"${audience}" is no audience.`, `The audiences are ${audienceSchema.options.join(", ")}.`, example);
  });
  const ttlMs = readSpan(values.ttl ?? "1h");
  if (ttlMs === null || ttlMs === 0 || ttlMs > TTL_MAX_MS) {
    throw usage(`--ttl ${values.ttl} is no time.`, "It takes a number with s, m, h or d, up to 365d.", example);
  }
  const subject = values.sub ?? "kaibo-cli";
  if (!SUBJECT.test(subject)) {
    throw usage(`--sub ${subject} is no name.`, "It takes up to 128 letters, digits, and . _ @ -.", example);
  }
  const file = values["secret-file"];
  return {
    name: "token",
    audiences: [...new Set(audiences)],
    room: values.room ?? "*",
    ttlMs,
    subject,
    json: values.json ?? false,
    ...(file !== undefined && { secretFile: file }),
  };
}

function parseCompletion(args: readonly string[]): Command {
  const { positionals } = readOptions(args, {});
  const [shell, ...more] = positionals;
  if ((shell === "bash" || shell === "zsh") && more.length === 0) return { name: "completion", shell };
  throw usage("`completion` takes one shell.", "It knows bash and zsh.", "npx kaibo completion bash");
}

/** By the command's first word; each takes what stands after it. */
const PARSERS: ReadonlyMap<string, (args: readonly string[]) => Command> = new Map([
  ["start", parseStart],
  ["ask", parseAsk],
  ["token", parseToken],
  ["harness", parseHarness],
  ["keys", parseKeys],
  ["audit", parseAudit],
  ["endpoint", parseEndpoint],
  ["room", parseRoom],
  ["turn", parseTurn],
  ["chat", parseChat],
  ["deploy", parseDeploy],
  ["completion", parseCompletion],
]);
