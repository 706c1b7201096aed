/**
 * Regular expressions that take time linear in the text, whatever the pattern: patterns are data that operators change,
 * and one that backtracks without bound would stop every room that shares the isolate.
 *
 * The engine follows all ways through the pattern at once (Thompson's construction), so a character costs at most one
 * look at each of the pattern's {@link STEPS_MAX} steps. Nothing is refused for being slow; what cannot be
 * run this way (look-around, back-references) is refused by {@link parsePattern}.
 */
import { fail, ok, type Result } from "../../core/result.ts";
import { parsePattern, PatternRefusal, type PatternNode } from "./parse-pattern.ts";

/** Steps of a compiled pattern. A count of 200 over a class is 200 steps. */
const STEPS_MAX = 500;

/** Nodes that may be looked at while steps are made: counts of counts of nothing make no step and would never end. */
const VISITS_MAX = 20_000;

export type PatternMatch = { readonly start: number; readonly end: number; readonly text: string };

export type LinearPattern = {
  /** The first match from the left, with the choices of a backtracking engine; `null` when there is none. */
  readonly find: (text: string) => PatternMatch | null;
  /** True when the whole text matches. */
  readonly matchesAll: (text: string) => boolean;
};

type Step =
  | { readonly type: "char"; readonly test: (char: string) => boolean }
  | { readonly type: "assert"; readonly at: Extract<PatternNode, { type: "assert" }>["at"] }
  | Split
  | { readonly type: "jump"; to: number }
  | { readonly type: "end" };

/** A pattern ready to run, or the reason why it cannot be. Flag `i` ignores case; the pattern always reads Unicode. */
export function compileLinearPattern(source: string, flags: "" | "i" = ""): Result<LinearPattern, string> {
  try {
    const node = parsePattern(source);
    const searching = compileSteps(node, flags);
    const anchored = compileSteps({ type: "sequence", nodes: [node, { type: "assert", at: "end" }] }, flags);
    return ok({
      find: (text) => run(searching, Array.from(text), false),
      matchesAll: (text) => run(anchored, Array.from(text), true) !== null,
    });
  } catch (thrown) {
    if (thrown instanceof PatternRefusal) return fail(thrown.message);
    throw thrown;
  }
}

/** True when the pattern is of the subset that runs in linear time. */
export function isLinearPattern(source: string): boolean {
  return compileLinearPattern(source).ok;
}

type Split = { readonly type: "split"; first: number; second: number };

class StepWriter {
  readonly steps: Step[] = [];
  readonly #flags: string;
  #visits = 0;

  constructor(flags: string) {
    this.#flags = flags;
  }

  emit(step: Step): number {
    if (this.steps.length >= STEPS_MAX) throw new PatternRefusal(`it is too large: more than ${STEPS_MAX} steps`);
    return this.steps.push(step) - 1;
  }

  add(node: PatternNode): void {
    this.#visits += 1;
    if (this.#visits > VISITS_MAX) throw new PatternRefusal("it is too large: counts inside counts");
    switch (node.type) {
      case "char":
        this.emit({ type: "char", test: charTest(node.source, this.#flags) });
        return;
      case "assert":
        this.emit(node);
        return;
      case "sequence":
        for (const part of node.nodes) this.add(part);
        return;
      case "choice":
        this.#addChoice(node.nodes);
        return;
      case "repeat":
        this.#addRepeat(node);
    }
  }

  #addSplit(): { readonly split: Split; readonly at: number } {
    const split: Split = { type: "split", first: 0, second: 0 };
    return { split, at: this.emit(split) };
  }

  #addChoice(nodes: readonly PatternNode[]): void {
    const jumps: { to: number }[] = [];
    for (const part of nodes.slice(0, -1)) {
      const { split, at } = this.#addSplit();
      this.add(part);
      const jump = { type: "jump" as const, to: 0 };
      this.emit(jump);
      jumps.push(jump);
      split.first = at + 1;
      split.second = this.steps.length;
    }
    const last = nodes.at(-1);
    if (last !== undefined) this.add(last);
    for (const jump of jumps) jump.to = this.steps.length;
  }

  #addRepeat({ node, min, max, lazy }: Extract<PatternNode, { type: "repeat" }>): void {
    const splits: { readonly split: Split; readonly at: number }[] = [];
    for (let count = 0; count < min; count += 1) this.add(node);
    for (let count = min; count < (max ?? min + 1); count += 1) {
      const entry = this.#addSplit();
      splits.push(entry);
      this.add(node);
      if (max === null) this.emit({ type: "jump", to: entry.at });
    }
    for (const { split, at } of splits) {
      split.first = lazy ? this.steps.length : at + 1;
      split.second = lazy ? at + 1 : this.steps.length;
    }
  }
}

function compileSteps(node: PatternNode, flags: string): readonly Step[] {
  const writer = new StepWriter(flags);
  writer.add(node);
  writer.emit({ type: "end" });
  return writer.steps;
}

/** The language's own engine on one character, which cannot be slow. Letters and digits that mean themselves skip it. */
function charTest(source: string, flags: string): (char: string) => boolean {
  if (flags === "" && source !== "." && !source.startsWith("\\") && !source.startsWith("["))
    return (char) => char === source;
  const pattern = new RegExp(`^${source}$`, `u${flags}`);
  return (char) => pattern.test(char);
}

/** A way through the pattern that is alive: the step it waits at, and where its match began. */
type Thread = { readonly step: number; readonly start: number };

function run(steps: readonly Step[], chars: readonly string[], anchored: boolean): PatternMatch | null {
  let threads: readonly Thread[] = [];
  let best: { readonly start: number; readonly end: number } | null = null;
  for (let at = 0; at <= chars.length; at += 1) {
    const place: Place = { chars, at, seen: new Uint8Array(steps.length), alive: [] };
    for (const thread of threads) follow(steps, thread, place);
    if (best === null && (!anchored || at === 0)) follow(steps, { step: 0, start: at }, place);
    const { ended, going } = advance(steps, place);
    if (ended !== null) best = { start: ended, end: at };
    threads = going;
    if (threads.length === 0 && (best !== null || anchored)) break;
  }
  if (best === null) return null;
  const offset = (count: number) => chars.slice(0, count).join("").length;
  return { start: offset(best.start), end: offset(best.end), text: chars.slice(best.start, best.end).join("") };
}

/** Takes the character at the place. `ended`: where the match began that is complete here; worse choices are dropped. */
function advance(
  steps: readonly Step[],
  { chars, at, alive }: Place,
): { ended: number | null; going: readonly Thread[] } {
  const going: Thread[] = [];
  for (const { step, start } of alive) {
    const current = steps[step];
    if (current?.type === "end") return { ended: start, going };
    if (current?.type === "char" && at < chars.length && current.test(chars[at] ?? ""))
      going.push({ step: step + 1, start });
  }
  return { ended: null, going };
}

type Place = {
  readonly chars: readonly string[];
  readonly at: number;
  readonly seen: Uint8Array;
  readonly alive: Thread[];
};

/** Follows steps that take no character, best choice first, with a stack of its own: nesting must not end the process. */
function follow(steps: readonly Step[], thread: Thread, place: Place): void {
  const stack = [thread.step];
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    const step = steps[index];
    if (step === undefined || place.seen[index] === 1) continue;
    place.seen[index] = 1;
    if (step.type === "jump") stack.push(step.to);
    else if (step.type === "split") stack.push(step.second, step.first);
    else if (step.type === "assert") {
      if (holds(step.at, place)) stack.push(index + 1);
    } else place.alive.push({ step: index, start: thread.start });
  }
}

function holds(assertion: Extract<Step, { type: "assert" }>["at"], { chars, at }: Place): boolean {
  if (assertion === "start") return at === 0;
  if (assertion === "end") return at === chars.length;
  const isBoundary = isWord(chars[at - 1]) !== isWord(chars[at]);
  return assertion === "boundary" ? isBoundary : !isBoundary;
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /^\w$/.test(char);
}
