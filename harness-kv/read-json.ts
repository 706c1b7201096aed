import { isCollection, isNode, LineCounter, parseDocument } from "yaml";
import { parseJson } from "../shared/core/json.ts";
import { errorAt, type LineOf, type Problem, type SourceFile } from "./problem.ts";

/** JSON text as a value, with the lines of its parts; `value` is undefined when the text is not JSON. */
export type JsonReading = { readonly value: unknown; readonly lineOf: LineOf; readonly problems: readonly Problem[] };

/**
 * Reads one JSON file. The same key twice is an error: a parser keeps the last one and says nothing.
 *
 * JSON is a subset of YAML 1.2, so the YAML parser gives the lines; what counts as JSON is `parseJson`'s decision alone.
 */
export function readJson({ path, text }: SourceFile): JsonReading {
  const value = parseJson(text);
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, schema: "json", logLevel: "silent" });
  const lineAt = (offset: number): number => counter.linePos(offset).line;
  if (value === undefined) {
    const offsets = [document.errors[0]?.pos[0], openStringOffset(text)].filter((offset) => offset !== undefined);
    const offset = offsets.length > 0 ? Math.min(...offsets) : looseCommaOffset(text);
    const line = offset === undefined ? undefined : lineAt(offset);
    return {
      value,
      lineOf: () => line,
      problems: [
        errorAt(
          "not-json",
          { file: path, line },
          "Not valid JSON",
          "Look for a missing quote or bracket, a comma too many, or a comment",
        ),
      ],
    };
  }
  const problems = document.errors
    .filter(({ code }) => code === "DUPLICATE_KEY")
    .map(({ pos }) =>
      errorAt("duplicate-key", { file: path, line: lineAt(pos[0]) }, "The same key stands twice", "Keep one of them"),
    );
  return { value, lineOf: lineFinder(document, lineAt), problems };
}

/** Finds lines in a parsed document; a path that leads nowhere gives the line of the last part that exists. */
export function lineFinder(document: { readonly contents: unknown }, lineAt: (offset: number) => number): LineOf {
  return (path) => {
    let node: unknown = document.contents;
    let offset: number | undefined = isNode(node) ? node.range?.[0] : undefined;
    for (const key of path) {
      if (!isCollection(node)) break;
      node = node.get(typeof key === "symbol" ? key.toString() : key, true);
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    }
    return offset === undefined ? undefined : lineAt(offset);
  };
}

/** A line on which a string begins and does not end: YAML lets a string run on, JSON does not. */
function openStringOffset(text: string): number | undefined {
  return /^(?:[^"\n]|"(?:[^"\\\n]|\\.)*")*"(?:[^"\\\n]|\\.)*$/m.exec(text)?.index;
}

/** YAML accepts a comma before a closing bracket, JSON does not. */
function looseCommaOffset(text: string): number | undefined {
  return /,(?=\s*[}\]])/.exec(text)?.index;
}
