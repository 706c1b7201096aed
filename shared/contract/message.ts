/** What people say in a room: viewers in bullet comments, hosts aloud. */
import { z } from "zod";
import { messageIdSchema } from "./ids.ts";
import { dropReasonSchema } from "./intake-policy.ts";
import { cleanText } from "./text.ts";

/** Characters of one bullet comment. Platforms cut at 50 to 100; longer text is pasted. */
const MESSAGE_CHARS_MAX = 300;

/** Messages of one request. Source of the practice: Durable Object guidance on batching 50 to 100 messages a frame. */
export const MESSAGES_PER_BATCH_MAX = 100;

const viewerSchema = z.strictObject({
  id: z.string().regex(/^[\w.:@-]{1,128}$/, "1 to 128 of A-Z a-z 0-9 _ . : @ -"),
  name: cleanText(40).optional(),
  /** As the platform counts levels. */
  level: z.int().min(0).max(100).optional(),
});

/** One bullet comment. */
export const viewerMessageSchema = z.strictObject({
  id: messageIdSchema,
  text: cleanText(MESSAGE_CHARS_MAX),
  viewer: viewerSchema.optional(),
  /** How long it may wait; absent: as long as the harness lets messages wait. */
  ttlMs: z.int().min(1_000).max(600_000).optional(),
});
export type ViewerMessage = z.infer<typeof viewerMessageSchema>;

/** What the host or a human co-host said, as recognised from speech. */
export const hostSpeechSchema = z.strictObject({
  text: cleanText(1_000),
  speaker: cleanText(40).default("host"),
  /** `false` for what is still being recognised: it may interrupt, and is not kept. */
  isFinal: z.boolean().optional(),
});
export type HostSpeech = z.infer<typeof hostSpeechSchema>;

/** What happened to a message when it arrived. Its turn says later how it ended. */
export const dispositionSchema = z.strictObject({
  id: messageIdSchema,
  disposition: z
    .enum(["queued", "merged", "dropped", "duplicate"])
    .describe(
      "queued: it opened a turn; merged: a waiting turn asks the same; dropped: it is not answered, see `reason`; duplicate: this id came before",
    ),
  reason: dropReasonSchema.nullable(),
  /** `null` for a dropped message. */
  turn: z.string().nullable(),
  /** Room log number of the message, for `after=` when following the room from here. */
  seq: z.int(),
});
export type Disposition = z.infer<typeof dispositionSchema>;

/** What became of a request's messages, and how much the room has before it. */
export const messagesTakenSchema = z.strictObject({
  results: z.array(dispositionSchema),
  /** Turns that wait, and how many may: who sends more than the room can answer sees it here. */
  backlog: z.strictObject({ waiting: z.int(), max: z.int() }),
});
export type MessagesTaken = z.infer<typeof messagesTakenSchema>;
