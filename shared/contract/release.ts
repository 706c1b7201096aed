/** What operators and governors say when they push, release and judge harness versions. */
import { z } from "zod";
import { canaryLimitsSchema, canaryMetricSchema } from "./canary-limits.ts";
import { harnessBundleSchema } from "./harness-bundle.ts";
import {
  harnessChannelSchema,
  harnessNameSchema,
  harnessVersionSchema,
  merchantScopeSchema,
  roomIdSchema,
} from "./ids.ts";

/** Characters of a note or reason: a commit message. Limit: conventions of prompt registries, 500. */
const NOTE_CHARS_MAX = 500;
const noteSchema = z.string().max(NOTE_CHARS_MAX);
const reasonSchema = noteSchema.min(1);

const evidenceIdsSchema = z.array(z.string().min(1).max(128)).max(200).default([]);

/** What asked for a version: groups of complaints, test cases, recorded turns. */
export const evidenceSchema = z.strictObject({
  clusterIds: evidenceIdsSchema,
  caseIds: evidenceIdsSchema,
  traceIds: evidenceIdsSchema,
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** Names a key in the deployment's setting `HARNESS_KEYS`. */
export const keyIdSchema = z.string().regex(/^[\w.-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 _ . -");

/** Ed25519 over `kaibo.harness/1:<name>:<sha256>`: 64 bytes, 86 digits of base64 and its padding. */
export const signatureSchema = z.strictObject({
  keyId: keyIdSchema,
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/, "64 bytes in base64"),
});
export type BundleSignature = z.infer<typeof signatureSchema>;

/** A bundle with what is known about it. A bundle alone may be pushed as well. */
const pushEnvelopeSchema = z.strictObject({
  schema: z.literal("kaibo.push/1"),
  bundle: harnessBundleSchema,
  /** The version that this one was made from. */
  parent: harnessVersionSchema.nullable().default(null),
  notes: noteSchema.default(""),
  evidence: evidenceSchema.prefault({}),
  signature: signatureSchema.nullable().default(null),
});

export const pushBodySchema = z.discriminatedUnion("schema", [harnessBundleSchema, pushEnvelopeSchema]);

/** The gate's four conditions. All must hold for a version before it serves production, or a share of it. */
export const gateConditionSchema = z
  .enum(["patch_not_empty", "source_traceable", "boundary_improves", "holdout_holds"])
  .describe(
    "something was changed; it is known what asked for it; the cases that it is for got better; the others did not get worse",
  );
export type GateCondition = z.infer<typeof gateConditionSchema>;

const gateDetailsSchema = z.record(z.string().max(64), z.union([z.string().max(500), z.number(), z.boolean()]));

export const gateResultBodySchema = z.strictObject({
  ok: z.boolean(),
  /** What was measured: figures, digests of data sets, verdicts. */
  details: gateDetailsSchema.default({}),
});

export const gateResultSchema = z.object({
  condition: gateConditionSchema,
  ok: z.boolean(),
  details: gateDetailsSchema,
  judgedBy: z.string(),
  judgedAtMs: z.int(),
});
export type GateResult = z.infer<typeof gateResultSchema>;

export const gateSchema = z.object({
  name: harnessNameSchema,
  version: harnessVersionSchema,
  /** All four conditions hold. */
  isOpen: z.boolean(),
  results: z.array(gateResultSchema),
});

/** Per cent of the rooms, with one decimal at most. */
const canaryShareSchema = z
  .number()
  .min(0)
  .max(100)
  .refine((share) => Math.abs(share * 10 - Math.round(share * 10)) < 1e-9, "one decimal at most");

export const canaryBodySchema = z.strictObject({
  version: harnessVersionSchema,
  merchant: merchantScopeSchema.default("*"),
  share: canaryShareSchema.default(0),
  /** Rooms that are in it whatever the share. */
  rooms: z.array(roomIdSchema).max(200).default([]),
});

const canarySchema = z.object({
  merchant: merchantScopeSchema,
  version: harnessVersionSchema,
  share: canaryShareSchema,
  rooms: z.array(roomIdSchema),
  setBy: z.string(),
  setAtMs: z.int(),
});

export const pinScopeSchema = z.enum(["room", "merchant"]);
export type PinScope = z.infer<typeof pinScopeSchema>;

export const pinBodySchema = z.strictObject({ version: harnessVersionSchema, note: noteSchema.default("") });

export const pinSchema = z.object({
  scope: pinScopeSchema,
  id: z.string(),
  version: harnessVersionSchema,
  note: z.string(),
  pinnedBy: z.string(),
  pinnedAtMs: z.int(),
});
export type Pin = z.infer<typeof pinSchema>;

export const freezeBodySchema = z.strictObject({ merchant: merchantScopeSchema.default("*"), reason: reasonSchema });

export const freezeSchema = z.object({
  merchant: merchantScopeSchema,
  reason: z.string(),
  frozenBy: z.string(),
  frozenAtMs: z.int(),
});
export type Freeze = z.infer<typeof freezeSchema>;

export const revokeBodySchema = z.strictObject({ reason: reasonSchema });

export const rollBackBodySchema = z.strictObject({
  merchant: merchantScopeSchema.default("*"),
  /** What the channel serves now, as the caller believes. Absent: whatever it serves. */
  expected: harnessVersionSchema.optional(),
});

export const planBodySchema = z.strictObject({
  channel: harnessChannelSchema.default(harnessChannelSchema.parse("production")),
  merchant: merchantScopeSchema.default("*"),
  version: harnessVersionSchema,
  /** What the channel serves now, as the caller believes; null for a channel that does not exist yet. */
  expected: harnessVersionSchema.nullable(),
  /** Absent: as soon as it may. */
  dueAtMs: z.int().min(0).optional(),
  note: noteSchema.default(""),
});

export const planStatusSchema = z.enum(["waiting", "released", "refused", "withdrawn"]);

/** A move of a channel that waits, or has waited, for its time or for a second person. */
export const planSchema = z.object({
  id: z.string(),
  name: harnessNameSchema,
  channel: harnessChannelSchema,
  merchant: merchantScopeSchema,
  expected: harnessVersionSchema.nullable(),
  version: harnessVersionSchema,
  dueAtMs: z.int().nullable(),
  note: z.string(),
  plannedBy: z.string(),
  plannedAtMs: z.int(),
  approvedBy: z.string().nullable(),
  status: planStatusSchema,
  /** Why it was refused: a code of an error. */
  reason: z.string().nullable(),
});
export type Plan = z.infer<typeof planSchema>;

export const planListSchema = z.object({ plans: z.array(planSchema), nextCursor: z.string().nullable() });

export const backupBodySchema = z.strictObject({ version: harnessVersionSchema });

export const backupSchema = z.object({ name: harnessNameSchema, version: harnessVersionSchema.nullable() });

/** Rooms that know what serves them now, and rooms that could not be told, or not be given it: they keep what they have. */
export const toldRoomsSchema = z.object({
  updated: z.int(),
  failed: z.int(),
  /** The first of those that failed, each with the code of why. */
  faults: z.array(z.object({ room: z.string(), code: z.string() })),
  /** False: it takes longer, and goes on. */
  isComplete: z.boolean(),
});
export type ToldRooms = z.infer<typeof toldRoomsSchema>;

export const releaseChangedSchema = z.object({ name: harnessNameSchema, rooms: toldRoomsSchema });

/** All that decides what rooms of a harness run, but for pins, which may be many. */
export const releasesSchema = z.object({
  name: harnessNameSchema,
  channels: z.array(
    z.object({
      channel: harnessChannelSchema,
      merchant: merchantScopeSchema,
      version: harnessVersionSchema,
      previous: harnessVersionSchema.nullable(),
      movedBy: z.string(),
      movedAtMs: z.int(),
    }),
  ),
  canaries: z.array(canarySchema),
  freezes: z.array(freezeSchema),
});

export const pinListSchema = z.object({ pins: z.array(pinSchema), nextCursor: z.string().nullable() });

/** One row of the audit log, as it was hashed. */
export const auditRowSchema = z.object({
  seq: z.int().min(1),
  atMs: z.int(),
  actor: z.string(),
  audience: z.string(),
  action: z.string(),
  subject: z.record(z.string(), z.unknown()),
  prevHash: z.string(),
  hash: z.string(),
});
export type AuditRow = z.infer<typeof auditRowSchema>;

export const auditPageSchema = z.object({
  rows: z.array(auditRowSchema),
  /** `after` of the next page; `null` at the end. */
  nextAfter: z.int().nullable(),
});

const shareSchema = z.number().min(0).max(1);

/** What the watch over canaries knows of one event of turns. */
const canaryReadingSchema = z.object({
  canaryRate: shareSchema,
  baselineRate: shareSchema,
  margin: shareSchema,
  /** Evidence that the canary is worse by more than the margin; at `bar` it is rolled back. */
  capital: z.number(),
  bar: z.number(),
  /** Rooms of the canary that it was seen in, as far as they are counted. */
  rooms: z.int(),
});

export const canaryReportSchema = z.object({
  name: harnessNameSchema,
  limits: canaryLimitsSchema,
  canaries: z.array(
    z.object({
      merchant: merchantScopeSchema,
      version: harnessVersionSchema,
      turns: z.object({ canary: z.int(), baseline: z.int() }),
      pairs: z.int(),
      metrics: z.record(canaryMetricSchema, canaryReadingSchema),
    }),
  ),
  /** Canaries that were rolled back without being asked, the newest first. */
  rolledBack: z.array(
    z.object({ merchant: merchantScopeSchema, version: harnessVersionSchema, reason: z.string(), atMs: z.int() }),
  ),
  /** Rooms that were not told of a release yet. */
  untoldRooms: z.int(),
});
export type CanaryReport = z.infer<typeof canaryReportSchema>;
