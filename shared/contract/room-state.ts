/** What changes in a room while it is live, on top of its configuration. */
import { z } from "zod";
import { priceCentsSchema, stockSchema } from "./room-config.ts";

const skuChangeSchema = z
  .strictObject({
    skuId: z.string().min(1).max(64),
    priceCents: priceCentsSchema.optional(),
    stock: stockSchema.optional(),
  })
  .refine(({ priceCents, stock }) => priceCents !== undefined || stock !== undefined, "nothing to change");

/** A change of what the room shows and sells now. Absent fields stay as they are. */
export const roomPatchSchema = z
  .strictObject({
    /** Product on screen; `null` when none is. */
    onScreenProductId: z.string().max(64).nullable().optional(),
    skus: z.array(skuChangeSchema).min(1).max(100).optional(),
  })
  .refine((patch) => patch.onScreenProductId !== undefined || patch.skus !== undefined, "nothing to change");
export type RoomPatch = z.infer<typeof roomPatchSchema>;

/** Live values that differ from the configuration, by SKU. */
export const skuOverridesSchema = z.record(
  z.string(),
  z.strictObject({ priceCents: priceCentsSchema.optional(), stock: stockSchema.optional() }),
);
export type SkuOverrides = z.infer<typeof skuOverridesSchema>;

/** One line that was heard in the room lately, by whomever. */
export const heardLineSchema = z.strictObject({
  speaker: z.string(),
  text: z.string(),
  atMs: z.int(),
});
export type HeardLine = z.infer<typeof heardLineSchema>;

/** The room's volatile state as a turn sees it. The configuration is named by revision and fetched apart. */
export const roomSnapshotSchema = z.strictObject({
  onScreenProductId: z.string().nullable(),
  skuOverrides: skuOverridesSchema,
  /** Latest last; at most {@link HEARD_LINES_MAX}. */
  heard: z.array(heardLineSchema),
});
export type RoomSnapshot = z.infer<typeof roomSnapshotSchema>;

/** Lines of recent speech that a turn sees. More only lengthens the volatile end of the prompt. */
export const HEARD_LINES_MAX = 8;

/** Speaker of the lines that the AI host said. People have the name that came with their speech. */
export const AI_HOST_SPEAKER = "ai-host";
