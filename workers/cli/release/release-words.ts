/** Words and options that commands about a harness's releases share. Pure. */
import { channelOf, harnessNameOf, merchantOf, PRODUCTION, versionRefOf } from "../harness/harness-refs.ts";
import { instanceOf, usage, type InstanceOptions } from "../read-options.ts";

export const COMMON = { json: { type: "boolean" }, url: { type: "string" }, token: { type: "string" } } as const;
export const MERCHANT = { merchant: { type: "string" } } as const;
export const CHANNEL = { channel: { type: "string" }, ...MERCHANT } as const;
export const EXPECTED = { ...CHANNEL, expected: { type: "string" } } as const;

export type Typed = { readonly [Name in "channel" | "merchant" | "expected" | "room"]?: string | undefined };

/** Of a merchant's own, or of all others (`*`). */
export type Scoped = { readonly merchant: string };
export type OnChannel = Scoped & {
  readonly channel: string;
  /** What the channel must serve for the move to happen; `null`: nothing; absent: whatever it serves when it is looked at. */
  readonly expected?: string | null;
};

/** What each of these commands is told beside its own words. */
export type HarnessAsked = { readonly harness: string; readonly json: boolean } & InstanceOptions;

/** The one word that stands after an action. @throws CliError with exit code 2, as all here */
export function nameOf(action: string, positionals: readonly string[]): string {
  const [name, ...more] = positionals;
  if (name !== undefined && more.length === 0) return harnessNameOf(name);
  throw usage(`\`harness ${action}\` takes one name.`, "It is the name of the harness.");
}

export function wordsOf(
  action: string,
  positionals: readonly string[],
): { readonly harness: string; readonly version: string | undefined } {
  const [name, version, ...more] = positionals;
  if (name !== undefined && more.length === 0) return { harness: harnessNameOf(name), version };
  throw usage(`\`harness ${action}\` takes a name and perhaps a version.`, "It is the name of the harness.");
}

export function withVersion(
  action: string,
  positionals: readonly string[],
): { readonly harness: string; readonly version: string } {
  const [name, version, ...more] = positionals;
  if (name !== undefined && version !== undefined && more.length === 0) {
    return { harness: harnessNameOf(name), version: versionRefOf(version) };
  }
  const why = "It is the name of the harness, and the version's first digits.";
  throw usage(`\`harness ${action}\` takes a name and a version.`, why, "npx kaibo harness list <name>");
}

export function onChannel({ channel, expected, ...values }: Typed): OnChannel {
  return {
    channel: channelOf(channel ?? PRODUCTION),
    merchant: scopeOf(values),
    ...(expected !== undefined && { expected: expected === "none" ? null : versionRefOf(expected) }),
  };
}

export function scopeOf({ merchant }: Typed): string {
  return merchantOf(merchant ?? "*");
}

export function askedOf(
  values: { json?: boolean | undefined; url?: string | undefined; token?: string | undefined },
  harness: string,
): HarnessAsked {
  return { harness, json: values.json ?? false, ...instanceOf(values) };
}
