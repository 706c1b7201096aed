/** `kaibo turn …`, as a command. Pure: nothing is read and nothing is done. */
import { roomIdSchema, turnIdSchema } from "../../../shared/contract/ids.ts";
import type { OnTools } from "../../../shared/contract/replay.ts";
import { channelOf, harnessNameOf, versionRefOf } from "../harness/harness-refs.ts";
import { checked, instanceOf, readOptions, usage, type InstanceOptions } from "../read-options.ts";

export type TurnCommand = (
  | { readonly action: "show" }
  | {
      readonly action: "replay";
      readonly onTools: OnTools;
      readonly harness?: string;
      /** The version, or its first digits. */
      readonly version?: string;
      readonly channel?: string;
    }
) & { readonly name: "turn"; readonly room: string; readonly turn: string; readonly json: boolean } & InstanceOptions;

const COMMON = { json: { type: "boolean" }, url: { type: "string" }, token: { type: "string" } } as const;
const EXAMPLES = {
  show: "npx kaibo turn show yanxuan-home t12",
  replay: "npx kaibo turn replay yanxuan-home t12 --channel candidate",
} as const;

/**
 * @param args - What stands after `kaibo turn`.
 * @throws CliError with exit code 2 - the action, the room, the turn, an option or a value is not understood.
 */
export function parseTurn(args: readonly string[]): TurnCommand {
  const [action, ...rest] = args;
  if (action === "show") return parseShow(rest);
  if (action === "replay") return parseReplay(rest);
  throw usage("`turn` needs to know what to do.", "It does show and replay.", EXAMPLES.show);
}

function parseShow(args: readonly string[]): TurnCommand {
  const { values, positionals } = readOptions(args, COMMON);
  return {
    name: "turn",
    action: "show",
    ...turnOf("show", positionals),
    json: values.json ?? false,
    ...instanceOf(values),
  };
}

function parseReplay(args: readonly string[]): TurnCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    harness: { type: "string" },
    version: { type: "string" },
    channel: { type: "string" },
    "live-tools": { type: "boolean" },
  });
  const { harness, version, channel } = values;
  if (version !== undefined && channel !== undefined) {
    throw usage("A turn is replayed on one version.", "Name --version or --channel.", EXAMPLES.replay);
  }
  return {
    name: "turn",
    action: "replay",
    ...turnOf("replay", positionals),
    onTools: values["live-tools"] === true ? "live" : "recorded",
    ...(harness !== undefined && { harness: harnessNameOf(harness) }),
    ...(version !== undefined && { version: versionRefOf(version) }),
    ...(channel !== undefined && { channel: channelOf(channel) }),
    json: values.json ?? false,
    ...instanceOf(values),
  };
}

function turnOf(action: TurnCommand["action"], positionals: readonly string[]): { room: string; turn: string } {
  const [room, turn, ...more] = positionals;
  if (room === undefined || turn === undefined || more.length > 0) {
    throw usage(`\`turn ${action}\` takes a room and a turn.`, "A turn is t and a number.", EXAMPLES[action]);
  }
  return {
    room: checked(roomIdSchema, room, `"${room}" is no name of a room.`),
    turn: checked(turnIdSchema, turn, `"${turn}" is no turn.`),
  };
}
