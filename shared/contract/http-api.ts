/** Bodies of the edge API that are not shapes of their own elsewhere. */
import { z } from "zod";
import { endpointCapabilitiesSchema, endpointConfigSchema, endpointNameSchema } from "./endpoint.ts";
import { endpointStatusSchema } from "./endpoint-status.ts";
import { harnessBundleSchema } from "./harness-bundle.ts";
import { harnessChannelSchema, harnessNameSchema, harnessVersionSchema, roomIdSchema, turnIdSchema } from "./ids.ts";
import { merchantScopeSchema } from "./ids.ts";
import { MESSAGES_PER_BATCH_MAX, messagesTakenSchema, viewerMessageSchema } from "./message.ts";
import { evidenceSchema, signatureSchema, toldRoomsSchema } from "./release.ts";

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

export const postMessagesAnswerSchema = messagesTakenSchema;

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

export const interruptBodySchema = z.strictObject({
  /** Kept in the turn's record. */
  reason: z
    .string()
    .min(1)
    .max(60)
    .regex(/^[\w:.-]+$/, "letters, digits and _ : . -")
    .default("operator"),
});
export const interruptedSchema = z.object({ turn: turnIdSchema });

export const frameSeqSchema = z.object({ seq: z.int().describe("number of the frame in the room's log") });

export const versionPushedSchema = z.object({
  name: harnessNameSchema,
  version: harnessVersionSchema,
  bytes: z.int(),
  created: z.boolean().describe("false when the same content was pushed before"),
  problems: z.array(
    z.object({ code: z.string(), file: z.string(), message: z.string(), fix: z.string(), severity: z.string() }),
  ),
});

export const versionSchema = z.object({
  name: harnessNameSchema,
  version: harnessVersionSchema,
  bundle: harnessBundleSchema,
});

export const versionListSchema = z.object({
  versions: z.array(
    z.object({
      version: harnessVersionSchema,
      description: z.string(),
      bytes: z.int(),
      createdBy: z.string(),
      createdAtMs: z.int(),
      parent: harnessVersionSchema.nullable(),
      notes: z.string(),
      evidence: evidenceSchema,
      signature: signatureSchema.nullable(),
      revokedAtMs: z.int().nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const moveChannelBodySchema = z.strictObject({
  version: harnessVersionSchema,
  /** What the channel serves now, as the caller believes; `null` for a channel that does not exist yet. */
  expected: harnessVersionSchema.nullable(),
  merchant: merchantScopeSchema.default("*"),
});

export const channelMovedSchema = z.object({
  name: harnessNameSchema,
  channel: harnessChannelSchema,
  version: harnessVersionSchema,
  previous: harnessVersionSchema.nullable(),
  rooms: toldRoomsSchema,
});

export const channelSchema = z.object({
  name: harnessNameSchema,
  channel: harnessChannelSchema,
  version: harnessVersionSchema,
});

export const endpointViewSchema = z.object({
  name: endpointNameSchema,
  /** `settings`: from the deployment's variables; turns use it while no endpoint is stored. */
  source: z.enum(["stored", "settings"]),
  config: endpointConfigSchema,
  /** `null`: never checked. */
  capabilities: endpointCapabilitiesSchema.nullable(),
  revision: z.int().nullable().describe("grows with each write; null for an endpoint of the settings"),
  updatedBy: z.string(),
  updatedAtMs: z.int(),
  /** `null`: its object did not answer within a second. */
  status: endpointStatusSchema.nullable(),
});
export type EndpointView = z.infer<typeof endpointViewSchema>;

export const endpointListSchema = z.object({ endpoints: z.array(endpointViewSchema) });

/** What a check of the server found: the field of the configuration to look at, and what to do. */
const endpointProblemSchema = z.object({ field: z.string(), reason: z.string() });
export type EndpointProblem = z.infer<typeof endpointProblemSchema>;

export const endpointSavedSchema = endpointViewSchema.extend({
  /** With these, turns are slower, or less is known about them. */
  warnings: z.array(endpointProblemSchema),
});
export type EndpointSaved = z.infer<typeof endpointSavedSchema>;

export const endpointCheckedSchema = endpointSavedSchema.extend({
  /** With these, turns would fail. The capabilities are then those of the last check without. */
  problems: z.array(endpointProblemSchema),
});
export type EndpointChecked = z.infer<typeof endpointCheckedSchema>;
