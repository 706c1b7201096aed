/** Which of the waiting turns asks what a message asks. */
import { isSameQuestion, toSignature } from "./message-key.ts";

/**
 * Finds the waiting turn that asks the same, in constant time for equal keys and over few candidates otherwise: only keys
 * of the same characters are compared. Holds what waits and nothing else, so it can be rebuilt from the waiting turns at
 * any time.
 */
export class QuestionIndex {
  /** In the order in which they were added, so that the turn that waits longest is found. */
  readonly #turnsOfKey = new Map<string, Set<string>>();
  readonly #keysOfTurn = new Map<string, Set<string>>();
  readonly #keysOfSignature = new Map<string, Set<string>>();

  /** A turn may have several keys, one for each wording that was merged into it. The empty key asks nothing and is not kept. */
  add(key: string, turn: string): void {
    if (key === "") return;
    addTo(this.#turnsOfKey, key, turn);
    addTo(this.#keysOfTurn, turn, key);
    addTo(this.#keysOfSignature, toSignature(key), key);
  }

  /** Forgets the turn with all its keys. A turn that is not here is fine. */
  remove(turn: string): void {
    for (const key of this.#keysOfTurn.get(turn) ?? []) {
      removeFrom(this.#turnsOfKey, key, turn);
      if (!this.#turnsOfKey.has(key)) removeFrom(this.#keysOfSignature, toSignature(key), key);
    }
    this.#keysOfTurn.delete(turn);
  }

  /** The turn that asks the same, an equal key before a similar one; `null` when none waits. */
  find(key: string): string | null {
    if (key === "") return null;
    const equal = firstOf(this.#turnsOfKey.get(key));
    if (equal !== null) return equal;
    for (const other of this.#keysOfSignature.get(toSignature(key)) ?? []) {
      if (isSameQuestion(key, other)) return firstOf(this.#turnsOfKey.get(other));
    }
    return null;
  }

  /** Turns that can be found. */
  get size(): number {
    return this.#keysOfTurn.size;
  }
}

function addTo(sets: Map<string, Set<string>>, name: string, value: string): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([value]));
  else set.add(value);
}

function removeFrom(sets: Map<string, Set<string>>, name: string, value: string): void {
  const set = sets.get(name);
  set?.delete(value);
  if (set?.size === 0) sets.delete(name);
}

function firstOf(set: ReadonlySet<string> | undefined): string | null {
  for (const value of set ?? []) return value;
  return null;
}
