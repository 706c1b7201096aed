/** `kaibo chat …`, as a command. Pure: nothing is read and nothing is done. */
import { instanceOf, readOptions, usage, type InstanceOptions } from "../read-options.ts";

export type ChatCommand = {
  readonly name: "chat";
  readonly platform: "bilibili";
  readonly room: string;
  /** File with the platform's answer to `/v2/app/start`, or with its `auth_body` alone. */
  readonly authFile: string;
  /** Address of the long connection; absent: those of the file. */
  readonly ws?: string;
  readonly json: boolean;
} & InstanceOptions;

const EXAMPLE = "npx kaibo chat bilibili --room yanxuan-home --auth start.json";

const OPTIONS = {
  room: { type: "string" },
  ws: { type: "string" },
  auth: { type: "string" },
  json: { type: "boolean" },
  url: { type: "string" },
  token: { type: "string" },
} as const;

/**
 * @param args - What stands after `kaibo chat`.
 * @throws CliError with exit code 2 - the platform, an option or a value is not understood.
 */
export function parseChat(args: readonly string[]): ChatCommand {
  const { values, positionals } = readOptions(args, OPTIONS);
  const [platform, ...more] = positionals;
  if (platform !== "bilibili" || more.length > 0) {
    throw usage("`chat` takes one platform.", "It knows bilibili.", EXAMPLE);
  }
  const { room, auth, ws } = values;
  if (room === undefined) throw usage("--room is missing.", "The comments are for a room.", EXAMPLE);
  if (auth === undefined) {
    throw usage("--auth is missing.", "It names the file with the platform's answer to /v2/app/start.", EXAMPLE);
  }
  if (ws !== undefined && !(/^wss?:/.test(ws) && URL.canParse(ws))) {
    throw usage(`--ws ${ws} is no address.`, "It starts with wss:// or ws://.", EXAMPLE);
  }
  const { json = false } = values;
  return { name: "chat", platform, room, authFile: auth, ...(ws !== undefined && { ws }), json, ...instanceOf(values) };
}
