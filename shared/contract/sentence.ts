/** The unit of speech: what is checked, broadcast, sent to speech synthesis and recorded. */
import { z } from "zod";

export const sentenceSchema = z.strictObject({
  /** Position in the turn, from 0, without gaps. `(turn, seq)` is spoken at most once. */
  seq: z.int().min(0),
  /** What subtitles show. */
  text: z.string().min(1),
  /** What speech synthesis reads: numbers, prices and units as words. */
  speech: z.string().min(1),
  /** `filler` bridges a wait and states no fact; `fallback` is the harness's line for a turn without an answer. */
  kind: z.enum(["answer", "filler", "fallback"]),
});
export type Sentence = z.infer<typeof sentenceSchema>;
export type SentenceKind = Sentence["kind"];
