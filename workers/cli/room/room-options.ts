/** `kaibo room …`, as a command. Pure: nothing is read and nothing is done. */
import { interruptBodySchema } from "../../../shared/contract/http-api.ts";
import { roomIdSchema } from "../../../shared/contract/ids.ts";
import { hostSpeechSchema } from "../../../shared/contract/message.ts";
import { priceCentsSchema, stockSchema } from "../../../shared/contract/room-config.ts";
import type { Follow } from "../../../shared/contract/room-frame.ts";
import { checked, instanceOf, readOptions, usage, type InstanceOptions } from "../read-options.ts";

/** A live price, in cents as in the contract, or a live stock. */
export type SkuChange = { readonly skuId: string; readonly priceCents?: number; readonly stock?: number };

export type RoomCommand =
  /** `limit`: rooms at most; absent: all. */
  (
    | { readonly action: "list"; readonly limit?: number }
    | { readonly action: "show"; readonly room: string; readonly hasProducts: boolean }
    | { readonly action: "set"; readonly room: string; readonly source: string }
    /** `onScreen`: a link number or a product's id; `null`: nothing; absent: what is there stays. */
    | {
        readonly action: "state";
        readonly room: string;
        readonly onScreen?: string | null;
        readonly skus: readonly SkuChange[];
      }
    | { readonly action: "interrupt"; readonly room: string; readonly reason?: string }
    | {
        readonly action: "host-speech";
        readonly room: string;
        readonly speech: { readonly text: string; readonly speaker?: string; readonly isFinal?: boolean };
      }
    | { readonly action: "prompt"; readonly room: string; readonly digest: string }
    /** `forMs`: how long; absent: until Ctrl-C. */
    | {
        readonly action: "follow";
        readonly room: string;
        readonly after?: number;
        readonly follow: Follow;
        readonly forMs?: number;
      }
  ) & { readonly name: "room"; readonly json: boolean } & InstanceOptions;

/** Longest that `follow` may be told to last, s: a day. */
const FOLLOW_MAX_S = 86_400;

/** Stands for no product with `--on-screen`. */
const NOTHING = "none";

const COMMON = { json: { type: "boolean" }, url: { type: "string" }, token: { type: "string" } } as const;
const STATE_EXAMPLE = "npx kaibo room state yanxuan-home --on-screen 2 --sku <id> --price 39.9 --stock 12";

/**
 * @param args - What stands after `kaibo room`.
 * @throws CliError with exit code 2 - the action, the room, an option or a value is not understood.
 */
export function parseRoom(args: readonly string[]): RoomCommand {
  const [action, ...rest] = args;
  const parse = ACTIONS.get(action ?? "");
  if (parse !== undefined) return parse(rest);
  throw usage("`room` needs to know what to do.", `It does ${[...ACTIONS.keys()].join(", ")}.`, "npx kaibo room list");
}

const ACTIONS: ReadonlyMap<string, (args: readonly string[]) => RoomCommand> = new Map([
  ["list", parseList],
  ["show", parseShow],
  ["set", parseSet],
  ["state", parseState],
  ["interrupt", parseInterrupt],
  ["host-speech", parseHostSpeech],
  ["prompt", parsePrompt],
  ["follow", parseFollow],
]);

function parseList(args: readonly string[]): RoomCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, limit: { type: "string" } });
  if (positionals.length > 0) throw usage("`room list` takes no words.", `It got: ${positionals.join(" ")}.`);
  const limit = values.limit === undefined ? {} : { limit: countOf("limit", values.limit, 1) };
  return { name: "room", action: "list", ...limit, ...asked(values) };
}

function parseShow(args: readonly string[]): RoomCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, products: { type: "boolean" } });
  const { room } = wordsOf("show", positionals, []);
  return { name: "room", action: "show", room, hasProducts: values.products ?? false, ...asked(values) };
}

function parseSet(args: readonly string[]): RoomCommand {
  const { values, positionals } = readOptions(args, COMMON);
  const { room, rest } = wordsOf("set", positionals, ["a file, or a folder of harness-kv/rooms"]);
  return { name: "room", action: "set", room, source: rest[0] ?? "", ...asked(values) };
}

function parseState(args: readonly string[]): RoomCommand {
  const { values, positionals, tokens } = readOptions(args, {
    ...COMMON,
    "on-screen": { type: "string" },
    sku: { type: "string" },
    price: { type: "string" },
    stock: { type: "string" },
  });
  const { room } = wordsOf("state", positionals, []);
  const shown = values["on-screen"];
  const skus = skusOf(tokens.flatMap((token) => (token.kind === "option" ? [[token.name, token.value ?? ""]] : [])));
  if (shown === undefined && skus.length === 0) {
    throw usage("There is nothing to change.", "No option was given.", STATE_EXAMPLE);
  }
  const onScreen = shown === undefined ? {} : { onScreen: shown === NOTHING ? null : shown };
  return { name: "room", action: "state", room, ...onScreen, skus, ...asked(values) };
}

/** Each `--price` and `--stock` is of the `--sku` before it. */
function skusOf(options: readonly (readonly string[])[]): SkuChange[] {
  const skus: { skuId: string; priceCents?: number; stock?: number }[] = [];
  for (const [option, text = ""] of options) {
    if (option === "sku") skus.push({ skuId: text });
    if (option !== "price" && option !== "stock") continue;
    const sku = skus.at(-1);
    if (sku === undefined)
      throw usage(`--${option} is of no SKU.`, "It comes after the --sku it is of.", STATE_EXAMPLE);
    if (option === "price") sku.priceCents = centsOf(text);
    else sku.stock = checked(stockSchema, countOf("stock", text, 0), `--stock ${text} cannot be.`);
  }
  const idle = skus.find(({ priceCents, stock }) => priceCents === undefined && stock === undefined);
  if (idle === undefined) return skus;
  throw usage(
    `Nothing of SKU ${idle.skuId} is to change.`,
    "Neither --price nor --stock comes after it.",
    STATE_EXAMPLE,
  );
}

/** Yuan as typed, in cents. Digit by digit: a price is compared to the digit, and 0.29 × 100 is no whole number. */
function centsOf(text: string): number {
  const [, yuan, fraction = ""] = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (yuan === undefined) {
    throw usage(`--price ${text} is no price.`, "It takes yuan, with at most two decimals.", STATE_EXAMPLE);
  }
  return checked(priceCentsSchema, Number(yuan + fraction.padEnd(2, "0")), `--price ${text} cannot be.`);
}

function parseInterrupt(args: readonly string[]): RoomCommand {
  const { values, positionals } = readOptions(args, { ...COMMON, reason: { type: "string" } });
  const { room } = wordsOf("interrupt", positionals, []);
  const { reason } = values;
  const schema = interruptBodySchema.shape.reason;
  return {
    name: "room",
    action: "interrupt",
    room,
    ...(reason !== undefined && { reason: checked(schema, reason, `--reason ${reason} cannot be.`) }),
    ...asked(values),
  };
}

function parseHostSpeech(args: readonly string[]): RoomCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    speaker: { type: "string" },
    partial: { type: "boolean" },
  });
  const [room, ...words] = positionals;
  const { text, speaker } = hostSpeechSchema.shape;
  const speech = {
    text: checked(text, words.join(" "), "The words of the host cannot be taken."),
    ...(values.speaker !== undefined && {
      speaker: checked(speaker, values.speaker, `--speaker ${values.speaker} cannot be.`),
    }),
    ...(values.partial === true && { isFinal: false }),
  };
  return { name: "room", action: "host-speech", room: roomOf("host-speech", room), speech, ...asked(values) };
}

function parsePrompt(args: readonly string[]): RoomCommand {
  const { values, positionals } = readOptions(args, COMMON);
  const { room, rest } = wordsOf("prompt", positionals, ["a digest"]);
  const [digest = ""] = rest;
  if (/^[0-9a-f]{64}$/.test(digest)) return { name: "room", action: "prompt", room, digest, ...asked(values) };
  throw usage(`"${digest}" is no digest.`, "It has 64 hex digits, as the record of a turn names it.");
}

function parseFollow(args: readonly string[]): RoomCommand {
  const { values, positionals } = readOptions(args, {
    ...COMMON,
    after: { type: "string" },
    for: { type: "string" },
    speech: { type: "boolean" },
  });
  const { room } = wordsOf("follow", positionals, []);
  const forS = Number(values.for ?? 1);
  if (!(forS > 0 && forS <= FOLLOW_MAX_S)) {
    throw usage(`--for ${values.for} is no time.`, `It takes seconds, more than 0, up to ${FOLLOW_MAX_S}.`);
  }
  return {
    name: "room",
    action: "follow",
    room,
    follow: values.speech === true ? "speech" : "all",
    ...(values.after !== undefined && { after: countOf("after", values.after, 0) }),
    ...(values.for !== undefined && { forMs: forS * 1_000 }),
    ...asked(values),
  };
}

/** The room, and as many words after it as there are names for. */
function wordsOf(action: string, positionals: readonly string[], names: readonly string[]) {
  const [room, ...rest] = positionals;
  const id = roomOf(action, room);
  if (rest.length === names.length) return { room: id, rest };
  const why = rest.length < names.length ? `What is missing: ${names[rest.length]}.` : `It got: ${rest.join(" ")}.`;
  throw usage(`\`room ${action}\` takes ${["a room", ...names].join(" and ")}.`, why, "npx kaibo room --help");
}

function roomOf(action: string, room: string | undefined): string {
  if (room === undefined) {
    throw usage(`\`room ${action}\` takes a room.`, "It is the id of the room.", "npx kaibo room list");
  }
  return checked(roomIdSchema, room, `"${room}" is no id of a room.`);
}

function countOf(option: string, text: string, min: number): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= min) return Number(text);
  throw usage(`--${option} ${text} is no number that can be.`, `It takes a whole number, from ${min}.`);
}

function asked(values: { json?: boolean | undefined; url?: string | undefined; token?: string | undefined }) {
  return { json: values.json ?? false, ...instanceOf(values) };
}
