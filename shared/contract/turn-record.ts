/** The trajectory of one turn: all that went in, came out and was decided. Append-only once written. */
import { z } from "zod";
import { turnPrioritySchema } from "./intake-policy.ts";
import { viewerMessageSchema } from "./message.ts";
import { roomSnapshotSchema } from "./room-state.ts";
import { sentenceSchema } from "./sentence.ts";

/** How a turn ended. `answered`: by the policy (or a hook's fixed answer); `fallback`: by the harness's line. */
export const turnOutcomeSchema = z.enum(["answered", "fallback", "expired", "silent", "interrupted"]);
export type TurnOutcome = z.infer<typeof turnOutcomeSchema>;

export const usageSchema = z.strictObject({
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** Prompt tokens that the server found in its prefix cache; `null` where it does not say. */
  cachedTokens: z.int().nullable(),
  /** True when the server sent no usage and the figures are estimates. */
  estimated: z.boolean(),
});
export type Usage = z.infer<typeof usageSchema>;

/** One tool call and its one outcome. Times in ms from the turn's acceptance. */
export const toolCallRecordSchema = z.strictObject({
  callId: z.string(),
  tool: z.string(),
  argumentsText: z.string(),
  outcome: z.enum(["tool-result", "tool-denied", "tool-error"]),
  code: z.string().nullable(),
  output: z.string(),
  startedMs: z.number(),
  endedMs: z.number(),
});
export type ToolCallRecord = z.infer<typeof toolCallRecordSchema>;

/** Who served a model call, and whom it was tried at before. */
export const servedBySchema = z.strictObject({
  /** Name of the endpoint, or `offline` for the policy inside the Worker. */
  endpoint: z.string(),
  model: z.string(),
  tier: z.enum(["main", "fallback", "offline"]),
  /** From the request to the first words or tool call, ms; `null` when none came. */
  firstTokenMs: z.number().nullable(),
  /** Tokens per step of speculative decoding; `null` where the server does not say. */
  acceptanceLength: z.number().nullable(),
  /** Tries that ended before they had said anything: failed, or beaten by a hedge. */
  tries: z.array(z.strictObject({ endpoint: z.string(), code: z.string(), ms: z.number() })),
});
export type ServedBy = z.infer<typeof servedBySchema>;

/** How the turn got its place at an endpoint. */
export const admissionRecordSchema = z.strictObject({
  /** Where the turn was admitted first; `null` when it went to the policy inside the Worker. */
  endpoint: z.string().nullable(),
  /** The wait for it, ms. It runs beside the reading of harness and room. */
  waitedMs: z.number(),
  /** Admitted under this runner's own limit, because the endpoint's admission could not be reached. */
  local: z.boolean(),
  refusals: z.array(z.strictObject({ endpoint: z.string(), reason: z.string(), expectedWaitMs: z.number() })),
});
export type AdmissionRecord = z.infer<typeof admissionRecordSchema>;

/** One model call. Times in ms from the turn's acceptance. */
export const stepRecordSchema = z.strictObject({
  index: z.int(),
  startedMs: z.number(),
  /** First content or tool call; `null` when none came. */
  firstDeltaMs: z.number().nullable(),
  endedMs: z.number(),
  finish: z.string(),
  code: z.string().nullable(),
  text: z.string(),
  usage: usageSchema.nullable(),
  /** Absent in records from before there were several endpoints; `null` when no endpoint took the call. */
  servedBy: servedBySchema.nullable().optional(),
  toolCalls: z.array(toolCallRecordSchema),
});
export type StepRecord = z.infer<typeof stepRecordSchema>;

/** One hook's verdict that changed something, or failed. Hooks that allowed are counted, not listed. */
export const hookRecordSchema = z.strictObject({
  hook: z.string(),
  event: z.string(),
  verdict: z.enum(["deny", "rewrite", "context", "answer", "failed"]),
  reason: z.string(),
  atMs: z.number(),
  /** The sentence or input that was judged, cut to 300 characters. */
  subject: z.string(),
});
export type HookRecord = z.infer<typeof hookRecordSchema>;

export const turnTimingsSchema = z.strictObject({
  /** From acceptance to lease, ms. */
  waitedMs: z.number(),
  /** From acceptance to the first sentence accepted by the room, ms: the headline figure. */
  firstSentenceMs: z.number().nullable(),
  /** From acceptance to the end of the turn, ms. */
  totalMs: z.number(),
  /** What its words take to say aloud, ms: an estimate by their spoken form. Absent in older records. */
  speakingMs: z.number().optional(),
});
export type TurnTimings = z.infer<typeof turnTimingsSchema>;

/** A message to the policy or from it, as sent to an OpenAI-compatible endpoint. */
const chatMessageSchema = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  tool_calls: z
    .array(
      z
        .strictObject({
          id: z.string(),
          type: z.literal("function"),
          function: z.strictObject({ name: z.string(), arguments: z.string() }).readonly(),
        })
        .readonly(),
    )
    .readonly()
    .optional(),
  tool_call_id: z.string().optional(),
});

/** What the runner knows of a turn when it ends; the room adds its own times and keeps both as the record. */
export const turnTraceSchema = z.strictObject({
  /** Digest of the stable part of the prompt (system message and room evidence), stored once apart. */
  prefixDigest: z.string(),
  /** Revision of the room's configuration that the prompt was built from: the newest when the runner read it. */
  configRevision: z.int(),
  /** The volatile end of the first user message, as sent. */
  turnPrompt: z.string(),
  /** Messages after the first user message, as sent in the last step: assistant tool calls, tool results, corrections. */
  continuation: z.array(chatMessageSchema),
  /** Who served the last call, or would have served the first. */
  model: z.strictObject({ endpoint: z.string(), model: z.string() }),
  /** Absent in records from before there was admission; `null` for a turn that asked no endpoint. */
  admission: admissionRecordSchema.nullable().optional(),
  steps: z.array(stepRecordSchema),
  hooks: z.array(hookRecordSchema),
  hookRuns: z.int(),
});
export type TurnTrace = z.infer<typeof turnTraceSchema>;

export const turnRecordSchema = z.strictObject({
  schema: z.literal("kaibo.turn/1"),
  room: z.string(),
  turn: z.string(),
  attempt: z.int(),
  messages: z.array(viewerMessageSchema),
  harness: z.strictObject({ name: z.string(), version: z.string() }),
  configRevision: z.int(),
  snapshot: roomSnapshotSchema,
  acceptedAtMs: z.int(),
  endedAtMs: z.int(),
  /** Viewers' messages that asked this; more than `messages` has where not all were kept. Absent in older records. */
  askers: z.int().optional(),
  /** Absent in older records, and for a turn that never had the floor. */
  priority: turnPrioritySchema.optional(),
  outcome: turnOutcomeSchema,
  /** Code or short label of why the outcome is what it is; `null` for a plain answer. */
  reason: z.string().nullable(),
  timings: turnTimingsSchema,
  /** Of an interrupted turn in a room with a voice: sentences that had begun to be spoken, and how much of the last one, ms. */
  heard: z.strictObject({ sentences: z.int(), lastMs: z.number() }).optional(),
  /** All that was said, with ms from acceptance. */
  sentences: z.array(sentenceSchema.extend({ atMs: z.number() })),
  /** Absent when no runner lived to tell: the room closed the turn itself. */
  trace: turnTraceSchema.nullable(),
});
export type TurnRecord = z.infer<typeof turnRecordSchema>;
