/** What a harness serves and to whom, as `kaibo harness release …` and the words beside it. Pure: nothing is read or done. */
import { roomIdSchema } from "../../../shared/contract/ids.ts";
import {
  canaryBodySchema,
  freezeBodySchema,
  gateConditionSchema,
  gateResultBodySchema,
  pinBodySchema,
  revokeBodySchema,
  type GateCondition,
  type PinScope,
} from "../../../shared/contract/release.ts";
import type { GovernanceCommand } from "./governance-options.ts";
import { channelOf, merchantOf, PRODUCTION, versionRefOf } from "../harness/harness-refs.ts";
import { checked, readOptions, usage } from "../read-options.ts";
import {
  askedOf,
  CHANNEL,
  COMMON,
  EXPECTED,
  MERCHANT,
  nameOf,
  onChannel,
  scopeOf,
  withVersion,
  wordsOf,
  type HarnessAsked,
  type OnChannel,
  type Scoped,
  type Typed,
} from "./release-words.ts";

/** A version by its first digits, or whatever a channel serves. */
export type VersionTarget =
  | { readonly type: "version"; readonly version: string }
  | { readonly type: "channel"; readonly channel: string; readonly merchant: string };

export type GateJudgement = {
  readonly condition: GateCondition;
  readonly ok: boolean;
  readonly details: Readonly<Record<string, string | number | boolean>>;
};

type Pinned = { readonly scope: PinScope; readonly id: string };

export type ReleaseCommand = (
  | { readonly action: "list"; readonly limit: number }
  /** `null`: all that decides what rooms run. */
  | { readonly action: "show"; readonly target: VersionTarget | null }
  | { readonly action: "pull"; readonly target: VersionTarget; readonly folder: string; readonly isForced: boolean }
  | ({ readonly action: "release"; readonly version: string } & OnChannel)
  | ({ readonly action: "rollback" } & OnChannel)
  | ({ readonly action: "pin"; readonly version: string; readonly note: string } & Pinned)
  | ({ readonly action: "unpin" } & Pinned)
  | ({ readonly action: "freeze"; readonly reason: string } & Scoped)
  | ({ readonly action: "unfreeze" } & Scoped)
  | ({
      readonly action: "canary";
      readonly version: string;
      readonly share: number;
      readonly rooms: readonly string[];
    } & Scoped)
  | ({ readonly action: "end-canary" } & Scoped)
  | { readonly action: "revoke"; readonly version: string; readonly reason: string }
  /** `null`: the gate is read. */
  | { readonly action: "gate"; readonly version: string; readonly judgement: GateJudgement | null }
) & { readonly name: "release" } & HarnessAsked;

/** Versions that `list` shows where nobody says how many, and the most that it shows. */
const LIST_DEFAULT = 20;
const LIST_MAX = 10_000;

const PINNED = { room: { type: "string" }, ...MERCHANT } as const;

/** By the word after `harness`; each takes what stands after it. @throws CliError with exit code 2 */
export const RELEASE_ACTIONS: ReadonlyMap<string, (args: readonly string[]) => ReleaseCommand | GovernanceCommand> =
  new Map<string, (args: readonly string[]) => ReleaseCommand | GovernanceCommand>([
    ["list", parseList],
    ["show", parseShow],
    ["pull", parsePull],
    ["release", parseRelease],
    ["rollback", parseRollback],
    ["canary", parseCanary],
    ["pin", parsePin],
    ["unpin", parseUnpin],
    ["freeze", parseFreeze],
    ["unfreeze", parseUnfreeze],
    ["revoke", parseRevoke],
    ["gate", parseGate],
  ]);

function parseList(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, limit: { type: "string" } });
  const limit = Number(values.limit ?? LIST_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX) {
    throw usage(`--limit ${values.limit} cannot be.`, `It is a number of versions, from 1 to ${LIST_MAX}.`);
  }
  return { ...asked(values, nameOf("list", positionals)), action: "list", limit };
}

function parseShow(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, ...CHANNEL });
  const { harness, version } = wordsOf("show", positionals);
  const isOverview = version === undefined && values.channel === undefined && values.merchant === undefined;
  const target = isOverview ? null : targetOf(version, values);
  return { ...asked(values, harness), action: "show", target };
}

function parsePull(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    ...CHANNEL,
    to: { type: "string" },
    force: { type: "boolean" },
  });
  const { harness, version } = wordsOf("pull", positionals);
  const target = targetOf(version, values);
  const folder = values.to ?? harness;
  return { ...asked(values, harness), action: "pull", target, folder, isForced: values.force ?? false };
}

function parseRelease(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, ...EXPECTED });
  const { harness, version } = withVersion("release", positionals);
  return { ...asked(values, harness), action: "release", version, ...onChannel(values) };
}

function parseRollback(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, ...EXPECTED });
  const where = onChannel(values);
  if (where.expected === null) throw usage("--expected none cannot be.", "What serves nothing cannot go back.");
  return { ...asked(values, nameOf("rollback", positionals)), action: "rollback", ...where };
}

/** A name alone asks how its canaries do. */
function parseCanary(args: readonly string[]): ReleaseCommand | GovernanceCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    ...MERCHANT,
    share: { type: "string" },
    rooms: { type: "string" },
    end: { type: "boolean" },
  });
  const merchant = scopeOf(values);
  const example = "npx kaibo harness canary live-host 9f2c1a0b --share 5";
  if (values.end === true) {
    if (values.share !== undefined || values.rooms !== undefined) {
      throw usage("--end takes no rooms.", "It ends the canary for all of them.", example);
    }
    return { ...asked(values, nameOf("canary --end", positionals)), action: "end-canary", merchant };
  }
  const isSet = [values.share, values.rooms, values.merchant].some((value) => value !== undefined);
  if (positionals.length === 1 && !isSet) {
    return { name: "governance", action: "report", ...askedOf(values, nameOf("canary", positionals)) };
  }
  const { harness, version } = withVersion("canary", positionals);
  const share = shareOf(values.share ?? "0");
  const rooms = (values.rooms ?? "").split(",").filter((room) => room !== "");
  for (const room of rooms) roomOf(room);
  if (share === 0 && rooms.length === 0) {
    throw usage(
      "The canary would be for no room.",
      "--share is a part of the rooms, in %; --rooms names some.",
      example,
    );
  }
  return { ...asked(values, harness), action: "canary", version, share, rooms, merchant };
}

/** Per cent, with or without the sign. */
function shareOf(text: string): number {
  const share = /^\d{1,3}(?:\.\d+)?%?$/.test(text) ? Number(text.replace("%", "")) : Number.NaN;
  return checked(canaryBodySchema.shape.share, share, `--share ${text} cannot be.`);
}

function parsePin(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, ...PINNED, note: { type: "string" } });
  const { harness, version } = withVersion("pin", positionals);
  const note = checked(pinBodySchema.shape.note, values.note ?? "", "--note cannot be.");
  return { ...asked(values, harness), action: "pin", version, note, ...pinnedOf("pin", values) };
}

function parseUnpin(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, ...PINNED });
  return { ...asked(values, nameOf("unpin", positionals)), action: "unpin", ...pinnedOf("unpin", values) };
}

function parseFreeze(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, ...MERCHANT, reason: { type: "string" } });
  const harness = nameOf("freeze", positionals);
  const reason = checked(freezeBodySchema.shape.reason, values.reason ?? "", "--reason is missing, or cannot be.");
  return { ...asked(values, harness), action: "freeze", reason, merchant: scopeOf(values) };
}

function parseUnfreeze(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, ...MERCHANT });
  return { ...asked(values, nameOf("unfreeze", positionals)), action: "unfreeze", merchant: scopeOf(values) };
}

function parseRevoke(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, reason: { type: "string" } });
  const { harness, version } = withVersion("revoke", positionals);
  const reason = checked(revokeBodySchema.shape.reason, values.reason ?? "", "--reason is missing, or cannot be.");
  return { ...asked(values, harness), action: "revoke", version, reason };
}

function parseGate(args: readonly string[]): ReleaseCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    condition: { type: "string" },
    ok: { type: "boolean" },
    "not-ok": { type: "boolean" },
    details: { type: "string" },
  });
  const { harness, version } = withVersion("gate", positionals);
  return { ...asked(values, harness), action: "gate", version, judgement: judgementOf(values) };
}

type GateOptions = {
  readonly condition?: string | undefined;
  readonly ok?: boolean | undefined;
  readonly "not-ok"?: boolean | undefined;
  readonly details?: string | undefined;
};

function judgementOf({ condition: text, ok, "not-ok": notOk, details }: GateOptions): GateJudgement | null {
  if (text === undefined && ok === undefined && notOk === undefined && details === undefined) return null;
  const example = `npx kaibo harness gate live-host 9f2c1a0b --condition ${gateConditionSchema.options[0]} --ok`;
  if (text === undefined) throw usage("--condition is missing.", "A judgement is of one condition.", example);
  const known = gateConditionSchema.options;
  const condition = known.find((option) => option === text);
  if (condition === undefined) {
    throw usage(`"${text}" is no condition.`, `The conditions are ${known.join(", ")}.`, example);
  }
  if ((ok === true) === (notOk === true)) {
    throw usage("A judgement is --ok or --not-ok.", "One of them, and not both.", example);
  }
  return { condition, ok: ok === true, details: detailsOf(details ?? "") };
}

/** `cases=12,better=true,set=9f2c`: numbers and switches where they read back as they were typed, texts otherwise. */
function detailsOf(text: string): GateJudgement["details"] {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  const entries = pairs.map((pair) => {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(pair.trim()) ?? [];
    if (name !== undefined && value !== undefined) return [name, detailOf(value)] as const;
    throw usage(`"${pair}" is no detail.`, "Details are name=value, parted by commas.");
  });
  return checked(gateResultBodySchema.shape.details, Object.fromEntries(entries), `--details ${text} cannot be.`);
}

function detailOf(value: string): string | number | boolean {
  if (value === "true" || value === "false") return value === "true";
  return value !== "" && String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : value;
}

function pinnedOf(action: string, { room, merchant }: Typed): Pinned {
  if ((room === undefined) === (merchant === undefined)) {
    throw usage(`\`harness ${action}\` is for one room or one merchant.`, "Name it with --room or --merchant.");
  }
  if (room !== undefined) return { scope: "room", id: roomOf(room) };
  const id = merchantOf(merchant ?? "");
  if (id !== "*") return { scope: "merchant", id };
  throw usage(
    "All merchants cannot be pinned.",
    "What all run is what the channel serves.",
    "npx kaibo harness release",
  );
}

function roomOf(text: string): string {
  return checked(roomIdSchema, text, `"${text}" is no room's id.`);
}

function targetOf(version: string | undefined, { channel, ...values }: Typed): VersionTarget {
  if (version === undefined) {
    return { type: "channel", channel: channelOf(channel ?? PRODUCTION), merchant: scopeOf(values) };
  }
  if (channel === undefined && values.merchant === undefined)
    return { type: "version", version: versionRefOf(version) };
  throw usage("A version is meant, or what a channel serves.", "Leave one of them out.");
}

function asked(values: Parameters<typeof askedOf>[0], harness: string) {
  return { name: "release" as const, ...askedOf(values, harness) };
}
