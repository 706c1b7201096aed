/** Bodies of the edge API that are not shapes of their own elsewhere. */
import { z } from "zod";
import { harnessChannelSchema, harnessNameSchema, harnessVersionSchema, roomIdSchema } from "./ids.ts";
import { dispositionSchema, MESSAGES_PER_BATCH_MAX, viewerMessageSchema } from "./message.ts";

/** Every error's body. `code` is stable and meant for programs; `title` is for people. */
export const errorBodySchema = z.object({
  code: z.string(),
  title: z.string(),
  status: z.int(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

/** One message, or several of one moment: a burst is cheaper and keeps its order. */
export const postMessagesBodySchema = z.union([
  viewerMessageSchema,
  z.strictObject({ messages: z.array(viewerMessageSchema).min(1).max(MESSAGES_PER_BATCH_MAX) }),
]);

export const postMessagesAnswerSchema = z.object({ results: z.array(dispositionSchema) });

export const roomSavedSchema = z.object({
  room: roomIdSchema,
  revision: z.int().describe("grows with each configuration that differs from the one before"),
  harness: z.object({ name: harnessNameSchema, version: harnessVersionSchema }),
});

export const roomListSchema = z.object({
  rooms: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      merchantId: z.string(),
      harness: z.object({ name: z.string(), channel: z.string().nullable() }),
      updatedAtMs: z.int(),
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const frameSeqSchema = z.object({ seq: z.int().describe("number of the frame in the room's log") });

export const versionPushedSchema = z.object({
  name: harnessNameSchema,
  version: harnessVersionSchema,
  bytes: z.int(),
  created: z.boolean().describe("false when the same content was pushed before"),
  problems: z.array(z.object({ file: z.string(), message: z.string(), fix: z.string(), severity: z.string() })),
});

export const versionListSchema = z.object({
  versions: z.array(
    z.object({
      version: harnessVersionSchema,
      description: z.string(),
      bytes: z.int(),
      createdBy: z.string(),
      createdAtMs: z.int(),
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const moveChannelBodySchema = z.strictObject({
  version: harnessVersionSchema,
  /** What the channel serves now, as the caller believes; `null` for a channel that does not exist yet. */
  expected: harnessVersionSchema.nullable(),
});

export const channelMovedSchema = z.object({
  name: harnessNameSchema,
  channel: harnessChannelSchema,
  version: harnessVersionSchema,
  previous: harnessVersionSchema.nullable(),
  /** Rooms that took the version now, and rooms that could not be reached and take it with their next configuration. */
  rooms: z.object({ updated: z.int(), failed: z.int() }),
});

export const channelSchema = z.object({
  name: harnessNameSchema,
  channel: harnessChannelSchema,
  version: harnessVersionSchema,
});
