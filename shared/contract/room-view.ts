/** A room and its turns as operators and analysts read them. */
import { z } from "zod";
import { viewerMessageSchema } from "./message.ts";
import { roomConfigSchema } from "./room-config.ts";
import { roomReleaseSchema } from "./room-release.ts";
import { roomSnapshotSchema } from "./room-state.ts";
import { sentenceSchema } from "./sentence.ts";
import { turnRecordSchema } from "./turn-record.ts";

const harnessRefSchema = z.strictObject({ name: z.string(), version: z.string() });

/** The room as it stands after frame `seq`: following it with `after=<seq>` misses nothing. */
export const roomViewSchema = z.strictObject({
  room: z.string(),
  seq: z.int(),
  config: roomConfigSchema,
  revision: z.int(),
  harness: harnessRefSchema,
  release: roomReleaseSchema,
  /** Live values that differ from `config` are in `skuOverrides`; the others hold as configured. */
  snapshot: roomSnapshotSchema,
  /** Turns that wait or are being spoken, in the order of their messages. */
  openTurns: z.array(z.string()),
  /** Rows that the room wrote since its object woke, alarms included: the dearest part of what a room costs. */
  rowsWritten: z.int(),
});
export type RoomView = z.infer<typeof roomViewSchema>;

/** A turn that has not ended. */
export const openTurnViewSchema = z.strictObject({
  schema: z.literal("kaibo.open-turn/1"),
  room: z.string(),
  turn: z.string(),
  status: z.enum(["waiting", "speaking"]),
  /** 0 while it waits. */
  attempt: z.int(),
  acceptedAtMs: z.int(),
  messages: z.array(viewerMessageSchema),
  /** What was heard so far, with ms from acceptance. */
  sentences: z.array(sentenceSchema.extend({ atMs: z.number() })),
});

/** A turn: its record once it has ended, else where it stands. */
export const turnViewSchema = z.discriminatedUnion("schema", [turnRecordSchema, openTurnViewSchema]);
export type TurnView = z.infer<typeof turnViewSchema>;
