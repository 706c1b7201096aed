/** What a room knows of releases: how new its answer is, the trial it takes part in, and a version that it could not take. */
import { z } from "zod";

/** A turn of a room in a trial is counted for one of the two versions that are compared. */
export const trialSchema = z.strictObject({
  /** Of the canary, as its salt: the same while its share changes, another with another version. */
  id: z.string(),
  arm: z.enum(["canary", "baseline"]),
});
export type Trial = z.infer<typeof trialSchema>;

export const roomReleaseSchema = z.strictObject({
  /** Last row of the audit log when the room's version was looked up; 0 for a room that names its version. */
  seq: z.int(),
  trial: trialSchema.nullable(),
  /** The version that the room should run and could not take: it keeps the one before. Null: it runs what it should. */
  refused: z.strictObject({ version: z.string(), code: z.string(), atMs: z.int() }).nullable(),
});
export type RoomRelease = z.infer<typeof roomReleaseSchema>;

/** Of a room from before rooms knew. */
export const UNKNOWN_RELEASE: RoomRelease = { seq: 0, trial: null, refused: null };
