/** Which rooms a canary takes: by a hash of the room, so that a room stays where it is, and a growing share only adds rooms. */
import type { HarnessVersion } from "../shared/contract/ids.ts";
import type { Digest } from "./canonical-bundle.ts";

/** A version that some rooms of the channel `production` run. */
export type Canary = {
  /** The merchant whose rooms the share is of, or `*`. */
  readonly merchant: string;
  readonly version: HarnessVersion;
  /** Thousandths of the rooms, 0 to 1,000. */
  readonly sharePermille: number;
  /** Rooms that are in it whatever the share. */
  readonly rooms: readonly string[];
  readonly salt: string;
};

/** Digits of the hash that count: 48 bits, exact in a number and far finer than a thousandth. */
const HEX_DIGITS = 12;

/** Whether a room's place falls into the share. The place depends on salt and room alone, never on the share. */
export async function isInShare(
  { salt, sharePermille }: Pick<Canary, "salt" | "sharePermille">,
  room: string,
  digest: Digest,
): Promise<boolean> {
  const hash = await digest(new TextEncoder().encode(`${salt}:${room}`));
  const place = Number.parseInt(hash.slice(0, HEX_DIGITS), 16) / 16 ** HEX_DIGITS;
  return place * 1_000 < sharePermille;
}
