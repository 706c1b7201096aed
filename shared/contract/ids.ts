import { z } from "zod";

/** Names a room in URLs and in the Durable Object namespace. 1 to 64 of `a-z 0-9 -`, no leading or trailing hyphen. */
export const roomIdSchema = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, "1 to 64 of a-z, 0-9 and hyphen")
  .brand<"RoomId">();

/** Chosen by the live room's client, unique in the room; sending the same id again is safe. */
export const messageIdSchema = z.string().regex(/^[\w.:-]{1,128}$/, "1 to 128 of A-Z a-z 0-9 _ . : -");

/** `t` and the room log's number of the message that opened the turn, so ids sort by time within a room. */
export const turnIdSchema = z.string().regex(/^t\d{1,15}$/, "t and a number");

/** Names a harness. The same alphabet as a skill's name. */
export const harnessNameSchema = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, "1 to 64 of a-z, 0-9, -");

/** Identity of a harness version: SHA-256 of its canonical JSON, 64 hex digits. */
export const harnessVersionSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "64 hex digits")
  .brand<"HarnessVersion">();
export type HarnessVersion = z.infer<typeof harnessVersionSchema>;

/** A named pointer to a version. Digits alone are refused: a label `3` and a version 3 must never be confused. */
export const harnessChannelSchema = z
  .string()
  .regex(/^[a-z0-9_.-]{1,36}$/, "1 to 36 of a-z 0-9 _ . -")
  .refine((name) => !/^\d+$/.test(name), "digits alone are not a channel");
export type HarnessChannel = z.infer<typeof harnessChannelSchema>;

/** The merchant that a channel, a canary or a freeze is for; `*`: all that have none of their own. */
export const merchantScopeSchema = z
  .union([z.literal("*"), z.string().regex(/^[\w.-]{1,64}$/)])
  .describe("a merchant's id, or * for all");
/** The scope of all merchants. */
export const ALL_MERCHANTS = "*";
