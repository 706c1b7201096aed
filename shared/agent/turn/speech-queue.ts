/** Sentences on their way to the room: in order, one call at a time, what is ready meanwhile goes together in the next. */
import type { Sentence } from "../../contract/sentence.ts";
import type { SayResult } from "../../contract/turn-lease.ts";

/** Tries of one call. Repeating is safe: the room ignores a sentence that it has. */
const TRIES_MAX = 3;

export type SpeechQueue = {
  push(sentence: Sentence): void;
  /**
   * Sends no more and gives back every sentence that the room has not confirmed, the ones in flight included: they go out
   * with the end of the turn, which need not wait for the call in flight. The room drops those that it has.
   */
  drain(): readonly Sentence[];
};

/**
 * @param say - Hands sentences to the room; a refusal means that this runner has lost the turn.
 * @param onLost - Called once when the room refused, or could not be reached in {@link TRIES_MAX} tries.
 */
export function createSpeechQueue(
  say: (sentences: readonly Sentence[]) => Promise<SayResult>,
  onLost: () => void,
): SpeechQueue {
  let pending: Sentence[] = [];
  let inFlight: readonly Sentence[] = [];
  let draining = false;
  let lost = false;

  const lose = () => {
    if (!lost) onLost();
    lost = true;
  };
  const deliver = async (batch: readonly Sentence[]) => {
    for (let tries = 1; tries <= TRIES_MAX && !draining; tries += 1) {
      try {
        const result = await say(batch);
        if (!result.ok && !draining) lose();
        return;
      } catch {
        // The call may have arrived: the same sentences are sent again, and the room drops those that it has.
      }
    }
    if (!draining) lose();
  };
  const pump = () => {
    if (inFlight.length > 0 || draining || lost || pending.length === 0) return;
    inFlight = pending;
    pending = [];
    void deliver(inFlight).then(() => {
      inFlight = [];
      pump();
    });
  };
  return {
    push(sentence) {
      pending.push(sentence);
      pump();
    },
    drain() {
      draining = true;
      return lost ? [] : [...inFlight, ...pending];
    },
  };
}
