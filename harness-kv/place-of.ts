/** Lines for problems that are found in a whole bundle, where its files are at hand. */
import { parseJson } from "../shared/core/json.ts";
import { readFrontMatter } from "./front-matter.ts";
import type { Place } from "./problem.ts";
import { readJson } from "./read-json.ts";
import { toSourceText } from "./source-text.ts";

/**
 * Where a part of a bundle is.
 *
 * @param file - By its name in the folder of a harness; `knowledge` for an entry, whose id is then the first key.
 * @param where - Fields down to the value, or the line of a Markdown text as it is in the bundle, from 1.
 */
export type PlaceOf = (file: string, where?: readonly PropertyKey[] | number) => Place;

/** For a bundle that came as one document: a text's line is all that is known. */
export const placeInWireForm: PlaceOf = (file, where) => ({
  file,
  ...(typeof where === "number" && { line: where }),
});

/** For a bundle that was read from these files. */
export function placesIn(files: ReadonlyMap<string, string>): PlaceOf {
  const texts = new Map([...files].map(([file, text]) => [file, toSourceText(text)]));
  return (file, where) => {
    if (file === "knowledge") return placeOfEntry(texts, String(Array.isArray(where) ? where[0] : ""));
    const text = texts.get(file);
    if (text === undefined || where === undefined) return { file };
    return { file, line: typeof where === "number" ? textLine(file, text, where) : fieldLine(file, text, where) };
  };
}

function fieldLine(file: string, text: string, path: readonly PropertyKey[]): number | undefined {
  const source = { path: file, text };
  return file.endsWith(".json") ? readJson(source).lineOf(path) : readFrontMatter(source).lineOf(path);
}

/** Bundles hold texts without the blank lines around them, and skills without their front matter. */
function textLine(file: string, text: string, line: number): number {
  const { body } = file.startsWith("prompt/") ? { body: text.trim() } : readFrontMatter({ path: file, text });
  const before = body === "" ? "" : text.slice(0, text.lastIndexOf(body));
  return before.split("\n").length - 1 + line;
}

/** The last one of that id: where it stands twice, the first is the one that was meant to be kept. */
function placeOfEntry(files: ReadonlyMap<string, string>, id: string): Place {
  const places: Place[] = [...files].flatMap(([file, text]) => {
    if (!file.startsWith("knowledge/")) return [];
    if (file.endsWith(".md")) return file === `knowledge/${id}.md` ? [{ file, line: 1 }] : [];
    return text.split("\n").flatMap((line, index) => {
      const entry = parseJson(line);
      const isMeant = typeof entry === "object" && entry !== null && "id" in entry && entry.id === id;
      return isMeant ? [{ file, line: index + 1 }] : [];
    });
  });
  return places.at(-1) ?? { file: "knowledge" };
}
