/** What a voice takes of a room's stream: what is to be said, and what no longer is. */
import { z } from "zod";
import { parseJson } from "../core/json.ts";
import { sentenceSchema } from "../contract/sentence.ts";

/** Loose: during a release the room may be of another version, and a frame may have more in it. */
const heardFrameSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("sentence"),
    atMs: z.number(),
    turn: z.string(),
    sentence: z.object(sentenceSchema.shape),
  }),
  z.object({ type: z.literal("interrupt"), turn: z.string(), act: z.enum(["stop", "finish"]) }),
]);
export type HeardFrame = z.infer<typeof heardFrameSchema>;

/** The frames of one text, which holds one frame or a list of them, in order. All others are passed over. */
export function readRoomText(text: string): HeardFrame[] {
  const content = parseJson(text);
  const frames: readonly unknown[] = Array.isArray(content) ? content : [content];
  return frames.flatMap((frame) => {
    const parsed = heardFrameSchema.safeParse(frame);
    return parsed.success ? [parsed.data] : [];
  });
}
