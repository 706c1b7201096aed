import { parseJson } from "../../core/json.ts";

/** A tool call as the model asked for it. Nothing of it is checked yet. */
export type RequestedToolCall = {
  /** The engine's id, or `call_{prefix}_{n}` if it gave none. */
  readonly id: string;
  readonly name: string;
  /** As received, to the byte: the history must repeat it so, or the engine's prefix cache misses. */
  readonly argumentsText: string;
};

type Draft = { id: string; name: string; argumentsText: string };
type Fragment = {
  readonly id: string;
  readonly index: number | null;
  readonly name: string;
  readonly argumentsText: string;
  /** False if another call stands before it in the same delta. */
  readonly isFirst: boolean;
};

/**
 * Puts tool calls together from the fragments of `delta.tool_calls`.
 *
 * Engines disagree about `index` and `id`, so neither is trusted alone: a new id is a new call whatever its index;
 * without an id the index decides; without both, the fragment goes on with the newest call unless it must be a new one.
 */
export class ToolCallCollector {
  readonly #callIdPrefix: string;
  readonly #drafts: Draft[] = [];
  readonly #byId = new Map<string, Draft>();
  readonly #byIndex = new Map<number, Draft>();
  #charCount = 0;

  constructor(callIdPrefix: string) {
    this.#callIdPrefix = callIdPrefix;
  }

  /** Characters of names and arguments so far. */
  get charCount(): number {
    return this.#charCount;
  }

  /** Takes the value of one `delta.tool_calls`. Anything that is not a list of fragments is ignored. */
  push(toolCalls: unknown): void {
    if (!Array.isArray(toolCalls)) return;
    for (const [position, entry] of toolCalls.entries()) {
      const fragment = toFragment(entry, position === 0);
      if (fragment !== null) this.#take(fragment);
    }
  }

  /** The calls in order of first appearance. One with neither a name nor arguments is noise and left out. */
  calls(): RequestedToolCall[] {
    return this.#drafts
      .filter((draft) => draft.name !== "" || draft.argumentsText !== "")
      .map((draft, n) => ({ ...draft, id: draft.id === "" ? `call_${this.#callIdPrefix}_${n}` : draft.id }));
  }

  #take(fragment: Fragment): void {
    const draft = this.#find(fragment) ?? this.#open();
    if (draft.id === "" && fragment.id !== "") {
      draft.id = fragment.id;
      this.#byId.set(fragment.id, draft);
    }
    if (fragment.index !== null) this.#byIndex.set(fragment.index, draft);
    // A name may come in pieces, or whole again with every fragment; it is settled once arguments have begun.
    const isNamePiece = draft.name === "" || (draft.argumentsText === "" && fragment.name !== draft.name);
    if (isNamePiece) draft.name += fragment.name;
    draft.argumentsText += fragment.argumentsText;
    this.#charCount += fragment.name.length + fragment.argumentsText.length;
  }

  #find(fragment: Fragment): Draft | undefined {
    if (fragment.id !== "") {
      const known = this.#byId.get(fragment.id);
      if (known !== undefined) return known;
      // An id that comes late belongs to the call that still has none.
      const target = this.#byPlace(fragment);
      return target?.id === "" && fragment.name === "" ? target : undefined;
    }
    const target = this.#byPlace(fragment);
    if (target === undefined) {
      // Without id and name it cannot be a new call, so its index is wrong.
      return fragment.name === "" ? this.#drafts.at(-1) : undefined;
    }
    return startsNewCall(target, fragment) ? undefined : target;
  }

  #byPlace(fragment: Fragment): Draft | undefined {
    return fragment.index === null ? this.#drafts.at(-1) : this.#byIndex.get(fragment.index);
  }

  #open(): Draft {
    const draft = { id: "", name: "", argumentsText: "" };
    this.#drafts.push(draft);
    return draft;
  }
}

/** Whether a fragment without an id begins another call than the one at its place. Only a fragment with a name can. */
function startsNewCall(draft: Draft, fragment: Fragment): boolean {
  if (fragment.name === "") return false;
  if (fragment.index === null && !fragment.isFirst) return true;
  if (draft.argumentsText === "") return false;
  if (fragment.name !== draft.name) return true;
  return fragment.argumentsText !== "" && isCompleteJson(draft.argumentsText);
}

function isCompleteJson(text: string): boolean {
  return text.endsWith("}") && parseJson(text) !== undefined;
}

function toFragment(entry: unknown, isFirst: boolean): Fragment | null {
  if (!isObject(entry)) return null;
  const called = isObject(entry["function"]) ? entry["function"] : {};
  const index = entry["index"];
  return {
    id: toText(entry["id"]),
    index: typeof index === "number" ? index : null,
    name: toText(called["name"]),
    argumentsText: toArgumentsText(called["arguments"]),
    isFirst,
  };
}

/** Some engines send the arguments as an object, not as its text. */
function toArgumentsText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : toText(value);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
