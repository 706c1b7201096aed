/** A recorded turn run once more, on another harness version: nobody hears it, and no record is made of it. */
import { z } from "zod";
import { harnessChannelSchema, harnessNameSchema, harnessVersionSchema } from "./ids.ts";
import type { RoomSetup } from "./turn-lease.ts";
import { type TurnRecord, turnRecordSchema, turnTraceSchema } from "./turn-record.ts";

/**
 * What http tools answer in a replay. `recorded`: what the record has of the same tool and arguments, else an error, so that
 * no order is placed twice. `live`: the merchant's service is asked again. Builtin tools only read, and always run.
 */
export const onToolsSchema = z.enum(["recorded", "live"]);
export type OnTools = z.infer<typeof onToolsSchema>;

/** With nothing named: the version that the room would get now. */
export const replayBodySchema = z
  .strictObject({
    /** Absent: the room's harness. Alone: what its channel `production` serves. */
    harness: harnessNameSchema.optional(),
    version: harnessVersionSchema.optional(),
    /** What it serves the room's merchant; pins and canary apart. */
    channel: harnessChannelSchema.optional(),
    onTools: onToolsSchema.default("recorded"),
  })
  .refine(({ version, channel }) => version === undefined || channel === undefined, "a version or a channel, not both");
export type ReplayBody = z.infer<typeof replayBodySchema>;

/** What the replay came to. Times in ms from the turn's acceptance, as in the record: its wait of then is part of them. */
export const replayedTurnSchema = z.strictObject({
  ...turnRecordSchema.pick({ harness: true, outcome: true, reason: true, timings: true, sentences: true }).shape,
  trace: turnTraceSchema,
  /** Calls of http tools that the record has no answer to; the policy was told that they failed. */
  unrecordedCalls: z.array(z.strictObject({ tool: z.string(), argumentsText: z.string() })),
});
export type ReplayedTurn = z.infer<typeof replayedTurnSchema>;

export const turnReplaySchema = z.strictObject({
  room: z.string(),
  turn: z.string(),
  /** Revision of the room's configuration. Where they differ, products or rules may do so too: a room keeps its newest only. */
  configRevision: z.strictObject({ recorded: z.int(), now: z.int() }),
  recorded: turnRecordSchema,
  replayed: replayedTurnSchema,
});
export type TurnReplay = z.infer<typeof turnReplaySchema>;

/** What a runner needs for a replay; plain data. */
export type ReplayRequest = {
  readonly record: TurnRecord;
  /** The room's configuration of now, with the harness to run and what its SessionStart hooks add. */
  readonly setup: RoomSetup;
  readonly onTools: OnTools;
};
