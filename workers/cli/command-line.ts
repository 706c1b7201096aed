/** What was typed, as a command. Pure: nothing is read and nothing is done. */
import { audienceSchema, type Audience } from "../../shared/contract/token-claims.ts";
import { parseChat, type ChatCommand } from "./chat-options.ts";
import { parseEndpoint, type EndpointCommand } from "./endpoint-options.ts";
import { instanceOf, readOptions, usage, type InstanceOptions } from "./read-options.ts";

export type Command =
  | { readonly name: "start" }
  | ({
      readonly name: "ask";
      readonly text: string;
      readonly room?: string;
      readonly json: boolean;
      readonly timeoutMs: number;
    } & InstanceOptions)
  | { readonly name: "token"; readonly audiences: readonly Audience[]; readonly room: string; readonly ttlMs: number }
  | { readonly name: "harness-check"; readonly folder: string }
  | ({ readonly name: "harness-push"; readonly folder: string; readonly channel?: string } & InstanceOptions)
  | EndpointCommand
  | ChatCommand
  | { readonly name: "help" }
  | { readonly name: "version" };

export const HELP = `Kaibo: AI hosts for live rooms.

  npm start                                    run the whole product on this machine (PORT=8787)
  npx kaibo ask "<text>" [--room R] [--json]   send one message and print what is said
  npx kaibo token --aud room,operator          print a token for this machine's instance
  npx kaibo harness check <folder>             say what is wrong with a harness
  npx kaibo harness push <folder> [--channel production]
                                               add a version; with --channel, serve it
  npx kaibo endpoint list                      say which models answer, and how they do
  npx kaibo endpoint show <name>
  npx kaibo endpoint set <name> --url U --model M
                                               check a server and let turns use it; or change it
  npx kaibo endpoint check <name>              ask the server again what it can do
  npx kaibo endpoint remove <name>
  npx kaibo chat bilibili --room R --auth <file>
                                               post the comments of a Bilibili live room, until Ctrl-C

  ask     --room R       default: yanxuan-home, or the only room
          --json         every event as one line of JSON
          --timeout S    seconds to wait for the end of the turn; default 60
  token   --aud A,B      room, operator, analyst, viewer
          --room R       default: *, every room
          --ttl 1h       s, m, h or d; default 1h
  endpoint --json        the answer as JSON
  endpoint set           what is not given stays as it is
          --url U        base URL, usually with /v1
          --model M      as the server names it
          --kind K       vllm, sglang or openai; default vllm
          --key-binding INFERENCE_KEY_X
                         the secret that holds the key; none for a server without one
          --tier T       main, or fallback for when no main one can serve a turn; default main
          --slots N      calls that the server runs at once; default 16
          --ceiling 0.5  share of the capacity that turns may use
          --capacity C   adaptive, fixed (as many as there are slots), or unlimited; default adaptive
          --fields A,B   request fields that it takes; auto for those that the check finds
          --[no-]opens-thinking
                         the answer begins inside a thought
          --connect-timeout MS
                         longest wait for the response's headers; default 2500
          --enabled, --disabled
  chat    --auth FILE    the platform's answer to /v2/app/start, or its auth_body alone
          --ws U         address of the connection; default: those in the file

  For an instance elsewhere: KAIBO_URL and KAIBO_TOKEN; or --url U --token T with ask, chat and
  harness push, --instance U --token T with endpoint.

  PORT             port of npm start; default 8787
  KAIBO_STATE_DIR  where this machine's rooms and secret are kept; default .wrangler
`;

const INSTANCE = { url: { type: "string" }, token: { type: "string" } } as const;
const TTL_UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

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
  if (args.includes("--help") || args.includes("-h")) return { name: "help" };
  if (name === undefined || name === "help") return { name: "help" };
  if (name === "--version" || name === "-v") return { name: "version" };
  const parse = PARSERS.get(name);
  if (parse !== undefined) return parse(rest);
  const known = [...PARSERS.keys(), "help"].join(", ");
  throw usage(`There is no command "${name}".`, `The commands are ${known}.`);
}

function parseStart(args: readonly string[]): Command {
  const { positionals } = readOptions(args, {});
  if (positionals.length > 0) throw usage("`start` takes no words.", `It got: ${positionals.join(" ")}.`);
  return { name: "start" };
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
  const { values } = readOptions(args, { aud: { type: "string" }, room: { type: "string" }, ttl: { type: "string" } });
  const example = "npx kaibo token --aud room,operator --room yanxuan-home --ttl 1h";
  if (values.aud === undefined) throw usage("--aud is missing.", "A token is for someone.", example);
  const audiences = values.aud.split(",").map((audience) => {
    const parsed = audienceSchema.safeParse(audience.trim());
    if (parsed.success) return parsed.data;
    throw usage(`"${audience}" is no audience.`, `The audiences are ${audienceSchema.options.join(", ")}.`, example);
  });
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(values.ttl ?? "1h") ?? [];
  const ttlMs = Number(count) * (TTL_UNITS_MS[unit ?? ""] ?? Number.NaN);
  if (!(ttlMs > 0 && ttlMs <= TTL_MAX_MS)) {
    throw usage(`--ttl ${values.ttl} is no time.`, "It takes a number with s, m, h or d, up to 365d.", example);
  }
  return { name: "token", audiences: [...new Set(audiences)], room: values.room ?? "*", ttlMs };
}

function parseHarness(args: readonly string[]): Command {
  const [action, ...rest] = args;
  const example = "npx kaibo harness check harness-kv/bundles/live-host";
  if (action !== "check" && action !== "push") {
    throw usage("`harness` needs to know what to do.", "It does `check` and `push`.", example);
  }
  const { values, positionals } = readOptions(rest, { ...INSTANCE, channel: { type: "string" } });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) {
    throw usage(`\`harness ${action}\` takes one folder.`, "It is the one that holds harness.json.", example);
  }
  if (action === "push") {
    return { name: "harness-push", folder, ...(values.channel && { channel: values.channel }), ...instanceOf(values) };
  }
  const needless = Object.keys(values)[0];
  if (needless === undefined) return { name: "harness-check", folder };
  throw usage(`\`harness check\` takes no --${needless}.`, "It reads the folder and asks no instance.", example);
}

/** By the command's first word; each takes what stands after it. */
const PARSERS: ReadonlyMap<string, (args: readonly string[]) => Command> = new Map([
  ["start", parseStart],
  ["ask", parseAsk],
  ["token", parseToken],
  ["harness", parseHarness],
  ["endpoint", parseEndpoint],
  ["chat", parseChat],
]);
