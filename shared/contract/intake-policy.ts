/** How a room takes in messages and in which order it answers them. Part of a harness. */
import { z } from "zod";

/** What a message is after, as far as its words tell. */
export const intentSchema = z.enum([
  "buy",
  "price",
  "promotion",
  "stock",
  "spec",
  "product",
  "logistics",
  "after-sale",
  "complaint",
  "greeting",
  "chat",
]);
export type Intent = z.infer<typeof intentSchema>;

/** Adds points to a turn where all of its conditions hold for one of its messages. */
export const priorityRuleSchema = z
  .strictObject({
    /** Names the points in the turn's record. */
    name: z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      .max(40),
    intents: z.array(intentSchema).min(1).optional(),
    /** Any of these words, in whatever spelling. */
    contains: z.array(z.string().min(1).max(40)).min(1).max(50).optional(),
    /** The message is about the product on screen, or names none. */
    isOnScreen: z.boolean().optional(),
    viewerLevelMin: z.int().min(1).max(100).optional(),
    /** Ids of merchants. */
    merchants: z.array(z.string().max(64)).min(1).max(100).optional(),
    points: z.int().min(-100).max(100),
  })
  .refine(
    ({ name: _name, points: _points, ...conditions }) => Object.keys(conditions).length > 0,
    "at least one condition",
  );
export type PriorityRule = z.infer<typeof priorityRuleSchema>;

export const priorityPolicySchema = z.strictObject({
  rules: z
    .array(priorityRuleSchema)
    .max(32)
    .default([
      { name: "buy", intents: ["buy"], points: 30 },
      { name: "deal", intents: ["price", "promotion", "stock"], points: 15 },
      { name: "on-screen", isOnScreen: true, points: 15 },
      { name: "complaint", intents: ["complaint", "after-sale"], points: 10 },
      { name: "chat", intents: ["greeting", "chat"], points: -20 },
    ]),
  /** For each level of the viewer, as the platform counts levels. */
  pointsPerViewerLevel: z.number().min(0).max(10).default(0.2),
  /** For each further viewer who asks the same, up to {@link ASKERS_COUNTED_MAX}. */
  pointsPerAsker: z.number().min(0).max(20).default(3),
  /** For each second of waiting: what waits long enough comes first, whatever it is. */
  pointsPerSecond: z.number().min(0.1).max(20).default(1),
});
export type PriorityPolicy = z.infer<typeof priorityPolicySchema>;

/** Further askers that count: a flood of one question must not bury all others. */
export const ASKERS_COUNTED_MAX = 10;

export const intakePolicySchema = z.strictObject({
  /** A message that waited longer than this is not answered, unless it has a `ttlMs` of its own. */
  ttlMs: z.int().min(1_000).max(600_000).default(30_000),
  /** Turns that may wait. A message that would open one more is dropped, or takes the place of one that matters less. */
  backlogMax: z.int().min(1).max(1_000).default(200),
  /** Messages of one viewer that are taken within `viewerWindowMs`; more are dropped. */
  viewerMessagesMax: z.int().min(1).max(1_000).default(8),
  viewerWindowMs: z.int().min(1_000).max(600_000).default(10_000),
  /** A viewer who asks the same again within this time of its answer is not answered again, ms. 0: always. */
  repeatMs: z.int().min(0).max(600_000).default(10_000),
  /** Messages that ask nothing (pictures, signs, one character again and again, advertising) are dropped. */
  dropsNoise: z.boolean().default(true),
  /** Questions that are the same but for their wording, and wait together, are answered once. */
  merges: z.boolean().default(true),
  priority: priorityPolicySchema.prefault({}),
});
export type IntakePolicy = z.infer<typeof intakePolicySchema>;

/** What becomes of the turn that is being spoken: it goes on, its sentence is spoken to the end, or it is cut off. */
export const interruptionActSchema = z.enum(["keep", "finish", "stop"]);
export type InterruptionAct = z.infer<typeof interruptionActSchema>;

export const interruptionPolicySchema = z.strictObject({
  /** A person in the room begins to speak. */
  hostSpeech: interruptionActSchema.default("keep"),
  /** How long after a person's last words nobody else takes the floor, where their speech interrupts, ms. */
  quietMs: z.int().min(0).max(10_000).default(1_500),
  /** Another product comes on screen, while the turn is about the one before. */
  productSwitch: interruptionActSchema.default("keep"),
  /** A waiting turn has so many points more than the one that is being spoken. Absent: none takes the floor. */
  pointsAhead: z.int().min(1).max(1_000).optional(),
  priority: interruptionActSchema.default("finish"),
  /** A turn that had not begun to answer goes back to those that wait, once; else an interrupted turn is dropped. */
  resumes: z.boolean().default(true),
});

/** Why a turn was interrupted. */
export const interruptionCauseSchema = z.enum([
  "operator",
  "host-speech",
  "product-switch",
  "priority",
  "config",
  "room-change",
]);
export type InterruptionCause = z.infer<typeof interruptionCauseSchema>;

/** Messages that one turn answers. What is merged beyond them is counted and not kept. */
export const MERGED_MESSAGES_MAX = 50;

/** Why a message is not answered. */
export const dropReasonSchema = z.enum([
  /** Pictures, signs or one character again and again: nothing is asked. */
  "noise",
  /** Contact details or an invitation elsewhere. */
  "advertising",
  /** The viewer sent too many within a short time. */
  "viewer_rate",
  /** The viewer asked the same just now, and it was answered. */
  "repeated",
  /** As many turns wait as the harness lets wait, and each of them matters more. */
  "crowded",
]);
export type DropReason = z.infer<typeof dropReasonSchema>;

/** A turn's place in the order, and what made it. */
export const turnPrioritySchema = z.strictObject({
  points: z.number(),
  parts: z.array(z.strictObject({ name: z.string(), points: z.number() })),
  /** Turns that waited when it was chosen, itself included. */
  waiting: z.int(),
});
export type TurnPriority = z.infer<typeof turnPrioritySchema>;
