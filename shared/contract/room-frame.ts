/**
 * What a room tells those who follow it, over WebSocket, SSE and in its log. Protocol `kaibo.v1`: a text of the WebSocket is
 * one frame, or a JSON array of frames that come together.
 *
 * `seq` numbers the frames of a room from 1 without gaps; a client that was cut asks for `after=<last seq>`.
 */
import { z } from "zod";
import { dropReasonSchema, interruptionCauseSchema, turnPrioritySchema } from "./intake-policy.ts";
import { viewerMessageSchema } from "./message.ts";
import { roomPatchSchema } from "./room-state.ts";
import { sentenceSchema } from "./sentence.ts";
import { roomStrategySchema } from "./strategy.ts";
import { turnOutcomeSchema, turnTimingsSchema } from "./turn-record.ts";

const base = { seq: z.int().min(1), atMs: z.int() };

const messageFrameSchema = z.strictObject({
  ...base,
  type: z.literal("message"),
  turn: z.string(),
  message: viewerMessageSchema,
});
const turnStartFrameSchema = z.strictObject({
  ...base,
  type: z.literal("turn-start"),
  turn: z.string(),
  attempt: z.int(),
  messageIds: z.array(z.string()),
  harness: z.strictObject({ name: z.string(), version: z.string() }),
  waitedMs: z.number(),
  /** Absent for a second attempt, and in logs from before there was an order. */
  priority: turnPrioritySchema.optional(),
});
/** Messages of one batch that are not answered. Their viewers are not told to other viewers. */
const droppedFrameSchema = z.strictObject({
  ...base,
  type: z.literal("dropped"),
  messages: z.array(z.strictObject({ message: viewerMessageSchema, reason: dropReasonSchema })),
});
/** The turn that was being spoken lost the floor. */
const interruptFrameSchema = z.strictObject({
  ...base,
  type: z.literal("interrupt"),
  turn: z.string(),
  cause: interruptionCauseSchema,
  /** `stop`: whoever speaks falls silent at once. `finish`: after the sentence that is being spoken. */
  act: z.enum(["finish", "stop"]),
  /** The turn waits again; else its end follows, if it has not ended before. */
  resumes: z.boolean(),
  /** Sentences of the turn that had begun to be spoken, and how much of the last one was, ms. Absent in a room without a voice. */
  heard: z.strictObject({ sentences: z.int(), lastMs: z.number() }).optional(),
});
const sentenceFrameSchema = z.strictObject({
  ...base,
  type: z.literal("sentence"),
  turn: z.string(),
  sentence: sentenceSchema,
  /** How long it takes to say, ms, by estimate; present where the room paces its turns by its voice. */
  speakingMs: z.number().optional(),
});
const turnEndFrameSchema = z.strictObject({
  ...base,
  type: z.literal("turn-end"),
  turn: z.string(),
  outcome: turnOutcomeSchema,
  reason: z.string().nullable(),
  timings: turnTimingsSchema,
  /** Model calls, tool calls and hook verdicts, for the timeline; `null` when the runner died. Not sent to viewers. */
  activity: z
    .strictObject({
      steps: z.int(),
      tools: z.array(z.strictObject({ tool: z.string(), ms: z.number(), outcome: z.string() })),
      hooks: z.array(z.strictObject({ hook: z.string(), verdict: z.string(), reason: z.string() })),
    })
    .nullable(),
});
const hostSpeechFrameSchema = z.strictObject({
  ...base,
  type: z.literal("host-speech"),
  speaker: z.string(),
  text: z.string(),
});
const stateFrameSchema = z.strictObject({ ...base, type: z.literal("state"), patch: roomPatchSchema });
/** What the slow strategist made of the room; for the host and those who run the room, not for viewers. */
const strategyFrameSchema = z.strictObject({ ...base, type: z.literal("strategy"), strategy: roomStrategySchema });
const configFrameSchema = z.strictObject({
  ...base,
  type: z.literal("config"),
  revision: z.int(),
  harness: z.strictObject({ name: z.string(), version: z.string() }),
});

export const roomFrameSchema = z.discriminatedUnion("type", [
  messageFrameSchema,
  turnStartFrameSchema,
  sentenceFrameSchema,
  turnEndFrameSchema,
  droppedFrameSchema,
  interruptFrameSchema,
  hostSpeechFrameSchema,
  stateFrameSchema,
  strategyFrameSchema,
  configFrameSchema,
]);
export type RoomFrame = z.infer<typeof roomFrameSchema>;
/** A frame before the room has numbered and dated it. */
export type RoomFrameBody = RoomFrame extends infer Frame
  ? Frame extends RoomFrame
    ? Omit<Frame, "seq" | "atMs">
    : never
  : never;

/**
 * What a follower is sent. `speech`: `turn-start`, `sentence`, `interrupt` and `turn-end` frames alone, for who speaks or
 * shows what the host says; numbers then jump.
 */
export const followSchema = z.enum(["all", "speech"]);
export type Follow = z.infer<typeof followSchema>;

/** What a room's voice tells it: a sentence has been spoken to its end. */
export const spokenSchema = z.strictObject({ type: z.literal("spoken"), turn: z.string(), seq: z.int().min(0) });

/** Sent once after connecting, before any frame: where the log stands and which turns are open. Has no `seq`. */
export const helloFrameSchema = z.strictObject({
  type: z.literal("hello"),
  protocol: z.literal("kaibo.v1"),
  room: z.string(),
  /** Last number in the log when the client connected. Frames up to it that follow are history. */
  seq: z.int(),
  /** Frames before this number are no longer kept; asking for older ones starts here. */
  firstSeq: z.int(),
  openTurns: z.array(z.string()),
});
export type HelloFrame = z.infer<typeof helloFrameSchema>;

/** WebSocket subprotocol of this contract. */
export const FRAME_PROTOCOL = "kaibo.v1";
