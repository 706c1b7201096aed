/**
 * The slow strategist: a second voice in the background that keeps a rolling summary of the room and one line of advice for
 * the host. What a room hands over, what comes back, and when a harness wants it. Plain data.
 */
import { z } from "zod";
import { countCodePoints, isCleanText } from "../core/text.ts";
import { endpointNameSchema } from "./endpoint.ts";
import { intentSchema } from "./intake-policy.ts";
import { heardLineSchema, skuOverridesSchema } from "./room-state.ts";

/** Characters (code points) of a summary. Five to eight spoken sentences. */
export const SUMMARY_CHARS_MAX = 600;

/** Characters (code points) of an advice: one line. */
export const ADVICE_CHARS_MAX = 80;

/** Lines of speech that are handed over, about two minutes of it. */
export const STRATEGY_HEARD_MAX = 24;

/** Topics of a tally: the list of topics is shorter. */
const TALLY_TOPICS_MAX = 32;

/** Questions that a tally keeps apart. What is asked less is counted by topic alone. */
export const TALLY_QUESTIONS_MAX = 16;

/** Characters (code points) of a question that are kept. Bullet comments rarely have more than 50. */
export const TALLY_QUESTION_CHARS_MAX = 80;

export const roomStrategySchema = z.strictObject({
  summary: textUpTo(SUMMARY_CHARS_MAX).refine((text) => text.trim() !== "", "blank text is refused"),
  /** Empty when there is nothing to advise. */
  advice: textUpTo(ADVICE_CHARS_MAX),
  /** Product on screen when it was made: the advice is about this one and no other. */
  onScreenProductId: z.string().nullable(),
  /** Number of the last frame that it knows of. Prices and stock that changed later make parts of it untrue. */
  basedOnSeq: z.int().min(0),
  atMs: z.int(),
  /** `offline`: made without a model. */
  source: z.enum(["model", "offline"]),
});
export type RoomStrategy = z.infer<typeof roomStrategySchema>;

/** One question since the last strategy, in its first wording. */
const talliedQuestionSchema = z.strictObject({
  /** One spelling for all wordings of it. */
  key: z.string().max(400),
  text: textUpTo(TALLY_QUESTION_CHARS_MAX),
  /** Viewers' messages that asked it. */
  askers: z.int().min(1),
  /** Of them, those whose turn expired, was cut off or ended in the fallback line, since it was answered last. */
  unanswered: z.int().min(0),
});
export type TalliedQuestion = z.infer<typeof talliedQuestionSchema>;

/** What is asked about, in a word that a host uses: 尺码 is one topic of the intent `spec`, 颜色 another. */
const talliedTopicSchema = z.strictObject({
  intent: intentSchema,
  topic: textUpTo(10),
  askers: z.int().min(1),
});
export type TalliedTopic = z.infer<typeof talliedTopicSchema>;

/** What became of a room's turns since the last strategy. */
export const strategyTallySchema = z.strictObject({
  /** Turns by their end. */
  outcomes: z.strictObject({
    answered: z.int().min(0),
    fallback: z.int().min(0),
    expired: z.int().min(0),
    silent: z.int().min(0),
    interrupted: z.int().min(0),
  }),
  /** All messages by what they are after. One message may be after several things. */
  topics: z.array(talliedTopicSchema).max(TALLY_TOPICS_MAX),
  /** In the order in which they came first. */
  questions: z.array(talliedQuestionSchema).max(TALLY_QUESTIONS_MAX),
});
export type StrategyTally = z.infer<typeof strategyTallySchema>;

export const EMPTY_TALLY: StrategyTally = {
  outcomes: { answered: 0, fallback: 0, expired: 0, silent: 0, interrupted: 0 },
  topics: [],
  questions: [],
};

/** All that a strategist is told. Names and prices come from the room's configuration, which it reads apart. */
export const strategyInputSchema = z.strictObject({
  /** The strategy that stands; `null` before the first one. */
  previous: roomStrategySchema.nullable(),
  /** Number of the last frame that went into this. */
  basedOnSeq: z.int().min(0),
  onScreenProductId: z.string().nullable(),
  skuOverrides: skuOverridesSchema,
  /** Latest last. */
  heard: z.array(heardLineSchema).max(STRATEGY_HEARD_MAX),
  tally: strategyTallySchema,
});
export type StrategyInput = z.infer<typeof strategyInputSchema>;

/** When a harness wants a strategy, and from whom. */
export const strategyPolicySchema = z.strictObject({
  isOn: z.boolean().default(false),
  /** Shortest time between two strategies, ms. */
  everyMs: z.int().min(10_000).max(3_600_000).default(60_000),
  /** Turns that must have ended since the last one: a room where nothing happens is not summed up again. */
  everyTurns: z.int().min(1).max(1_000).default(8),
  /** A summary of 200 characters and an advice take about 350 tokens. */
  outputTokensMax: z.int().min(64).max(2_048).default(500),
  /** The endpoints to ask, where the deployment has such: a larger model may be slower here. Absent: those of the turns. */
  model: z
    .strictObject({ endpoint: endpointNameSchema.optional(), tier: z.enum(["main", "fallback"]).optional() })
    .optional(),
});
export type StrategyPolicy = z.infer<typeof strategyPolicySchema>;

function textUpTo(charsMax: number) {
  return z
    .string()
    .refine(isCleanText, "lone surrogates and control characters are refused")
    .refine((text) => countCodePoints(text) <= charsMax, `at most ${charsMax} characters`);
}
