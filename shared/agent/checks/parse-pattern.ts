/** Reads a regular expression of the linear-time subset into a tree. */

/** Repetitions that a pattern may ask for by number; each costs a copy of what is repeated. */
const REPEAT_MAX = 200;

export type PatternNode =
  | { readonly type: "char"; readonly source: string }
  | { readonly type: "assert"; readonly at: "start" | "end" | "boundary" | "inside" }
  | { readonly type: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly type: "choice"; readonly nodes: readonly PatternNode[] }
  | {
      readonly type: "repeat";
      readonly node: PatternNode;
      readonly min: number;
      /** `null`: without end. */
      readonly max: number | null;
      readonly lazy: boolean;
    };

/** Why a pattern cannot be taken. Never leaves this folder: callers make a message of it. */
export class PatternRefusal extends Error {}

type Reader = { readonly chars: readonly string[]; at: number };

/**
 * The subset: literals, escapes, classes, `.`, groups (capturing, named and not), `|`, `* + ? {n,m}` greedy or lazy, `^ $ \b \B`.
 * @throws PatternRefusal for look-around, back-references, inline flags, counts above 200 and bad syntax.
 */
export function parsePattern(source: string): PatternNode {
  const reader: Reader = { chars: Array.from(source), at: 0 };
  const node = readChoice(reader);
  if (reader.at < reader.chars.length) throw new PatternRefusal("a `)` closes nothing");
  return node;
}

function readChoice(reader: Reader): PatternNode {
  const branches: PatternNode[] = [readSequence(reader)];
  while (take(reader, "|")) branches.push(readSequence(reader));
  return branches.length === 1 && branches[0] !== undefined ? branches[0] : { type: "choice", nodes: branches };
}

function readSequence(reader: Reader): PatternNode {
  const nodes: PatternNode[] = [];
  for (;;) {
    const next = reader.chars[reader.at];
    if (next === undefined || next === "|" || next === ")") return { type: "sequence", nodes };
    nodes.push(readRepeat(reader, readAtom(reader)));
  }
}

function readRepeat(reader: Reader, node: PatternNode): PatternNode {
  const bounds = readBounds(reader);
  if (bounds === null) return node;
  if (node.type === "assert") throw new PatternRefusal("an assertion cannot be repeated");
  if (Math.max(bounds.min, bounds.max ?? 0) > REPEAT_MAX) throw new PatternRefusal(`a count is above ${REPEAT_MAX}`);
  if (bounds.max !== null && bounds.max < bounds.min) throw new PatternRefusal("a count ends before it starts");
  const lazy = take(reader, "?");
  if (["*", "+", "?", "{"].includes(reader.chars[reader.at] ?? ""))
    throw new PatternRefusal("two quantifiers in a row");
  return { type: "repeat", node, ...bounds, lazy };
}

function readBounds(reader: Reader): { min: number; max: number | null } | null {
  if (take(reader, "*")) return { min: 0, max: null };
  if (take(reader, "+")) return { min: 1, max: null };
  if (take(reader, "?")) return { min: 0, max: 1 };
  if (reader.chars[reader.at] !== "{") return null;
  const rest = reader.chars.slice(reader.at, reader.at + 16).join("");
  const count = /^\{(\d{1,5})(?:(,)(\d{1,5})?)?\}/u.exec(rest);
  if (count === null) throw new PatternRefusal("a `{` must be a count or be escaped");
  reader.at += count[0].length;
  const min = Number(count[1]);
  if (count[2] === undefined) return { min, max: min };
  return { min, max: count[3] === undefined ? null : Number(count[3]) };
}

function readAtom(reader: Reader): PatternNode {
  const char = reader.chars[reader.at] ?? "";
  reader.at += 1;
  if ("*+?{}]".includes(char)) throw new PatternRefusal(`\`${char}\` stands alone; escape it to mean the character`);
  switch (char) {
    case "(":
      return readGroup(reader);
    case "[":
      return readClass(reader);
    case "\\":
      return readEscape(reader);
    case "^":
      return { type: "assert", at: "start" };
    case "$":
      return { type: "assert", at: "end" };
    default:
      return { type: "char", source: char };
  }
}

function readGroup(reader: Reader): PatternNode {
  if (take(reader, "?")) {
    const rest = reader.chars.slice(reader.at, reader.at + 40).join("");
    const prefix = /^(?::|<[A-Za-z_]\w{0,30}>)/u.exec(rest)?.[0];
    if (prefix === undefined) throw new PatternRefusal("look-around and inline flags are not linear-time");
    reader.at += prefix.length;
  }
  const node = readChoice(reader);
  if (!take(reader, ")")) throw new PatternRefusal("a `(` is not closed");
  return node;
}

function readClass(reader: Reader): PatternNode {
  const start = reader.at - 1;
  while (reader.at < reader.chars.length && reader.chars[reader.at] !== "]") {
    reader.at += reader.chars[reader.at] === "\\" ? 2 : 1;
  }
  if (!take(reader, "]")) throw new PatternRefusal("a `[` is not closed");
  return charNode(reader.chars.slice(start, reader.at).join(""));
}

function readEscape(reader: Reader): PatternNode {
  const rest = reader.chars.slice(reader.at, reader.at + 60).join("");
  if (/^[1-9k]/u.test(rest)) throw new PatternRefusal("back-references are not linear-time");
  const assertion = rest.startsWith("b") ? "boundary" : rest.startsWith("B") ? "inside" : null;
  const length = /^(?:[pP]\{[^}]{1,50}\}|u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)/su.exec(
    rest,
  )?.[0].length;
  if (length === undefined) throw new PatternRefusal("a `\\` ends the pattern");
  reader.at += Array.from(rest.slice(0, length)).length;
  return assertion === null ? charNode(`\\${rest.slice(0, length)}`) : { type: "assert", at: assertion };
}

/** A part that takes one character. The engine of the language itself says whether it is one. */
function charNode(source: string): PatternNode {
  try {
    void new RegExp(source, "u");
  } catch {
    throw new PatternRefusal(`\`${source}\` is no character class or escape`);
  }
  return { type: "char", source };
}

function take(reader: Reader, char: string): boolean {
  if (reader.chars[reader.at] !== char) return false;
  reader.at += 1;
  return true;
}
