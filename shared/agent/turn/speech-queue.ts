/** Sentences on their way to the room: in order, one call at a time, what is ready meanwhile goes together in the next. */
import type { Sentence } from "../../contract/sentence.ts";
import type { LiveFacts, SayResult } from "../../contract/turn-lease.ts";

/** Waits before a call is tried again, ms. A room that restarts, for a deploy, is back within a second. */
const PAUSES_MS = [50, 200, 800];

export type SpeechQueue = {
  push(sentence: Sentence): void;
  /**
   * Sends no more and gives back every sentence that the room has not confirmed, the ones in flight included: they go out
   * with the end of the turn, which need not wait for the call in flight. The room drops those that it has.
   */
  drain(): readonly Sentence[];
};

export type SpeechQueuePorts = {
  /** Hands sentences to the room. Repeating is safe: the room ignores a sentence that it has. */
  readonly say: (sentences: readonly Sentence[]) => Promise<SayResult>;
  /** Settles after some ms. */
  readonly pause: (delayMs: number) => Promise<void>;
  /**
   * Called once when the room refused: this runner has lost the turn. A room that cannot be reached has refused nothing: its
   * sentences wait for the next call, or for the end of the turn.
   */
  readonly onLost: () => void;
  /** The room is no longer what these sentences were made from, all that it has not taken. Gives those that still hold. */
  readonly onChanged: (now: LiveFacts, unsaid: readonly Sentence[]) => readonly Sentence[];
};

export function createSpeechQueue({ say, pause, onLost, onChanged }: SpeechQueuePorts): SpeechQueue {
  let pending: readonly Sentence[] = [];
  let inFlight: readonly Sentence[] = [];
  let draining = false;
  let lost = false;

  const deliver = async (batch: readonly Sentence[]): Promise<SayResult | null> => {
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (pauseMs > 0) await pause(pauseMs);
      if (draining) return null;
      try {
        return await say(batch);
      } catch {
        // The call may have arrived: the same sentences are sent again.
      }
    }
    return null;
  };
  const pump = async (): Promise<void> => {
    while (inFlight.length === 0 && !draining && !lost && pending.length > 0) {
      inFlight = pending;
      pending = [];
      const result = await deliver(inFlight);
      if (draining) return;
      if (result === null) {
        pending = [...inFlight, ...pending];
        inFlight = [];
        return;
      }
      const unsaid = [...inFlight, ...pending];
      inFlight = [];
      if (result.ok) continue;
      if (result.error === "room_changed") {
        pending = onChanged(result.now, unsaid);
        continue;
      }
      lost = true;
      onLost();
    }
  };
  return {
    push(sentence) {
      pending = [...pending, sentence];
      void pump();
    },
    drain() {
      draining = true;
      return lost ? [] : [...inFlight, ...pending];
    },
  };
}
