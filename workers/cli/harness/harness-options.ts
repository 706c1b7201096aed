/** `kaibo harness …`, as a command. Pure: nothing is read and nothing is done. */
import path from "node:path";
import { pushBodySchema } from "../../../shared/contract/release.ts";
import { GOVERNANCE_ACTIONS, type GovernanceCommand } from "../release/governance-options.ts";
import { channelOf, harnessNameOf, PRODUCTION, versionRefOf } from "./harness-refs.ts";
import { PLAN_ACTIONS, type PlanCommand } from "../release/plan-options.ts";
import { checked, instanceOf, readOptions, usage, type InstanceOptions } from "../read-options.ts";
import { RELEASE_ACTIONS, type ReleaseCommand } from "../release/release-options.ts";

/** What a folder is compared with. */
export type DiffBase =
  | { readonly type: "folder"; readonly folder: string }
  | { readonly type: "channel"; readonly channel: string }
  /** By its first digits. */
  | { readonly type: "version"; readonly version: string };

export type HarnessCommand =
  /** `tokenizer`: base URL of a server that counts; absent: tokens are estimated. */
  (
    | { readonly action: "check"; readonly folder: string; readonly tokenizer?: string }
    | ({
        readonly action: "push";
        readonly folder: string;
        readonly channel?: string;
        readonly notes: string;
        /** First digits of the version that this one was made from; absent: what production serves. */
        readonly parent?: string;
        /** File of the private key that signs; absent: the one that the environment names, if any. */
        readonly keyFile?: string;
      } & InstanceOptions)
    | ({ readonly action: "diff"; readonly folder: string; readonly base: DiffBase } & InstanceOptions)
    | { readonly action: "test"; readonly folder: string; readonly room?: string }
    /** `over`: the harness that the new one extends; absent: one that stands alone. */
    | { readonly action: "init"; readonly folder: string; readonly harness: string; readonly over?: string }
  ) & { readonly name: "harness"; readonly json: boolean };

type AnyHarnessCommand = HarnessCommand | ReleaseCommand | PlanCommand | GovernanceCommand;

/** Of a bundle with what is said of it. */
const [, envelopeSchema] = pushBodySchema.options;

const EXAMPLE = "npx kaibo harness check harness-kv/bundles/live-host";
const JSON_OPTION = { json: { type: "boolean" } } as const;
const INSTANCE = { url: { type: "string" }, token: { type: "string" } } as const;

/**
 * @param args - What stands after `kaibo harness`.
 * @throws CliError with exit code 2 - the action, the folder, an option or a value is not understood.
 */
export function parseHarness(args: readonly string[]): AnyHarnessCommand {
  const [action, ...rest] = args;
  const parse = ALL_ACTIONS.get(action ?? "");
  if (parse !== undefined) return parse(rest);
  const known = [...ALL_ACTIONS.keys()].join(", ");
  throw usage("`harness` needs to know what to do.", `It does ${known}.`, EXAMPLE);
}

const ACTIONS: ReadonlyMap<string, (args: readonly string[]) => HarnessCommand> = new Map([
  ["init", parseInit],
  ["check", parseCheck],
  ["test", parseTest],
  ["diff", parseDiff],
  ["push", parsePush],
]);

const ALL_ACTIONS: ReadonlyMap<string, (args: readonly string[]) => AnyHarnessCommand> = new Map<
  string,
  (args: readonly string[]) => AnyHarnessCommand
>([...ACTIONS, ...RELEASE_ACTIONS, ...PLAN_ACTIONS, ...GOVERNANCE_ACTIONS]);

function parseInit(args: readonly string[]): HarnessCommand {
  const { values, positionals } = readOptions(args, { ...JSON_OPTION, over: { type: "string" } });
  const example = "npx kaibo harness init my-shop";
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) {
    throw usage("`harness init` takes one name.", "It makes a folder of that name.", example);
  }
  const harness = harnessNameOf(path.basename(folder));
  const over = values.over === undefined ? {} : { over: values.over };
  return { name: "harness", action: "init", folder, harness, ...over, json: values.json ?? false };
}

function parseCheck(args: readonly string[]): HarnessCommand {
  const { values, positionals } = readOptions(args, { ...JSON_OPTION, tokenizer: { type: "string" } });
  const { tokenizer, json = false } = values;
  if (tokenizer !== undefined && !/^https?:/.test(URL.parse(tokenizer)?.protocol ?? "")) {
    throw usage(`--tokenizer ${tokenizer} is no address.`, "It starts with http:// or https://.", EXAMPLE);
  }
  const server = tokenizer === undefined ? {} : { tokenizer };
  return { name: "harness", action: "check", folder: folderOf("check", positionals), ...server, json };
}

function parseTest(args: readonly string[]): HarnessCommand {
  const { values, positionals } = readOptions(args, { ...JSON_OPTION, room: { type: "string" } });
  const room = values.room === undefined ? {} : { room: values.room };
  return {
    name: "harness",
    action: "test",
    folder: folderOf("test", positionals),
    ...room,
    json: values.json ?? false,
  };
}

function parsePush(args: readonly string[]): HarnessCommand {
  const { values, positionals } = readOptions(args, {
    ...JSON_OPTION,
    ...INSTANCE,
    channel: { type: "string" },
    notes: { type: "string" },
    parent: { type: "string" },
    key: { type: "string" },
  });
  return {
    name: "harness",
    action: "push",
    folder: folderOf("push", positionals),
    ...(values.channel !== undefined && { channel: channelOf(values.channel) }),
    notes: checked(envelopeSchema.shape.notes, values.notes ?? "", "--notes cannot be."),
    ...(values.parent !== undefined && { parent: versionRefOf(values.parent) }),
    ...(values.key !== undefined && { keyFile: values.key }),
    json: values.json ?? false,
    ...instanceOf(values),
  };
}

function parseDiff(args: readonly string[]): HarnessCommand {
  const { values, positionals } = readOptions(args, {
    ...JSON_OPTION,
    ...INSTANCE,
    channel: { type: "string" },
    version: { type: "string" },
  });
  const [folder, other, ...more] = positionals;
  const example = "npx kaibo harness diff harness-kv/bundles/live-host --channel production";
  if (folder === undefined || more.length > 0) {
    throw usage("`harness diff` takes one folder or two.", "The second is what the first is compared with.", example);
  }
  const bases = [
    ...(other === undefined ? [] : [{ type: "folder" as const, folder: other }]),
    ...(values.channel === undefined ? [] : [{ type: "channel" as const, channel: channelOf(values.channel) }]),
    ...(values.version === undefined ? [] : [{ type: "version" as const, version: versionRefOf(values.version) }]),
  ];
  if (bases.length > 1) {
    throw usage("A folder is compared with one thing.", "Name a second folder, --channel or --version.", example);
  }
  const base: DiffBase = bases[0] ?? { type: "channel", channel: PRODUCTION };
  return { name: "harness", action: "diff", folder, base, json: values.json ?? false, ...instanceOf(values) };
}

function folderOf(action: string, positionals: readonly string[]): string {
  const [folder, ...more] = positionals;
  if (folder !== undefined && more.length === 0) return folder;
  throw usage(`\`harness ${action}\` takes one folder.`, "It is the one that holds harness.json.", EXAMPLE);
}
