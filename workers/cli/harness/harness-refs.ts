/** Names that commands about harnesses take, checked before anything is asked. Pure. */
import { harnessChannelSchema, harnessNameSchema, merchantScopeSchema } from "../../../shared/contract/ids.ts";
import { checked, usage } from "../read-options.ts";

/** The channel that is meant where none is named. */
export const PRODUCTION = "production";

/** A whole version, or so many of its first digits that people could not have meant another. */
const VERSION_REF = /^[0-9a-f]{7,64}$/;

export function harnessNameOf(text: string): string {
  return checked(harnessNameSchema, text, `"${text}" is no name of a harness.`);
}

export function channelOf(text: string): string {
  return checked(harnessChannelSchema, text, `"${text}" is no channel.`);
}

/** A merchant's id, or `*`. */
export function merchantOf(text: string): string {
  return checked(merchantScopeSchema, text, `"${text}" is no merchant's id.`);
}

export function versionRefOf(text: string): string {
  if (VERSION_REF.test(text)) return text;
  throw usage(
    `"${text}" is no version.`,
    "A version is 64 digits of SHA-256, as `harness push` prints it, or its first 7 or more.",
  );
}
